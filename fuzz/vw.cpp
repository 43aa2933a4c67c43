// Vowpal Wabbit's text.
#include "../core/text/vw.hpp"

#include "common.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace novikoff::text;
    if (size < 1) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Chunk chunk = fuzz::check(Vw{}, text, fuzz::line_cut(text, data[0]), true);
    fuzz::require(chunk.names.bytes().size() <= (kLongestNamespace + 24) * size,
                  "memory by the text's size");
    fuzz::require(chunk.classes.size() == 0, "no labels but numbers");
    return 0;
}
