// Some libraries switch a whole thread to flush subnormal numbers to zero, or to another rounding
// mode. Inside this scope the arithmetic is IEEE's default, whatever the caller's is: subnormals
// kept, rounding to nearest, no traps. At the end it restores the caller's.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace novikoff {

#if defined(__x86_64__)

class IeeeArithmetic {
  public:
    IeeeArithmetic() : saved_(_mm_getcsr()) {
        if ((saved_ & kControl) != kDefault) _mm_setcsr(kDefault);
    }
    ~IeeeArithmetic() {
        if ((saved_ & kControl) != kDefault) _mm_setcsr(saved_);
    }
    IeeeArithmetic(const IeeeArithmetic&) = delete;
    IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;

  private:
    // MXCSR: flush-to-zero, rounding mode, masks of traps, denormals-are-zero. Its other bits say
    // which exceptions occurred.
    static constexpr unsigned kControl = 0xffc0;
    static constexpr unsigned kDefault = 0x1f80;
    unsigned saved_;
};

#elif defined(__aarch64__)

class IeeeArithmetic {
  public:
    IeeeArithmetic() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        if ((saved_ & kControl) != 0) asm volatile("msr fpcr, %0" : : "r"(saved_ & ~kControl));
    }
    ~IeeeArithmetic() {
        if ((saved_ & kControl) != 0) asm volatile("msr fpcr, %0" : : "r"(saved_));
    }
    IeeeArithmetic(const IeeeArithmetic&) = delete;
    IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;

  private:
    // FPCR: default NaN, flush-to-zero, rounding mode, traps, and the alternative flushing of
    // newer CPUs (bits 0 to 2). By default all are 0.
    static constexpr unsigned long long kControl = 0x03c09f07;
    unsigned long long saved_;
};

#else

class IeeeArithmetic {
  public:
    IeeeArithmetic() {}  // not defaulted: a variable of this type counts as used
};

#endif

}  // namespace novikoff
