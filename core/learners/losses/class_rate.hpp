// Members 0 and 1 of blend-classes/1 (docs/programs_classes.md): p_k = (n_k + 1)/(n + C), where n_k
// counts the rounds of class k, all of them alike or the recent ones more.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "../../numbers/floats.hpp"
#include "../../saving/state.hpp"

namespace novikoff {

class ClassRate {
  public:
    explicit ClassRate(std::size_t classes) : counts_(classes, 0.0), logs_(classes, 0.0) {}

    void forecast(double* chances, double* logs) const {
        const auto size = static_cast<double>(counts_.size());
        const double everything = floats::log1p(total_ + (size - 1.0));
        for (std::size_t k = 0; k < counts_.size(); ++k) {
            chances[k] = (counts_[k] + 1.0) / (total_ + size);
            logs[k] = logs_[k] - everything;
        }
    }

    void learn(std::size_t y, double weight) {
        counts_[y] += weight;
        logs_[y] = floats::log1p(counts_[y]);
        total_ += weight;
    }

    void fade(double keep) {
        for (double& n : counts_) n = keep * n;
        kernels().classes.logs(counts_.data(), counts_.size(), logs_.data());
        total_ = keep * total_;
    }

    void state(StateWriter& out, const char* name) const {
        std::vector<double> all = counts_;
        all.push_back(total_);
        out.put(name, std::span<const double>(all));
    }

    void restore(const StateReader& in, const char* name) {
        const auto all = in.reals(name);
        check(all.size() == counts_.size() + 1);
        check(std::all_of(all.begin(), all.end(), [](double n) { return n >= 0 && n <= kMost; }));
        std::copy_n(all.begin(), counts_.size(), counts_.begin());
        for (std::size_t k = 0; k < counts_.size(); ++k) logs_[k] = floats::log1p(counts_[k]);
        total_ = all.back();
    }

  private:
    static constexpr double kMost = 0x1p80;

    std::vector<double> counts_;
    std::vector<double> logs_;  // ln(n_k + 1)
    double total_ = 0;
};

}  // namespace novikoff
