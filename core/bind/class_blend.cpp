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

}  // namespace

void bind_class_blend(nb::module_& m) {
    bind_rule<ClassBlend, std::size_t>(m, "ClassBlend")
        .def_prop_ro("classes", &ClassBlend::classes)
        .def("probabilities", &probabilities, nb::arg("block"))
        .def("probabilities_named", &probabilities_named, nb::arg("features"), nb::arg("x"));
}

}  // namespace novikoff
