// The base of novikoff.Run: the fast path of a round with a dict.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "scalars.hpp"

namespace nb = nanobind;

namespace novikoff {

// Rounds with dicts, for any rule.
class NamedRounds {
  public:
    virtual ~NamedRounds() = default;
    // The place of the prediction among the names; nothing, and no change, if Python must look at
    // the round first.
    virtual std::optional<std::size_t> learn(PyObject* x, long label, double weight) = 0;
};

struct Rounds {
    std::unique_ptr<NamedRounds> named;  // null: every round takes the slow path
    nb::object codes;                    // a dict: the rule's code for a label
    nb::object names;                    // a list: the user's label for a prediction
    nb::object weights;                  // a dict: the weight of a label's updates, if not 1

    // The user's prediction, or null for the slow path. A label whose hash could run code takes the
    // slow path, because that code might call this run.
    PyObject* learn(PyObject* x, PyObject* y) {
        if (!named || !PyDict_CheckExact(x) || !is_plain(y)) return nullptr;
        PyObject* code = PyDict_GetItemWithError(codes.ptr(), y);
        if (code == nullptr) {
            PyErr_Clear();
            return nullptr;
        }
        PyObject* scale = PyDict_GetItemWithError(weights.ptr(), y);
        const double weight = scale == nullptr ? 1 : PyFloat_AsDouble(scale);
        const auto place = named->learn(x, PyLong_AsLong(code), weight);
        if (!place) return nullptr;
        const auto known = static_cast<std::size_t>(PyList_GET_SIZE(names.ptr()));
        return *place < known ? PyList_GET_ITEM(names.ptr(), static_cast<Py_ssize_t>(*place))
                              : Py_None;
    }
};

}  // namespace novikoff
