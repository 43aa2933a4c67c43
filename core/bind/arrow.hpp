// The Arrow C data and stream interfaces, as the specification gives them
// (https://arrow.apache.org/docs/format/CDataInterface.html), and their ownership.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

// The specification asks that these guards keep their names.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE
}

namespace novikoff::arrow {

// One of the structs above, released once. A null release marks one that is empty or moved away.
template <class Struct>
struct Owned : Struct {
    Owned() : Struct{} {}
    explicit Owned(Struct& taken) : Struct(taken) { taken.release = nullptr; }
    Owned& operator=(Owned&& other) noexcept {
        std::swap(static_cast<Struct&>(*this), static_cast<Struct&>(other));
        return *this;
    }
    ~Owned() {
        if (this->release != nullptr) this->release(this);
    }
};

}  // namespace novikoff::arrow
