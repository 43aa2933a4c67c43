// Other threads may run Python while one of these lives.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace novikoff {

class Unlocked {
  public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

    // When the interpreter ends, Python before 3.14 ends a daemon thread in here by unwinding its
    // stack. Not every function above can be unwound, so the thread waits for the end of the
    // process.
    ~Unlocked() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            for (;;) pause();
        }
    }

  private:
    PyThreadState* state_;
};

}  // namespace novikoff
