#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace novikoff::arrow {
namespace {

// Buffers need not be aligned, hence the copy.
template <class T>
T load(const void* buffer, std::int64_t place) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + place * sizeof value, sizeof value);
    return value;
}
static_assert(std::endian::native == std::endian::little);

// The readers give a new reference.
PyObject* read_null(const Values&, std::int64_t) { return Py_NewRef(Py_None); }

PyObject* read_bool(const Values& values, std::int64_t place) {
    return PyBool_FromLong(bit(values.array->buffers[1], place));
}

PyObject* read_half(const Values& values, std::int64_t place) {
    const auto* bytes = static_cast<const char*>(values.array->buffers[1]) + 2 * place;
    return PyFloat_FromDouble(PyFloat_Unpack2(bytes, 1));
}

template <class T>
PyObject* read_number(const Values& values, std::int64_t place) {
    const T value = load<T>(values.array->buffers[1], place);
    if constexpr (std::is_floating_point_v<T>)
        return PyFloat_FromDouble(value);
    else if constexpr (std::is_signed_v<T>)
        return PyLong_FromLongLong(value);
    else
        return PyLong_FromUnsignedLongLong(value);
}

PyObject* decode(const Values& values, const void* bytes, std::int64_t start, std::int64_t size) {
    if (size == 0) return PyUnicode_New(0, 0);
    if (bytes == nullptr) values.refuse("strings without bytes");
    PyObject* text = PyUnicode_DecodeUTF8(static_cast<const char*>(bytes) + start, size, nullptr);
    if (text == nullptr && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))
        values.refuse("a string that is not UTF-8");
    return text;
}

template <class Offset>
PyObject* read_text(const Values& values, std::int64_t place) {
    const ArrowArray& array = *values.array;
    const auto start = load<Offset>(array.buffers[1], place);
    const auto stop = load<Offset>(array.buffers[1], place + 1);
    // Only the last offset says how many bytes there are.
    const auto size = load<Offset>(array.buffers[1], array.offset + array.length);
    if (start < 0 || stop < start || size < stop) values.refuse("offsets that fall");
    return decode(values, array.buffers[2], start, stop - start);
}

// A string is sixteen bytes: its size, then all of it up to twelve bytes; or its first four, the
// number of the data buffer that holds it, and where. The data buffers' sizes are the last buffer.
PyObject* read_view(const Values& values, std::int64_t place) {
    const ArrowArray& array = *values.array;
    const void* views = array.buffers[1];
    const auto size = load<std::int32_t>(views, 4 * place);
    if (size < 0) values.refuse("a string of negative size");
    if (size <= 12) return decode(values, views, 16 * place + 4, size);
    const auto number = load<std::int32_t>(views, 4 * place + 2);
    const std::int64_t start = load<std::int32_t>(views, 4 * place + 3);
    const void* sizes = array.buffers[array.n_buffers - 1];
    if (number < 0 || number >= array.n_buffers - 3 || sizes == nullptr || start < 0 ||
        start + size > load<std::int64_t>(sizes, number))
        values.refuse("a string outside its buffers");
    return decode(values, array.buffers[2 + number], start, size);
}

template <class T>
std::uint64_t read_index(const Values& values, std::int64_t place) {
    return static_cast<std::uint64_t>(load<T>(values.array->buffers[1], place));
}

template <class T>
constexpr Type integer(const char* format, const char* name) {
    return {format, name, read_number<T>, 2, read_index<T>};
}

// Types without a reader appear only in errors.
constexpr Type kTypes[] = {
    {"n", "null", read_null, 0},
    {"b", "bool", read_bool, 2},
    integer<std::int8_t>("c", "int8"),
    integer<std::uint8_t>("C", "uint8"),
    integer<std::int16_t>("s", "int16"),
    integer<std::uint16_t>("S", "uint16"),
    integer<std::int32_t>("i", "int32"),
    integer<std::uint32_t>("I", "uint32"),
    integer<std::int64_t>("l", "int64"),
    integer<std::uint64_t>("L", "uint64"),
    {"e", "float16", read_half, 2},
    {"f", "float32", read_number<float>, 2},
    {"g", "float64", read_number<double>, 2},
    {"u", "string", read_text<std::int32_t>, 3},
    {"U", "large_string", read_text<std::int64_t>, 3},
    {"vu", "string_view", read_view, 3},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"w:", "fixed_size_binary"},
    {"d:", "decimal"},
    {"tdD", "date32"},
    {"tdm", "date64"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tss:", "timestamp[s]"},
    {"tsm:", "timestamp[ms]"},
    {"tsu:", "timestamp[us]"},
    {"tsn:", "timestamp[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+w:", "fixed_size_list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "dense_union"},
    {"+us:", "sparse_union"},
    {"+r", "run_end_encoded"},
};

const Type* find_type(std::string_view format) {
    for (const Type& type : kTypes)
        if (type.format.ends_with(':') ? format.starts_with(type.format) : format == type.format)
            return &type;
    return nullptr;
}

// Metadata is a number of pairs, then the size and the bytes of each key and each value.
std::string extension_name(const ArrowSchema& schema) {
    const char* next = schema.metadata;
    if (next == nullptr) return {};
    const auto read_size = [&] {
        const auto size = load<std::int32_t>(next, 0);
        next += sizeof size;
        return std::max(size, 0);
    };
    const auto read_string = [&] {
        const auto size = read_size();
        next += size;
        return std::string_view(next - size, size);
    };
    for (auto pairs = read_size(); pairs > 0; --pairs) {
        const auto key = read_string(), value = read_string();
        if (key == "ARROW:extension:name") return std::string(value);
    }
    return {};
}

}  // namespace

std::string describe(const ArrowSchema& schema) {
    const std::string extension = extension_name(schema);
    const Type* type = find_type(format_of(schema));
    std::string name = type == nullptr ? "an unknown type" : type->name;
    if (schema.dictionary != nullptr) name = "a dictionary";
    if (!extension.empty()) name = "extension " + extension;
    return name + " (\"" + format_of(schema) + "\")";
}

// We refuse extension types, because their storage says less than they mean: a period would pass
// for an integer.
const Type* plain_type(nb::handle column, const ArrowSchema& schema) {
    const Type* type = find_type(format_of(schema));
    if (type != nullptr && type->read != nullptr && extension_name(schema).empty()) return type;
    fail("column %R: expected numbers, strings or bools, got %s. Convert or drop the column.",
         column.ptr(), describe(schema).c_str());
}

void Values::point(const ArrowArray* next, std::int64_t rows) {
    if (next == nullptr || next->offset < 0 || next->length < rows ||
        next->length > INT64_MAX - next->offset)
        refuse("fewer values than rows");
    array = next;
    if (type->buffers == 0) return;
    if (next->n_buffers < type->buffers || next->buffers == nullptr) refuse("too few buffers");
    validity = next->buffers[0];
    if (validity == nullptr && next->null_count > 0) refuse("nulls without a bitmap");
    if (next->buffers[1] == nullptr && next->length > 0) refuse("no values");
}

}  // namespace novikoff::arrow
