#include <chrono>
#include <cmath>
#include <limits>

#include "../comparator/measures.hpp"
#include "../comparator/soft_margin.hpp"
#include "../environment.hpp"
#include "access.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

void expect(bool sound, const char* what) {
    if (!sound) throw nb::value_error(what);
}

bool all_finite(const Vector<double>& values) {
    return std::all_of(values.data(), values.data() + values.size(),
                       [](double v) { return std::isfinite(v); });
}

// A solver with the blocks it works on, kept alive.
struct HeldSoftMargin {
    SoftMargin solver;
    std::vector<AnyBlock> blocks;
    Access access;

    HeldSoftMargin(double cost, bool squared, double bias) : solver(cost, squared, bias) {
        expect(cost >= 1e-300 && cost <= 1e300, "a cost from 1e-300 to 1e300");
        expect(std::isfinite(bias) && bias >= 0, "a bias that is finite and not negative");
    }

    bool advance(double tolerance) {
        const auto show = [&](std::size_t k, auto&& f) { std::visit(f, blocks[k].form); };
        return solver.advance(show, tolerance);
    }
};

// The number of rows, or the first row refused; then nothing was added.
std::size_t add(HeldSoftMargin& held, const AnyBlock& block, Vector<std::int8_t> labels) {
    expect(labels.size() == block.rows(), "a label for every row");
    block.check(0, block.rows());
    Writing writing(held.access);
    held.blocks.reserve(held.blocks.size() + 1);
    std::size_t taken;
    {
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        taken = std::visit([&](const auto& form) { return held.solver.add(form, labels.data()); },
                           block.form);
    }
    if (taken == block.rows()) held.blocks.push_back(block);
    return taken;
}

// Works for about so many seconds and, where passes are given, no more than so many passes: is
// the gap within tolerance · primal?
bool descend(HeldSoftMargin& held, double tolerance, double seconds, std::int64_t passes) {
    using Clock = std::chrono::steady_clock;
    expect(tolerance >= 0, "a tolerance that is not negative");
    Writing writing(held.access);
    nb::gil_scoped_release unlocked;
    IeeeArithmetic ieee;
    SoftMargin& solver = held.solver;
    const auto start = Clock::now();
    const std::int64_t before = solver.passes();
    do {
        if (held.advance(tolerance)) break;
        if (passes >= 0 && solver.passes() - before >= passes && !solver.measuring()) break;
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return solver.within(tolerance);
}

// Measures the gap as it stands, for about so many seconds: is it known?
bool certify(HeldSoftMargin& held, double seconds) {
    using Clock = std::chrono::steady_clock;
    Writing writing(held.access);
    nb::gil_scoped_release unlocked;
    IeeeArithmetic ieee;
    const auto start = Clock::now();
    held.solver.want_measure();
    do {
        if (held.solver.known() && !held.solver.measuring()) break;
        held.advance(0);
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return held.solver.known() && !held.solver.measuring();
}

void set_cost(HeldSoftMargin& held, double cost) {
    expect(cost >= 1e-300 && cost <= 1e300, "a cost from 1e-300 to 1e300");
    Writing writing(held.access);
    IeeeArithmetic ieee;
    held.solver.set_cost(cost);
}

NewVector<double> alphas(const HeldSoftMargin& held) {
    Reading reading(held.access);
    auto result = new_vector<double>(held.solver.rows());
    for (std::size_t t = 0; t < held.solver.rows(); ++t)
        result.data()[t] = held.solver.dual().alpha(t);
    return result;
}

nb::tuple weights(const HeldSoftMargin& held) {
    Reading reading(held.access);
    return nb::make_tuple(held.solver.dual().bias_weight(), to_numpy(held.solver.dual().weights()));
}

// Bounds for one w, gathered over rows of any blocks.
struct HeldMeasures : Measures {
    std::vector<double> w;
    double bias_weight, bias;
    Access access;

    HeldMeasures(Vector<double> weights, double bias_weight, double bias)
        : w(to_std(weights)), bias_weight(bias_weight), bias(bias) {
        expect(all_finite(weights) && std::isfinite(bias_weight) && std::isfinite(bias),
               "finite weights");
    }

    template <class Block>
    void add(const Block& block, Gate<typename Block::Row>& gate, std::size_t t, std::int8_t y) {
        expect_row(block.sound_rows(t, t + 1) && (y == 1 || y == -1));
        auto x = block.row(t, bias);
        expect_row(gate.sound_indices(x) && sound_values(x, measure(x)));
        include(x, y, w, bias_weight);
    }

    static void expect_row(bool sound) {
        if (!sound) throw std::invalid_argument("rows that were played, with labels −1 and +1");
    }
};

// f(i) is the i-th row to take.
template <class F>
void gather(HeldMeasures& held, const AnyBlock& block, const Vector<std::int8_t>& labels,
            std::size_t count, F&& f) {
    expect(labels.size() == block.rows(), "a label for every row");
    expect(held.w.size() >= block.columns(), "a weight for every feature");
    Writing writing(held.access);
    nb::gil_scoped_release unlocked;
    IeeeArithmetic ieee;
    std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            for (std::size_t i = 0; i < count; ++i) held.add(form, gate, f(i), labels.data()[f(i)]);
        },
        block.form);
}

