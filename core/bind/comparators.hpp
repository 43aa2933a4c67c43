// What the comparators for two labels and for many classes share in Python.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../comparators/soft_margin.hpp"
#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "unlocked.hpp"

namespace novikoff {

inline void expect(bool sound, const char* what) {
    if (!sound) throw nb::value_error(what);
}

inline bool all_finite(const double* values, std::size_t size) {
    return std::all_of(values, values + size, [](double v) { return std::isfinite(v); });
}

// A solver with the blocks it works on, kept alive.
template <class Dual>
struct HeldSoftMargin {
    using Label = typename Dual::Label;

    SoftMargin<Dual> solver;
    std::vector<AnyBlock> blocks;
    Access access;

    template <class... More>
    HeldSoftMargin(double cost, bool squared, double bias, More... more)
        : solver(Dual(cost, squared, bias, more...)) {
        expect(cost >= 1e-300 && cost <= 1e300, "a cost from 1e-300 to 1e300");
        expect(std::isfinite(bias) && bias >= 0, "a bias that is finite and not negative");
    }

    bool advance(double tolerance) {
        const auto show = [&](std::size_t k, auto&& f) { std::visit(f, blocks[k].form); };
        return solver.advance(show, tolerance);
    }
};

// The number of rows, or the first row refused; then nothing was added.
template <class Dual>
std::size_t add(HeldSoftMargin<Dual>& held, const AnyBlock& block,
                Vector<typename Dual::Label> labels) {
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
    if (taken == block.rows()) held.blocks.push_back(block);
    return taken;
}

// Works for about this many seconds and, if `passes` is given, at most that many passes: is the gap
// within tolerance · primal?
template <class Dual>
bool descend(HeldSoftMargin<Dual>& held, double tolerance, double seconds, std::int64_t passes) {
    using Clock = std::chrono::steady_clock;
    expect(tolerance >= 0, "a tolerance that is not negative");
    Writing writing(held.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    SoftMargin<Dual>& solver = held.solver;
    const auto start = Clock::now();
    const std::int64_t before = solver.passes();
    do {
        if (held.advance(tolerance)) break;
        if (passes >= 0 && solver.passes() - before >= passes && !solver.measuring()) break;
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return solver.within(tolerance);
}

// Measures the current gap, for about this many seconds: is it known?
template <class Dual>
bool certify(HeldSoftMargin<Dual>& held, double seconds) {
    using Clock = std::chrono::steady_clock;
    Writing writing(held.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    const auto start = Clock::now();
    held.solver.want_measure();
    do {
        if (held.solver.known() && !held.solver.measuring()) break;
        held.advance(0);
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return held.solver.known() && !held.solver.measuring();
}

template <class Dual>
void set_cost(HeldSoftMargin<Dual>& held, double cost) {
    expect(cost >= 1e-300 && cost <= 1e300, "a cost from 1e-300 to 1e300");
    Writing writing(held.access);
    IeeeArithmetic ieee;
    held.solver.set_cost(cost);
}

template <class Dual>
NewVector<double> alphas(const HeldSoftMargin<Dual>& held) {
    Reading reading(held.access);
    auto result = new_vector<double>(held.solver.rows());
    for (std::size_t t = 0; t < held.solver.rows(); ++t)
        result.data()[t] = held.solver.dual().alpha(t);
    return result;
}

template <class Dual, class F>
auto reading(F f) {
    return [f](const HeldSoftMargin<Dual>& held) {
        Reading reading(held.access);
        return f(held.solver);
    };
}

// Everything except its constructor and its w.
template <class Dual>
nb::class_<HeldSoftMargin<Dual>> bind_soft_margin(nb::module_& m, const char* name) {
    using S = const SoftMargin<Dual>&;
    nb::class_<HeldSoftMargin<Dual>> made(m, name);
    made.def("add", &add<Dual>, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &descend<Dual>, nb::arg("tolerance"),
             nb::arg("seconds") = std::numeric_limits<double>::infinity(), nb::arg("passes") = -1)
        .def("certify", &certify<Dual>,
             nb::arg("seconds") = std::numeric_limits<double>::infinity())
        .def("set_cost", &set_cost<Dual>, nb::arg("cost"))
        .def("alphas", &alphas<Dual>)
        .def_prop_ro("cost", reading<Dual>([](S s) { return s.cost(); }))
        .def_prop_ro("squared", reading<Dual>([](S s) { return s.squared(); }))
        .def_prop_ro("rows", reading<Dual>([](S s) { return s.rows(); }))
        .def_prop_ro("active", reading<Dual>([](S s) { return s.active(); }))
        .def_prop_ro("passes", reading<Dual>([](S s) { return s.passes(); }))
        .def_prop_ro("known", reading<Dual>([](S s) { return s.known(); }))
        .def_prop_ro("settled", reading<Dual>([](S s) { return s.settled(); }))
        .def_prop_ro("primal", reading<Dual>([](S s) { return s.primal(); }))
        .def_prop_ro("dual", reading<Dual>([](S s) { return s.dual_value(); }))
        .def_prop_ro("gap", reading<Dual>([](S s) { return s.totals().gap; }))
        .def_prop_ro("norm2", reading<Dual>([](S s) { return s.totals().norm2; }))
        .def_prop_ro("hinge", reading<Dual>([](S s) { return s.totals().hinge; }))
        .def_prop_ro("hinge_square", reading<Dual>([](S s) { return s.totals().hinge_square; }));
    return made;
}

inline void expect_played(bool sound) {
    if (!sound) throw std::invalid_argument("rows that were played, with their labels");
}

// f(i) is the i-th row to take.
template <class Held, class F>
void gather(Held& held, const AnyBlock& block, const Vector<typename Held::Label>& labels,
            std::size_t count, F&& f) {
    expect(labels.size() == block.rows(), "a label for every row");
    expect(held.columns() >= block.columns(), "a weight for every feature");
    Writing writing(held.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t t = f(i);
                const auto y = labels.data()[t];
                expect_played(form.sound_rows(t, t + 1) && held.is_label(y));
                auto x = form.row(t, held.bias);
                expect_played(gate.sound_indices(x) && sound_values(x, measure(x)));
                held.add(x, y);
            }
        },
        block.form);
}

template <class Held>
void add_all(Held& held, const AnyBlock& block, Vector<typename Held::Label> labels,
             std::size_t start, std::size_t stop) {
    expect(start <= stop && stop <= block.rows(), "rows inside the block");
    gather(held, block, labels, stop - start, [&](std::size_t i) { return start + i; });
}

template <class Held>
void add_rows(Held& held, const AnyBlock& block, Vector<typename Held::Label> labels,
              Vector<std::int64_t> rows) {
    const auto inside = [&](std::int64_t t) {
        return t >= 0 && static_cast<std::size_t>(t) < block.rows();
    };
    expect(std::all_of(rows.data(), rows.data() + rows.size(), inside), "rows inside the block");
    gather(held, block, labels, rows.size(),
           [&](std::size_t i) { return static_cast<std::size_t>(rows.data()[i]); });
}

// Everything except the constructor.
template <class Held>
nb::class_<Held> bind_measures(nb::module_& m, const char* name) {
    nb::class_<Held> made(m, name);
    made.def("add", &add_all<Held>, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("start"), nb::arg("stop"))
        .def("add_rows", &add_rows<Held>, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("rows"))
        .def_prop_ro("hinge", [](const Held& h) { return h.hinge.value(); })
        .def_prop_ro("hinge_square", [](const Held& h) { return h.hinge_square.value(); })
        .def_prop_ro("margin", [](const Held& h) { return h.margin; })
        .def_prop_ro("radius_square", [](const Held& h) { return h.radius_square; })
        .def_prop_ro("energy", [](const Held& h) { return h.energy.value(); });
    return made;
}

}  // namespace novikoff
