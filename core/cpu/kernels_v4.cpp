#include "kernels.inc"

namespace novikoff {
constinit const Kernels kV4Kernels = compiled_for("x86-64-v4");
}  // namespace novikoff
