// The perceptron without its guarantees: one plain float sum a round, a plain update, no radius,
// no check of the input. What our own loop costs beyond this is the price of exact decisions.

#include <cstddef>
#include <cstdint>

extern "C" {

std::size_t play_sparse(double* w, const std::int32_t* starts, const std::int32_t* indices,
                        const double* values, const std::int8_t* labels, std::size_t rows) {
    std::size_t mistakes = 0;
    for (std::size_t t = 0; t < rows; ++t) {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        const std::int32_t last = starts[t + 1];
        std::int32_t k = starts[t];
        for (; k + 4 <= last; k += 4) {
            __builtin_prefetch(indices + k + 256);
            __builtin_prefetch(values + k + 128);
            s0 += w[indices[k]] * values[k];
            s1 += w[indices[k + 1]] * values[k + 1];
            s2 += w[indices[k + 2]] * values[k + 2];
            s3 += w[indices[k + 3]] * values[k + 3];
        }
        for (; k < last; ++k) s0 += w[indices[k]] * values[k];
        const int y = labels[t];
        if ((s0 + s1 + s2 + s3 >= 0 ? 1 : -1) != y) {
            ++mistakes;
            for (k = starts[t]; k < last; ++k) w[indices[k]] += y * values[k];
        }
    }
    return mistakes;
}

std::size_t play_dense(double* w, const double* values, std::size_t columns,
                       const std::int8_t* labels, std::size_t rows) {
    std::size_t mistakes = 0;
    for (std::size_t t = 0; t < rows; ++t) {
        const double* x = values + t * columns;
        double s = 0;
        for (std::size_t k = 0; k < columns; ++k) s += w[k] * x[k];
        const int y = labels[t];
        if ((s >= 0 ? 1 : -1) != y) {
            ++mistakes;
            for (std::size_t k = 0; k < columns; ++k) w[k] += y * x[k];
        }
    }
    return mistakes;
}
}
