// The functions of the float programs, and the comparator for the logistic loss.
#include "../comparator/logistic_measures.hpp"
#include "../floats.hpp"
#include "comparators.hpp"

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
    floats::RoundedSum sum;
    for (std::size_t k = 0; k < terms.size(); ++k) sum.add(terms(k));
    return sum.value(terms.data(), terms.size());
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

    // Works for about so many seconds: is the gap estimated to be within tolerance · primal?
    bool descend(double tolerance, double seconds) {
        using Clock = std::chrono::steady_clock;
        Writing writing(access);
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        const auto show = [&](std::size_t k, auto&& f) { std::visit(f, blocks[k].form); };
        const auto start = Clock::now();
        do {
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
};

// What `gather` of the comparators fills.
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

    static bool is_label(Label y) { return y == 1 || y == -1; }
    template <class Row>
    void add(const Row& x, Label y) {
        include(x, y);
    }
};

}  // namespace

void bind_losses(nb::module_& m) {
    m.def(
        "program_exp", [](Vector<double> x) { return mapped(x, floats::exp); }, nb::arg("x"),
        "e^x of each x, as docs/programs.md defines it.");
    m.def(
        "program_log1p", [](Vector<double> x) { return mapped(x, floats::log1p); }, nb::arg("x"),
        "ln(1 + x) of each x ≥ 0, as docs/programs.md defines it.");
    m.def("program_sum", &program_sum, nb::arg("terms"),
          "The float nearest to the exact sum of the terms.");
    nb::class_<HeldLogistic>(m, "LogisticRegression")
        .def(nb::init<Vector<double>, double, double>(), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"))
        .def("add", &HeldLogistic::add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &HeldLogistic::descend, nb::arg("tolerance"),
             nb::arg("seconds") = std::numeric_limits<double>::infinity())
        .def("w", &HeldLogistic::weights)
        .def_prop_ro("passes", [](const HeldLogistic& h) { return h.solver.passes(); });
    nb::class_<HeldLogisticMeasures>(m, "LogisticMeasures")
        .def(nb::init<Vector<double>, double, Vector<double>, double, double, std::size_t>(),
             nb::arg("weights"), nb::arg("bias_weight"), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"), nb::arg("rows"))
        .def("add", &add_all<HeldLogisticMeasures>, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("start"), nb::arg("stop"))
        .def_prop_ro("loss", [](const HeldLogisticMeasures& h) { return h.loss.value(); })
        .def_prop_ro("penalty", [](const HeldLogisticMeasures& h) { return h.penalty(); })
        .def_prop_ro("gap", [](const HeldLogisticMeasures& h) { return h.gap(); });
}

}  // namespace novikoff
