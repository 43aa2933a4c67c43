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

#else

class IeeeArithmetic {
  public:
    IeeeArithmetic() {}  // not defaulted: a variable of this type counts as used
};

#endif

}  // namespace novikoff