void add_all(HeldMeasures& held, const AnyBlock& block, Vector<std::int8_t> labels,
             std::size_t start, std::size_t stop) {
    expect(start <= stop && stop <= block.rows(), "rows inside the block");
    gather(held, block, labels, stop - start, [&](std::size_t i) { return start + i; });
}

void add_rows(HeldMeasures& held, const AnyBlock& block, Vector<std::int8_t> labels,
              Vector<std::int64_t> rows) {
    const auto inside = [&](std::int64_t t) {
        return t >= 0 && static_cast<std::size_t>(t) < block.rows();
    };
    expect(std::all_of(rows.data(), rows.data() + rows.size(), inside), "rows inside the block");
    gather(held, block, labels, rows.size(),
           [&](std::size_t i) { return static_cast<std::size_t>(rows.data()[i]); });
}

nb::tuple measure_block(const AnyBlock& block, Vector<std::int8_t> labels, Vector<double> weights,
                        double bias_weight, double bias) {
    HeldMeasures held(weights, bias_weight, bias);
    add_all(held, block, labels, 0, block.rows());
    return nb::make_tuple(held.hinge.value(), held.hinge_square.value(), held.margin,
                          held.radius_square);
}

double norm2(Vector<double> weights, double bias_weight) {
    IeeeArithmetic ieee;
    return norm2_above(DenseRow<double>{weights.data(), weights.size(), bias_weight});
}

template <class F>
auto reading(F f) {
    return [f](const HeldSoftMargin& held) {
        Reading reading(held.access);
        return f(held.solver);
    };
}

void bind_soft_margin(nb::module_& m) {
    using S = const SoftMargin&;
    nb::class_<HeldSoftMargin>(m, "SoftMargin")
        .def(nb::init<double, bool, double>(), nb::arg("cost"), nb::arg("squared"), nb::arg("bias"))
        .def("add", &add, nb::arg("block"), nb::arg("labels").noconvert())
        .def("descend", &descend, nb::arg("tolerance"),
             nb::arg("seconds") = std::numeric_limits<double>::infinity(), nb::arg("passes") = -1)
        .def("certify", &certify, nb::arg("seconds") = std::numeric_limits<double>::infinity())
        .def("set_cost", &set_cost, nb::arg("cost"))
        .def("w", &weights)
        .def("alphas", &alphas)
        .def_prop_ro("cost", reading([](S s) { return s.cost(); }))
        .def_prop_ro("squared", reading([](S s) { return s.squared(); }))
        .def_prop_ro("rows", reading([](S s) { return s.rows(); }))
        .def_prop_ro("active", reading([](S s) { return s.active(); }))
        .def_prop_ro("passes", reading([](S s) { return s.passes(); }))
        .def_prop_ro("known", reading([](S s) { return s.known(); }))
        .def_prop_ro("settled", reading([](S s) { return s.settled(); }))
        .def_prop_ro("primal", reading([](S s) { return s.primal(); }))
        .def_prop_ro("dual", reading([](S s) { return s.dual_value(); }))
        .def_prop_ro("gap", reading([](S s) { return s.totals().gap; }))
        .def_prop_ro("norm2", reading([](S s) { return s.totals().norm2; }))
        .def_prop_ro("hinge", reading([](S s) { return s.totals().hinge; }))
        .def_prop_ro("hinge_square", reading([](S s) { return s.totals().hinge_square; }));
}

}  // namespace

void bind_comparators(nb::module_& m) {
    bind_soft_margin(m);
    nb::class_<HeldMeasures>(m, "Measures")
        .def(nb::init<Vector<double>, double, double>(), nb::arg("weights"), nb::arg("bias_weight"),
             nb::arg("bias"))
        .def("add", &add_all, nb::arg("block"), nb::arg("labels").noconvert(), nb::arg("start"),
             nb::arg("stop"))
        .def("add_rows", &add_rows, nb::arg("block"), nb::arg("labels").noconvert(),
             nb::arg("rows"))
        .def_prop_ro("hinge", [](const HeldMeasures& h) { return h.hinge.value(); })
        .def_prop_ro("hinge_square", [](const HeldMeasures& h) { return h.hinge_square.value(); })
        .def_ro("margin", &HeldMeasures::margin)
        .def_ro("radius_square", &HeldMeasures::radius_square)
        .def_prop_ro("energy", [](const HeldMeasures& h) { return h.energy.value(); });
    m.def(
        "measure", &measure_block, nb::arg("block"), nb::arg("labels").noconvert(),
        nb::arg("weights"), nb::arg("bias_weight"), nb::arg("bias"),
        "(Σ hinge, Σ hinge², min y w·x, max ‖x‖²): no smaller, the margin no larger, than exact.");
    m.def("norm2", &norm2, nb::arg("weights"), nb::arg("bias_weight"),
          "‖w‖², no smaller than exact.");
}

}  // namespace novikoff
