#include "engine.hpp"

namespace novikoff {
NV_EACH_RULE()
}  // namespace novikoff
