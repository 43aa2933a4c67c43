// What a rule that is one score offers to Python besides: scores, and weights for people.
#pragma once

#include "rules.hpp"

namespace novikoff {

// (The score of every row, the first row refused or the number of rows).
template <Rule R>
nb::tuple scores(const R& rule, const AnyBlock& block) {
    auto results = new_vector<double>(block.rows());
    return map_rows(rule, block, results,
                    [&, out = results.data()](std::size_t t, const auto& x, const Extent&) {
                        out[t] = rule.score(x);
                    });
}

// The score of a dict; nothing if it is not an x.
template <Rule R>
std::optional<double> score_named(const R& rule, Features& features, nb::dict x) {
    if (!features.hashed() && features.size() > rule.dimension())
        throw nb::value_error("as many weights as names");
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    return rule.score(within(rule, *row));
}

// w as handed out: (the constant feature's weight, the features' weights).
template <Rule R>
nb::tuple halfspace(const R& rule) {
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    auto weights = new_vector<double>(rule.dimension());
    for (std::size_t j = 0; j < rule.dimension(); ++j)
        weights.data()[j] = rule.weight(static_cast<Coordinate>(j));
    return nb::make_tuple(rule.weight(kBias), weights);
}

template <Rule R, class... Options>
nb::class_<R> bind_score_rule(nb::module_& m, const char* name) {
    return bind_rule<R, Options...>(m, name)
        .def("halfspace", &halfspace<R>)
        .def("score_named", &score_named<R>, nb::arg("features"), nb::arg("x"))
        .def("scores", &scores<R>, nb::arg("block"));
}

}  // namespace novikoff
