// Member 7 of blend-classes/1 (docs/programs_classes.md): the softmax of Σ_j ω_j ln p_j over the
// other members, learned by Newton steps ω −= A⁻¹∇.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../../cpu/kernels.hpp"
#include "../../saving/state.hpp"

namespace novikoff {

class ClassStack {
  public:
    static constexpr std::size_t kSize = 7;
    static constexpr double kLeastLog = -30;

    ClassStack() { restart(); }

    void restart() {
        omega_.fill(1.0 / 7.0);
        A_.fill(0.0);
        for (std::size_t i = 0; i < kSize; ++i) A_[i * kSize + i] = kPrior;
    }

    void scores(const double* logs, std::size_t width, double* out) const {
        kernels().classes.mix(logs, kSize, width, omega_.data(), kLeastLog, out);
    }

    // `chances` are the stack's own, `logs` those of the members, [member][class].
    void learn(const double* chances, const double* logs, std::size_t classes, std::size_t width,
               std::size_t y, double weight) {
        std::array<double, kSize * kSize> moments;
        deviations_.resize(kSize * width);
        kernels().classes.moments(chances, logs, kSize, classes, width, kLeastLog,
                                  deviations_.data(), moments.data());
        std::array<double, kSize> step;
        for (std::size_t i = 0; i < kSize; ++i) {
            for (std::size_t j = 0; j <= i; ++j)
                A_[i * kSize + j] += weight * moments[i * kSize + j];
            step[i] = weight * -deviations_[i * width + y];
        }
        solve(step);
        for (std::size_t i = 0; i < kSize; ++i) omega_[i] -= step[i];
    }

    void state(StateWriter& out) const {
        out.put("stack_weights", std::span<const double>(omega_));
        out.put("stack_matrix", std::span<const double>(A_));
    }

    void restore(const StateReader& in) {
        const auto omega = in.reals("stack_weights"), A = in.reals("stack_matrix");
        check(omega.size() == kSize && A.size() == kSize * kSize);
        for (std::size_t i = 0; i < kSize; ++i) {
            check(std::fabs(omega[i]) <= kMost && A[i * kSize + i] >= kPrior);
            for (std::size_t j = 0; j < kSize; ++j)
                check(std::fabs(A[i * kSize + j]) <= kMost && (j <= i || A[i * kSize + j] == 0));
        }
        std::copy(omega.begin(), omega.end(), omega_.begin());
        std::copy(A.begin(), A.end(), A_.begin());
        std::array<double, kSize> trial;
        trial.fill(1.0);
        solve(trial);
        for (const double x : trial) check(std::isfinite(x));
    }

  private:
    static constexpr double kPrior = 3, kMost = 0x1p100;

    // x ← A⁻¹x by A = LDLᵀ; no D is below 1.
    void solve(std::array<double, kSize>& x) const {
        std::array<double, kSize * kSize> L{};
        std::array<double, kSize> D{};
        for (std::size_t i = 0; i < kSize; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double rest = A_[i * kSize + j];
                for (std::size_t k = 0; k < j; ++k)
                    rest -= (L[i * kSize + k] * D[k]) * L[j * kSize + k];
                if (j < i)
                    L[i * kSize + j] = rest / D[j];
                else
                    D[i] = std::max(rest, 1.0);
            }
        for (std::size_t i = 0; i < kSize; ++i)
            for (std::size_t k = 0; k < i; ++k) x[i] -= L[i * kSize + k] * x[k];
        for (std::size_t i = kSize; i-- > 0;) {
            x[i] = x[i] / D[i];
            for (std::size_t k = i + 1; k < kSize; ++k) x[i] -= L[k * kSize + i] * x[k];
        }
    }

    std::array<double, kSize> omega_;
    std::array<double, kSize * kSize> A_;  // its lower triangle
    std::vector<double> deviations_;
};

}  // namespace novikoff
