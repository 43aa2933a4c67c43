// Σ_k c_k sgn(w_k·x) for many x at once. A panel of x's is stored feature-major, and each voter
// adds its y x to a running score per column: nnz(voters) · width multiply-adds, without forming
// any w_k. Signs are exact: a column with a score inside its error bound is summed again exactly.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "../../blocks/block.hpp"
#include "../../numbers/decide.hpp"
#include "voted.hpp"

namespace novikoff {

class Electorate {
  public:
    // counts[0] is the base's own vote, counts[k] that of voter k.
    Electorate(Voters voters, std::vector<double> base, std::vector<double> counts, double bias)
        : voters_(std::move(voters)),
          base_(std::move(base)),
          counts_(std::move(counts)),
          bias_(bias) {
        Extent extent = measure(base_row());
        reach_ = std::sqrt(extent.norm2 + kTiny);
        grid_ = row_grid(base_row());
        base_is_zero_ = grid_ == kNoBits;
        for (std::size_t k = 0; k < voters_.size(); ++k) {
            extent = measure(voters_.row(k));
            reaches_.push_back(std::sqrt(extent.norm2 + kTiny));
            grid_ = std::min(grid_, row_grid(voters_.row(k)));
        }
    }

    // The votes of rows [begin, end); the first row refused, or end.
    template <class Block>
    std::size_t votes(const Block& block, std::size_t begin, std::size_t end, double* vote) const {
        using Row = typename Block::Row;
        const std::size_t width = panel_width();
        Buffer panel(base_.size() * width);
        std::vector<std::uint64_t> present(base_.size());  // the columns that have a feature
        for (std::size_t start = begin; start < end; start += width) {
            const std::size_t count = std::min(width, end - start);
            std::vector<Gate<Row>> gates(count, Gate<Row>(block.columns));
            std::vector<Row> rows;
            std::vector<double> norms(width, 0.0);
            for (std::size_t b = 0; b < count; ++b) {
                Row x = block.row(start + b, bias_);
                if (!gates[b].sound_indices(x)) return start + b;
                const Extent extent = measure(x);
                if (!sound_values(x, extent)) return start + b;
                norms[b] = std::sqrt(extent.norm2 + kTiny);
                rows.push_back(x);
                for_each(x, [&](Coordinate j, double v) {
                    if (!inside(j)) return;
                    panel[at(j) * width + b] = v;
                    present[at(j)] |= std::uint64_t{1} << b;
                });
            }
            tally(panel, width, present, rows, norms, vote + (start - begin));
            for (std::size_t b = 0; b < count; ++b)
                for_each(rows[b], [&](Coordinate j, double) {
                    if (!inside(j)) return;
                    panel[at(j) * width + b] = 0;
                    present[at(j)] = 0;
                });
        }
        return end;
    }

  private:
    // base_[0] is the constant feature's weight.
    static std::size_t at(Coordinate j) { return static_cast<std::size_t>(j + 1); }
    bool inside(Coordinate j) const { return at(j) < base_.size(); }
    DenseRow<double> base_row() const { return {base_.data(), base_.size(), 0}; }

    std::size_t panel_width() const {
        const std::size_t fitting = (std::size_t{1} << 20) / (base_.size() * sizeof(double));
        return std::max<std::size_t>(4, std::min<std::size_t>(64, fitting / 4 * 4));
    }

    template <class Row>
    void tally(const Buffer& panel, std::size_t width, const std::vector<std::uint64_t>& present,
               const std::vector<Row>& rows, const std::vector<double>& norms, double* vote) const {
        std::vector<double> score(width, 0.0), total(width, 0.0);
        std::vector<char> doubtful(width, 0);
        kernels().dense<double>().class_scores(panel.data(), width, base_.data(), base_.size(),
                                               score.data());
        // Columns that share a feature with the voters; the scores of the others are exactly 0.
        constexpr std::uint64_t all = ~std::uint64_t{0};
        std::uint64_t touched = base_is_zero_ ? all << (rows.size() - 1) << 1 : all;
        double reach = reach_;
        std::size_t terms = base_.size();
        const double* features = panel.data() + width;  // coordinate 0
        for (std::size_t k = 0;; ++k) {
            const double factor = error_factor(terms) * kSlack * reach;
            for (std::size_t b = 0; b < width; ++b) {
                const double s = score[b];
                const bool clear = std::fabs(s) > factor * norms[b] + kTinier && std::isfinite(s);
                doubtful[b] |= !clear && counts_[k] != 0 && ((touched >> b) & 1) != 0;
                total[b] += s < 0 ? -counts_[k] : counts_[k];
            }
            if (k == voters_.size()) break;
            const auto v = voters_.row(k);
            kernels().sparse<std::int32_t, double>().class_scores(features, width, v.index, v.value,
                                                                  v.size, v.size, score.data());
            for (std::size_t i = 0; touched != all && i < v.size; ++i)
                touched |= present[at(v.index[i])];
            reach += reaches_[k];
            terms += v.size;
        }
        for (std::size_t b = 0; b < rows.size(); ++b)
            vote[b] = !doubtful[b] || sums_exactly(product_grid(rows[b]), kSlack * reach * norms[b])
                          ? total[b]
                          : exact_vote(rows[b]);
    }

    template <class Row>
    static int row_grid(const Row& x) {
        int grid = kNoBits;
        for_each(x, [&](Coordinate, double v) { grid = std::min(grid, lowest_bit(v)); });
        return grid;
    }

    template <class Row>
    int product_grid(const Row& x) const {
        const int grid = row_grid(x);
        return grid == kNoBits || grid_ == kNoBits ? kNoBits : grid + grid_;
    }

    template <class Row>
    double exact_vote(const Row& x) const {
        std::vector<double> column(base_.size(), 0.0);
        for_each(x, [&](Coordinate j, double v) {
            if (inside(j)) column[at(j)] = v;
        });
        Accumulator score;
        double total = 0;
        for (std::size_t j = 0; j < base_.size(); ++j) score.add_product(base_[j], column[j]);
        for (std::size_t k = 0;; ++k) {
            total += score.sign() < 0 ? -counts_[k] : counts_[k];
            if (k == voters_.size()) return total;
            const auto v = voters_.row(k);
            for (std::size_t i = 0; i < v.size; ++i)
                score.add_product(v.value[i], column[at(v.index[i])]);
        }
    }

    Voters voters_;
    std::vector<double> base_, counts_;
    double bias_;
    double reach_ = 0;  // ‖base‖
    bool base_is_zero_ = true;
    std::vector<double> reaches_;
    int grid_ = kNoBits;
};

}  // namespace novikoff
