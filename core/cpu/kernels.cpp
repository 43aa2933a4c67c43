#include "kernels.hpp"

#include <cstdlib>
#include <string_view>

namespace novikoff {
namespace {

const Kernels* choose() {
    const char* asked = std::getenv("NOVIKOFF_CPU");
    if (asked != nullptr && std::string_view(asked) == kBaselineKernels.name)
        return &kBaselineKernels;
#if defined(NOVIKOFF_X86_64_V3)
    if (__builtin_cpu_supports("x86-64-v3")) return &kV3Kernels;
#endif
    return &kBaselineKernels;
}

}  // namespace

const Kernels* const kChosenKernels = choose();

}  // namespace novikoff
