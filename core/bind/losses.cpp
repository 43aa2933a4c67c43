// The learners for losses, the functions of their programs, and the comparator for the logistic
// loss.
#include "../comparators/logistic_measures.hpp"
#include "../numbers/floats.hpp"
#include "comparators.hpp"
#include "scores.hpp"

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

std::vector<double> with_constant(double first, Vector<double> rest) {
    std::vector<double> all{first};
    all.insert(all.end(), rest.data(), rest.data() + rest.size());
    return all;
}

// A solver with the blocks it works on, kept alive.
struct HeldLogistic {
    LogisticDual solver;
    std::vector<AnyBlock> blocks;
    Access access;

    HeldLogistic(Vector<double> lambdas, double bias_lambda, double bias)
        : solver(with_constant(bias_lambda, lambdas), bias) {
        expect(std::isfinite(bias), "a finite bias");
    }

    std::size_t add(const AnyBlock& block, Vector<std::int8_t> labels) {
        expect(labels.size() == block.rows(), "a label for every row");
        block.check(0, block.rows());
        Writing writing(access);
        blocks.reserve(blocks.size() + 1);
        IeeeArithmetic ieee;
        const std::size_t taken = std::visit(
            [&](const auto& form) { return solver.add(form, labels.data()); }, block.form);
        if (taken == block.rows()) blocks.push_back(block);
        return taken;
    }

    // Works for about so many seconds, and until so many passes are made in all: is the gap
    // estimated to be within tolerance · primal?
    bool descend(double tolerance, double seconds, std::int64_t passes) {
        using Clock = std::chrono::steady_clock;
        Writing writing(access);
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        const auto show = [&](std::size_t k, auto&& f) { std::visit(f, blocks[k].form); };
        const auto start = Clock::now();
        do {
            if (solver.passes() >= passes) break;
            if (solver.advance(show) && near(tolerance)) return true;
        } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
        return near(tolerance);
    }

    bool near(double tolerance) const {
        return solver.gap_estimate() <= tolerance * solver.primal_estimate();
    }

    nb::tuple weights() const {
        Reading reading(access);
        return nb::make_tuple(solver.bias_weight(), to_numpy(solver.weights()));
    }

    NewVector<double> alphas() const {
        Reading reading(access);
        auto found = new_vector<double>(solver.rows());
        for (std::size_t t = 0; t < solver.rows(); ++t) found.data()[t] = solver.alpha(t);
        return found;
    }
};

// Bounds for one u, gathered over blocks.
struct HeldLogisticMeasures : LogisticMeasures {
    using Label = std::int8_t;

    double bias;
    Access access;

    HeldLogisticMeasures(Vector<double> weights, double bias_weight, Vector<double> lambdas,
                         double bias_lambda, double bias, std::size_t rows)
        : LogisticMeasures(with_constant(bias_weight, weights), with_constant(bias_lambda, lambdas),
                           rows),
          bias(bias) {
        expect(weights.size() == lambdas.size(), "a λ for every weight");
        expect(all_finite(weights.data(), weights.size()) && std::isfinite(bias_weight) &&
                   std::isfinite(bias),
               "finite weights");
    }

    // With one α for each row, or none.
    void add(const AnyBlock& block, Vector<Label> labels, std::optional<Vector<double>> alphas) {
        expect(labels.size() == block.rows() && (!alphas || alphas->size() == block.rows()),
               "a label for every row");
        expect(columns() >= block.columns(), "a weight for every feature");
        block.check(0, block.rows());
        Writing writing(access);
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent&) {
            const Label y = labels.data()[t];
            expect_played(y == 1 || y == -1);
            if (!alphas) return include(x, y);
            expect_played(alphas->data()[t] >= 0 && alphas->data()[t] <= 1);
            include(x, y, alphas->data()[t]);
        };
        const std::size_t taken = std::visit(
            [&](const auto& form) { return for_rows(form, bias, measured, take); }, block.form);
        expect_played(taken == block.rows());
    }
};

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
        nb::gil_scoped_release unlocked;
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
    nb::class_<HeldLogistic>(m, "LogisticRegression")
        .def(nb::init<Vector<double>, double, double>(), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"))
        .def("add", &HeldLogistic::add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &HeldLogistic::descend, nb::arg("tolerance"), nb::arg("seconds"),
             nb::arg("passes"))
        .def("w", &HeldLogistic::weights)
        .def("alphas", &HeldLogistic::alphas)
        .def_prop_ro("passes", [](const HeldLogistic& h) { return h.solver.passes(); });
    nb::class_<HeldLogisticMeasures>(m, "LogisticMeasures")
        .def(nb::init<Vector<double>, double, Vector<double>, double, double, std::size_t>(),
             nb::arg("weights"), nb::arg("bias_weight"), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"), nb::arg("rows"))
        .def("add", &HeldLogisticMeasures::add, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("alphas").none() = nb::none())
        .def_prop_ro("loss", [](const HeldLogisticMeasures& h) { return h.loss.value(); })
        .def_prop_ro("penalty", [](const HeldLogisticMeasures& h) { return h.penalty(); })
        .def_prop_ro("gap", [](const HeldLogisticMeasures& h) { return h.gap(); });
}

}  // namespace novikoff
