#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "../cpu/kernels.hpp"
#include "../numbers/arithmetic.hpp"
#include "../numbers/draw.hpp"
#include "../numbers/enclosure.hpp"
#include "../numbers/exact.hpp"
#include "../numbers/ordered.hpp"
#include "arrays.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "gcc " __VERSION__;
#else
constexpr const char* kCompiler = "unknown";
#endif

// Many places at once.
template <double (*Draw)(std::uint64_t, std::uint64_t, std::uint64_t)>
void bind_draws(nb::module_& m, const char* name, const char* doc) {
    m.def(
        name,
        [](std::uint64_t seed, std::uint64_t series, std::uint64_t first, std::size_t count) {
            IeeeArithmetic ieee;
            auto drawn = new_vector<double>(count);
            for (std::size_t k = 0; k < count; ++k) drawn.data()[k] = Draw(seed, series, first + k);
            return drawn;
        },
        nb::arg("seed"), nb::arg("series"), nb::arg("first"), nb::arg("count"), doc);
}

}  // namespace
}  // namespace novikoff

NB_MODULE(_core, m) {
    using namespace novikoff;
    // In another interpreter, a thread that takes the lock back waits for the main one for ever.
    if (PyInterpreterState_Get() != PyInterpreterState_Main())
        throw nb::import_error(
            "novikoff: expected Python's main interpreter, got a subinterpreter. Import novikoff "
            "in "
            "the main one, or start another process.");
    // What lives on at the end concerns those who change the core; other libraries may keep it,
    // too.
    nb::set_leak_warnings(std::getenv("NOVIKOFF_LEAKS") != nullptr);
    m.doc() = "The native core: blocks of rounds, the round loop, and the rules that play it.";
    m.def("cpu", [] { return kernels().name; }, "The level of CPU the kernels were chosen for.");
    m.def("compiler", [] { return kCompiler; }, "The compiler that built the core.");
    m.attr("MAX_DIMENSION") = kMaxDimension;
    bind_blocks(m);
    bind_transforms(m);
    bind_features(m);
    bind_frames(m);
    bind_ledger(m);
    bind_rounds(m);
    bind_vectors(m);
    bind_learners(m);
    bind_losses(m);
    bind_penalised(m);
    bind_blend(m);
    bind_members(m);
    bind_descent(m);
    bind_regression(m);
    bind_class_blend(m);
    bind_hypotheses(m);
    bind_comparators(m);
    bind_chunks(m);
    bind_files(m);
    bind_simplex(m);
    bind_class_comparators(m);
    bind_softmax(m);
    bind_kernel_chunks(m);
    bind_version_space(m);
    bind_regret(m);
    bind_chains(m);
    bind_chain_rules(m);
    bind_shard_means(m);
    bind_trees(m);
    m.def(
        "exact_dot",
        [](Vector<double> a, Vector<double> b) {
            IeeeArithmetic ieee;
            Accumulator acc;
            for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
                acc.add_product(a(k), b(k));
            return acc.rounded();
        },
        nb::arg("a"), nb::arg("b"), "The dot product, rounded once.");
    m.def(
        "ordered_product",
        [](Matrix<double> a, Matrix<double> b) {
            if (a.shape(1) != b.shape(0))
                throw nb::value_error("expected a row of b per column of a");
            IeeeArithmetic ieee;
            auto found = new_matrix(a.shape(0), b.shape(1));
            ordered_product(a.data(), b.data(), found.data(), a.shape(0), a.shape(1), b.shape(1));
            return found;
        },
        nb::arg("a"), nb::arg("b"), "The matrix product, every sum in ascending order.");
    m.def("exponential", [](double a) { return exponential(a); }, nb::arg("a"));
    m.def("small_sinh", &small_sinh, nb::arg("a"));
    m.def("logarithm", &logarithm, nb::arg("v"));
    m.def(
        "sign_of_exponential_sum",
        [](const std::vector<double>& coefficients,
           const std::vector<std::vector<double>>& exponents, double eta) {
            std::vector<ExponentialTerm> terms;
            for (std::size_t k = 0; k < std::min(coefficients.size(), exponents.size()); ++k)
                terms.push_back({coefficients[k], exponents[k]});
            return sign_of_exponential_sum(std::move(terms), eta);
        },
        nb::arg("coefficients"), nb::arg("exponents"), nb::arg("eta"),
        "The sign of Σ c e^{ηa}, each a a sum of doubles of falling size.");
    m.def("philox", &philox, nb::arg("counter"), nb::arg("key"));
    m.def("draw_unit", &draw_unit, nb::arg("seed"), nb::arg("series"), nb::arg("place"));
    m.def("draw_normal", &draw_normal, nb::arg("seed"), nb::arg("series"), nb::arg("place"));
    bind_draws<&draw_normal>(m, "draw_normals", "The standard normal numbers of these places.");
    bind_draws<&draw_unit>(m, "draw_uniforms", "The uniform numbers of these places, in [0, 1).");
}
