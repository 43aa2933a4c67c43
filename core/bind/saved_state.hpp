// A rule's state as a dict of NumPy arrays.
#pragma once

#include <map>
#include <set>
#include <string>

#include "../saving/state.hpp"
#include "arrays.hpp"

namespace novikoff {

class DictWriter : public StateWriter {
  public:
    void put(const char* name, StateArray values) override {
        std::visit([&](auto span) { dict[name] = to_numpy(span.data(), span.size()); }, values);
    }

    nb::dict dict;
};

class NameCollector : public StateWriter {
  public:
    void put(const char* name, StateArray) override { names.insert(name); }

    std::set<std::string> names;
};

class DictReader : public StateReader {
  public:
    // The dict must have these names and no others, except optional ones.
    DictReader(nb::dict state, const std::set<std::string>& names,
               const std::set<std::string>& optional = {}) {
        for (auto [key, value] : state) {
            const auto name = nb::cast<std::string>(key);
            if (!names.contains(name) && !optional.contains(name))
                throw nb::value_error(("no array '" + name + "' in a saved state").c_str());
            take<double>(name, value);
            take<std::int64_t>(name, value);
            take<std::int32_t>(name, value);
        }
        for (const auto& name : names)
            if (!arrays_.contains(name) && !optional.contains(name))
                throw nb::value_error(("an array '" + name + "' in a saved state").c_str());
    }

    StateArray get(const char* name) const override { return arrays_.at(name); }
    bool has(const char* name) const override { return arrays_.contains(name); }

  private:
    template <class T>
    void take(const std::string& name, nb::handle value) {
        Vector<T> found;
        if (!nb::try_cast(value, found, false)) return;
        arrays_[name] = std::span<const T>(found.data(), found.size());
        owners_.push_back(nb::borrow(value));
    }

    std::map<std::string, StateArray> arrays_;
    std::vector<nb::object> owners_;
};

}  // namespace novikoff
