#include "chains.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cstring>

#include "arrays.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

// A text's bytes, which live as long as the text; nothing if it is not a text.
std::optional<std::string_view> text_of(PyObject* object) {
    if (!PyUnicode_Check(object)) return std::nullopt;
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (bytes == nullptr) {
        PyErr_Clear();  // a surrogate
        return std::nullopt;
    }
    return std::string_view(bytes, static_cast<std::size_t>(size));
}

bool is_row(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

template <class F>
bool for_each_item(PyObject* row, F&& f) {
    PyObject** const items = PySequence_Fast_ITEMS(row);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(row); ++k)
        if (!f(items[k])) return false;
    return true;
}

bool add_text(PyObject* object, Cells& to) {
    const auto text = text_of(object);
    if (text) to.push_back(*text);
    return text.has_value();
}

std::vector<std::string> listed(const text::Names& names) {
    std::vector<std::string> found;
    for (std::size_t id = 0; id < names.size(); ++id) found.emplace_back(names[id]);
    return found;
}

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Per sentence the number of positions (u32), per position the tag (u32), the number of features
// (u32), and each (u64 id, f64 count) ascending.
nb::bytes digest_bytes(const Sentences& sentences, std::size_t start, std::size_t stop) {
    static_assert(std::endian::native == std::endian::little);
    if (stop > sentences.size() || start > stop) throw nb::index_error("no such sentences");
    std::string bytes;
    std::vector<std::pair<std::uint64_t, double>> items;
    for (std::size_t t = start; t < stop; ++t) {
        const Sentence x = sentences[t];
        append(bytes, static_cast<std::uint32_t>(x.positions));
        for (std::size_t i = 0; i < x.positions; ++i) {
            std::vector<std::uint64_t> ids;
            x.for_each(i, [&](std::size_t f) { ids.push_back(f); });
            std::sort(ids.begin(), ids.end());
            items.clear();
            for (const std::uint64_t id : ids) {
                if (items.empty() || items.back().first != id) items.emplace_back(id, 0.0);
                items.back().second += 1;
            }
            append(bytes, static_cast<std::uint32_t>(x.tags[i]));
            append(bytes, static_cast<std::uint32_t>(items.size()));
            for (const auto& [id, count] : items) append(bytes, id), append(bytes, count);
        }
    }
    return nb::bytes(bytes.data(), bytes.size());
}

// A sentence as (tag, [(id, count), …]) for each position.
nb::list positions(const Sentences& sentences, std::size_t t) {
    if (t >= sentences.size()) throw nb::index_error("no such sentence");
    const Sentence x = sentences[t];
    nb::list found;
    for (std::size_t i = 0; i < x.positions; ++i) {
        nb::list ids;
        x.for_each(i, [&](std::size_t f) { ids.append(f); });
        found.append(nb::make_tuple(x.tags[i], ids));
    }
    return found;
}

void add_names(text::Names& names, const std::vector<std::string>& added) {
    for (const std::string& name : added) {
        const std::size_t before = names.size();
        if (names.number(name) != before) throw nb::value_error("a name appears twice");
    }
}

}  // namespace

ChainNames::ChainNames(const std::string& templates, const std::vector<std::string>& columns,
                       const std::vector<std::string>& tags, bool open)
    : open(open) {
    if (!columns.empty()) templates_.emplace(templates, columns);
    add_names(this->tags, tags);
}

bool ChainNames::read_position(PyObject* position) {
    const std::size_t before = cells_.size();
    const bool single = templates_ && PyUnicode_Check(position);
    if (single ? !add_text(position, cells_)
               : !is_row(position) ||
                     !for_each_item(position, [&](PyObject* one) { return add_text(one, cells_); }))
        return false;
    counts_.push_back(cells_.size() - before);
    return !templates_ || counts_.back() == templates_->columns();
}

// Reads the whole sentence before it keeps anything.
bool ChainNames::read(PyObject* sentence, PyObject* output) {
    cells_.clear(), counts_.clear(), outputs_.clear();
    judged_ = output != nullptr;
    if (!is_row(sentence)) return false;
    if (!for_each_item(sentence, [&](PyObject* one) { return read_position(one); })) return false;
    if (!judged_) return true;
    if (!is_row(output)) return false;
    if (!for_each_item(output, [&](PyObject* one) { return add_text(one, outputs_); }))
        return false;
    if (outputs_.size() != counts_.size()) return false;
    return open || std::all_of(outputs_.begin(), outputs_.end(),
                               [&](std::string_view tag) { return tags.find(tag).has_value(); });
}

