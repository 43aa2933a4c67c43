// Entries `index:value` of a line of text, as far as they are plain.
#pragma once

#include <cstddef>
#include <cstdint>

namespace novikoff {

// Bytes before an entry, and from its start on, that a kernel may read.
inline constexpr std::ptrdiff_t kReadBefore = 16, kReadAhead = 64;

struct EntryRun {
    const char* at;         // the start of an entry; then where the run has ended
    const char* last;       // entries that start behind it are left to others
    std::int32_t* index;    // where the next index goes, …
    double* value;          // … and the next value
    std::int64_t first;     // index that is allowed; it is stored as 0
    std::int64_t previous;  // index of the row, or −1
    std::int64_t odd;       // below 0 if a value is 0 or an index is not above the one before it
};

// Reads entries with single spaces between, up to the line end or the first one that is not plain.
using ReadEntries = void (*)(EntryRun&);

}  // namespace novikoff
