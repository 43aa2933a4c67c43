// The learners for losses, and the functions of their programs.
#include "../numbers/floats.hpp"
#include "comparators.hpp"
#include "scores.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

template <class F>
NewVector<double> mapped(Vector<double> values, F&& f) {
    IeeeArithmetic ieee;
    auto results = new_vector<double>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) results.data()[k] = f(values(k));
    return results;
}

double program_sum(Vector<double> terms) {
    IeeeArithmetic ieee;
    return floats::rounded_sum([&](auto&& take) {
        for (std::size_t k = 0; k < terms.size(); ++k) take(terms(k));
    });
}

// w·x: the rounded sum of the rounded products; the exact sum, rounded, if a product is huge.
template <class Row>
double linear_score(const Row& x, const double* w, std::size_t size, double bias_weight) {
    double largest = 0;
    const auto terms = [&](auto&& take) {
        for_each(x, [&](Coordinate j, double v) {
            if (j >= static_cast<Coordinate>(size)) return;
            const double product = (j == kBias ? bias_weight : w[j]) * v;
            largest = std::max(largest, std::fabs(product));
            take(product);
        });
    };
    const double score = floats::rounded_sum(terms);
    if (largest < 0x1p900) return score;
    Accumulator exact;
    for_each(x, [&](Coordinate j, double v) {
        if (j < static_cast<Coordinate>(size))
            exact.add_product(j == kBias ? bias_weight : w[j], v);
    });
    return exact.rounded();
}

nb::tuple linear_scores(const AnyBlock& block, Vector<double> weights, double bias_weight,
                        double bias) {
    block.check(0, block.rows());
    auto results = new_vector<double>(block.rows());
    auto* out = results.data();
    std::size_t done;
    {
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        const auto measured = [](const auto& x) { return measure(x); };
        done = std::visit(
            [&](const auto& form) {
                return for_rows(
                    form, bias, measured, [&](std::size_t t, const auto& x, const Extent&) {
                        out[t] = linear_score(x, weights.data(), weights.size(), bias_weight);
                    });
            },
            block.form);
    }
    return nb::make_tuple(results, done);
}

}  // namespace

void bind_losses(nb::module_& m) {
    bind_score_rule<AdaptiveGradient, double>(m, "AdaptiveGradient");
    m.def(
        "program_probabilities",
        [](Vector<double> scores) { return mapped(scores, AdaptiveGradient::positive_chance); },
        nb::arg("scores"), "The probability of +1 at each score, as docs/programs.md defines it.");
    m.def(
        "program_exp", [](Vector<double> x) { return mapped(x, floats::exp); }, nb::arg("x"),
        "e^x of each x, as docs/programs.md defines it.");
    m.def(
        "program_log1p", [](Vector<double> x) { return mapped(x, floats::log1p); }, nb::arg("x"),
        "ln(1 + x) of each x ≥ 0, as docs/programs.md defines it.");
    m.def("linear_scores", &linear_scores, nb::arg("block"), nb::arg("weights"),
          nb::arg("bias_weight"), nb::arg("bias"),
          "(w·x of every row, the first row refused or the number of rows).");
    m.def("program_sum", &program_sum, nb::arg("terms"),
          "The float nearest to the exact sum of the terms.");
}

}  // namespace novikoff
