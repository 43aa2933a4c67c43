#include "../exact.hpp"
#include "../kernels.hpp"
#include "../weights.hpp"
#include "arrays.hpp"
#include "blocks.hpp"

NB_MODULE(_core, m) {
    using namespace novikoff;
    m.doc() = "The native core: blocks of rounds, the round loop, and the rules that play it.";
    m.def("cpu", [] { return kernels().name; }, "The level of CPU the kernels were chosen for.");
    m.attr("MAX_DIMENSION") = kMaxDimension;
    m.attr("FRONT") = Weights::kFront;
    bind_blocks(m);
    bind_ledger(m);
    bind_learners(m);
    bind_hypotheses(m);
    m.def(
        "exact_dot",
        [](Vector<double> a, Vector<double> b) {
            Accumulator acc;
            for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
                acc.add_product(a(k), b(k));
            return acc.rounded();
        },
        nb::arg("a"), nb::arg("b"), "The dot product, rounded once.");
}
