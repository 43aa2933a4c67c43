// Who is using a rule. Read and written only under the interpreter lock. Long calls release the
// lock while they run, so a second thread is refused instead of reading what the first one changes.
#pragma once

namespace novikoff {

struct Access {
    mutable int readers = 0;
    mutable bool writer = false;
    int restored = 0;  // how often the state was replaced
};

}  // namespace novikoff
