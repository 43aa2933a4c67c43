// The best values of one row's dual variables, for all classes at once and exactly (crammer2001;
// keerthi2008).
#pragma once

#include <algorithm>
#include <vector>

#include "classes_weights.hpp"

namespace novikoff {

// min over β ≥ 0, Σβ ≤ upper of ½q Σβ_k² + ½(q + diagonal)(Σβ)² − Σ b_k β_k. If b_k > θ, then β_k =
// (b_k − θ)/q. Here θ = (q + diagonal) Σβ, or more if Σβ = upper. So the b above θ are the m
// largest, and their sum gives θ:
//     Σβ = Σb / (q + m (q + diagonal)),  or  θ = (Σb − q · upper)/m.
class ShareOut {
  public:
    std::vector<ClassShare> shares;  // b; those with β > 0 become β

    // Returns Σβ.
    double solve(double q, double diagonal, double upper) {
        std::erase_if(shares, [](const ClassShare& b) { return !(b.value > 0); });
        std::sort(shares.begin(), shares.end(), [](const ClassShare& a, const ClassShare& b) {
            return a.value != b.value ? a.value > b.value : a.k < b.k;
        });
        if (shares.empty()) return 0;
        const double depth = q + diagonal;
        const auto total = [&](double sum, double m) { return sum / (q + m * depth); };
        Leaders found = lead([&](double sum, double m) { return depth * total(sum, m); });
        double whole = total(found.sum, static_cast<double>(found.count));
        if (whole >= upper) {
            whole = upper;
            found = lead([&](double sum, double m) { return (sum - q * upper) / m; });
        }
        split(found, q, whole);
        return whole;
    }

  private:
    struct Leaders {
        std::size_t count;
        double sum;
    };

    // The b above θ; θ(their sum, their number) is the θ that they give.
    template <class F>
    Leaders lead(F&& theta) const {
        Leaders found{1, shares[0].value};
        for (; found.count < shares.size(); ++found.count) {
            const double next = shares[found.count].value;
            if (!(next > theta(found.sum, static_cast<double>(found.count)))) break;
            found.sum += next;
        }
        return found;
    }

    // b − θ loses digits if q is small; Σβ, which is known otherwise, corrects that.
    void split(const Leaders& found, double q, double whole) {
        shares.resize(found.count);
        const auto count = static_cast<double>(found.count);
        const double mean = found.sum / count, each = q * whole / count;
        double sum = 0;
        for (ClassShare& share : shares)
            sum += share.value = std::max(0.0, each + (share.value - mean));
        if (found.count == 1 || !(sum > 0)) {
            shares.resize(1);
            shares[0].value = sum = 1;
        }
        for (ClassShare& share : shares) share.value = share.value / sum * whole;
        std::erase_if(shares, [](const ClassShare& share) { return share.value == 0; });
    }
};

}  // namespace novikoff
