#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <set>

#include "../learners/structured/tree_rule.hpp"
#include "../text/chunk.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "unlocked.hpp"
#include "whole.hpp"

namespace novikoff {
namespace {

using Token = std::pair<std::string, std::string>;
using Tokens = std::vector<Token>;

// Words and tags, numbered from kFirstToken as they appear.
struct TreeNames {
    text::Names words, tags;

    static std::uint32_t number(text::Names& names, const std::string& name, bool adopt) {
        if (adopt) return names.number(name) + kFirstToken;
        const auto id = names.find(name);
        return id ? *id + kFirstToken : kUnknownToken;
    }

    // How many of these are unknown, each counted once.
    template <class Part>
    static std::size_t strangers(const text::Names& names, const Tokens& tokens, Part part) {
        std::set<std::string_view> found;
        for (const Token& token : tokens)
            if (!names.find(token.*part)) found.insert(token.*part);
        return found.size();
    }

    // Refuses a sentence before it keeps anything.
    void check_room(const Tokens& tokens) const {
        if (words.size() + strangers(words, tokens, &Token::first) > kMostWords - kFirstToken ||
            tags.size() + strangers(tags, tokens, &Token::second) > kMostTags - kFirstToken)
            throw std::overflow_error("at most 1,048,574 words and 62 tags");
    }

    ParsedSentence read(const Tokens& tokens, const std::vector<std::int32_t>& heads, bool adopt) {
        ParsedSentence x;
        if (adopt) check_room(tokens);
        x.words.push_back(kSentenceEnd), x.tags.push_back(kSentenceEnd);
        for (const auto& [word, tag] : tokens) {
            x.words.push_back(number(words, word, adopt));
            x.tags.push_back(number(tags, tag, adopt));
        }
        x.words.push_back(kSentenceEnd), x.tags.push_back(kSentenceEnd);
        x.heads = heads;
        return x;
    }
};

void check_heads(const Tokens& tokens, const std::vector<std::int32_t>& heads) {
    if (heads.size() != tokens.size()) throw nb::value_error("a head for each token");
    for (const std::int32_t h : heads)
        if (h < 0 || static_cast<std::size_t>(h) > tokens.size())
            throw nb::value_error("heads among the tokens");
}

std::vector<std::string> listed(const text::Names& names) {
    std::vector<std::string> found;
    for (std::size_t id = 0; id < names.size(); ++id) found.emplace_back(names[id]);
    return found;
}

using Frozen = ArcWeights<std::int64_t>;

std::pair<NewVector<std::uint64_t>, NewVector<std::int64_t>> entries(const Frozen& w) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> found;
    for (std::size_t k = 0; k < w.keys().size(); ++k)
        if (w.keys()[k] != 0 && w.values()[k] != 0) found.emplace_back(w.keys()[k], w.values()[k]);
    std::sort(found.begin(), found.end());
    auto keys = new_vector<std::uint64_t>(found.size());
    auto values = new_vector<std::int64_t>(found.size());
    for (std::size_t k = 0; k < found.size(); ++k)
        keys.data()[k] = found[k].first, values.data()[k] = found[k].second;
    return {keys, values};
}

constexpr std::int64_t kMostWeight = std::int64_t{1}
                                     << 40;  // sentences with such weights can be scored

void put(Frozen& w, const Vector<std::uint64_t>& keys, const Vector<std::int64_t>& values,
         std::int64_t limit) {
    if (keys.size() != values.size()) throw nb::value_error("a weight for each feature");
    w = {};
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (keys(k) == 0 || values(k) > limit || values(k) < -limit)
            throw nb::value_error("features and weights that are not too large");
        w.at(keys(k)) = values(k);
    }
}

Frozen hypothesis(const TreeRule& rule, bool last) {
    Reading reading(rule.access);
    Frozen found = rule.w;
    if (!rule.averaged || last) return found;
    for (std::size_t k = 0; k < rule.delayed.keys().size(); ++k) {
        const std::uint64_t key = rule.delayed.keys()[k];
        if (key == 0) continue;
        const std::int64_t sum = (rule.rounds + 1) * rule.w[key] - rule.delayed.values()[k];
        if (sum > kMostWeight || sum < -kMostWeight) throw std::overflow_error("sums below 2^40");
        found.at(key) = sum;
    }
    return found;
}

