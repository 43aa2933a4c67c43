// What every rule of the core offers to Python: rounds, predictions, and its state as arrays.
#pragma once

#include <nanobind/stl/optional.h>

#include "../arithmetic.hpp"
#include "../engine.hpp"
#include "access.hpp"
#include "blocks.hpp"
#include "chunks.hpp"
#include "features.hpp"
#include "rounds.hpp"

namespace novikoff {

// One weight a round, or none: all 1.
using RoundWeights = std::optional<Vector<double>>;

inline const double* checked(const RoundWeights& weights, std::size_t stop) {
    if (weights && weights->size() < stop) throw nb::value_error("a weight for every round");
    return weights ? weights->data() : nullptr;
}

template <class Rule>
std::size_t play_block(Rule& rule, const AnyBlock& block, Vector<typename Rule::Label> labels,
                       std::size_t start, std::size_t stop, Tally& tally,
                       const RoundWeights& weights) {
    if (labels.size() < stop || start > stop) throw nb::value_error("rounds inside the block");
    block.check(start, stop);
    const auto* y = labels.data();
    const double* c = checked(weights, stop);
    Writing writing(rule.access), counting(tally.access);
    nb::gil_scoped_release unlocked;
    IeeeArithmetic ieee;
    return std::visit([&](const auto& form) { return play(rule, form, y, c, start, stop, tally); },
                      block.form);
}

template <class Rule>
std::optional<std::int64_t> learn_row(Rule& rule, const AnyBlock& block, std::int64_t label,
                                      Tally& tally, double weight) {
    block.check(0, 1);
    Writing writing(rule.access), counting(tally.access);
    IeeeArithmetic ieee;
    return std::visit(
        [&](const auto& form) -> std::optional<std::int64_t> {
            using Row = typename std::decay_t<decltype(form)>::Row;
            Gate<Row> gate(form.columns);
            Row x = form.row(0, rule.bias);
            if (!gate.sound_indices(x) || !scales_exactly(x, weight)) return std::nullopt;
            if (!make_room(rule, gate, form, 0)) return std::nullopt;
            const auto y = static_cast<typename Rule::Label>(label);
            const auto prediction = play_round(rule, x, y, weight, tally);
            return prediction ? std::optional<std::int64_t>(*prediction) : std::nullopt;
        },
        block.form);
}

// One round with a dict: its new names are taken over once it is known to be sound.
template <class Rule>
std::optional<typename Rule::Label> learn_named(Rule& rule, Features& features, PyObject* x,
                                                typename Rule::Label y, double weight,
                                                Tally& tally) {
    const auto row = features.read(x, rule.bias);
    if (!row || !scales_exactly(*row, weight)) return std::nullopt;
    const std::size_t before = features.adopt();
    try {
        if (features.size() > rule.w.dimension()) rule.grow(features.size());
    } catch (...) {
        features.truncate(before);
        throw;
    }
    return play_round(rule, *row, y, weight, tally);
}

template <class Rule>
std::optional<std::int64_t> learn_dict(Rule& rule, Features& features, nb::dict x,
                                       std::int64_t label, Tally* tally, double weight) {
    Tally nobodys;
    Tally& counts = tally == nullptr ? nobodys : *tally;
    Writing writing(rule.access), counting(counts.access);
    IeeeArithmetic ieee;
    const auto y = static_cast<typename Rule::Label>(label);
    return learn_named(rule, features, x.ptr(), y, weight, counts);
}

template <class Rule>
std::size_t play_named(Rule& rule, Features& features, nb::list rows,
                       Vector<typename Rule::Label> labels, std::size_t start, std::size_t stop,
                       Tally& tally, const RoundWeights& weights) {
    if (labels.size() < stop || start > stop || nb::len(rows) < stop)
        throw nb::value_error("rounds inside the block");
    const double* c = checked(weights, stop);
    Writing writing(rule.access), counting(tally.access);
    IeeeArithmetic ieee;
    for (std::size_t t = start; t < stop; ++t) {
        PyObject* x = PyList_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(t));
        const double weight = c == nullptr ? 1 : c[t];
        if (!PyDict_Check(x) || !learn_named(rule, features, x, labels(t), weight, tally)) return t;
    }
    return stop;
}

