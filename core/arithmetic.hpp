// Some libraries switch a whole process to flush denormals to zero when they load. Inside this
// scope the arithmetic is IEEE's: denormals kept, rounding to nearest.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace novikoff {

class IeeeArithmetic {
  public:
#if defined(__x86_64__)
    IeeeArithmetic() : saved_(_mm_getcsr()) {
        if ((saved_ & kControl) != 0) _mm_setcsr(saved_ & ~kControl);
    }
    ~IeeeArithmetic() {
        if ((saved_ & kControl) != 0) _mm_setcsr(saved_);
    }

  private:
    static constexpr unsigned kControl =
        0xe040;  // flush-to-zero, rounding mode, denormals-are-zero
    unsigned saved_;
#endif
  public:
    IeeeArithmetic(const IeeeArithmetic&) = delete;
    IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;
#if !defined(__x86_64__)
    IeeeArithmetic() = default;
#endif
};

}  // namespace novikoff
