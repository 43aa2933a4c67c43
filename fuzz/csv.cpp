// CSV in all modes, cut where last_line_end says.
#include "../core/text/csv.hpp"

#include "common.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace novikoff::text;
    if (size < 3) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
    Csv csv;
    csv.delimiter = ",;\t "[data[0] % 4];
    csv.named = data[0] & 4;
    const int columns = 1 + data[1] % 4;
    for (int i = 0; i < columns; ++i) {
        csv.columns.push_back(i == 3 ? "a" : std::string(1, static_cast<char>('a' + i)));
        csv.categorical.push_back(csv.named && (data[0] >> 5 >> i & 1));
    }
    csv.label = (data[1] >> 2) % (columns + 1) - 1;
    csv.weight = (data[1] >> 5) % (columns + 1) - 1;
    if (csv.weight == csv.label) csv.weight = -1;

    // The same cut from a text at once as from its halves.
    const std::string_view head = text.substr(0, text.size() * data[2] / 256);
    bool inside = false, again = false;
    const std::size_t cut = last_line_end(head, inside);
    const std::string_view half = head.substr(0, head.size() / 2);
    const std::size_t early = last_line_end(half, again);
    const std::size_t late = last_line_end(head.substr(half.size()), again);
    fuzz::require(inside == again, "the same state from halves");
    fuzz::require(cut == (late > 0 ? half.size() + late : early), "the same cut from halves");

    const Chunk chunk = fuzz::check(csv, text, cut, csv.named);
    fuzz::require(csv.weight < 0 ? chunk.weights.empty() : chunk.weights.size() == chunk.rows(),
                  "weights where there is a column of them");

    std::size_t lines = 0;
    std::string fault;
    const std::size_t end = first_record_end(text, lines);
    fuzz::require(lines == fuzz::lines_of(text.substr(0, end)), "the lines of a record");
    const std::vector<std::string> cells = csv.read_header(text.substr(0, end), fault);
    const bool unclosed = odd_quotes(text.substr(0, end));
    fuzz::require(!unclosed || !fault.empty(), "a fault where a quote is open");
    fuzz::require(Csv::typed(cells).size() == cells.size(), "a type for each cell");
    return 0;
}
