#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <variant>

#include "../cpu/kernels.hpp"
#include "../text/csv.hpp"
#include "../text/reader.hpp"
#include "../text/svmlight.hpp"
#include "../text/vw.hpp"
#include "../text/words.hpp"
#include "blocks.hpp"
#include "chunks.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

using namespace text;

using AnyParser = std::variant<Svmlight, Csv, Vw, Words>;

std::string_view viewed(const nb::bytes& text) { return {text.c_str(), text.size()}; }

Parse parsing(const AnyParser& parser) {
    return [parser](std::string_view lines, Chunk& out) {
        std::visit([&](const auto& p) { p.parse(lines, out); }, parser);
        out.measure();
    };
}

// After a fork the threads exist only in the parent process, so nobody can be waited for.
struct HeldReader {
    std::unique_ptr<Reader> reader;
    pid_t process = getpid();

    HeldReader(int descriptor, const nb::bytes& head, const AnyParser& parser, bool patient,
               unsigned threads, std::size_t longest_line)
        : reader(std::make_unique<Reader>(
              descriptor, std::string(viewed(head)),
              Cuts{std::holds_alternative<Csv>(parser), patient, longest_line}, parsing(parser),
              threads)) {}
    HeldReader(const HeldReader&) = delete;
    HeldReader& operator=(const HeldReader&) = delete;

    ~HeldReader() {
        if (!mine()) static_cast<void>(reader.release());
    }

    bool mine() const { return process == getpid(); }

    void stop() {
        if (!mine()) return;
        const Unlocked unlocked;
        reader->stop();
    }

    // The next chunk, or None; checks for Ctrl-C while it waits. A ValueError is about a line.
    std::optional<HeldChunk> next() {
        if (!mine()) throw std::runtime_error("a file that another process reads");
        std::shared_ptr<Chunk> chunk;
        for (bool enough = false; !enough;) {
            try {
                const Unlocked unlocked;
                enough = reader->next(chunk, 0.05);
            } catch (const TooLong& error) {
                throw nb::value_error(error.what());
            }
            if (!enough && PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        if (!chunk) return std::nullopt;
        return HeldChunk{std::move(chunk)};
    }
};

// One row without a label for each text.
HeldChunk texts(const Words& words, const std::vector<nb::bytes>& rows) {
    auto chunk = std::make_shared<Chunk>();
    for (const nb::bytes& row : rows) {
        words.add_text(viewed(row), *chunk);
        chunk->end_row(0, kNoLabel);
        ++chunk->line;
    }
    return {std::move(chunk)};
}

Missing missing_of(std::string_view name) {
    if (name == "refuse") return Missing::kRefused;
    if (name == "zero") return Missing::kZero;
    if (name == "feature") return Missing::kFeature;
    throw nb::value_error("missing: refuse, zero or feature");
}

void csv(Csv* self, std::vector<std::string> columns, int label, int weight,
         std::vector<bool> categorical, std::vector<bool> ignored, bool named, char delimiter,
         const std::string& missing, std::vector<std::int32_t> numbers) {
    if (missing == "feature" && !named) throw nb::value_error("missing: a feature has a name");
    for (const std::int32_t number : numbers)
        if (named || numbers.size() != columns.size() || number < 0 ||
            static_cast<std::size_t>(number) >= columns.size())
            throw nb::value_error("numbers: one for each column, of features that have no names");
    new (self) Csv{delimiter,
                   std::move(columns),
                   label,
                   weight,
                   std::move(categorical),
                   named,
                   std::move(ignored),
                   missing_of(missing),
                   std::move(numbers)};
}

void bind_parsers(nb::module_& m) {
    nb::class_<Svmlight>(m, "Svmlight")
        .def(
            "__init__",
            [](Svmlight* self, bool zero_based) {
                new (self) Svmlight{zero_based, kernels().read_entries};
            },
            nb::arg("zero_based"));
    nb::class_<Vw>(m, "VowpalWabbit").def("__init__", [](Vw* self) { new (self) Vw{}; });
    nb::class_<Csv>(m, "Csv").def(
        "__init__", &csv, nb::arg("columns"), nb::arg("label"), nb::arg("weight"),
        nb::arg("categorical"), nb::arg("ignored"), nb::arg("named"), nb::arg("delimiter"),
        nb::arg("missing") = "refuse", nb::arg("numbers") = std::vector<std::int32_t>());
    nb::class_<Words>(m, "Words")
        .def(
            "__init__",
            [](Words* self, int words, int from, int to, bool presence, bool with_empty) {
                new (self) Words{words, from, to, presence, with_empty};
            },
            nb::arg("words"), nb::arg("characters_from"), nb::arg("characters_to"),
            nb::arg("presence"), nb::arg("with_empty") = false)
        .def("texts", &texts, nb::arg("texts"), "The features of texts, a row each.");
    m.def(
        "csv_cells",
        [](const nb::bytes& record, char delimiter) {
            Csv csv;
            csv.delimiter = delimiter;
            std::string fault;
            const std::vector<std::string> cells = csv.read_cells(viewed(record), fault);
            return nb::make_tuple(cells, fault);
        },
        nb::arg("record"), nb::arg("delimiter"), "(the cells of a record, what is wrong with it)");
}

}  // namespace

void bind_files(nb::module_& m) {
    bind_parsers(m);
    nb::class_<HeldReader>(m, "Reader", "Chunks of a file in its order, parsed by several threads.")
        .def(nb::init<int, nb::bytes, const AnyParser&, bool, unsigned, std::size_t>(),
             nb::arg("descriptor"), nb::arg("head"), nb::arg("parser"), nb::arg("patient"),
             nb::arg("threads"), nb::arg("longest_line"))
        .def("next", &HeldReader::next)
        .def_prop_ro("bytes_read", [](const HeldReader& held) { return held.reader->bytes_read(); })
        .def("stop", &HeldReader::stop);
}

}  // namespace novikoff
