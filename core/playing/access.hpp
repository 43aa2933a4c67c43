// Who is using a rule. Read and written only under the interpreter lock, which long calls give
// up while they run: a second thread is refused instead of reading what the first one moves.
#pragma once

namespace novikoff {

struct Access {
    mutable int readers = 0;
    mutable bool writer = false;
    int restored = 0;  // how often the state was replaced
};

}  // namespace novikoff
