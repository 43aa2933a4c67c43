#include "../learners/linear/fixed.hpp"
#include "../learners/linear/multiclass.hpp"
#include "../learners/linear/vote.hpp"
#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

FixedHalfspace halfspace(double bias, double bias_weight, Vector<double> weights) {
    IeeeArithmetic ieee;
    return FixedHalfspace(bias, Weights(1, {&bias_weight, 1}, {weights.data(), weights.size()}));
}

Multiclass multiclass(double bias, Vector<double> bias_weights, Matrix<double> weights) {
    const std::size_t classes = weights.shape(1);
    if (bias_weights.size() != classes || classes == 0)
        throw nb::value_error("one constant feature's weight a class");
    IeeeArithmetic ieee;
    return Multiclass(bias, static_cast<Multiclass::Label>(classes),
                      {bias_weights.data(), bias_weights.size()}, {weights.data(), weights.size()});
}

Multiclass listed_multiclass(double bias, std::size_t dimension, Vector<std::int64_t> ends,
                             Vector<std::int64_t> features, Vector<double> weights) {
    if (ends.size() == 0) throw nb::value_error("at least one class");
    IeeeArithmetic ieee;
    return Multiclass(
        bias, static_cast<Multiclass::Label>(ends.size()),
        ListedWeights(Multiclass::stride_for(ends.size()), dimension, {ends.data(), ends.size()},
                      {features.data(), features.size()}, {weights.data(), weights.size()}));
}

Electorate electorate(double bias, double base_bias, Vector<double> base,
                      Vector<std::int64_t> starts, Vector<std::int32_t> indices,
                      Vector<double> values, Vector<double> counts) {
    if (starts.size() == 0 || counts.size() != starts.size())
        throw nb::value_error("a count for the base and for each step");
    IeeeArithmetic ieee;
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
        const Unlocked unlocked;
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
    m.def("listed_multiclass", &listed_multiclass, nb::arg("bias"), nb::arg("dimension"),
          nb::arg("ends").noconvert(), nb::arg("features").noconvert(),
          nb::arg("weights").noconvert(),
          "The same with only the weights that are not 0, class by class.");
    m.def("electorate", &electorate, nb::arg("bias"), nb::arg("base_bias"), nb::arg("base"),
          nb::arg("starts"), nb::arg("indices"), nb::arg("values"), nb::arg("counts"));
}

}  // namespace novikoff