// Rounds [start, stop) with rows of a chunk, the first of which is its row `first`. Their names are
// numbered and have weights before anybody else is heard: there is never a name without a weight.
template <class Rule>
std::size_t play_chunk(Rule& rule, Features& features, const HeldChunk& held, std::size_t first,
                       Vector<typename Rule::Label> labels, std::size_t start, std::size_t stop,
                       Tally& tally, const RoundWeights& weights) {
    if (labels.size() < stop || start > stop) throw nb::value_error("rounds inside the block");
    const double* c = checked(weights, stop);
    if (c != nullptr) c += start;
    Writing writing(rule.access), counting(tally.access);
    const auto forget = [&] {
        if (!features.hashed()) features.truncate(rule.w.dimension());
    };
    std::size_t done = 0;
    try {
        const NumberedRows rows =
            numbered_rows(*held.chunk, features, first + start, first + stop, true, c);
        const SparseBlock<std::int32_t, double> block{rows.starts.data(), rows.indices.data(),
                                                      rows.values.data(), rows.rows(),
                                                      features.size(),    rows.values.size()};
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        done = play(rule, block, labels.data() + start, c, 0, rows.rows(), tally);
    } catch (...) {
        forget();  // where memory ran out
        throw;
    }
    forget();  // of rows that were refused
    return start + done;
}

// The rounds of one run, a dict at a time.
template <class Rule>
class RuleRounds : public NamedRounds {
  public:
    RuleRounds(nb::object rule, nb::object features, nb::object tally)
        : owners_{rule, features, tally},
          rule_(nb::cast<Rule&>(rule)),
          features_(nb::cast<Features&>(features)),
          tally_(nb::cast<Tally&>(tally)),
          restored_(rule_.access.restored) {}

    std::optional<std::size_t> learn(PyObject* x, long label, double weight) override {
        if (rule_.access.restored != restored_) return std::nullopt;  // its names are others now
        Writing writing(rule_.access), counting(tally_.access);
        IeeeArithmetic ieee;
        const auto y = static_cast<typename Rule::Label>(label);
        const auto prediction = learn_named(rule_, features_, x, y, weight, tally_);
        return prediction ? std::optional(Rule::name_index(*prediction)) : std::nullopt;
    }

  private:
    nb::object owners_[3];
    Rule& rule_;
    Features& features_;
    Tally& tally_;
    int restored_;
};

// Features beyond the weights have weight 0, so x is cut to those within.
template <class V>
DenseRow<V> cut(DenseRow<V> x, std::size_t dimension) {
    x.size = std::min(x.size, dimension);
    return x;
}
template <class I, class V>
SparseRow<I, V> cut(SparseRow<I, V> x, std::size_t dimension) {
    while (x.size != 0 && static_cast<std::size_t>(x.index[x.size - 1]) >= dimension) --x.size;
    return x;
}
template <class Rule, class Row>
Row within(const Rule& rule, const Row& x) {
    if constexpr (requires { Rule::kWholeRows; })
        return x;
    else
        return cut(x, rule.w.dimension());
}

template <class Rule, class Row>
Extent measure_within(const Rule& rule, const Row& x) {
    const Row inside = within(rule, x);
    Extent extent = rule.measure(inside);
    if (inside.size != x.size) extent.norm2 = measure(x).norm2;
    return extent;
}

// The prediction for a dict; nothing where it is no x.
template <class Rule>
std::optional<std::int64_t> predict_named(const Rule& rule, Features& features, nb::dict x) {
    if (!features.hashed() && features.size() > rule.w.dimension())
        throw nb::value_error("as many weights as names");
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    Effort effort;
    return rule.predict(within(rule, *row), measure_within(rule, *row), effort);
}

// f(t, x cut, its measures) for every row; (what f wrote, the first row refused or the number).
template <class Rule, class T, class F>
nb::tuple map_rows(const Rule& rule, const AnyBlock& block, NewVector<T> result, F&& f) {
    block.check(0, block.rows());
    Reading reading(rule.access);
    std::size_t done;
    {
        nb::gil_scoped_release unlocked;
        IeeeArithmetic ieee;
        const auto measured = [&](const auto& x) { return measure_within(rule, x); };
        done = std::visit(
            [&](const auto& form) {
                return for_rows(form, rule.bias, measured,
                                [&](std::size_t t, const auto& x, const Extent& extent) {
                                    f(t, within(rule, x), extent);
                                });
            },
            block.form);
    }
    return nb::make_tuple(result, done);
}

template <class Rule>
nb::tuple predict_block(const Rule& rule, const AnyBlock& block) {
    auto predictions = new_vector<typename Rule::Label>(block.rows());
    Effort effort;
    return map_rows(rule, block, predictions,
                    [&, out = predictions.data()](std::size_t t, const auto& x, const Extent& e) {
                        out[t] = rule.predict(x, e, effort);
                    });
}

// What the rules share: the exact weights and their book-keeping, as plain arrays.
template <class Rule>
nb::dict state(const Rule& rule) {
    Reading reading(rule.access);
    const auto remainder = rule.w.remainder();
    const std::int64_t counts[] = {rule.rounds, static_cast<std::int64_t>(rule.w.stride())};
    nb::dict d;
    d["weights"] = to_numpy(rule.w.slots().data(), rule.w.slots().size());
    d["remainder_slots"] = to_numpy(remainder.slots);
    d["remainder_parts"] = to_numpy(remainder.parts);
    d["counts"] = to_numpy(counts, 2);
    d["energy"] = to_numpy(&rule.energy, 1);
    return d;
}

