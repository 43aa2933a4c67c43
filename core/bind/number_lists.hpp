// Lists and tuples of Python's numbers, as doubles.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace nb = nanobind;

namespace novikoff {

// The items of a list or a tuple; nothing of another object, not even of a subclass, whose methods
// may be the user's.
inline std::optional<std::span<PyObject*>> items_of(PyObject* x) {
    if (!PyList_CheckExact(x) && !PyTuple_CheckExact(x)) return std::nullopt;
    return std::span(PySequence_Fast_ITEMS(x), static_cast<std::size_t>(Py_SIZE(x)));
}

// The number, if it is a float or a whole number that float64 holds exactly; not of a subclass.
inline bool read_number(PyObject* value, double& out) {
    constexpr long long kExact = 1LL << 53;  // float64 tells whole numbers apart up to here
    if (PyFloat_CheckExact(value)) {
        out = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0 || whole > kExact || whole < -kExact) return false;
    out = static_cast<double>(whole);
    return true;
}

// A list or a tuple of such numbers; nothing if x is anything else.
inline std::optional<std::vector<double>> numbers_of(PyObject* x) {
    const auto items = items_of(x);
    if (!items) return std::nullopt;
    std::vector<double> found(items->size());
    for (std::size_t j = 0; j < found.size(); ++j)
        if (!read_number((*items)[j], found[j])) return std::nullopt;
    return found;
}

}  // namespace novikoff
