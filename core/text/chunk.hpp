// What a piece of a file holds: its rows, and the lines that are not rows.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unset.hpp"

namespace novikoff::text {

// A line that is not a row. The message names what was expected and what was there.
struct Fault {
    std::size_t row;   // rows of the chunk that stand before it
    std::size_t line;  // lines of the chunk that stand before it
    std::string message;
};

// Drawn once per process, from the clock and from the memory's addresses.
inline std::uint64_t process_key() {
    static const std::uint64_t key = [] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        const auto place = reinterpret_cast<std::uintptr_t>(&now);
        return (static_cast<std::uint64_t>(now) ^ std::rotl(std::uint64_t{place}, 32)) *
               0x9e3779b97f4a7c15U;
    }();
    return key;
}

// A hash for tables. The writer of a file cannot aim at collisions, as with murmur3 and its known
// seed. Two multiplications in 128 bits, as in wyhash (wang2019).
inline std::uint32_t keyed_hash(std::string_view text) {
    __extension__ using Wide = unsigned __int128;
    const auto mixed = [](std::uint64_t a, std::uint64_t b) {
        const Wide product = Wide{a} * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    const auto word = [](const char* at, auto bytes) {
        std::memcpy(&bytes, at, sizeof bytes);
        return static_cast<std::uint64_t>(bytes);
    };
    const std::uint64_t key = process_key();
    const char* at = text.data();
    const std::size_t size = text.size();
    std::uint64_t hash = key ^ size, tail = 0;
    for (std::size_t rest = size; rest > 8; rest -= 8, at += 8)
        hash = mixed(hash ^ word(at, std::uint64_t{}), key | 1);
    const char* const end = text.data() + size;
    if (size >= 8) {
        tail = word(end - 8, std::uint64_t{});  // reading bytes twice does no harm
    } else if (size >= 4) {
        tail = word(at, std::uint32_t{}) << 32 | word(end - 4, std::uint32_t{});
    } else if (size > 0) {
        tail = word(at, std::uint8_t{}) << 16 | word(at + size / 2, std::uint8_t{}) << 8 |
               word(end - 1, std::uint8_t{});
    }
    hash = mixed(hash ^ tail, 0x4b33a62ed433d4a3U ^ key);
    return static_cast<std::uint32_t>(hash >> 32);
}

// Distinct texts, numbered by first appearance.
class Names {
  public:
    std::size_t size() const { return ends_.size(); }
    std::string_view operator[](std::size_t id) const {
        const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
        return {bytes_.data() + begin, ends_[id] - begin};
    }
    const std::string& bytes() const { return bytes_; }
    const std::vector<std::size_t>& ends() const { return ends_; }

    std::uint32_t number(std::string_view name) {
        if (2 * (size() + 1) > slots_.size()) grow();
        const std::uint32_t hash = keyed_hash(name);
        std::size_t place = hash & (slots_.size() - 1);
        for (; slots_[place].id != kEmpty; place = (place + 1) & (slots_.size() - 1))
            if (slots_[place].hash == hash && (*this)[slots_[place].id] == name)
                return slots_[place].id;
        const auto id = static_cast<std::uint32_t>(size());
        slots_[place] = {hash, id};
        bytes_.append(name);
        ends_.push_back(bytes_.size());
        return id;
    }

    // The number of a known name, or nothing.
    std::optional<std::uint32_t> find(std::string_view name) const {
        if (slots_.empty()) return std::nullopt;
        const std::uint32_t hash = keyed_hash(name);
        std::size_t place = hash & (slots_.size() - 1);
        for (; slots_[place].id != kEmpty; place = (place + 1) & (slots_.size() - 1))
            if (slots_[place].hash == hash && (*this)[slots_[place].id] == name)
                return slots_[place].id;
        return std::nullopt;
    }

    // Forgets the names and keeps the memory.
    void clear() {
        bytes_.clear();
        ends_.clear();
        std::fill(slots_.begin(), slots_.end(), Slot{});
    }

  private:
    static constexpr std::uint32_t kEmpty = UINT32_MAX;
    struct Slot {
        std::uint32_t hash = 0, id = kEmpty;
    };

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.id == kEmpty) continue;
            std::size_t place = slot.hash & (slots_.size() - 1);
            while (slots_[place].id != kEmpty) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = slot;
        }
    }

    std::string bytes_;
    std::vector<std::size_t> ends_;
    std::vector<Slot> slots_;
};

