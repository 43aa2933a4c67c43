#include "chunks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "../blocks/row.hpp"
#include "../numbers/arithmetic.hpp"
#include "../numbers/weights.hpp"
#include "arrays.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

using text::Chunk;
using Entry = std::pair<std::int32_t, double>;

// The parsers make sure that names and labels are UTF-8: no two of them become one text.
nb::object decoded(std::string_view text) {
    PyObject* found =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    if (found == nullptr) throw nb::python_error();
    return nb::steal(found);
}

// Maps the numbers of names in a chunk to the learner's numbers.
class Numbering {
  public:
    Numbering(const Chunk& chunk, Features& features, bool adopt)
        : chunk_(chunk), features_(features), adopt_(adopt), ids_(chunk.names.size(), kUnknown) {}

    // The entries of a row, ascending; unknown names get the next ids, in the order of their text.
    const std::vector<Entry>& row(std::size_t t) {
        entries_.clear();
        strangers_.clear();
        before_ = features_.size();
        const auto begin = static_cast<std::size_t>(chunk_.starts[t]);
        const auto end = static_cast<std::size_t>(chunk_.starts[t + 1]);
        for (std::size_t k = begin; k < end; ++k) {
            if (chunk_.values[k] == 0) continue;
            const auto local = static_cast<std::size_t>(chunk_.indices[k]);
            if (ids_[local] == kUnknown) look_up(local);
        }
        if (!strangers_.empty()) number_strangers();
        for (std::size_t k = begin; k < end; ++k) {
            if (chunk_.values[k] == 0) continue;
            const std::int32_t id = ids_[static_cast<std::size_t>(chunk_.indices[k])];
            entries_.push_back(id >= 0 ? Entry{id, chunk_.values[k]}
                                       : Entry{-2 - id, -chunk_.values[k]});
        }
        std::sort(entries_.begin(), entries_.end());
        merge();
        if (!adopt_) forget();
        return entries_;
    }

    // Undoes what the last row added.
    void forget() {
        if (adopt_ && !features_.hashed()) features_.truncate(before_);
        for (const std::size_t local : strangers_) ids_[local] = kUnknown;
    }

  private:
    static constexpr std::int32_t kUnknown = -1;  // −2 − id: the feature's sign is turned

    void look_up(std::size_t local) {
        if (features_.hashed()) {
            const auto [place, negative] = features_.hashed_place(chunk_.names[local]);
            ids_[local] = negative ? -2 - place : place;
            return;
        }
        ids_[local] = features_.id(decoded(chunk_.names[local]).ptr());
        if (ids_[local] == kUnknown) {
            strangers_.push_back(local);
            ids_[local] = INT32_MAX;  // names of this row
        }
    }

    void number_strangers() {
        std::sort(strangers_.begin(), strangers_.end(),
                  [&](std::size_t a, std::size_t b) { return chunk_.names[a] < chunk_.names[b]; });
        if (features_.size() + strangers_.size() > static_cast<std::size_t>(kMaxDimension))
            throw std::bad_alloc();
        for (std::size_t k = 0; k < strangers_.size(); ++k) {
            ids_[strangers_[k]] = static_cast<std::int32_t>(before_ + k);
            if (adopt_) features_.add_name(decoded(chunk_.names[strangers_[k]]).ptr());
        }
    }

    void merge() {
        std::size_t kept = 0;
        for (const Entry& entry : entries_) {
            if (kept != 0 && entries_[kept - 1].first == entry.first)
                entries_[kept - 1].second += entry.second;
            else
                entries_[kept++] = entry;
        }
        entries_.resize(kept);
    }

    const Chunk& chunk_;
    Features& features_;
    bool adopt_;
    std::vector<std::int32_t> ids_;
    std::vector<std::size_t> strangers_;
    std::vector<Entry> entries_;
    std::size_t before_ = 0;
};

}  // namespace

NumberedRows numbered_rows(const Chunk& chunk, Features& features, std::size_t start,
                           std::size_t stop, bool adopt, const double* weights) {
    if (start > stop || stop > chunk.rows()) throw nb::value_error("rows inside the chunk");
    NumberedRows found;
    Numbering numbering(chunk, features, adopt);
    for (std::size_t t = start; t < stop; ++t) {
        for (const auto& [id, value] : numbering.row(t)) {
            found.indices.push_back(id);
            found.values.push_back(value);
        }
        const auto begin = static_cast<std::size_t>(found.starts.back());
        const std::size_t size = found.indices.size() - begin;
        const SparseRow<std::int32_t, double> x{found.indices.data() + begin,
                                                found.values.data() + begin, size, 0, size};
        if (!sound_values(x, measure(x)) ||
            (weights != nullptr && !scales_exactly(x, weights[t - start]))) {
            numbering.forget();
            found.indices.resize(begin);
            found.values.resize(begin);
            break;
        }
        found.starts.push_back(static_cast<std::int32_t>(found.indices.size()));
    }
    return found;
}

