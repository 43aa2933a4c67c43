#include "../arithmetic.hpp"
#include "../rules/multiclass.hpp"
#include "../vote.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

// A rule that only predicts, with these weights taken as exact.
template <class Rule>
void freeze(Rule& rule, const std::vector<double>& slots, std::size_t stride) {
    rule.w = Weights(stride);
    rule.w.take(slots);
    const double norm = 1.01 * rule.w.norm();
    rule.energy = norm * norm;  // at least ‖w‖², which is all the rule asks of it
}

Perceptron<ZeroIsPositive> halfspace(double bias, double bias_weight, Vector<double> weights) {
    std::vector<double> slots(Weights::kFront + weights.size());
    slots[Weights::kFront - 1] = bias_weight;
    std::copy_n(weights.data(), weights.size(), slots.begin() + Weights::kFront);
    Perceptron<ZeroIsPositive> rule(bias);
    freeze(rule, slots, 1);
    return rule;
}

Multiclass multiclass(double bias, Vector<double> bias_weights, Matrix<double> weights) {
    const std::size_t dimension = weights.shape(0), classes = weights.shape(1);
    if (bias_weights.size() != classes || classes == 0)
        throw nb::value_error("one constant feature's weight a class");
    std::size_t stride = 4;
    while (stride < classes) stride *= 2;
    std::vector<double> slots((Weights::kFront + dimension) * stride);
    for (std::size_t k = 0; k < classes; ++k) {
        slots[(Weights::kFront - 1) * stride + k] = bias_weights(k);
        for (std::size_t j = 0; j < dimension; ++j)
            slots[(Weights::kFront + j) * stride + k] = weights(j, k);
    }
    Multiclass rule(bias);
    rule.classes = static_cast<Multiclass::Label>(classes);
    freeze(rule, slots, stride);
    return rule;
}

Electorate electorate(double bias, double base_bias, Vector<double> base,
                      Vector<std::int64_t> starts, Vector<std::int32_t> indices,
                      Vector<double> values, Vector<double> counts) {
    if (starts.size() == 0 || counts.size() != starts.size())
        throw nb::value_error("a count for the base and for each step");
    std::vector<double> whole{base_bias};
    whole.insert(whole.end(), base.data(), base.data() + base.size());
    Voters voters{std::vector<std::int64_t>(starts.size() - 1), to_std(starts), to_std(indices),
                  to_std(values)};
    if (!voters.sound(base.size())) throw nb::value_error("steps as compressed sparse rows");
    return {std::move(voters), std::move(whole), to_std(counts), bias};
}

nb::tuple votes(const Electorate& electorate, const AnyBlock& block, std::size_t start,
                std::size_t stop) {
    if (start > stop) throw nb::value_error("rows of the block");
    block.check(start, stop);
    auto result = new_vector<double>(stop - start);
    auto* out = result.data();
    std::size_t done;
    {
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        done = std::visit(
            [&](const auto& form) { return electorate.votes(form, start, stop, out); }, block.form);
    }
    return nb::make_tuple(result, done);
}

}  // namespace

void bind_hypotheses(nb::module_& m) {
    nb::class_<Electorate>(m, "Electorate")
        .def("votes", &votes, nb::arg("block"), nb::arg("start"), nb::arg("stop"));
    m.def("halfspace", &halfspace, nb::arg("bias"), nb::arg("bias_weight"), nb::arg("weights"),
          "A rule that only predicts, with these weights.");
    m.def("multiclass", &multiclass, nb::arg("bias"), nb::arg("bias_weights"), nb::arg("weights"),
          "A rule that only predicts, with these weights, one column a class.");
    m.def("electorate", &electorate, nb::arg("bias"), nb::arg("base_bias"), nb::arg("base"),
          nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("counts"));
}

}  // namespace novikoff
