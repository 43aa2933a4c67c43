#include "comparators.hpp"

#include "../comparators/measures.hpp"
#include "../comparators/soft_dual.hpp"

namespace novikoff {
namespace {

nb::tuple weights(const HeldSoftMargin<SoftDual>& held) {
    Reading reading(held.access);
    return nb::make_tuple(held.solver.dual().bias_weight(), to_numpy(held.solver.dual().weights()));
}

// Bounds for one w, gathered over rows of any blocks.
struct HeldMeasures : Measures {
    using Label = std::int8_t;

    std::vector<double> w;
    double bias_weight, bias;
    Access access;

    HeldMeasures(Vector<double> weights, double bias_weight, double bias)
        : w(to_std(weights)), bias_weight(bias_weight), bias(bias) {
        expect(all_finite(w.data(), w.size()) && std::isfinite(bias_weight) && std::isfinite(bias),
               "finite weights");
    }

    std::size_t columns() const { return w.size(); }
    static bool is_label(Label y) { return y == 1 || y == -1; }
    template <class Row>
    void add(const Row& x, Label y) {
        include(x, y, w, bias_weight);
    }
};

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

}  // namespace

void bind_comparators(nb::module_& m) {
    bind_soft_margin<SoftDual>(m, "SoftMargin")
        .def(nb::init<double, bool, double>(), nb::arg("cost"), nb::arg("squared"), nb::arg("bias"))
        .def("w", &weights);
    bind_measures<HeldMeasures>(m, "Measures")
        .def(nb::init<Vector<double>, double, double>(), nb::arg("weights"), nb::arg("bias_weight"),
             nb::arg("bias"));
    m.def(
        "measure", &measure_block, nb::arg("block"), nb::arg("labels").noconvert(),
        nb::arg("weights"), nb::arg("bias_weight"), nb::arg("bias"),
        "(Σ hinge, Σ hinge², min y w·x, max ‖x‖²): no smaller, the margin no larger, than exact.");
    m.def("norm2", &norm2, nb::arg("weights"), nb::arg("bias_weight"),
          "‖w‖², no smaller than exact.");
}

}  // namespace novikoff