namespace {

// (starts, indices, values) of rows by the ids of their names, up to the first one refused.
nb::tuple number(const HeldChunk& held, Features& features, std::size_t start, std::size_t stop,
                 bool adopt) {
    IeeeArithmetic ieee;
    const NumberedRows rows = numbered_rows(*held.chunk, features, start, stop, adopt, nullptr);
    return nb::make_tuple(to_numpy(rows.starts), to_numpy(rows.indices), to_numpy(rows.values));
}

// Rows of named features from arrays, as a cache stores them.
HeldChunk named_rows(Vector<std::int32_t> starts, Vector<std::int32_t> indices,
                     Vector<double> values, const std::vector<std::string>& names) {
    auto chunk = std::make_shared<Chunk>();
    for (const std::string& name : names) {
        const std::size_t before = chunk->names.size();
        if (chunk->names.number(name) != before) throw nb::value_error("a name twice");
    }
    const auto inside = [&](std::int32_t id) {
        return id >= 0 && static_cast<std::size_t>(id) < names.size();
    };
    const auto finite = [](double v) { return std::isfinite(v); };
    const bool sound = starts.size() != 0 && starts(0) == 0 && indices.size() == values.size() &&
                       static_cast<std::size_t>(starts(starts.size() - 1)) == values.size() &&
                       std::is_sorted(starts.data(), starts.data() + starts.size()) &&
                       std::all_of(indices.data(), indices.data() + indices.size(), inside) &&
                       std::all_of(values.data(), values.data() + values.size(), finite);
    if (!sound) throw nb::value_error("rows of features that have names");
    chunk->starts = to_std(starts);
    chunk->indices.assign(indices.data(), indices.data() + indices.size());
    chunk->values.assign(values.data(), values.data() + values.size());
    chunk->labels.resize(starts.size() - 1);
    chunk->kinds.assign(starts.size() - 1, text::kNoLabel);
    return {std::move(chunk)};
}

nb::dict row(const HeldChunk& held, std::size_t t) {
    if (t >= held->rows()) throw nb::index_error("a row of the chunk");
    nb::dict found;
    for (auto k = static_cast<std::size_t>(held->starts[t]);
         k < static_cast<std::size_t>(held->starts[t + 1]); ++k)
        found[decoded(held->names[static_cast<std::size_t>(held->indices[k])])] = held->values[k];
    return found;
}

// Labels of files lie within ±2^53.
bool whole(double label) { return label == std::floor(label); }

nb::object label(const HeldChunk& held, std::size_t t) {
    if (held->kinds[t] == text::kNoLabel) return nb::none();
    if (held->kinds[t] != text::kNumber)
        return decoded(held->classes[static_cast<std::size_t>(held->kinds[t])]);
    if (whole(held->labels[t])) return nb::int_(static_cast<std::int64_t>(held->labels[t]));
    return nb::float_(held->labels[t]);
}

// As an array of int64 or float64 if all are numbers, otherwise as a list.
nb::object labels(const HeldChunk& held) {
    const std::vector<double>& y = held->labels;
    const auto& kinds = held->kinds;
    if (std::any_of(kinds.begin(), kinds.end(), [](auto k) { return k != text::kNumber; })) {
        nb::list found;
        for (std::size_t t = 0; t < y.size(); ++t) found.append(label(held, t));
        return found;
    }
    if (!std::all_of(y.begin(), y.end(), whole)) return nb::cast(to_numpy(y));
    auto numbers = new_vector<std::int64_t>(y.size());
    for (std::size_t t = 0; t < y.size(); ++t) numbers.data()[t] = static_cast<std::int64_t>(y[t]);
    return nb::cast(numbers);
}

nb::list faults(const HeldChunk& held) {
    nb::list found;
    for (const text::Fault& fault : held->faults)
        found.append(nb::make_tuple(fault.row, fault.line, decoded(fault.message)));
    return found;
}

nb::list names(const HeldChunk& held) {
    nb::list found;
    for (std::size_t id = 0; id < held->names.size(); ++id) found.append(decoded(held->names[id]));
    return found;
}

// A view that keeps its chunk.
template <class Array>
auto view(Array Chunk::* member) {
    return [member](HeldChunk& held) {
        const Array& values = held.chunk.get()->*member;
        using T = typename Array::value_type;
        return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()},
                                                            nb::find(held));
    };
}

}  // namespace

void bind_chunks(nb::module_& m) {
    nb::class_<HeldChunk>(m, "Chunk", "Rows out of a piece of a file.")
        .def_static("of", &named_rows, nb::arg("starts"), nb::arg("indices"), nb::arg("values"),
                    nb::arg("names"))
        .def_prop_ro("rows", [](const HeldChunk& held) { return held->rows(); })
        .def_prop_ro("columns", [](const HeldChunk& held) { return held->columns; })
        .def_prop_ro("width", [](const HeldChunk& held) { return held->width; })
        .def_prop_ro("line_count", [](const HeldChunk& held) { return held->line; })
        .def_prop_ro("fault_count", [](const HeldChunk& held) { return held->fault_count; })
        .def_prop_ro("faults", &faults, "(rows before it, lines before it, what is wrong), …")
        .def_prop_ro("starts", view(&Chunk::starts))
        .def_prop_ro("indices", view(&Chunk::indices))
        .def_prop_ro("values", view(&Chunk::values))
        .def_prop_ro("weights", view(&Chunk::weights))
        .def_prop_ro("lines", view(&Chunk::lines))
        .def_prop_ro("labels", &labels)
        .def_prop_ro("names", &names)
        .def("row", &row, nb::arg("row"), "A row of named features as a dict.")
        .def("number", &number, nb::arg("features"), nb::arg("start"), nb::arg("stop"),
             nb::arg("adopt"), "(starts, indices, values) of the rows before the first refused.");
}

}  // namespace novikoff
