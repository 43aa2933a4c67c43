// NumPy arrays in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace novikoff {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using NewMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

template <class T>
NewVector<T> new_vector(std::size_t size) {
    auto* data = new T[size == 0 ? 1 : size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return NewVector<T>(data, {size}, owner);
}

inline NewMatrix new_matrix(std::size_t rows, std::size_t columns) {
    auto* data = new double[rows * columns + 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return NewMatrix(data, {rows, columns}, owner);
}

template <class T>
NewVector<T> to_numpy(const T* data, std::size_t size) {
    auto result = new_vector<T>(size);
    if (size != 0) std::memcpy(result.data(), data, size * sizeof(T));
    return result;
}

template <class T>
NewVector<T> to_numpy(const std::vector<T>& values) {
    return to_numpy(values.data(), values.size());
}

// Numbers of rounds, as a saved file may hold them: never negative, never near overflow.
inline bool are_counts(const Vector<std::int64_t>& counts) {
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (counts(k) < 0 || counts(k) > (std::int64_t{1} << 53)) return false;
    return true;
}

template <class T>
std::vector<T> to_std(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

}  // namespace novikoff
