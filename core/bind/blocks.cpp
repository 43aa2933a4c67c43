#include "blocks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <concepts>

#include <cstring>
#include <optional>
#include <string>

#include "../numbers/arithmetic.hpp"

namespace novikoff {
namespace {

template <class V>
AnyBlock dense(nb::ndarray<const V, nb::ndim<2>, nb::device::cpu> values) {
    if (values.size() != 0 && values.shape(1) > 1 && values.stride(1) != 1)
        throw nb::value_error("contiguous rows");
    return {DenseBlock<V>{values.data(), values.shape(0), values.shape(1), values.stride(0)},
            {nb::cast(values)}};
}

template <class I, class V>
AnyBlock sparse(Vector<I> starts, Vector<I> indices, Vector<V> values, std::size_t columns) {
    if (starts.size() == 0) throw nb::value_error("row starts");
    const std::size_t stored = std::min(indices.size(), values.size());
    AnyBlock block{SparseBlock<I, V>{starts.data(), indices.data(), values.data(),
                                     starts.size() - 1, columns, stored},
                   {nb::cast(starts), nb::cast(indices), nb::cast(values)}};
    block.check(0, starts.size() - 1);
    return block;
}

template <class T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);  // little-endian hosts only, checked below
    out.append(bytes, sizeof value);
}
static_assert(std::endian::native == std::endian::little);

// What the digest covers, per round: the label (int8 −1/+1, u32 class id, or f64 if it is a
// number), the number of nonzeros as u32, then (u64 index, f64 value) of each, ascending; all
// little-endian.
template <class Label>
nb::bytes encode(const AnyBlock& block, Vector<Label> labels, std::size_t start, std::size_t stop) {
    block.check(start, stop);
    if (labels.size() < stop) throw nb::value_error("rounds inside the block");
    IeeeArithmetic ieee;  // a subnormal number is not 0
    std::string out;
    std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            for (std::size_t t = start; t < stop; ++t) {
                auto x = form.row(t, 0);
                if (!gate.sound_indices(x)) throw nb::value_error("rows that were played");
                std::uint32_t nonzeros = 0;
                for_each(x, [&](Coordinate, double) { ++nonzeros; });
                append(out, labels(t));
                append(out, nonzeros);
                for_each(x, [&](Coordinate j, double v) {
                    append(out, static_cast<std::uint64_t>(j));
                    append(out, v);
                });
            }
        },
        block.form);
    return nb::bytes(out.data(), out.size());
}

// Would play take row t?
bool sound(const AnyBlock& block, std::size_t t) {
    block.check(t, t + 1);
    IeeeArithmetic ieee;
    return std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            auto x = form.row(t, 0);
            return gate.sound_indices(x) && sound_values(x, measure(x));
        },
        block.form);
}

// (‖x‖² and ‖x‖_∞ of rows [start, stop) up to the first that play would refuse, its place)
nb::tuple extents(const AnyBlock& block, std::size_t start, std::size_t stop) {
    block.check(start, stop);
    IeeeArithmetic ieee;
    std::vector<double> squares, largest;
    const std::size_t done = std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            for (std::size_t t = start; t < stop; ++t) {
                auto x = form.row(t, 0);
                if (!gate.sound_indices(x)) return t;
                const Extent extent = measure(x);
                if (!sound_values(x, extent)) return t;
                squares.push_back(extent.norm2);
                largest.push_back(extent.largest);
            }
            return stop;
        },
        block.form);
    return nb::make_tuple(to_numpy(squares), to_numpy(largest), done);
}

