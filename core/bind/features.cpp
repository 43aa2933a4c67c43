#include "features.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

#include "../blocks/hash.hpp"
#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "scalars.hpp"

namespace novikoff {
namespace {

constexpr long long kLargestWhole = 1LL << 53;  // all whole numbers up to this are doubles

// str's own hash, which every key of a dict has at hand; a subclass's would be Python code.
Py_hash_t hash_of(PyObject* name) {
    const Py_hash_t known = reinterpret_cast<PyASCIIObject*>(name)->hash;
    return known != -1 ? known : PyUnicode_Type.tp_hash(name);
}

// The upper bits; the lower ones choose the slot.
std::uint32_t tag_of(Py_hash_t hash) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(hash) >> 32);
}

// Half of a surrogate pair is not text: UTF-8 cannot hold it.
bool is_text(PyObject* name) {
    const auto length = PyUnicode_GET_LENGTH(name);
    const auto kind = PyUnicode_KIND(name);
    if (kind == PyUnicode_1BYTE_KIND) return true;
    for (Py_ssize_t i = 0; i < length; ++i)
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ(kind, PyUnicode_DATA(name), i))) return false;
    return true;
}

bool same_text(PyObject* a, PyObject* b) {
    const auto length = PyUnicode_GET_LENGTH(a);
    const auto kind = PyUnicode_KIND(a);
    return length == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b),
                       static_cast<std::size_t>(length) * kind) == 0;
}

// A whole number that a double holds.
bool whole(PyObject* value, double& out) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    out = static_cast<double>(number);
    return overflow == 0 && -kLargestWhole <= number && number <= kLargestWhole;
}

// A finite number from a float, an int, a bool, or a NumPy scalar of these. We ask no other value
// for its number, because its __index__ might change the dict being read.
bool number(PyObject* value, double& out) {
    if (PyFloat_Check(value)) {
        out = PyFloat_AS_DOUBLE(value);
        return std::isfinite(out);
    }
    if (PyLong_Check(value)) return whole(value, out);
    if (is_one_of(value, numpy_scalars().whole)) {
        const nb::object index = nb::steal(PyNumber_Index(value));
        PyErr_Clear();
        return index.is_valid() && whole(index.ptr(), out);
    }
    if (!is_one_of(value, numpy_scalars().real)) return false;
    out = PyFloat_AsDouble(value);
    PyErr_Clear();
    return std::isfinite(out);
}

std::string_view utf8(PyObject* name) {
    if (PyUnicode_IS_ASCII(name))
        return {static_cast<const char*>(PyUnicode_DATA(name)),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(name))};
    Py_ssize_t size;
    const char* bytes = PyUnicode_AsUTF8AndSize(name, &size);
    if (bytes == nullptr) {  // half a surrogate pair
        PyErr_Clear();
        return {};
    }
    return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Features::Features(int bits, bool alternate_sign) : bits_(bits), alternate_sign_(alternate_sign) {
    if (bits < 0 || bits > 30) throw nb::value_error("bits from 1 to 30");
    rebuild(16);
}

Features::~Features() {
    forget_strangers();
    truncate(0);
}

std::size_t Features::bytes() const {
    return name_bytes_ + names_.capacity() * sizeof(PyObject*) + table_.size() * sizeof(Slot);
}

std::optional<Features::Row> Features::read(PyObject* x, double bias) {
    if (!strangers_.empty()) forget_strangers();
    const auto most = static_cast<std::size_t>(PyDict_GET_SIZE(x));
    if (indices_.size() < most) {
        indices_.resize(most);
        values_.resize(most);
    }
    count_ = 0;
    composed_ = false;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (PyDict_Next(x, &position, &name, &value) != 0)
        if (!read_entry(name, value)) return std::nullopt;
    if (hashed() ? !merge_hashed() : composed_ && !distinct()) return std::nullopt;
    if (strangers_.size() > 1) sort_strangers();
    for (std::size_t k = 0; k < strangers_.size(); ++k)
        add(static_cast<std::int32_t>(names_.size() + k), stranger_values_[k]);
    return Row{indices_.data(), values_.data(), count_, bias, count_};
}

bool Features::read_entry(PyObject* name, PyObject* value) {
    if (!PyUnicode_CheckExact(name)) [[unlikely]] {
        if (!PyUnicode_Check(name)) return false;
        composed_ = true;  // to a subclass, equal texts may differ
    }
    if (PyFloat_CheckExact(value)) [[likely]] {
        const double v = PyFloat_AS_DOUBLE(value);
        return std::isfinite(v) && add_named(name, v);
    }
    if (PyUnicode_Check(value)) {
        const nb::object both = nb::steal(PyUnicode_FromFormat("%U=%U", name, value));
        if (!both.is_valid()) throw nb::python_error();
        composed_ = true;
        return add_named(both.ptr(), 1);
    }
    double v;
    return number(value, v) && add_named(name, v);
}

