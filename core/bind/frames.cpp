#include <algorithm>
#include <cstring>
#include <vector>

#include "unlocked.hpp"
#include "values.hpp"

namespace novikoff {
namespace {

using arrow::fail;
using arrow::Owned;
using arrow::Values;

struct Column {
    nb::object name;
    Values values;                       // or the indices into the dictionary
    Values dictionary = {};              // has no type if there is none
    std::vector<nb::object> words = {};  // the part of the dictionary read so far

    Column(nb::object name_, const ArrowSchema& schema)
        : name(std::move(name_)), values{arrow::plain_type(name, schema), name} {
        if (schema.dictionary == nullptr) return;
        dictionary = {arrow::plain_type(name, *schema.dictionary), name};
        if (values.type->index == nullptr || schema.dictionary->dictionary != nullptr)
            values.refuse("a dictionary that integers do not index");
    }

    // The previous batch still exists, so buffers at the same address are the same buffers.
    void point(const ArrowArray* next, std::int64_t rows) {
        values.point(next, rows);
        if (dictionary.type == nullptr) return;
        const ArrowArray* before = dictionary.array;
        dictionary.point(next->dictionary, 0);
        const ArrowArray& now = *dictionary.array;
        const bool same = before != nullptr && dictionary.type->buffers != 0 &&
                          before->length == now.length && before->offset == now.offset &&
                          std::equal(before->buffers, before->buffers + before->n_buffers,
                                     now.buffers, now.buffers + now.n_buffers);
        if (!same) words.assign(now.length, nb::object());
    }

    nb::object read(std::int64_t row) {
        const std::int64_t place = values.array->offset + row;
        if (dictionary.type == nullptr) return values.read(place);
        if (values.is_null(place)) return nb::none();
        const std::uint64_t index = values.type->index(values, place);
        if (index >= words.size()) values.refuse("an index outside its dictionary");
        nb::object& word = words[index];
        if (!word.is_valid()) word = dictionary.read(dictionary.array->offset + index);
        return word;
    }
};

Owned<ArrowArrayStream> take(nb::handle capsule) {
    constexpr const char* kName = "arrow_array_stream";
    if (!PyCapsule_IsValid(capsule.ptr(), kName))
        fail("Frame: expected a capsule named %s, got %R. Pass what __arrow_c_stream__() returns.",
             kName, capsule.ptr());
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kName));
    if (stream->release == nullptr)
        fail("Frame: expected a stream that nobody took, got one taken before. Ask for another.");
    return Owned<ArrowArrayStream>(*stream);
}

class Frame {
  public:
    explicit Frame(nb::handle capsule) : stream_(take(capsule)) {
        Owned<ArrowSchema> schema;
        ask(stream_.get_schema, schema);
        if (arrow::format_of(schema) != "+s")
            fail("Frame: expected a table, got one column of %s. Put it in a table.",
                 arrow::describe(schema).c_str());
        for (std::int64_t k = 0; k < schema.n_children; ++k) {
            if (schema.children == nullptr || schema.children[k] == nullptr)
                fail("Frame: expected %lld columns, got none. Report it to the table's maker.",
                     static_cast<long long>(schema.n_children));
            add_column(*schema.children[k]);
        }
    }

    // A release may run Python code, which must not see the error that made us drop this frame.
    ~Frame() {
        nb::error_scope error;
        batch_ = {};
        stream_ = {};
    }

    nb::typed<nb::list, nb::str> columns() const { return nb::list(blank_); }

    // An error loses the rows read earlier in the same call, so going on would skip them.
    nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::object>> rows(std::int64_t limit) {
        if (limit < 1) fail("limit: expected at least 1, got %lld.", static_cast<long long>(limit));
        if (reading_)
            fail("Frame: expected one reader, and none after an error. Make another Frame.");
        reading_ = true;
        nb::list result;
        while (static_cast<std::int64_t>(result.size()) < limit) {
            if (row_ % kRowsPerSignal == 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
            if (row_ < batch_.length)
                result.append(read_row(row_++));
            else if (!next_batch())
                break;
        }
        reading_ = false;
        return result;
    }

  private:
    static constexpr std::int64_t kRowsPerSignal = 256;

    void add_column(const ArrowSchema& schema) {
        PyObject* name = PyUnicode_FromString(schema.name == nullptr ? "" : schema.name);
        if (name == nullptr) nb::raise_python_error();
        PyUnicode_InternInPlace(&name);
        Column column(nb::steal(name), schema);
        if (blank_.contains(column.name))
            fail("columns: expected every column once, got %R twice. Rename or drop one.", name);
        blank_[column.name] = nb::none();
        columns_.push_back(std::move(column));
    }

    // Without the GIL, because the producer may wait for its own threads that run Python.
    template <class Struct>
    void ask(int (*callback)(ArrowArrayStream*, Struct*), Owned<Struct>& out) {
        if (callback == nullptr) fail("Frame: expected a stream with callbacks, got one without.");
        int code = 0;
        {
            const Unlocked unlocked;
            code = callback(&stream_, &out);
        }
        if (code == 0) return;
        out.release = nullptr;  // after an error its content means nothing
        const auto last_error = stream_.get_last_error;
        const char* text = last_error == nullptr ? nullptr : last_error(&stream_);
        fail("Frame: expected data, got an error: %s",
             text == nullptr ? std::strerror(code) : text);
    }

    bool next_batch() {
        if (stream_.release == nullptr) return false;
        Owned<ArrowArray> next;
        ask(stream_.get_next, next);
        row_ = 0;
        if (next.release == nullptr) {
            batch_ = {};
            stream_ = {};
            return false;
        }
        if (next.length < 0 || next.offset < 0 || next.length > INT64_MAX - next.offset ||
            next.n_children != static_cast<std::int64_t>(columns_.size()) ||
            (next.n_children != 0 && next.children == nullptr) || next.n_buffers < 1 ||
            next.buffers == nullptr)
            fail(
                "Frame: expected sound record batches, got one unlike the schema. "
                "Report it to the table's maker.");
        for (std::size_t k = 0; k < columns_.size(); ++k)
            columns_[k].point(next.children[k], next.offset + next.length);
        batch_ = std::move(next);
        return true;
    }

    // A copy of a row of nones has its final size from the start; nulls are there already.
    nb::object read_row(std::int64_t row) {
        auto result = nb::steal(PyDict_Copy(blank_.ptr()));
        if (!result.is_valid()) nb::raise_python_error();
        row += batch_.offset;
        if (batch_.buffers[0] != nullptr && !arrow::bit(batch_.buffers[0], row)) return result;
        for (Column& column : columns_) {
            const nb::object value = column.read(row);
            if (!value.is_none() &&
                PyDict_SetItem(result.ptr(), column.name.ptr(), value.ptr()) != 0)
                nb::raise_python_error();
        }
        return result;
    }

    Owned<ArrowArrayStream> stream_;
    Owned<ArrowArray> batch_;
    std::vector<Column> columns_;
    nb::dict blank_;
    std::int64_t row_ = 0;
    bool reading_ = false;  // and always after an error
};

}  // namespace

void bind_frames(nb::module_& m) {
    nb::class_<Frame>(m, "Frame", "The rows of a table, from the capsule of its Arrow stream.")
        .def(nb::init<nb::handle>(), nb::arg("capsule").none())
        .def_prop_ro("columns", &Frame::columns)
        .def("rows", &Frame::rows, nb::arg("limit"),
             "The next rows, at most so many: {column: value} each. None are left after [].");
}

}  // namespace novikoff