void bind_names(nb::module_& m) {
    nb::class_<TreeNames>(m, "TreeNames", "The numbers of words and tags.")
        .def(nb::init<>())
        .def("words", [](const TreeNames& n) { return listed(n.words); })
        .def("tags", [](const TreeNames& n) { return listed(n.tags); })
        .def(
            "add",
            [](TreeNames& n, const std::vector<std::string>& words,
               const std::vector<std::string>& tags) {
                for (const auto& word : words) n.words.number(word);
                for (const auto& tag : tags) n.tags.number(tag);
                if (n.words.size() > kMostWords - kFirstToken ||
                    n.tags.size() > kMostTags - kFirstToken)
                    throw nb::value_error("at most 1,048,574 words and 62 tags");
            },
            nb::arg("words"), nb::arg("tags"));
}

void bind_weights(nb::module_& m) {
    nb::class_<Frozen>(m, "ArcWeights", "Weights of the features of arcs, in whole numbers.")
        .def(
            "__init__",
            [](Frozen* self, Vector<std::uint64_t> keys, Vector<std::int64_t> values) {
                new (self) Frozen();
                put(*self, keys, values, kMostWeight);
            },
            nb::arg("keys"), nb::arg("values"))
        .def("__len__", &Frozen::size)
        .def("entries", &entries)
        .def(
            "best",
            [](const Frozen& w, TreeNames& names, const Tokens& tokens) {
                const ParsedSentence x = names.read(tokens, {}, false);
                std::vector<std::int32_t> heads;
                const Unlocked unlocked;
                Eisner eisner;
                eisner.score(w, x);
                const std::int64_t score = eisner.find(heads);
                return std::pair(score, heads);
            },
            nb::arg("names"), nb::arg("tokens"))
        .def(
            "margin",
            [](const Frozen& w, TreeNames& names, const Tokens& tokens,
               const std::vector<std::int32_t>& heads) {
                check_heads(tokens, heads);
                const ParsedSentence x = names.read(tokens, heads, false);
                const Unlocked unlocked;
                return tree_margin(w, x);
            },
            nb::arg("names"), nb::arg("tokens"), nb::arg("heads"));
}

void bind_rule(nb::module_& m) {
    nb::class_<TreeRule>(m, "TreeRule", "w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, of trees.")
        .def(nb::init<bool>(), nb::arg("averaged"))
        .def_ro("rounds", &TreeRule::rounds)
        .def_ro("norm2", &TreeRule::norm2)
        .def_prop_ro("features", [](const TreeRule& rule) { return rule.w.size(); })
        .def(
            "play",
            [](TreeRule& rule, TreeNames& names, const Tokens& tokens,
               const std::vector<std::int32_t>& heads, Tally& tally) {
                Writing writing(rule.access), writing_tally(tally.access);
                check_heads(tokens, heads);
                const ParsedSentence x = names.read(tokens, heads, true);
                const Unlocked unlocked;
                rule.play(x, tally);
            },
            nb::arg("names"), nb::arg("tokens"), nb::arg("heads"), nb::arg("tally"))
        .def(
            "predict",
            [](const TreeRule& rule, TreeNames& names, const Tokens& tokens) {
                Reading reading(rule.access);
                const ParsedSentence x = names.read(tokens, {}, false);
                std::vector<std::int32_t> heads;
                const Unlocked unlocked;
                rule.predict(x, heads);
                return heads;
            },
            nb::arg("names"), nb::arg("tokens"))
        .def("hypothesis", &hypothesis, nb::arg("last"))
        .def("state",
             [](const TreeRule& rule) {
                 Reading reading(rule.access);
                 return std::pair(entries(rule.w), entries(rule.delayed));
             })
        .def(
            "restore",
            [](TreeRule& rule, std::int64_t rounds, Vector<std::uint64_t> keys,
               Vector<std::int64_t> values, Vector<std::uint64_t> late_keys,
               Vector<std::int64_t> late_values) {
                Writing writing(rule.access);
                put(rule.w, keys, values, kMostWeight);
                put(rule.delayed, late_keys, late_values, INT64_MAX);
                WholeWeights weights;
                for (const std::int64_t v : rule.w.values()) weights.add(v);
                for (const std::int64_t v : rule.delayed.values()) WholeWeights::check_delayed(v);
                rule.rounds = rounds, rule.norm2 = weights.norm2(rounds);
            },
            nb::arg("rounds"), nb::arg("keys"), nb::arg("values"), nb::arg("late_keys"),
            nb::arg("late_values"));
}

}  // namespace

void bind_trees(nb::module_& m) {
    bind_names(m);
    bind_weights(m);
    bind_rule(m);
}

}  // namespace novikoff
