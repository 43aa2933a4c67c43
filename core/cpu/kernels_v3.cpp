#include "kernels.inc"

namespace novikoff {
constinit const Kernels kV3Kernels = compiled_for("x86-64-v3");
}  // namespace novikoff
