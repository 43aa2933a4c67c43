// Vectors that arrive one by one as lists of Python's numbers, written into one array.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "blocks.hpp"
#include "number_lists.hpp"

namespace novikoff {
namespace {

class Vectors {
  public:
    using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

    explicit Vectors(Matrix values) : values_(std::move(values)) {}

    // False if x is another kind of vector; the row may then hold anything.
    bool put(std::size_t row, PyObject* x) {
        const auto items = items_of(x);
        const std::size_t columns = values_.shape(1);
        if (!items || items->size() != columns) return false;
        if (row >= values_.shape(0)) return false;
        double* out = values_.data() + row * columns;
        for (std::size_t j = 0; j < columns; ++j)
            if (!read_number((*items)[j], out[j])) return false;
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
