// Exact sums that know their grid, and so take the narrowest form that holds them (grid.hpp).
#pragma once

#include <algorithm>
#include <cmath>

#include "grid.hpp"
#include "stored_sums.hpp"

namespace novikoff {

class GridSums {
  public:
    const StoredSums& sums() const { return sums_; }
    const Grid& grid() const { return grid_; }

    // Are the scores of x exact?
    template <class Row>
    bool scores_exactly(const Row& x, double largest) const {
        return sums_.form() <= Form::kDouble && grid_.scores_exactly(x, largest);
    }

    double norm() const {
        if (sums_.is_narrow())
            return careful_norm(DenseRow<float>{sums_.narrow(), sums_.size(), 0});
        return careful_norm(DenseRow<double>{sums_.high(), sums_.size(), 0});
    }

    // Is a sum too large for a double? Then its high part is the largest double, and something
    // remains.
    bool saturated() const {
        if (sums_.form() != Form::kAny || !sums_.has_low()) return false;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const double high = sums_.rounded(i);
            if (std::fabs(high) == std::numeric_limits<double>::max() && high * sums_.error(i) > 0)
                return true;
        }
        return false;
    }

    // How many sums are not 0.
    std::size_t nonzeros() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) count += sums_.rounded(i) != 0;
        return count;
    }

  protected:
    // Fewer doubles than this fit the second cache anyway.
    static constexpr std::size_t kNarrowFrom = std::size_t{1} << 17;

    GridSums() = default;
    GridSums(StoredSums sums, const Grid& grid) : sums_(std::move(sums)), grid_(grid) {}

    // Before w changes by scale · x: a form that holds the sums. If only the bound on w ran out, it
    // looks at w itself, and stays if that leaves room: for as many updates again, and for so many
    // of this size that they cost as much as the look.
    template <class Row>
    void prepare(const Row& x, double scale) {
        if (sums_.form() == Form::kAny) return;
        grid_.extend(x, scale, sums_.form());
        if (grid_.holds(sums_.form())) [[likely]]
            return;
        const double step = std::fabs(scale) * span_of(x).largest;
        const double bound = (sums_.largest() + step) * (1 + 0x1p-50);
        grid_.bound_by(std::min(grid_.bound(), bound));
        const double updates = static_cast<double>(sums_.size() / (8 * (x.size + 8)));
        const double room = std::max(2 * bound, bound + updates * step);
        if (!grid_.holds(sums_.form(), room)) widen(room);
    }

    // The narrowest form of sums in any form.
    void settle_form() {
        grid_ = sums_.grid();
        Form form = sums_.has_low()               ? Form::kPair
                    : sums_.size() >= kNarrowFrom ? Form::kFloat
                                                  : Form::kDouble;
        while (!grid_.holds(form)) form = static_cast<Form>(static_cast<int>(form) + 1);
        sums_.become(form);
    }

    StoredSums sums_;
    Grid grid_;

  private:
    // A wider form that holds sums of this grid up to a bound.
    void widen(double bound) {
        Form form = sums_.form();
        while (!grid_.holds(form, bound)) form = static_cast<Form>(static_cast<int>(form) + 1);
        sums_.become(form);
    }
};

}  // namespace novikoff
