// Turns sentences of texts into numbers.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "../learners/structured/sentences.hpp"
#include "../learners/structured/templates.hpp"
#include "../text/chunk.hpp"

namespace nb = nanobind;

namespace novikoff {

// The names of features and of tags. Ids follow the order of first appearance in the sentences
// played, and are never taken back, because hypotheses share them. Every call holds the interpreter
// lock and runs no Python code.
class ChainNames {
  public:
    // Without columns a position is given as the texts of its features.
    ChainNames(const std::string& templates, const std::vector<std::string>& columns,
               const std::vector<std::string>& tags, bool open);

    text::Names features, tags;
    bool open;  // may tags be added?

    // Adds the sentences of a list, with their tags if given, up to the first that is not a
    // sentence; returns how many. Unknown names are added; but with a `limit`, only the first
    // `limit` features are known, others are left out, and an unknown tag is −1.
    std::size_t encode(nb::list sentences, nb::object outputs, Sentences& out,
                       std::optional<std::size_t> limit);

  private:
    bool read(PyObject* sentence, PyObject* output);
    bool read_position(PyObject* position);
    void add(Sentences& out, std::optional<std::size_t> limit);
    void add_feature(std::string_view name, Sentences& out, std::optional<std::size_t> limit);

    std::optional<Templates> templates_;
    // The sentence last read: its cells, how many each position has, and its tags.
    Cells cells_;
    std::vector<std::size_t> counts_;
    Cells outputs_;
    bool judged_ = false;
    std::string name_;
};

}  // namespace novikoff
