#include "rounds.hpp"

#include "blocks.hpp"

namespace novikoff {

namespace {

// The collector follows labels and names to whoever they belong to.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const auto* rounds = nb::inst_ptr<Rounds>(self);
    for (const nb::object* held : {&rounds->codes, &rounds->names, &rounds->weights})
        Py_VISIT(held->ptr());
    return 0;
}

int clear(PyObject* self) {
    if (nb::inst_ready(self)) *nb::inst_ptr<Rounds>(self) = Rounds();
    return 0;
}

PyType_Slot kSlots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                        {Py_tp_clear, reinterpret_cast<void*>(clear)},
                        {0, nullptr}};

// Refuses a play inside a play, from a progress function or another thread. Enter it while signals
// wait (`waiting()`): from Python 3.14 on a handler may run, and raise, after a context was entered
// and before Python has noted that it must be left.
struct Alone {
    bool taken = false;

    void enter() {
        if (taken) {
            const nb::object error = nb::module_::import_("novikoff.errors").attr("BusyError");
            PyErr_SetString(error.ptr(),
                            "run: expected one play at a time, got another inside it. Start it "
                            "after this one.");
            throw nb::python_error();
        }
        taken = true;
    }
};

}  // namespace

void bind_rounds(nb::module_& m) {
    m.def(
        "is_plain", [](nb::handle label) { return is_plain(label.ptr()); }, nb::arg("label").none(),
        "Do the label's hash and equality run no code of the user?");
    nb::class_<Alone>(m, "Alone", "Refuses a play inside a play.")
        .def(nb::init<>())
        .def_ro("taken", &Alone::taken)
        .def("__enter__", &Alone::enter)
        .def(
            "__exit__", [](Alone& alone, nb::args) { alone.taken = false; },
            nb::sig("def __exit__(self, *args: object) -> None"));
    nb::class_<Rounds>(m, "Rounds", nb::type_slots(kSlots),
                       "What a run stands on: the quick way of a round with a dict.")
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
        .def("slow_down", [](Rounds& rounds) { rounds = Rounds(); })
        .def_prop_ro("is_quick", [](const Rounds& rounds) { return rounds.named != nullptr; });
}

}  // namespace novikoff