constexpr std::int32_t kNumber = -1, kNoLabel = -2;
constexpr std::size_t kFaultsKept = 10;

// Rows of a chunk of whole lines. A parser adds the features of a row, then ends it, or drops it
// and says what is wrong with its line.
struct Chunk {
    std::vector<std::int32_t> starts{0};  // of each row in indices and values, and the end
    Unset<std::int32_t> indices;          // of features from 0, or the numbers of their names
    Unset<double> values;
    Names names;                       // of features, if they are named
    std::vector<double> labels;        // as numbers, …
    std::vector<std::int32_t> kinds;   // … kNumber, kNoLabel, or which of `classes` it is
    Names classes;                     // labels that are not numbers
    std::vector<double> weights;       // of rounds; empty if no line of the chunk has one
    std::vector<std::uint32_t> lines;  // lines of the chunk that stand before each row
    std::size_t line = 0;              // lines seen
    std::vector<Fault> faults;         // the first ten
    std::size_t fault_count = 0;
    std::size_t columns = 0;  // one more than the largest index
    std::size_t width = 0;    // the same, but values of 0 count too

    std::size_t rows() const { return labels.size(); }

    void add(std::int32_t index, double value) {
        indices.push_back(index);
        values.push_back(value);
    }

    // If a row repeats a name, the values add up.
    void add(std::string_view name, double value) {
        if (double* there = place(names.number(name), value)) *there += value;
    }

    // False, and nothing added, if the row already has the name.
    bool add_new(std::uint32_t name, double value) { return place(name, value) == nullptr; }

    // If a row repeats a name, the first value stays.
    void add_once(std::string_view name, double value) { place(names.number(name), value); }

    void end_row(double label, std::int32_t kind = kNumber) {
        end_row_at(values.size(), label, kind);
    }

    // For parsers that fill indices and values ahead of their size.
    void end_row_at(std::size_t end, double label, std::int32_t kind) {
        starts.push_back(static_cast<std::int32_t>(end));
        labels.push_back(label);
        kinds.push_back(kind);
        lines.push_back(static_cast<std::uint32_t>(line));
        if (!weights.empty()) weights.push_back(1);
    }

    void end_row_weighted(double label, std::int32_t kind, double weight) {
        if (weights.empty()) weights.assign(rows(), 1);
        end_row(label, kind);
        weights.resize(rows(), 1);
        weights.back() = weight;
    }

    void drop_row(std::string message) {
        indices.resize(static_cast<std::size_t>(starts.back()));
        values.resize(static_cast<std::size_t>(starts.back()));
        note_fault(std::move(message));
    }

    void note_fault(std::string message) {
        ++fault_count;
        if (faults.size() < kFaultsKept) faults.push_back({rows(), line, std::move(message)});
    }

    // Some parsers know the columns already.
    void measure() {
        if (columns == 0 && !indices.empty())
            columns =
                static_cast<std::size_t>(*std::max_element(indices.begin(), indices.end())) + 1;
        width = std::max(width, columns);
    }

    // Forgets the rows and keeps the memory.
    void clear() {
        starts.assign(1, 0);
        indices.clear();
        values.clear();
        names.clear();
        labels.clear();
        kinds.clear();
        classes.clear();
        weights.clear();
        lines.clear();
        line = fault_count = columns = width = 0;
        faults.clear();
        places_.clear();
    }

  private:
    // Where the row already has this name; otherwise it adds the value.
    double* place(std::uint32_t id, double value) {
        if (id >= places_.size()) places_.resize(id + std::size_t{1}, SIZE_MAX);
        const auto begin = static_cast<std::size_t>(starts.back());
        std::size_t& last = places_[id];
        if (last >= begin && last < values.size() && indices[last] == static_cast<std::int32_t>(id))
            return &values[last];
        last = values.size();
        add(static_cast<std::int32_t>(id), value);
        return nullptr;
    }

    std::vector<std::size_t> places_;  // where each name stood last in values
};

}  // namespace novikoff::text
