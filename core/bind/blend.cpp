// Blend, and what its hypotheses say of a row.
#include "../learners/losses/blend.hpp"

#include "../playing/engine.hpp"
#include "scores.hpp"

namespace novikoff {
namespace {

// (The probability of +1 for every row, the first row refused or the number of rows).
nb::tuple probabilities(const Blend& rule, const AnyBlock& block) {
    auto found = new_vector<double>(block.rows());
    Effort effort;
    return map_rows(rule, block, found,
                    [&, out = found.data()](std::size_t t, const auto& x, const Extent& extent) {
                        out[t] = Blend::chance(rule.predict(x, extent, effort));
                    });
}

// (The scores of all members for every row, the first row refused or the number of rows).
nb::tuple member_scores(const Blend& rule, const AnyBlock& block) {
    auto found = new_vector<double>(block.rows() * kMembers);
    BlendWork work;
    return map_rows(rule, block, found,
                    [&, out = found.data()](std::size_t t, const auto& x, const Extent&) {
                        rule.scores(x, work);
                        std::copy_n(work.score.data(), kMembers, out + t * kMembers);
                    });
}

// The probability of +1 for a dict; nothing if it is not an x.
std::optional<double> probability_named(const Blend& rule, Features& features, nb::dict x) {
    if (!features.hashed() && features.size() > rule.dimension())
        throw nb::value_error("as many weights as names");
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    Effort effort;
    return Blend::chance(rule.predict(within(rule, *row), measure_within(rule, *row), effort));
}

}  // namespace

void bind_blend(nb::module_& m) {
    bind_rule<Blend>(m, "Blend")
        .def("halfspace", &halfspace<Blend>)
        .def("probability_named", &probability_named, nb::arg("features"), nb::arg("x"))
        .def("probabilities", &probabilities, nb::arg("block"))
        .def("member_scores", &member_scores, nb::arg("block"))
        .def(
            "freeze",
            [](Blend& rule) {
                Writing writing(rule.access);
                rule.freeze();
            },
            "Predict from now on with the mean of the mixture's weights.");
}

}  // namespace novikoff
