// What the memory of this machine allows on one core: loops that read what a pass reads, and
// compute as little as they can.

#include <cstddef>
#include <cstdint>

extern "C" {

// The bytes of a row or a file, once from front to end.
std::uint64_t read_words(const std::uint64_t* words, std::size_t count) {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    for (std::size_t k = 0; k + 4 <= count; k += 4) {
        a ^= words[k], b ^= words[k + 1], c ^= words[k + 2], d ^= words[k + 3];
    }
    return a ^ b ^ c ^ d;
}

// The same for the entries of sparse rows, and one sum of products with the weights they meet: no
// rows, no decisions, no updates.
double gather(const double* w, const std::int32_t* indices, const double* values,
              std::size_t count) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (std::size_t k = 0; k + 4 <= count; k += 4) {
        __builtin_prefetch(indices + k + 1536, 0, 2);
        __builtin_prefetch(values + k + 1536, 0, 2);
        s0 += w[indices[k]] * values[k];
        s1 += w[indices[k + 1]] * values[k + 1];
        s2 += w[indices[k + 2]] * values[k + 2];
        s3 += w[indices[k + 3]] * values[k + 3];
    }
    return s0 + s1 + s2 + s3;
}

// The same with sixteen weights for each feature.
double gather_classes(const double* w, const std::int32_t* indices, const double* values,
                      std::size_t count) {
    double s[16] = {};
    for (std::size_t k = 0; k + 128 < count; ++k) {
        const double* soon = w + 16 * static_cast<std::size_t>(indices[k + 128]);
        __builtin_prefetch(soon, 0, 2);
        __builtin_prefetch(soon + 8, 0, 2);
        const double* row = w + 16 * static_cast<std::size_t>(indices[k]);
        for (int c = 0; c < 16; ++c) s[c] += row[c] * values[k];
    }
    double sum = 0;
    for (const double term : s) sum += term;
    return sum;
}

float gather_classes_narrow(const float* w, const std::int32_t* indices, const double* values,
                            std::size_t count) {
    float s[16] = {};
    for (std::size_t k = 0; k + 128 < count; ++k) {
        __builtin_prefetch(w + 16 * static_cast<std::size_t>(indices[k + 128]), 0, 2);
        const float* row = w + 16 * static_cast<std::size_t>(indices[k]);
        for (int c = 0; c < 16; ++c) s[c] += row[c] * static_cast<float>(values[k]);
    }
    float sum = 0;
    for (const float term : s) sum += term;
    return sum;
}
}