template <class V>
void bind_forms(nb::class_<AnyBlock>& c) {
    c.def_static("dense", &dense<V>, nb::arg("values").noconvert());
    c.def_static("sparse", &sparse<std::int32_t, V>, nb::arg("starts").noconvert(),
                 nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"));
    c.def_static("sparse", &sparse<std::int64_t, V>, nb::arg("starts").noconvert(),
                 nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"));
}

struct MetLabels {
    bool minus = false, zero = false, other = false;
};

// Whole labels, as label + 1: 0, 1 or 2, unless it is another one. They fit a byte after the first
// loop, so the second one handles sixteen at a time.
template <std::integral T>
MetLabels write_signs(const T* y, std::size_t size, std::int8_t* out) {
    std::uint64_t together = 0;
    for (std::size_t t = 0; t < size; ++t) {
        const std::uint64_t above = static_cast<std::uint64_t>(y[t]) + 1;
        together |= above;
        out[t] = static_cast<std::int8_t>(above);
    }
    std::int8_t minus = 0, zero = 0, other = together > 3;
    for (std::size_t t = 0; t < size; ++t) {
        const std::int8_t above = out[t];
        minus |= above == 0;
        zero |= above == 1;
        other |= above == 3;
        out[t] = above == 2 ? 1 : -1;
    }
    return {minus != 0, zero != 0, other != 0};
}

// Counts in two plain loops, so that each handles many labels at a time.
template <std::floating_point T>
MetLabels write_signs(const T* y, std::size_t size, std::int8_t* out) {
    std::size_t minus = 0, zero = 0, plus = 0;
    for (std::size_t t = 0; t < size; ++t) {
        plus += y[t] == T(1);
        zero += y[t] == T(0);
        minus += y[t] == T(-1);
    }
    for (std::size_t t = 0; t < size; ++t) out[t] = y[t] == T(1) ? 1 : -1;
    return {minus != 0, zero != 0, plus + zero + minus != size};
}

// Are all values finite? Then 0 · x is 0 for each; otherwise it is NaN, and so is their sum.
template <class V>
bool are_finite(Matrix<V> values) {
    IeeeArithmetic ieee;
    const V* x = values.data();
    const std::size_t size = values.size();
    V sums[16] = {};  // several at a time
    std::size_t k = 0;
    for (; k + 16 <= size; k += 16)
        for (std::size_t j = 0; j < 16; ++j) sums[j] += 0 * x[k + j];
    for (; k < size; ++k) sums[0] += 0 * x[k];
    V sum = 0;
    for (const V one : sums) sum += one;
    return sum == 0;
}

// ±1 from numeric labels in {−1, 0, 1}: which of them occur, and the first other label.
template <class T>
nb::tuple sign_labels(Vector<T> labels) {
    auto signs = new_vector<std::int8_t>(labels.size());
    const T* y = labels.data();
    const std::size_t size = labels.size();
    const MetLabels met = write_signs(y, size, signs.data());
    const auto is_usual = [](T label) {
        if constexpr (std::is_signed_v<T>)
            if (label == T(-1)) return true;
        return label == T(1) || label == T(0);
    };
    std::int64_t first_bad = -1;
    for (std::size_t t = 0; met.other && t < size && first_bad < 0; ++t)
        if (!is_usual(y[t])) first_bad = static_cast<std::int64_t>(t);
    return nb::make_tuple(signs, met.minus, met.zero, first_bad);
}

// How many signs are +1, how often one differs from the sign before it, and the last one.
nb::tuple sign_order(Vector<std::int8_t> signs, std::optional<int> before) {
    const std::int8_t* y = signs.data();
    const std::size_t size = signs.size();
    if (size == 0) return nb::make_tuple(0, 0, before);
    std::size_t positive = 0, changes = before.has_value() && *before != y[0];
    for (std::size_t t = 0; t < size; ++t) positive += y[t] > 0;
    for (std::size_t t = 1; t < size; ++t) changes += y[t] != y[t - 1];
    return nb::make_tuple(positive, changes, static_cast<int>(y[size - 1]));
}

// Integers within [low, low + range), numbered as they appear: (number of each, the integers).
nb::tuple number_labels(Vector<std::int64_t> labels, std::int64_t low, std::size_t range) {
    constexpr std::uint32_t kUnseen = UINT32_MAX;
    std::vector<std::uint32_t> numbers(range, kUnseen);
    std::vector<std::int64_t> seen;
    auto result = new_vector<std::uint32_t>(labels.size());
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto place = static_cast<std::uint64_t>(labels(t)) - static_cast<std::uint64_t>(low);
        if (place >= range) throw nb::value_error("labels within the range");
        if (numbers[place] == kUnseen) {
            numbers[place] = static_cast<std::uint32_t>(seen.size());
            seen.push_back(labels(t));
        }
        result.data()[t] = numbers[place];
    }
    return nb::make_tuple(result, to_numpy(seen));
}

}  // namespace

void bind_blocks(nb::module_& m) {
    auto c = nb::class_<AnyBlock>(m, "Block", "A run of rounds in memory, without a copy.");
    bind_forms<float>(c);
    bind_forms<double>(c);
    c.def_prop_ro("rows", &AnyBlock::rows);
    c.def_prop_ro("columns", &AnyBlock::columns);
    c.def("sound", &sound, nb::arg("row"), "Would play take this row?");
    c.def("extents", &extents, nb::arg("start"), nb::arg("stop"),
          "(‖x‖², ‖x‖_∞ of the rows up to the first that play would refuse, which that is)");
    c.def("encode", &encode<std::int8_t>, nb::arg("labels"), nb::arg("start"), nb::arg("stop"),
          "The bytes of these rounds that the digest covers.");
    c.def("encode", &encode<std::uint32_t>, nb::arg("labels"), nb::arg("start"), nb::arg("stop"));
    c.def("encode", &encode<double>, nb::arg("labels"), nb::arg("start"), nb::arg("stop"));

    m.def("number_labels", &number_labels, nb::arg("labels"), nb::arg("low"), nb::arg("range"),
          "(the number of each label by first appearance, the labels in that order)");
    m.def("sign_order", &sign_order, nb::arg("signs").noconvert(), nb::arg("before").none(),
          "(how many signs are +1, how often a sign differs from the one before it, the last)");
    m.def("are_finite", &are_finite<double>, nb::arg("values").noconvert(),
          "Whether a matrix has only finite values.");
    m.def("are_finite", &are_finite<float>, nb::arg("values").noconvert());
    const char* doc = "(±1 labels, met −1, met 0, first bad row or −1)";
    m.def("sign_labels", &sign_labels<std::int64_t>, nb::arg("labels").noconvert(), doc);
    m.def("sign_labels", &sign_labels<double>, nb::arg("labels").noconvert());
    m.def("sign_labels", &sign_labels<std::int32_t>, nb::arg("labels").noconvert());
    m.def("sign_labels", &sign_labels<float>, nb::arg("labels").noconvert());
    m.def("sign_labels", &sign_labels<std::int8_t>, nb::arg("labels").noconvert());
    m.def("sign_labels", &sign_labels<std::uint8_t>, nb::arg("labels").noconvert());
}

}  // namespace novikoff
