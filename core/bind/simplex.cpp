#include "../comparators/simplex.hpp"

#include <chrono>
#include <limits>

#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

void expect(bool sound, const char* what) {
    if (!sound) throw nb::value_error(what);
}

// A solver with the blocks it works on, kept alive.
struct HeldSimplex {
    Simplex solver;
    std::vector<AnyBlock> blocks;
    bool begun = false, refused = false;
    Access access;

    HeldSimplex(double eta, bool balanced, double passes, double bias)
        : solver(eta, balanced, passes, bias) {
        expect(eta >= 1e-200 && eta <= 1e200, "a rate from 1e-200 to 1e200");
        expect(passes >= 1 && std::isfinite(passes), "a finite number of passes");
        expect(std::isfinite(bias), "a finite bias");
    }
};

// The number of rows, or the first row refused; then the solver cannot be used any more.
std::size_t add(HeldSimplex& held, const AnyBlock& block, Vector<std::int8_t> labels) {
    expect(!held.begun && !held.refused, "rows before the work begins, and after none refused");
    expect(labels.size() == block.rows(), "a label for every row");
    block.check(0, block.rows());
    Writing writing(held.access);
    held.blocks.reserve(held.blocks.size() + 1);
    std::size_t taken;
    {
        const Unlocked unlocked;
        IeeeArithmetic ieee;
        taken = std::visit([&](const auto& form) { return held.solver.add(form, labels.data()); },
                           block.form);
    }
    held.refused = taken != block.rows();
    held.blocks.push_back(block);
    return taken;
}

// Works for about this many seconds: is it finished?
bool descend(HeldSimplex& held, double tolerance, double seconds) {
    using Clock = std::chrono::steady_clock;
    expect(tolerance >= 0, "a tolerance that is not negative");
    expect(!held.refused, "rows of which none was refused");
    const double reach = held.solver.task().eta * held.solver.task().radius;
    expect(reach >= 1e-12 && reach <= 700, "ηR∞ from 1e-12 to 700");
    Writing writing(held.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    const auto show = [&](std::size_t k, auto&& f) { std::visit(f, held.blocks[k].form); };
    const auto start = Clock::now();
    if (!held.begun) held.solver.begin();
    held.begun = true;
    do {
        if (held.solver.advance(show, tolerance)) return true;
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return false;
}

void demand_separation(HeldSimplex& held, double limit) {
    expect(held.begun && held.solver.between(), "a search that is settled");
    Writing writing(held.access);
    IeeeArithmetic ieee;
    held.solver.demand_separation(limit);
}

nb::tuple weights(const HeldSimplex& held) {
    Reading reading(held.access);
    const std::vector<double>& w = held.solver.weights();
    if (w.empty()) return nb::make_tuple(0.0, to_numpy(w));
    return nb::make_tuple(w.back(), to_numpy(w.data(), w.size() - 1));
}

template <class F>
auto reading(F f) {
    return [f](const HeldSimplex& held) {
        Reading reading(held.access);
        return f(held.solver);
    };
}

}  // namespace

void bind_simplex(nb::module_& m) {
    using S = const Simplex&;
    nb::class_<HeldSimplex>(m, "Simplex")
        .def(nb::init<double, bool, double, double>(), nb::arg("eta"), nb::arg("balanced"),
             nb::arg("passes"), nb::arg("bias"))
        .def("add", &add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &descend, nb::arg("tolerance"),
             nb::arg("seconds") = std::numeric_limits<double>::infinity())
        .def("demand_separation", &demand_separation, nb::arg("limit"))
        .def("w", &weights, "(The constant feature's weight, the others): the best found.")
        .def_prop_ro("radius", reading([](S s) { return s.task().radius; }))
        .def_prop_ro("features", reading([](S s) { return s.task().features; }))
        .def_prop_ro("shift", reading([](S s) { return s.task().shift(); }))
        .def_prop_ro("sweeps", reading([](S s) { return s.sweeps(); }))
        .def_prop_ro("value", reading([](S s) { return s.value(); }))
        .def_prop_ro("dual", reading([](S s) { return s.dual_value(); }));
}

}  // namespace novikoff
