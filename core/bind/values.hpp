// Arrow arrays of numbers, strings and bools, one value at a time, as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow.hpp"

namespace nb = nanobind;

namespace novikoff::arrow {

template <class... Arguments>
[[noreturn]] void fail(const char* format, Arguments... arguments) {
    PyErr_Format(PyExc_ValueError, format, arguments...);
    nb::raise_python_error();
}

struct Values;

struct Type {
    std::string_view format;  // ends in a colon if parameters follow
    const char* name;
    PyObject* (*read)(const Values&, std::int64_t place) = nullptr;
    std::int64_t buffers = 0;
    std::uint64_t (*index)(const Values&, std::int64_t place) = nullptr;
};

// The type of a column or of its dictionary; an error if we do not read that type.
const Type* plain_type(nb::handle column, const ArrowSchema& schema);

// Empty if it is missing.
inline std::string format_of(const ArrowSchema& schema) {
    return schema.format == nullptr ? "" : schema.format;
}

// The type's name in errors: timestamp[us] ("tsu:").
std::string describe(const ArrowSchema& schema);

// The bit at a place of a bitmap.
inline bool bit(const void* buffer, std::int64_t place) {
    return static_cast<const std::uint8_t*>(buffer)[place / 8] >> (place % 8) & 1;
}

// An array of a batch: a column, or the dictionary of one. Places count from the buffers' start.
struct Values {
    const Type* type = nullptr;
    nb::handle column = {};  // its name, for errors
    const ArrowArray* array = nullptr;
    const void* validity = nullptr;  // absent if nothing is null

    void point(const ArrowArray* next, std::int64_t rows);
    bool is_null(std::int64_t place) const { return validity != nullptr && !bit(validity, place); }
    nb::object read(std::int64_t place) const {
        if (is_null(place)) return nb::none();
        auto value = nb::steal(type->read(*this, place));
        if (!value.is_valid()) nb::raise_python_error();
        return value;
    }
    [[noreturn]] void refuse(const char* got) const {
        fail("column %R: expected a sound Arrow array, got %s. Report it to the table's maker.",
             column.ptr(), got);
    }
};

}  // namespace novikoff::arrow
