#include "kernels.hpp"

#include <cstdlib>
#include <string_view>

#if defined(NOVIKOFF_X86_64) && defined(__clang__)
#include <cpuid.h>
#endif

namespace novikoff {
namespace {

#if defined(NOVIKOFF_X86_64)
#if defined(__clang__)  // before version 18 it knows the features, but not the names of the levels
bool has_v3() {
    unsigned a = 0, b = 0, basic = 0, extended = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &basic, &d) == 0) return false;
    if (__get_cpuid(0x80000001, &a, &b, &extended, &d) == 0) return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           (basic & bit_MOVBE) != 0 && (basic & bit_F16C) != 0 && (extended & bit_LZCNT) != 0;
}
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_avx512() { return __builtin_cpu_supports("x86-64-v4"); }
#endif

// The first CPUs with AVX-512 slow down while they use it; those that do not have this, too.
bool has_v4() { return has_v3() && has_avx512() && __builtin_cpu_supports("avx512vbmi2"); }
#endif

const Kernels* choose() {
    const char* const given = std::getenv("NOVIKOFF_CPU");
    [[maybe_unused]] const std::string_view asked = given == nullptr ? "" : given;
#if defined(NOVIKOFF_X86_64)
    if (has_v4() && asked != kV3Kernels.name && asked != kBaselineKernels.name) return &kV4Kernels;
    if (has_v3() && asked != kBaselineKernels.name) return &kV3Kernels;
#endif
    return &kBaselineKernels;
}

}  // namespace

const Kernels* const kChosenKernels = choose();

}  // namespace novikoff
