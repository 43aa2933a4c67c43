// Comparators for losses: solvers of min over u of L(u) + ½ Σ_i λ_i u_i², and measures of any u.
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "../comparators/curvature.hpp"
#include "../comparators/penalised_measures.hpp"
#include "comparators.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

std::vector<double> with_constant(double first, Vector<double> rest) {
    std::vector<double> all{first};
    all.insert(all.end(), rest.data(), rest.data() + rest.size());
    return all;
}

// A solver with the blocks it works on, kept alive.
template <class Loss>
struct HeldPenalised {
    using Label = typename Loss::Label;

    PenalisedDual<Loss> solver;
    std::vector<AnyBlock> blocks;
    Access access;

    HeldPenalised(Vector<double> lambdas, double bias_lambda, double bias)
        : solver(with_constant(bias_lambda, lambdas), bias) {
        expect(std::isfinite(bias), "a finite bias");
    }

    std::size_t add(const AnyBlock& block, Vector<Label> labels) {
        expect(labels.size() == block.rows(), "a label for every row");
        expect(std::all_of(labels.data(), labels.data() + labels.size(), Loss::takes),
               "labels that the loss is defined for");
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
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        const auto show = [&](std::size_t k, auto&& f) { std::visit(f, blocks[k].form); };
        const auto start = Clock::now();
        do {
            if (solver.passes() >= passes) break;
            if (solver.advance(show) && solver.near(tolerance)) return true;
        } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
        return false;
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
template <class Loss>
struct HeldPenalisedMeasures : PenalisedMeasures<Loss> {
    using Label = typename Loss::Label;

    double bias;
    Access access;

    HeldPenalisedMeasures(Vector<double> weights, double bias_weight, Vector<double> lambdas,
                          double bias_lambda, double bias, std::size_t rows)
        : PenalisedMeasures<Loss>(with_constant(bias_weight, weights),
                                  with_constant(bias_lambda, lambdas), rows),
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
        expect(this->columns() >= block.columns(), "a weight for every feature");
        block.check(0, block.rows());
        Writing writing(access);
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent&) {
            const Label y = labels.data()[t];
            expect_played(Loss::takes(y));
            if (!alphas) return this->include(x, y);
            expect_played(Loss::takes_alpha(alphas->data()[t]));
            this->include(x, y, alphas->data()[t]);
        };
        const std::size_t taken = std::visit(
            [&](const auto& form) { return for_rows(form, bias, measured, take); }, block.form);
        expect_played(taken == block.rows());
    }
};

template <class Loss>
void bind_penalised(nb::module_& m, const std::string& name) {
    using Solver = HeldPenalised<Loss>;
    nb::class_<Solver>(m, (name + "Regression").c_str())
        .def(nb::init<Vector<double>, double, double>(), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"))
        .def("add", &Solver::add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &Solver::descend, nb::arg("tolerance"), nb::arg("seconds"),
             nb::arg("passes"))
        .def("w", &Solver::weights)
        .def("alphas", &Solver::alphas)
        .def_prop_ro("passes", [](const Solver& h) { return h.solver.passes(); });
    using Measures = HeldPenalisedMeasures<Loss>;
    nb::class_<Measures>(m, (name + "Measures").c_str())
        .def(nb::init<Vector<double>, double, Vector<double>, double, double, std::size_t>(),
             nb::arg("weights"), nb::arg("bias_weight"), nb::arg("lambdas"), nb::arg("bias_lambda"),
             nb::arg("bias"), nb::arg("rows"))
        .def("add", &Measures::add, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("alphas").none() = nb::none())
        .def_prop_ro("loss", [](const Measures& h) { return h.loss.value(); })
        .def_prop_ro("penalty", [](const Measures& h) { return h.penalty(); })
        .def_prop_ro("least", [](const Measures& h) { return h.least(); })
        .def_prop_ro("gap", [](const Measures& h) { return h.gap(); });
}

// A vector that is added to: the constant feature first, then the others.
using Sums = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class F>
void add_rows(const AnyBlock& block, std::size_t weights, Sums& sums, F&& f) {
    expect(weights == block.rows(), "a weight for every row");
    expect(sums.shape(0) > block.columns(), "a sum for every feature");
    block.check(0, block.rows());
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    std::visit(f, block.form);
}

NewVector<double> plain_scores(const AnyBlock& block, double bias, Vector<double> v) {
    expect(v.size() > block.columns(), "a weight for every feature");
    block.check(0, block.rows());
    auto found = new_vector<double>(block.rows());
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    std::visit([&](const auto& form) { curvature::products(form, bias, v.data(), found.data()); },
               block.form);
    return found;
}

void add_pull(const AnyBlock& block, Vector<double> weights, double bias, Sums sums) {
    add_rows(block, weights.size(), sums, [&](const auto& form) {
        curvature::add_pull(form, weights.data(), bias, sums.data());
    });
}

void add_squares(const AnyBlock& block, Vector<double> weights, double bias, Sums sums) {
    add_rows(block, weights.size(), sums, [&](const auto& form) {
        curvature::add_squares(form, weights.data(), bias, sums.data());
    });
}

void add_product(const AnyBlock& block, Vector<double> weights, double bias, Vector<double> v,
                 Sums sums) {
    expect(v.size() == sums.shape(0), "as many sums as numbers");
    add_rows(block, weights.size(), sums, [&](const auto& form) {
        curvature::add_product(form, weights.data(), bias, v.data(), sums.data());
    });
}

}  // namespace

void bind_penalised(nb::module_& m) {
    bind_penalised<LogisticLoss>(m, "Logistic");
    bind_penalised<HingeLoss>(m, "Hinge");
    bind_penalised<SquaredLoss>(m, "Squared");
    bind_penalised<AbsoluteLoss>(m, "Absolute");
    m.def("plain_scores", &plain_scores, nb::arg("block"), nb::arg("bias"), nb::arg("v"),
          "x_t·v of every row in plain floats, the constant feature first in v.");
    m.def("add_pull", &add_pull, nb::arg("block"), nb::arg("weights"), nb::arg("bias"),
          nb::arg("sums").noconvert(), "Add Σ_t a_t x_t, the constant feature first.");
    m.def("add_squares", &add_squares, nb::arg("block"), nb::arg("weights"), nb::arg("bias"),
          nb::arg("sums").noconvert(), "Add Σ_t a_t x_ti² of every feature i.");
    m.def("add_curvature", &add_product, nb::arg("block"), nb::arg("weights"), nb::arg("bias"),
          nb::arg("v"), nb::arg("sums").noconvert(), "Add Σ_t a_t (x_t·v) x_t.");
}

}  // namespace novikoff