bool Features::add_named(PyObject* name, double value) {
    if (value == 0) return true;
    if (hashed()) return add_hashed(name, value);
    const std::int32_t id = find(name, hash_of(name));
    if (id >= 0) [[likely]] {
        add(id, value);
        return true;
    }
    if (!is_text(name)) return false;
    add_stranger(name, value);
    return true;
}

void Features::add(std::int32_t id, double value) {
    indices_[count_] = id;
    values_[count_++] = value;
}

void Features::add_stranger(PyObject* name, double value) {
    PyObject* stranger = PyUnicode_FromObject(name);  // a str, not a subclass of it
    if (stranger == nullptr) throw nb::python_error();
    strangers_.push_back(stranger);
    stranger_values_.push_back(value);
}

// By their text, so that ids do not depend on the order within a dict.
void Features::sort_strangers() {
    std::vector<std::pair<PyObject*, double>> pairs;
    for (std::size_t k = 0; k < strangers_.size(); ++k)
        pairs.emplace_back(strangers_[k], stranger_values_[k]);
    std::sort(pairs.begin(), pairs.end(),
              [](const auto& a, const auto& b) { return PyUnicode_Compare(a.first, b.first) < 0; });
    for (std::size_t k = 0; k < pairs.size(); ++k)
        std::tie(strangers_[k], stranger_values_[k]) = pairs[k];
}

bool Features::add_hashed(PyObject* name, double value) {
    const std::string_view text = utf8(name);
    if (text.data() == nullptr) return false;
    const auto [place, negative] = hashed_place(text);
    add(place, negative ? -value : value);
    return true;
}

std::pair<std::int32_t, bool> Features::hashed_place(std::string_view name) const {
    const auto h = std::int64_t{static_cast<std::int32_t>(murmur3(name.data(), name.size()))};
    const std::int64_t place = std::abs(h) & ((std::int64_t{1} << bits_) - 1);
    return {static_cast<std::int32_t>(place), alternate_sign_ && h < 0};
}

std::string_view Features::text(std::size_t id) const {
    return utf8(id < names_.size() ? names_[id] : strangers_.at(id - names_.size()));
}

std::int32_t Features::id(PyObject* name) const { return find(name, hash_of(name)); }

// Names that share a feature add their values, in an order that does not depend on the dict's.
bool Features::merge_hashed() {
    std::vector<std::pair<std::int32_t, double>> entries;
    for (std::size_t k = 0; k < count_; ++k) entries.emplace_back(indices_[k], values_[k]);
    std::sort(entries.begin(), entries.end());
    count_ = 0;
    bool finite = true;
    for (const auto& [id, value] : entries) {
        if (count_ != 0 && indices_[count_ - 1] == id)
            values_[count_ - 1] += value;
        else
            add(id, value);
        finite = finite && std::isfinite(values_[count_ - 1]);
    }
    return finite;
}

// Does every feature occur once? A name=value may also be a name in itself.
bool Features::distinct() const {
    std::vector<std::int32_t> known(indices_.begin(),
                                    indices_.begin() + static_cast<std::ptrdiff_t>(count_));
    std::sort(known.begin(), known.end());
    if (std::adjacent_find(known.begin(), known.end()) != known.end()) return false;
    std::vector<PyObject*> names = strangers_;
    std::sort(names.begin(), names.end(),
              [](PyObject* a, PyObject* b) { return PyUnicode_Compare(a, b) < 0; });
    return std::adjacent_find(names.begin(), names.end(), same_text) == names.end();
}

std::size_t Features::adopt() {
    const std::size_t before = names_.size();
    if (strangers_.empty()) return before;
    if (names_.size() + strangers_.size() > static_cast<std::size_t>(kMaxDimension))
        throw std::bad_alloc();
    // Makes room for all before adding the first; reserving the exact size would copy every time.
    const std::size_t wanted = names_.size() + strangers_.size();
    if (wanted > names_.capacity()) names_.reserve(std::max(wanted, 2 * names_.capacity()));
    for (PyObject* name : strangers_) {
        add_name(name);
        Py_DECREF(name);
    }
    strangers_.clear();
    stranger_values_.clear();
    return before;
}

void Features::add_name(PyObject* name) {
    if (2 * (names_.size() + 1) > table_.size()) rebuild(2 * table_.size());
    names_.push_back(name);
    Py_INCREF(name);
    insert(static_cast<std::int32_t>(names_.size() - 1));
    name_bytes_ += sizeof(PyASCIIObject) + 1 +
                   static_cast<std::size_t>(PyUnicode_GET_LENGTH(name)) * PyUnicode_KIND(name);
}

