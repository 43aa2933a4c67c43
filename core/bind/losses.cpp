// The learners for losses, and the functions their programs are made of.
#include "../arithmetic.hpp"
#include "../floats.hpp"
#include "arrays.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

template <class F>
NewVector<double> mapped(Vector<double> values, F&& f) {
    IeeeArithmetic ieee;
    auto results = new_vector<double>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) results.data()[k] = f(values(k));
    return results;
}

double program_sum(Vector<double> terms) {
    IeeeArithmetic ieee;
    floats::RoundedSum sum;
    for (std::size_t k = 0; k < terms.size(); ++k) sum.add(terms(k));
    return sum.value(terms.data(), terms.size());
}

}  // namespace

void bind_losses(nb::module_& m) {
    m.def(
        "program_exp", [](Vector<double> x) { return mapped(x, floats::exp); }, nb::arg("x"),
        "e^x of each x, as docs/programs.md defines it.");
    m.def(
        "program_log1p", [](Vector<double> x) { return mapped(x, floats::log1p); }, nb::arg("x"),
        "ln(1 + x) of each x ≥ 0, as docs/programs.md defines it.");
    m.def("program_sum", &program_sum, nb::arg("terms"),
          "The float nearest to the exact sum of the terms.");
}

}  // namespace novikoff