inline void check(bool sound) {
    if (!sound) throw nb::value_error("a learner's saved state");
}

inline Weights restored_weights(Vector<double> high, Vector<std::int64_t> slots,
                                Vector<double> parts, std::size_t stride) {
    check(high.size() % stride == 0 && high.size() / stride >= Weights::kFront &&
          slots.size() == parts.size());
    for (std::size_t i = 0; i < high.size(); ++i) check(std::isfinite(high(i)));
    for (std::size_t k = 0; k < slots.size(); ++k)
        check(std::isfinite(parts(k)) && slots(k) >= 0 &&
              static_cast<std::size_t>(slots(k)) < high.size());
    Weights w(stride);
    w.restore(high.data(), high.size(), {to_std(slots), to_std(parts)});
    return w;
}

template <class Rule>
void restore(Rule& rule, Vector<double> weights, Vector<std::int64_t> slots, Vector<double> parts,
             Vector<std::int64_t> counts, Vector<double> energy) {
    Writing writing(rule.access);
    check(energy.size() == 1 && energy(0) >= 0 && counts.size() == 2 && are_counts(counts));
    const auto stride = static_cast<std::size_t>(counts(1));
    check(Rule::sound_stride(stride));
    rule.w = restored_weights(weights, slots, parts, stride);
    rule.rounds = counts(0);
    rule.energy = energy(0);
    rule.restored();
    ++rule.access.restored;
}

template <class Rule>
void bind_playing(nb::class_<Rule>& c) {
    c.def("play", &play_block<Rule>, nb::arg("block"), nb::arg("labels").noconvert(),
          nb::arg("start"), nb::arg("stop"), nb::arg("tally"), nb::arg("weights").none())
        .def("learn_row", &learn_row<Rule>, nb::arg("block"), nb::arg("label"), nb::arg("tally"),
             nb::arg("weight"))
        .def("play_named", &play_named<Rule>, nb::arg("features"), nb::arg("rows"),
             nb::arg("labels").noconvert(), nb::arg("start"), nb::arg("stop"), nb::arg("tally"),
             nb::arg("weights").none())
        .def("play_chunk", &play_chunk<Rule>, nb::arg("features"), nb::arg("chunk"),
             nb::arg("first"), nb::arg("labels").noconvert(), nb::arg("start"), nb::arg("stop"),
             nb::arg("tally"), nb::arg("weights").none())
        .def("learn_named", &learn_dict<Rule>, nb::arg("features"), nb::arg("x"), nb::arg("label"),
             nb::arg("tally").none(), nb::arg("weight"))
        .def(
            "grow",
            [](Rule& rule, std::size_t dimension) {
                Writing writing(rule.access);
                rule.grow(dimension);
            },
            nb::arg("dimension"))
        .def(
            "quicken",
            [](nb::object rule, Rounds& rounds, nb::object features, nb::object tally,
               nb::dict codes, nb::list names, nb::dict weights) {
                rounds.named = std::make_unique<RuleRounds<Rule>>(rule, features, tally);
                rounds.codes = codes;
                rounds.names = names;
                rounds.weights = weights;
            },
            nb::arg("rounds"), nb::arg("features"), nb::arg("tally"), nb::arg("codes"),
            nb::arg("names"), nb::arg("weights"));
}

template <class Rule>
void bind_reading(nb::class_<Rule>& c) {
    c.def("predict_named", &predict_named<Rule>, nb::arg("features"), nb::arg("x"))
        .def("predict", &predict_block<Rule>, nb::arg("block"))
        .def("state", &state<Rule>)
        .def("restore", &restore<Rule>, nb::arg("weights"), nb::arg("remainder_slots"),
             nb::arg("remainder_parts"), nb::arg("counts"), nb::arg("energy"))
        .def("norm",
             [](const Rule& rule) {
                 Reading reading(rule.access);
                 return rule.w.norm();
             })
        .def("saturated",
             [](const Rule& rule) {
                 Reading reading(rule.access);
                 return rule.w.saturated();
             })
        .def_prop_ro("bytes", [](const Rule& r) { return r.w.bytes(); })
        .def_prop_ro("dimension", [](const Rule& r) { return r.w.dimension(); })
        .def_ro("rounds", &Rule::rounds);
}

template <class Rule, class... Options>
nb::class_<Rule> bind_rule(nb::module_& m, const char* name) {
    nb::class_<Rule> c(m, name);
    c.def(nb::init<double, Options...>());
    bind_playing(c);
    bind_reading(c);
    return c;
}

}  // namespace novikoff
