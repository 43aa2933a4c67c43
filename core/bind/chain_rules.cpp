#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "../learners/structured/chain_rule.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "chains.hpp"
#include "guards.hpp"
#include "unlocked.hpp"
#include "whole.hpp"

namespace novikoff {
namespace {

template <class W>
void check_fit(const ChainWeights<W>& w, const Sentences& sentences, std::size_t start,
               std::size_t stop) {
    if (start > stop || stop > sentences.size()) throw nb::index_error("no such sentences");
    const std::size_t first = sentences.starts[start], last = sentences.starts[stop];
    for (std::size_t k = sentences.cells[first]; k < sentences.cells[last]; ++k)
        if (static_cast<std::size_t>(sentences.ids[k]) >= w.features)
            throw nb::index_error("a feature that is not known");
}

template <class W>
void check_ready(const ChainWeights<W>& w, const Sentences& sentences) {
    check_fit(w, sentences, 0, sentences.size());
    if (w.tags == 0 && !sentences.tags.empty()) throw nb::value_error("a tag");
}

bool known_tags(const Sentences& sentences, std::size_t start, std::size_t stop, std::size_t tags) {
    for (std::size_t i = sentences.starts[start]; i < sentences.starts[stop]; ++i)
        if (sentences.tags[i] < 0 || static_cast<std::size_t>(sentences.tags[i]) >= tags)
            return false;
    return true;
}

void play(ChainRule& rule, const Sentences& sentences, std::size_t start, std::size_t stop,
          const ChainNames& names, Tally& tally) {
    Writing writing(rule.access), writing_tally(tally.access);
    rule.grow(names.open ? 0 : names.tags.size(), names.features.size());
    check_fit(rule.w, sentences, start, stop);
    if (!known_tags(sentences, start, stop, names.tags.size())) throw nb::index_error("tags");
    const Unlocked unlocked;
    rule.play(sentences, start, stop, tally);
}

template <class Find>
NewVector<std::int32_t> paths(const Sentences& sentences, Find&& find) {
    std::vector<std::int32_t> found;
    {
        const Unlocked unlocked;
        TagPath path;
        for (std::size_t t = 0; t < sentences.size(); ++t) {
            find(sentences[t], path);
            found.insert(found.end(), path.begin(), path.end());
        }
    }
    return to_numpy(found);
}

// The rows of `tags` weights without their padding: for the moves, and for every feature.
template <class W>
NewVector<W> moves_of(const ChainWeights<W>& w) {
    const std::size_t rows = w.tags == 0 ? 0 : w.tags + 1;
    auto found = new_vector<W>(rows * w.tags);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(w.moves.data() + r * w.stride, w.tags, found.data() + r * w.tags);
    return found;
}

template <class W>
NewVector<W> emissions_of(const ChainWeights<W>& w) {
    auto found = new_vector<W>(w.features * w.tags);
    for (std::size_t f = 0; f < w.features; ++f)
        std::copy_n(w.row(f), w.tags, found.data() + f * w.tags);
    return found;
}

template <class W>
void put(ChainWeights<W>& w, std::size_t tags, std::size_t features, const Vector<W>& moves,
         const Vector<W>& emissions) {
    const std::size_t rows = tags == 0 ? 0 : tags + 1;
    if (moves.size() != rows * tags || emissions.size() != features * tags)
        throw nb::value_error("a weight for each feature and tag");
    w = {};
    w.grow(tags, features);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(moves.data() + r * tags, tags, w.moves.data() + r * w.stride);
    for (std::size_t f = 0; f < features; ++f) {
        const W* const row = emissions.data() + f * tags;
        if (std::any_of(row, row + tags, [](W v) { return v != 0; }))
            std::copy_n(row, tags, w.touch(f));
    }
}

template <class W>
void add_state(nb::dict& d, const char* moves, const char* emissions, const ChainWeights<W>& w) {
    d[moves] = moves_of(w);
    d[emissions] = emissions_of(w);
}

nb::dict state(const ChainRule& rule) {
    Reading reading(rule.access);
    const std::int64_t counts[] = {rule.rounds, static_cast<std::int64_t>(rule.w.tags),
                                   static_cast<std::int64_t>(rule.w.features)};
    nb::dict d;
    d["counts"] = to_numpy(counts, 3);
    add_state(d, "moves", "emissions", rule.w);
    if (rule.averaged) add_state(d, "delayed_moves", "delayed_emissions", rule.delayed);
    return d;
}

void restore(ChainRule& rule, Vector<std::int64_t> counts, Vector<std::int32_t> moves,
             Vector<std::int32_t> emissions, Vector<std::int64_t> delayed_moves,
             Vector<std::int64_t> delayed_emissions) {
    Writing writing(rule.access);
    if (counts.size() != 3 || !are_counts(counts)) throw nb::value_error("no counts");
    const auto tags = static_cast<std::size_t>(counts(1));
    const auto features = static_cast<std::size_t>(counts(2));
    put(rule.w, tags, features, moves, emissions);
    if (rule.averaged) put(rule.delayed, tags, features, delayed_moves, delayed_emissions);
    WholeWeights weights;
    rule.rounds = counts(0), rule.largest = 0;
    for (const auto* values : {&rule.w.moves, &rule.w.emissions})
        for (const std::int32_t v : *values) {
            if (v == INT32_MIN) throw nb::value_error("weights within 32 bits");
            weights.add(v);
            rule.largest = std::max(rule.largest, std::abs(v));
        }
    rule.norm2 = weights.norm2(rule.rounds);
    for (const auto* values : {&rule.delayed.moves, &rule.delayed.emissions})
        for (const std::int64_t v : *values) WholeWeights::check_delayed(v);
}

using Frozen = ChainWeights<std::int64_t>;

void check_size(const Frozen& w) {
    constexpr std::int64_t kMost = std::int64_t{1} << 44;  // 2^18 such terms still fit
    for (const auto* values : {&w.moves, &w.emissions})
        for (const std::int64_t v : *values)
            if (v > kMost || v < -kMost) throw std::overflow_error("weights below 2^44");
}

nb::list best(const Frozen& w, const Sentences& sentences, std::size_t count) {
    check_ready(w, sentences);
    if (count == 0) throw nb::value_error("at least one");
    nb::list all;
    for (std::size_t t = 0; t < sentences.size(); ++t) {
        nb::list found;
        for (const ScoredPath& one : BestPaths<std::int64_t>().find(w, sentences[t], count))
            found.append(nb::make_tuple(one.score, to_numpy(one.path)));
        all.append(found);
    }
    return all;
}

NewVector<std::int64_t> margins(const Frozen& w, const Sentences& sentences) {
    check_ready(w, sentences);
    if (!known_tags(sentences, 0, sentences.size(), w.tags)) throw nb::index_error("tags");
    std::vector<std::int64_t> found;
    {
        const Unlocked unlocked;
        BestPaths<std::int64_t> paths;
        for (std::size_t t = 0; t < sentences.size(); ++t)
            found.push_back(chain_margin(w, sentences[t], paths));
    }
    return to_numpy(found);
}

void bind_weights(nb::module_& m) {
    nb::class_<Frozen>(m, "ChainWeights", "Weights of a chain, in whole numbers.")
        .def(
            "__init__",
            [](Frozen* self, std::size_t tags, std::size_t features, Vector<std::int64_t> moves,
               Vector<std::int64_t> emissions) {
                new (self) Frozen();
                put(*self, tags, features, moves, emissions);
                check_size(*self);
            },
            nb::arg("tags"), nb::arg("features"), nb::arg("moves"), nb::arg("emissions"))
        .def_ro("tags", &Frozen::tags)
        .def_ro("features", &Frozen::features)
        .def_prop_ro("moves", &moves_of<std::int64_t>, nb::rv_policy::move)
        .def_prop_ro("emissions", &emissions_of<std::int64_t>, nb::rv_policy::move)
        .def(
            "predict",
            [](const Frozen& w, const Sentences& sentences) {
                check_ready(w, sentences);
                Viterbi<std::int64_t> viterbi;
                return paths(sentences,
                             [&](const Sentence& x, TagPath& path) { viterbi.find(w, x, path); });
            },
            nb::arg("sentences"), nb::rv_policy::move)
        .def("best", &best, nb::arg("sentences"), nb::arg("count"))
        .def("margins", &margins, nb::arg("sentences"), nb::rv_policy::move,
             "score(x, y) − max_{z ≠ y} score(x, z) of each; 2^63 − 1 if there is no other z.");
}

void bind_rule(nb::module_& m) {
    nb::class_<ChainRule>(m, "ChainRule", "w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, of a chain.")
        .def(
            "__init__",
            [](ChainRule* self, bool averaged, std::int32_t unit) {
                if (unit < 1 || unit > (1 << 16)) throw nb::value_error("a unit from 1 to 65536");
                new (self) ChainRule(averaged, unit);
            },
            nb::arg("averaged"), nb::arg("unit") = 1)
        .def_ro("unit", &ChainRule::unit)
        .def_ro("rounds", &ChainRule::rounds)
        .def_ro("norm2", &ChainRule::norm2)
        .def_prop_ro("tags", [](const ChainRule& rule) { return rule.w.tags; })
        .def_prop_ro("features", [](const ChainRule& rule) { return rule.w.features; })
        .def_prop_ro("bytes",
                     [](const ChainRule& rule) {
                         return 4 * (rule.w.moves.size() + rule.w.emissions.size()) +
                                8 * (rule.delayed.moves.size() + rule.delayed.emissions.size());
                     })
        .def(
            "expect",
            [](ChainRule& rule, const ChainNames& names) {
                Writing writing(rule.access);
                rule.grow(names.tags.size(), names.features.size());
            },
            nb::arg("names"), "Makes room for all that has a name.")
        .def("play", &play, nb::arg("sentences"), nb::arg("start"), nb::arg("stop"),
             nb::arg("names"), nb::arg("tally"))
        .def(
            "predict",
            [](const ChainRule& rule, const Sentences& sentences) {
                Reading reading(rule.access);
                check_ready(rule.w, sentences);
                Viterbi<std::int32_t> viterbi;
                return paths(sentences, [&](const Sentence& x, TagPath& path) {
                    rule.predict(x, path, viterbi);
                });
            },
            nb::arg("sentences"), nb::rv_policy::move)
        .def(
            "hypothesis",
            [](const ChainRule& rule, bool last) {
                Reading reading(rule.access);
                Frozen found = rule.hypothesis(last);
                check_size(found);
                return found;
            },
            nb::arg("last"))
        .def("state", &state)
        .def("restore", &restore, nb::arg("counts"), nb::arg("moves"), nb::arg("emissions"),
             nb::arg("delayed_moves"), nb::arg("delayed_emissions"));
}

}  // namespace

void bind_chain_rules(nb::module_& m) {
    m.attr("NO_OTHER") = kNoOther;
    bind_weights(m);
    bind_rule(m);
}

}  // namespace novikoff
