// From named features to rows: an exact dictionary of names, or hashing into 2^bits features.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "../blocks/row.hpp"

namespace nb = nanobind;

namespace novikoff {

// Names get ids in the order in which they first appear with a value other than 0, within a row in
// the order of their text. Ids are never taken back while a learner uses them, because hypotheses
// share the dictionary of their learner. Every call holds the interpreter lock and runs no Python
// code.
class Features {
  public:
    using Row = SparseRow<std::int32_t, double>;

    Features(int bits, bool alternate_sign);
    Features(const Features&) = delete;
    Features& operator=(const Features&) = delete;
    ~Features();

    bool hashed() const { return bits_ != 0; }
    int bits() const { return bits_; }
    bool alternates_sign() const { return alternate_sign_; }

    // How many features there are: names known, or 2^bits.
    std::size_t size() const { return hashed() ? std::size_t{1} << bits_ : names_.size(); }
    PyObject* name(std::size_t id) const { return names_[id]; }
    std::size_t bytes() const;

    // The row of a dict, valid until the next call; nothing if it is not a row (fault says why).
    // Unknown features get ids from size() on, at the row's end.
    std::optional<Row> read(PyObject* x, double bias);

    // Takes over the unknown names of the last row read. Returns how many names there were before.
    std::size_t adopt();

    // The name of a feature in UTF-8; strangers of the last row come after the names known.
    std::string_view text(std::size_t id) const;

    // The id of a name, or −1.
    std::int32_t id(PyObject* name) const;

    // scikit-learn's FeatureHasher: (|h| mod 2^bits, whether the sign of the value is turned).
    std::pair<std::int32_t, bool> hashed_place(std::string_view name) const;

    void add_name(PyObject* name);
    void truncate(std::size_t size);

  private:
    struct Slot {
        PyObject* name;  // null: empty
        std::uint32_t tag;
        std::int32_t id;
    };

    bool read_entry(PyObject* name, PyObject* value);
    bool add_named(PyObject* name, double value);
    void add(std::int32_t id, double value);
    void add_stranger(PyObject* name, double value);
    void sort_strangers();
    bool add_hashed(PyObject* name, double value);
    bool merge_hashed();
    bool distinct() const;
    std::int32_t find(PyObject* name, Py_hash_t hash) const;
    void insert(std::int32_t id);
    void rebuild(std::size_t capacity);
    void forget_strangers();

    int bits_;
    bool alternate_sign_;
    std::vector<PyObject*> names_;
    std::vector<Slot> table_;
    std::size_t name_bytes_ = 0;

    // The last row read: its first `count_` entries.
    std::vector<std::int32_t> indices_;
    std::vector<double> values_;
    std::size_t count_ = 0;
    std::vector<PyObject*> strangers_;  // unknown names of the last row
    std::vector<double> stranger_values_;
    bool composed_ = false;  // the last row has a name=value
};

}  // namespace novikoff
