// Guards for a call's whole length, made and ended under the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>

#include "../playing/access.hpp"

namespace nb = nanobind;

namespace novikoff {

[[noreturn]] inline void refuse_thread() {
    const nb::object error = nb::module_::import_("novikoff.errors").attr("BusyError");
    PyErr_SetString(error.ptr(),
                    "learner: expected one thread at a time, got a second one. Give each thread "
                    "its own learner, or let them share a hypothesis().");
    throw nb::python_error();
}

class Reading {
  public:
    explicit Reading(const Access& access) : access_(access) {
        if (access.writer) refuse_thread();
        ++access.readers;
    }
    ~Reading() { --access_.readers; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

  private:
    const Access& access_;
};

class Writing {
  public:
    explicit Writing(const Access& access) : access_(access) {
        if (access.writer || access.readers != 0) refuse_thread();
        access.writer = true;
    }
    ~Writing() { access_.writer = false; }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

  private:
    const Access& access_;
};

}  // namespace novikoff
