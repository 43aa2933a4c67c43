#include "../comparators/classes_dual.hpp"
#include "../comparators/classes_measures.hpp"
#include "comparators.hpp"

namespace novikoff {
namespace {

using Held = HeldSoftMargin<ClassDual>;

// The constant feature's weights, one per class, and a row of them for every other feature.
nb::tuple weights(const Held& held) {
    Reading reading(held.access);
    const ClassWeights& w = held.solver.dual().weights();
    const std::size_t columns = w.columns(), classes = w.classes();
    auto constant = to_numpy(w.at(kBias), classes);
    auto matrix = new_matrix(columns, classes);
    for (std::size_t j = 0; j < columns; ++j)
        std::copy_n(w.at(static_cast<Coordinate>(j)), classes, matrix.data() + j * classes);
    return nb::make_tuple(constant, matrix);
}

// Row, class and value of every α that is not 0.
nb::tuple shares(const Held& held) {
    Reading reading(held.access);
    std::vector<std::int64_t> rows, classes;
    std::vector<double> values;
    for (std::size_t t = 0; t < held.solver.rows(); ++t)
        for (const ClassShare& share : held.solver.dual().shares(t)) {
            rows.push_back(static_cast<std::int64_t>(t));
            classes.push_back(share.k);
            values.push_back(share.value);
        }
    return nb::make_tuple(to_numpy(rows), to_numpy(classes), to_numpy(values));
}

ClassWeights to_weights(const Matrix<double>& given, const Vector<double>& constant) {
    const std::size_t columns = given.shape(0), classes = given.shape(1);
    expect(classes > 0 && constant.size() == classes, "a weight for every class");
    expect(all_finite(given.data(), given.size()) && all_finite(constant.data(), classes),
           "finite weights");
    ClassWeights w(classes);
    w.grow(columns);
    std::copy_n(constant.data(), classes, w.at(kBias));
    for (std::size_t j = 0; j < columns; ++j)
        std::copy_n(given.data() + j * classes, classes, w.at(static_cast<Coordinate>(j)));
    return w;
}

// Bounds for one w, gathered over rows of any blocks.
struct HeldClassMeasures : ClassMeasures {
    using Label = std::uint32_t;
    double bias;
    Access access;

    HeldClassMeasures(const Matrix<double>& given, const Vector<double>& constant, double bias)
        : ClassMeasures(to_weights(given, constant)), bias(bias) {
        expect(std::isfinite(bias), "a finite bias");
    }

    std::size_t columns() const { return w.columns(); }
    bool is_label(Label y) const { return y < w.classes(); }
    template <class Row>
    void add(const Row& x, Label y) {
        include(x, y);
    }
};

}  // namespace

void bind_class_comparators(nb::module_& m) {
    bind_soft_margin<ClassDual>(m, "ClassMargin")
        .def(
            "__init__",
            [](Held* self, double cost, bool squared, double bias, std::size_t classes) {
                expect(classes >= 2, "two classes or more");
                new (self) Held(cost, squared, bias, classes);
            },
            nb::arg("cost"), nb::arg("squared"), nb::arg("bias"), nb::arg("classes"))
        .def("w", &weights)
        .def("shares", &shares);
    bind_measures<HeldClassMeasures>(m, "ClassMeasures")
        .def(nb::init<const Matrix<double>&, const Vector<double>&, double>(), nb::arg("weights"),
             nb::arg("bias_weights"), nb::arg("bias"))
        .def_prop_ro("norm2", [](const HeldClassMeasures& h) { return h.norm2; });
}

}  // namespace novikoff
