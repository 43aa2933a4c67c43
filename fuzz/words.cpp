// Raw text in words and pieces.
#include "../core/text/words.hpp"

#include "common.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace novikoff::text;
    if (size < 2) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
    Words words;
    words.words = data[0] % 4;
    words.characters_from = (data[0] >> 2) % 4;
    words.characters_to = (data[0] >> 4) % 4;
    words.presence = data[0] & 64;
    const Chunk chunk = fuzz::check(words, text, fuzz::line_cut(text, data[1]), true);
    for (const double value : chunk.values) {
        fuzz::require(value >= 1 && value == std::floor(value), "counts");
        fuzz::require(!words.presence || value == 1, "presence");
    }
    const std::size_t most = 6 * 2 + 6 + 3;  // pieces of up to 3, each with a quote
    fuzz::require(chunk.names.bytes().size() <= most * (size + 2), "memory by the text's size");
    for (std::size_t id = 0; id < chunk.names.size(); ++id) {
        std::string_view name = chunk.names[id];
        fuzz::require(!name.empty(), "names");
        while (!name.empty()) {
            const CodePoint point = first_code_point(name);
            fuzz::require(point.size > 0, "names in UTF-8");
            name.remove_prefix(point.size);
        }
    }
    return 0;
}
