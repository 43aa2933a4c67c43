// The loops of blend-classes/1 over classes. A row of classes has room for a multiple of four
// (`width`); what lies beyond the last class is 0.
#pragma once

#include <cstddef>

namespace novikoff {

inline constexpr std::size_t kClassMembers = 4;  // those with a weight for every class and feature
inline constexpr double kClassTermLimit = 64;
inline constexpr double kClassRate = 0.5;  // of member 2

// What a cell holds before the weights: the largest |x|, the scale, S of member 2, G of members 3
// and 4, V of member 5; the slot of member 6 plus 1; no less than every |θ| of member 2.
enum ClassPlace : std::size_t {
    kClassLargest,
    kClassScale,
    kClassS,
    kClassSlow,
    kClassFast,
    kClassV,
    kClassScales,
    kClassSlot = kClassScales,
    kClassTop
};
inline constexpr std::size_t kClassHeader = 8;

// The features of a row: those that have appeared before, then the others. Arrays have room for a
// multiple of four.
struct ClassRow {
    std::size_t* place;  // of the cell
    std::size_t* next;   // of a cell that the next row needs
    double* x;
    double *v, *c;  // x over the largest |x|; the largest before over that now
    double *u, *d;  // x over the scale, cut to ±1; the scale before over that now
    std::size_t size;
};

// Sums over the features that have appeared before, on the grid.
struct ClassRowSums {
    double squares;  // Σ u²
    double q;        // Σ V u²
    double price;    // Σ x²/λ of member 2
};

struct ClassPace {                               // what all features of a round have in common
    double squares, slow_squares, fast_squares;  // mean g² of the members 2, 3 and 4
    double slow, fast;                           // η √(t/N)
    double h, b;                                 // of member 5
};

// One feature of a row: where the weights of its classes are, [four classes][member][lane], and
// one factor for each member.
struct ClassEntry {
    std::size_t place;
    std::size_t next;  // the place of an entry of the next row, to ask for
    double rate[kClassMembers];
};

struct RowFactor {
    std::size_t row;
    double factor;
};

struct ClassSlopes {
    double squares;  // Σ g²
    double spread;   // Σ p(1 − p)
};

struct ClassKernels {
    // v and u hold what x is divided by; writes them, and the entries with what they weigh.
    ClassRowSums (*weigh)(const double* cells, const ClassRow& row, double shift,
                          ClassEntry* entries);
    // Learns S, G and V, whose units are those of this row already; writes the rates.
    void (*rescale)(double* cells, const ClassRow& row, const ClassPace& pace, ClassEntry* entries);
    // logs = ln(1 + counts)
    void (*logs)(const double* counts, std::size_t size, double* logs);
    // scores[member][k] = Σ over entries of weight · rate, each term cut and rounded to the grid.
    void (*scores)(const double* cells, const ClassEntry* entries, std::size_t count,
                   std::size_t width, double shift, double* scores);
    // weight −= rate · slopes[member][k]
    void (*steps)(double* cells, const ClassEntry* entries, std::size_t count, std::size_t width,
                  const double* slopes);
    // sums = Σ_i factor_i · row_i on the grid, for rows of `width` numbers.
    void (*combine)(const double* rows, const RowFactor* factors, std::size_t count,
                    std::size_t stride, std::size_t width, double limit, double shift,
                    double* sums);
    // row_i −= left_i · right, for the first `count` rows.
    void (*subtract_outer)(double* rows, std::size_t count, std::size_t stride, const double* left,
                           const double* right, std::size_t width);
    // scores ← max(s − max s, −300), chances ← e to that; returns the sum of the chances.
    double (*exponentials)(double* scores, std::size_t classes, std::size_t width, double* chances);
    // chances ← chances/total and gaps ← gaps − log_total.
    void (*normalize)(double* chances, double* gaps, std::size_t classes, std::size_t width,
                      double total, double log_total);
    // sums[k] = Σ_j weights[j] · max(rows[j][k], least), in the order of j.
    void (*mix)(const double* rows, std::size_t count, std::size_t width, const double* weights,
                double least, double* sums);
    // With l = max(logs, least): deviations[j] = l_j − Σ_k chances_k l_jk, and for j ≤ i
    // moments[i][j] = Σ_k (chances_k deviations[i][k]) deviations[j][k].
    void (*moments)(const double* chances, const double* logs, std::size_t count,
                    std::size_t classes, std::size_t width, double least, double* deviations,
                    double* moments);
    // slopes ← (chances − [k = y]) · weight.
    ClassSlopes (*slopes)(const double* chances, std::size_t width, std::size_t y, double weight,
                          double* slopes);
    double (*total)(const double* values, std::size_t width);
};

}  // namespace novikoff
