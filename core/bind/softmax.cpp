// The comparator for the log loss of many classes.
#include "../comparators/softmax_measures.hpp"
#include "../comparators/softmax_newton.hpp"
#include "comparators.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

std::vector<double> with_constant(double first, Vector<double> rest) {
    std::vector<double> all{first};
    all.insert(all.end(), rest.data(), rest.data() + rest.size());
    return all;
}

bool are_classes(const Vector<std::uint32_t>& labels, std::size_t classes) {
    return std::all_of(labels.data(), labels.data() + labels.size(),
                       [&](std::uint32_t y) { return y < classes; });
}

// A solver with the blocks it works on, kept alive.
struct HeldSoftmax {
    SoftmaxNewton solver;
    std::vector<AnyBlock> blocks;
    Access access;

    HeldSoftmax(Vector<double> lambdas, double bias_lambda, double bias, std::size_t classes)
        : solver(with_constant(bias_lambda, lambdas), bias, classes) {
        expect(std::isfinite(bias), "a finite bias");
        expect(classes >= 2, "two classes or more");
    }

    std::size_t add(const AnyBlock& block, Vector<std::uint32_t> labels) {
        expect(labels.size() == block.rows(), "a label for every row");
        expect(are_classes(labels, solver.classes()), "labels that are classes");
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
    // estimated to be within tolerance · value?
    bool descend(double tolerance, double seconds, std::int64_t passes) {
        using Clock = std::chrono::steady_clock;
        Writing writing(access);
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        const auto show = [&](auto&& f) {
            for (const AnyBlock& block : blocks) std::visit(f, block.form);
        };
        const auto start = Clock::now();
        while (!solver.near(tolerance) && !solver.stuck() && solver.passes() < passes) {
            solver.advance(show);
            if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) break;
        }
        return solver.near(tolerance);
    }

    // The constant feature's weights, one per class, and a row of them for every other feature.
    nb::tuple weights() const {
        Reading reading(access);
        const std::size_t columns = solver.columns(), classes = solver.classes();
        auto constant = new_vector<double>(classes);
        auto matrix = new_matrix(columns, classes);
        for (std::size_t k = 0; k < classes; ++k) {
            constant.data()[k] = solver.weight(0, k);
            for (std::size_t j = 0; j < columns; ++j)
                matrix.data()[j * classes + k] = solver.weight(j + 1, k);
        }
        return nb::make_tuple(constant, matrix);
    }

    NewVector<double> leads() const {
        Reading reading(access);
        auto found = new_vector<double>(solver.rows());
        for (std::size_t t = 0; t < solver.rows(); ++t) found.data()[t] = solver.lead(t);
        return found;
    }
};

ClassWeights to_weights(const Matrix<double>& given, const Vector<double>& constant) {
    const std::size_t columns = given.shape(0), classes = given.shape(1);
    expect(classes >= 2 && constant.size() == classes, "a weight for every class, two or more");
    expect(all_finite(given.data(), given.size()) && all_finite(constant.data(), classes),
           "finite weights");
    ClassWeights w(classes);
    w.grow(columns);
    std::copy_n(constant.data(), classes, w.at(kBias));
    for (std::size_t j = 0; j < columns; ++j)
        std::copy_n(given.data() + j * classes, classes, w.at(static_cast<Coordinate>(j)));
    return w;
}

// Bounds for one U, gathered over blocks.
struct HeldSoftmaxMeasures : SoftmaxMeasures {
    double bias;
    Access access;

    HeldSoftmaxMeasures(const Matrix<double>& weights, const Vector<double>& constant,
                        Vector<double> lambdas, double bias_lambda, double bias, std::size_t rows)
        : SoftmaxMeasures(to_weights(weights, constant), with_constant(bias_lambda, lambdas), rows),
          bias(bias) {
        expect(weights.shape(0) == lambdas.size(), "a λ for every feature");
        expect(std::isfinite(bias), "a finite bias");
    }

    void add(const AnyBlock& block, Vector<std::uint32_t> labels) {
        expect(labels.size() == block.rows(), "a label for every row");
        expect(columns() >= block.columns(), "a weight for every feature");
        expect(are_classes(labels, classes()), "labels that are classes");
        block.check(0, block.rows());
        Writing writing(access);
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        const auto measured = [](const auto& x) { return measure(x); };
        const auto take = [&](std::size_t t, const auto& x, const Extent&) {
            include(x, labels.data()[t]);
        };
        const std::size_t taken = std::visit(
            [&](const auto& form) { return for_rows(form, bias, measured, take); }, block.form);
        if (taken != block.rows()) throw std::invalid_argument("rows that are sound");
    }
};

}  // namespace

void bind_softmax(nb::module_& m) {
    nb::class_<HeldSoftmax>(m, "SoftmaxRegression")
        .def(nb::init<Vector<double>, double, double, std::size_t>(), nb::arg("lambdas"),
             nb::arg("bias_lambda"), nb::arg("bias"), nb::arg("classes"))
        .def("add", &HeldSoftmax::add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &HeldSoftmax::descend, nb::arg("tolerance"), nb::arg("seconds"),
             nb::arg("passes"))
        .def("w", &HeldSoftmax::weights)
        .def("leads", &HeldSoftmax::leads)
        .def_prop_ro("stuck", [](const HeldSoftmax& h) { return h.solver.stuck(); })
        .def_prop_ro("passes", [](const HeldSoftmax& h) { return h.solver.passes(); });
    nb::class_<HeldSoftmaxMeasures>(m, "SoftmaxMeasures")
        .def(nb::init<const Matrix<double>&, const Vector<double>&, Vector<double>, double, double,
                      std::size_t>(),
             nb::arg("weights"), nb::arg("bias_weights"), nb::arg("lambdas"),
             nb::arg("bias_lambda"), nb::arg("bias"), nb::arg("rows"))
        .def("add", &HeldSoftmaxMeasures::add, nb::arg("block"), nb::arg("labels").noconvert())
        .def_prop_ro("loss", [](const HeldSoftmaxMeasures& h) { return h.loss.value(); })
        .def_prop_ro("penalty", [](const HeldSoftmaxMeasures& h) { return h.penalty(); })
        .def_prop_ro("gap", [](const HeldSoftmaxMeasures& h) { return h.gap(); });
}

}  // namespace novikoff