void Features::truncate(std::size_t size) {
    if (size >= names_.size()) return;
    for (std::size_t id = size; id < names_.size(); ++id) {
        const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(names_[id]));
        name_bytes_ -= sizeof(PyASCIIObject) + 1 + length * PyUnicode_KIND(names_[id]);
        Py_DECREF(names_[id]);
    }
    names_.resize(size);
    rebuild(table_.size());
}

std::int32_t Features::find(PyObject* name, Py_hash_t hash) const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = static_cast<std::size_t>(hash) & mask;; i = (i + 1) & mask) {
        const Slot& slot = table_[i];
        if (slot.name == name) return slot.id;
        if (slot.name == nullptr) return -1;
        if (slot.tag == tag_of(hash) && same_text(slot.name, name)) return slot.id;
    }
}

void Features::insert(std::int32_t id) {
    PyObject* name = names_[static_cast<std::size_t>(id)];
    const Py_hash_t hash = hash_of(name);
    const std::size_t mask = table_.size() - 1;
    std::size_t i = static_cast<std::size_t>(hash) & mask;
    while (table_[i].name != nullptr) i = (i + 1) & mask;
    table_[i] = {name, tag_of(hash), id};
}

void Features::rebuild(std::size_t capacity) {
    table_.assign(capacity, Slot{nullptr, 0, -1});
    for (std::size_t id = 0; id < names_.size(); ++id) insert(static_cast<std::int32_t>(id));
}

void Features::forget_strangers() {
    for (PyObject* name : strangers_) Py_DECREF(name);
    strangers_.clear();
    stranger_values_.clear();
}

namespace {

// Dicts as compressed sparse rows, ascending; stops before the first that is not a row.
nb::tuple encode(Features& features, nb::list rows, std::size_t start, std::size_t stop,
                 bool adopt) {
    IeeeArithmetic ieee;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> indices;
    std::vector<double> values;
    for (std::size_t t = start; t < stop && t < nb::len(rows); ++t) {
        const nb::object x = rows[t];
        if (!PyDict_Check(x.ptr())) break;
        const auto row = features.read(x.ptr(), 0);
        if (!row) break;
        if (adopt) features.adopt();
        std::vector<std::size_t> order(row->size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return row->index[a] < row->index[b]; });
        for (const std::size_t k : order) {
            indices.push_back(row->index[k]);
            values.push_back(row->value[k]);
        }
        starts.push_back(static_cast<std::int64_t>(indices.size()));
    }
    std::vector<std::int64_t> wide(indices.begin(), indices.end());
    return nb::make_tuple(to_numpy(starts), to_numpy(wide), to_numpy(values));
}

nb::list names(const Features& features, std::size_t count) {
    if (features.hashed() || count > features.size()) throw nb::value_error("names that are known");
    nb::list result;
    for (std::size_t id = 0; id < count; ++id) result.append(nb::handle(features.name(id)));
    return result;
}

void restore(Features& features, nb::list names) {
    features.truncate(0);
    for (nb::handle name : names) {
        if (!PyUnicode_CheckExact(name.ptr())) throw nb::value_error("names");
        if (features.id(name.ptr()) >= 0) throw nb::value_error("distinct names");
        if (features.size() >= static_cast<std::size_t>(kMaxDimension)) throw std::bad_alloc();
        features.add_name(name.ptr());
    }
}

}  // namespace

void bind_features(nb::module_& m) {
    static_cast<void>(numpy_scalars());
    nb::class_<Features>(m, "Features", "Names of features and their ids.")
        .def(nb::init<int, bool>(), nb::arg("bits") = 0, nb::arg("alternate_sign") = true)
        .def("__len__", &Features::size)
        .def_prop_ro("bits", &Features::bits)
        .def_prop_ro("alternate_sign", &Features::alternates_sign)
        .def_prop_ro("bytes", &Features::bytes)
        .def("names", &names, nb::arg("count"))
        .def("restore", &restore, nb::arg("names"))
        .def("truncate", &Features::truncate, nb::arg("size"))
        .def(
            "sound",
            [](Features& features, nb::dict x) {
                IeeeArithmetic ieee;
                return features.read(x.ptr(), 0).has_value();
            },
            nb::arg("x"), "Would play take this dict?")
        .def("encode", &encode, nb::arg("rows"), nb::arg("start"), nb::arg("stop"),
             nb::arg("adopt"), "(starts, indices, values) of the rows before the first refused.");
    m.def(
        "murmur3", [](nb::bytes text) { return murmur3(text.c_str(), text.size()); },
        nb::arg("text"), "MurmurHash3, 32 bits, seed 0.");
}

}  // namespace novikoff
