// Vectors that arrive one by one as lists of Python's numbers, written into one array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "blocks.hpp"

namespace novikoff {
namespace {

constexpr long long kExact = 1LL << 53;  // float64 tells whole numbers apart up to here

// The number, if it is a float or a whole number that float64 holds exactly; not of a subclass,
// whose methods may be the user's.
bool read(PyObject* value, double& out) {
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

class Vectors {
  public:
    using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

    explicit Vectors(Matrix values) : values_(std::move(values)) {}

    // False if x is another kind of vector; the row may then hold anything.
    bool put(std::size_t row, PyObject* x) {
        PyObject** items = nullptr;
        Py_ssize_t size = 0;
        if (PyList_CheckExact(x)) {
            items = PySequence_Fast_ITEMS(x);
            size = PyList_GET_SIZE(x);
        } else if (PyTuple_CheckExact(x)) {
            items = PySequence_Fast_ITEMS(x);
            size = PyTuple_GET_SIZE(x);
        }
        const std::size_t columns = values_.shape(1);
        if (items == nullptr || static_cast<std::size_t>(size) != columns) return false;
        if (row >= values_.shape(0)) return false;
        double* out = values_.data() + row * columns;
        for (std::size_t j = 0; j < columns; ++j)
            if (!read(items[j], out[j])) return false;
        return true;
    }

  private:
    Matrix values_;
};

}  // namespace

void bind_vectors(nb::module_& m) {
    nb::class_<Vectors>(m, "Vectors", "Rows of an array, filled from lists of numbers.")
        .def(nb::init<Vectors::Matrix>(), nb::arg("values").noconvert())
        .def(
            "put",
            [](Vectors& vectors, std::size_t row, nb::handle x) {
                return vectors.put(row, x.ptr());
            },
            nb::arg("row"), nb::arg("x").none(),
            nb::sig("def put(self, row: int, x: object) -> bool"),
            "Write a list or a tuple of floats and whole numbers to a row; say whether it is one.");
}

}  // namespace novikoff
