#include "kernels.hpp"

#include <cstdlib>
#include <string_view>

#if defined(NOVIKOFF_X86_64_V3) && defined(__clang__)
#include <cpuid.h>
#endif

namespace novikoff {
namespace {

#if defined(NOVIKOFF_X86_64_V3)
#if defined(__clang__)  // before version 18 it knows the features, but not the name of the level
bool has_v3() {
    unsigned a = 0, b = 0, basic = 0, extended = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &basic, &d) == 0) return false;
    if (__get_cpuid(0x80000001, &a, &b, &extended, &d) == 0) return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           (basic & bit_MOVBE) != 0 && (basic & bit_F16C) != 0 && (extended & bit_LZCNT) != 0;
}
#else
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
#endif
#endif

const Kernels* choose() {
    const char* asked = std::getenv("NOVIKOFF_CPU");
    if (asked != nullptr && std::string_view(asked) == kBaselineKernels.name)
        return &kBaselineKernels;
#if defined(NOVIKOFF_X86_64_V3)
    if (has_v3()) return &kV3Kernels;
#endif
    return &kBaselineKernels;
}

}  // namespace

const Kernels* const kChosenKernels = choose();

}  // namespace novikoff
