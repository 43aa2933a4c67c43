// Rounds of kernel perceptrons on chunks, the checksum that tells whether rows have changed, and
// rows without their zeros; and products of whole numbers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "../blocks/checksum.hpp"
#include "../learners/kernel/score_chunk.hpp"
#include "../learners/kernel/whole_matrix.hpp"
#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

template <class T>
using Mutable = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ChunkRule rule_of(const std::string& name) {
    if (name == "sign") return ChunkRule::kSign;
    if (name == "best") return ChunkRule::kBest;
    if (name == "one-vs-rest") return ChunkRule::kOneVsRest;
    throw nb::value_error("expected 'sign', 'best' or 'one-vs-rest'");
}

nb::tuple played(const std::string& rule, Scores scores, Mutable<double> error,
                 Matrix<double> columns, Vector<std::int32_t> places, Vector<double> step_error,
                 Vector<std::int64_t> labels, std::size_t start, std::size_t stop,
                 std::size_t most_steps, Mutable<std::uint8_t> mistaken) {
    const std::size_t rows = scores.shape(0), classes = scores.shape(1);
    const auto known = static_cast<std::int64_t>(columns.shape(0));
    const bool within =
        std::all_of(places.data(), places.data() + places.size(),
                    [&](std::int32_t place) { return place >= -1 && place < known; });
    const bool fits = error.size() == rows && places.size() == rows && labels.size() == stop &&
                      step_error.size() == rows && mistaken.size() == stop &&
                      (known == 0 || columns.shape(1) == rows) && start <= stop && stop <= rows;
    const ChunkRule kind = rule_of(rule);
    if (!fits || !within || (kind == ChunkRule::kSign && classes != 1))
        throw nb::value_error("one score, error, label and place per row");
    const ScoreChunk chunk{scores.data(), error.data(),     rows, classes, columns.data(),
                           places.data(), step_error.data()};
    IeeeArithmetic ieee;
    const ChunkPlay found =
        play_chunk(chunk, kind, labels.data(), start, stop, most_steps, mistaken.data());
    nb::list steps;
    for (const ChunkStep& step : found.steps)
        steps.append(nb::make_tuple(step.row, step.column, step.value));
    return nb::make_tuple(found.stop, steps);
}

// A row without its zeros: the n places of the others as int64, then their n values as float64.
template <class V>
nb::bytes packed(const V* value, std::size_t size) {
    const auto count =
        static_cast<std::size_t>(std::count_if(value, value + size, [](V v) { return v != 0; }));
    auto found = nb::steal<nb::bytes>(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count * 16)));
    if (!found.is_valid()) throw nb::python_error();
    char *place = PyBytes_AS_STRING(found.ptr()), *number = place + count * 8;
    for (std::size_t j = 0; j < size; ++j) {
        if (value[j] == 0) continue;
        const auto index = static_cast<std::int64_t>(j);
        const auto wide = static_cast<double>(value[j]);
        std::memcpy(place, &index, 8);
        std::memcpy(number, &wide, 8);
        place += 8;
        number += 8;
    }
    return found;
}

template <class V>
nb::list packed_rows(nb::ndarray<const V, nb::ndim<2>, nb::device::cpu> rows,
                     Vector<std::int64_t> chosen) {
    if (rows.size() != 0 && rows.shape(1) > 1 && rows.stride(1) != 1)
        throw nb::value_error("contiguous rows");
    IeeeArithmetic ieee;  // a subnormal number is not 0
    nb::list found;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::int64_t t = chosen(k);
        if (t < 0 || static_cast<std::size_t>(t) >= rows.shape(0))
            throw nb::value_error("rows of the matrix");
        found.append(packed(rows.data() + t * rows.stride(0), rows.shape(1)));
    }
    return found;
}

template <class V>
void bind_packed_rows(nb::module_& m) {
    m.def(
        "packed_rows", &packed_rows<V>, nb::arg("rows").noconvert(), nb::arg("chosen"),
        "These rows without their zeros, each as bytes: places as int64, then values as float64.");
}

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

RealMatrix as_matrix(const Rows& rows) {
    if (rows.size() != 0 && rows.shape(1) > 1 && rows.stride(1) != 1)
        throw nb::value_error("contiguous rows");
    return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0)};
}

std::optional<NewMatrix> products(const Rows& a, const Rows& b) {
    const RealMatrix left = as_matrix(a), right = as_matrix(b);
    if (left.columns != right.columns) throw nb::value_error("rows of equal length");
    IeeeArithmetic ieee;  // a subnormal number is not 0
    NewMatrix found = new_matrix(left.rows, right.rows);
    bool whole = false;
    {
        const Unlocked unlocked;
        whole = whole_products(left, right, found.data());
    }
    return whole ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace

void bind_kernel_chunks(nb::module_& m) {
    bind_packed_rows<float>(m);
    bind_packed_rows<double>(m);
    m.def("play_chunk", &played, nb::arg("rule"), nb::arg("scores").noconvert(),
          nb::arg("error").noconvert(), nb::arg("columns"), nb::arg("places"),
          nb::arg("step_error"), nb::arg("labels"), nb::arg("start"), nb::arg("stop"),
          nb::arg("most_steps"), nb::arg("mistaken").noconvert(),
          "Play the rows of a chunk that its scores decide; return where it stopped, and the steps "
          "(row, class, value).");
    m.def("whole_products", &products, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
          "a bᵀ, if all are whole numbers that 16 bits hold and 32 bits hold the sums; else None.");
    m.def(
        "checksum",
        [](nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> bytes) {
            return checksum(bytes.data(), bytes.size());
        },
        nb::arg("bytes"), "A number that differs, nearly always, if the bytes do.");
}

}  // namespace novikoff
