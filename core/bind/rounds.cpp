#include "rounds.hpp"

#include "blocks.hpp"

namespace novikoff {

void bind_rounds(nb::module_& m) {
    nb::class_<Rounds>(m, "Rounds", "What a run stands on: the quick way of a round with a dict.")
        .def(nb::init<>())
        .def(
            "learn",
            [](nb::pointer_and_handle<Rounds> self, nb::handle x, nb::handle y) -> nb::object {
                PyObject* found = self.p->learn(x.ptr(), y.ptr());
                return found != nullptr ? nb::borrow(found) : self.h.attr("_learn")(x, y);
            },
            nb::arg("x").none(), nb::arg("y").none(),
            nb::sig("def learn(self, x: object, y: object) -> typing.Any"),
            "Play one round; return the prediction made before y was shown.\n\n"
            "x is a vector, a pair (indices, values) or a dict of named features; the weight\n"
            "scales the update.")
        .def(
            "learn",
            [](nb::handle self, nb::handle x, nb::handle y, nb::handle weight) {
                return nb::object(self.attr("_learn")(x, y, weight));
            },
            nb::arg("x").none(), nb::arg("y").none(), nb::arg("weight").none(),
            nb::sig("def learn(self, x: object, y: object, weight: float) -> typing.Any"))
        .def("forget", [](Rounds& rounds) { rounds = Rounds(); })
        .def_prop_ro("quick", [](const Rounds& rounds) { return rounds.named != nullptr; });
}

}  // namespace novikoff