void ChainNames::add_feature(std::string_view name, Sentences& out,
                             std::optional<std::size_t> limit) {
    if (!limit) {
        out.ids.push_back(static_cast<std::int32_t>(features.number(name)));
    } else if (const auto id = features.find(name); id && *id < *limit) {
        out.ids.push_back(static_cast<std::int32_t>(*id));
    }
}

void ChainNames::add(Sentences& out, std::optional<std::size_t> limit) {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (templates_)
            templates_->for_each(cells_, i, name_,
                                 [&](std::string_view name) { add_feature(name, out, limit); });
        for (std::size_t k = 0; k < counts_[i]; ++k, ++cell)
            if (!templates_) add_feature(cells_[cell], out, limit);
        std::int32_t tag = -1;
        if (judged_ && !limit && open)
            tag = static_cast<std::int32_t>(tags.number(outputs_[i]));
        else if (const auto id = judged_ ? tags.find(outputs_[i]) : std::nullopt)
            tag = static_cast<std::int32_t>(*id);
        out.end_position(tag);
    }
    out.end_sentence();
}

std::size_t ChainNames::encode(nb::list sentences, nb::object outputs, Sentences& out,
                               std::optional<std::size_t> limit) {
    const bool judged = !outputs.is_none();
    // Our own list, because the user's sequence might change the sentences while we read it.
    const nb::list given = judged ? nb::list(outputs) : nb::list();
    const std::size_t count = judged ? std::min(sentences.size(), given.size()) : sentences.size();
    for (std::size_t t = 0; t < count; ++t) {
        const nb::object x = sentences[t];
        const nb::object y = judged ? nb::object(given[t]) : nb::object();
        if (!read(x.ptr(), judged ? y.ptr() : nullptr)) return t;
        add(out, limit);
    }
    return count;
}

void bind_chains(nb::module_& m) {
    nb::class_<Sentences>(m, "Sentences", "Sentences as numbers.")
        .def(nb::init<>())
        .def("__len__", &Sentences::size)
        .def_prop_ro(
            "tags", [](const Sentences& s) { return to_numpy(s.tags); }, nb::rv_policy::move)
        .def_prop_ro(
            "starts",
            [](const Sentences& s) {
                std::vector<std::int64_t> starts(s.starts.begin(), s.starts.end());
                return to_numpy(starts);
            },
            nb::rv_policy::move)
        .def("positions", &positions, nb::arg("sentence"))
        .def("digest_bytes", &digest_bytes, nb::arg("start"), nb::arg("stop"));
    nb::class_<ChainNames>(m, "ChainNames", "The names of features and of tags.")
        .def(
            "__init__",
            [](ChainNames* self, const std::string& templates,
               const std::vector<std::string>& columns, const std::vector<std::string>& tags,
               bool open) { new (self) ChainNames(templates, columns, tags, open); },
            nb::arg("templates"), nb::arg("columns"), nb::arg("tags"), nb::arg("open"))
        .def_prop_ro("features", [](const ChainNames& n) { return n.features.size(); })
        .def_prop_ro(
            "bytes",
            [](const ChainNames& n) { return n.features.bytes().size() + n.features.size() * 24; })
        .def("feature_names", [](const ChainNames& n) { return listed(n.features); })
        .def("tag_names", [](const ChainNames& n) { return listed(n.tags); })
        .def(
            "add_features",
            [](ChainNames& n, const std::vector<std::string>& names) {
                add_names(n.features, names);
            },
            nb::arg("names"))
        .def(
            "add_tags",
            [](ChainNames& n, const std::vector<std::string>& names) { add_names(n.tags, names); },
            nb::arg("names"))
        .def("encode", &ChainNames::encode, nb::arg("sentences"), nb::arg("outputs").none(),
             nb::arg("out"), nb::arg("limit") = nb::none());
}

}  // namespace novikoff
