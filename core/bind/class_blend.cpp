// The many-class mixture, and the probabilities it gives.
#include "rules.hpp"

namespace novikoff {
namespace {

// (The probabilities of every row, one number per class; the first row refused or the number of
// rows).
nb::tuple probabilities(const ClassBlend& rule, const AnyBlock& block) {
    const std::size_t classes = rule.classes();
    auto results = new_vector<double>(block.rows() * classes);
    return map_rows(rule, block, results,
                    [&, out = results.data()](std::size_t t, const auto& x, const Extent&) {
                        rule.probabilities(x, out + t * classes);
                    });
}

// The probabilities for a dict; nothing if it is not an x.
std::optional<NewVector<double>> probabilities_named(const ClassBlend& rule, Features& features,
                                                     nb::dict x) {
    if (!features.hashed() && features.size() > rule.dimension())
        throw nb::value_error("as many weights as names");
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    auto results = new_vector<double>(rule.classes());
    rule.probabilities(within(rule, *row), results.data());
    return results;
}

// (The softmax of every row, its logarithms).
nb::tuple program_softmax(Matrix<double> scores) {
    const std::size_t rows = scores.shape(0), classes = scores.shape(1);
    auto chances = new_vector<double>(rows * classes), logs = new_vector<double>(rows * classes);
    IeeeArithmetic ieee;
    ClassForecast f;
    f.begin(classes, (classes + 3) / 4 * 4);
    for (std::size_t t = 0; t < rows; ++t) {
        std::copy_n(scores.data() + t * classes, classes, f.logs.data());
        f.soften(0);
        std::copy_n(f.chances.data(), classes, chances.data() + t * classes);
        std::copy_n(f.logs.data(), classes, logs.data() + t * classes);
    }
    return nb::make_tuple(chances, logs);
}

}  // namespace

void bind_class_blend(nb::module_& m) {
    bind_rule<ClassBlend, std::size_t>(m, "ClassBlend")
        .def_prop_ro("classes", &ClassBlend::classes)
        .def("probabilities", &probabilities, nb::arg("block"))
        .def("probabilities_named", &probabilities_named, nb::arg("features"), nb::arg("x"));
    m.def("program_softmax", &program_softmax, nb::arg("scores"),
          "The softmax of each row and its logarithms, as docs/programs_classes.md defines them.");
}

}  // namespace novikoff
