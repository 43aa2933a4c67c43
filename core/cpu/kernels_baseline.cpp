#include "kernels.inc"

namespace novikoff {
constinit const Kernels kBaselineKernels = compiled_for("baseline");
}  // namespace novikoff
