// Values that the core may ask for a number or a hash, because that runs none of the user's code.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>

namespace nb = nanobind;

namespace novikoff {

// NumPy's own scalar types. A subclass does not count: its methods may be Python.
struct NumpyScalars {
    std::array<PyTypeObject*, 12> whole;
    std::array<PyTypeObject*, 4> real;
    std::array<PyTypeObject*, 1> text;

    NumpyScalars()
        : whole{kind("int8"),  kind("int16"),  kind("int32"),    kind("int64"),
                kind("uint8"), kind("uint16"), kind("uint32"),   kind("uint64"),
                kind("intc"),  kind("uintc"),  kind("longlong"), kind("ulonglong")},
          real{kind("float16"), kind("float32"), kind("float64"), kind("bool_")},
          text{kind("str_")} {}

  private:
    static PyTypeObject* kind(const char* name) {
        const nb::object found = nb::module_::import_("numpy").attr(name);
        return reinterpret_cast<PyTypeObject*>(found.inc_ref().ptr());  // NumPy keeps it anyway
    }
};

// Created with the module, because importing runs Python code.
inline const NumpyScalars& numpy_scalars() {
    static const NumpyScalars scalars;
    return scalars;
}

template <std::size_t N>
bool is_one_of(PyObject* value, const std::array<PyTypeObject*, N>& types) {
    return std::find(types.begin(), types.end(), Py_TYPE(value)) != types.end();
}

// A label whose hash and equality are not the user's code.
inline bool is_plain(PyObject* label) {
    const NumpyScalars& numpy = numpy_scalars();
    return PyUnicode_CheckExact(label) || PyLong_CheckExact(label) || PyFloat_CheckExact(label) ||
           PyBool_Check(label) || is_one_of(label, numpy.whole) || is_one_of(label, numpy.text) ||
           is_one_of(label, numpy.real);
}

}  // namespace novikoff
