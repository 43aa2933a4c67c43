// What every rule of the core offers to Python: rounds, predictions, and its state as arrays.
#pragma once

#include <nanobind/stl/optional.h>

#include "../numbers/arithmetic.hpp"
#include "../playing/engine.hpp"
#include "blocks.hpp"
#include "chunks.hpp"
#include "features.hpp"
#include "guards.hpp"
#include "number_lists.hpp"
#include "passage.hpp"
#include "rounds.hpp"
#include "saved_state.hpp"
#include "unlocked.hpp"

namespace novikoff {

// One weight per round, or none if all are 1.
using RoundWeights = std::optional<Vector<double>>;

// A label as Python passes it: a float if it is a real number, else a whole number.
template <Rule R>
using Passed =
    std::conditional_t<std::is_floating_point_v<typename R::Label>, double, std::int64_t>;

inline const double* checked(const RoundWeights& weights, std::size_t stop) {
    if (weights && weights->size() < stop) throw nb::value_error("a weight for every round");
    return weights ? weights->data() : nullptr;
}

template <Rule R>
std::size_t play_block(R& rule, const AnyBlock& block, Vector<typename R::Label> labels,
                       std::size_t start, std::size_t stop, Tally& tally,
                       const RoundWeights& weights, Transforms* transforms) {
    if (labels.size() < stop || start > stop) throw nb::value_error("rounds inside the block");
    block.check(start, stop);
    const auto* y = labels.data();
    const double* c = checked(weights, stop);
    Writing writing(rule.access), counting(tally.access);
    const Transforming transforming(transforms);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    return std::visit(
        [&](const auto& form) {
            if (transforms == nullptr) return play(rule, form, y, c, start, stop, tally);
            return Passage(*transforms).play(rule, form, y, c, start, stop, tally);
        },
        block.form);
}

template <Rule R>
std::optional<Passed<R>> learn_row(R& rule, const AnyBlock& block, Passed<R> label, Tally& tally,
                                   double weight, Transforms* transforms) {
    block.check(0, 1);
    Writing writing(rule.access), counting(tally.access);
    const Transforming transforming(transforms);
    IeeeArithmetic ieee;
    return std::visit(
        [&](const auto& form) -> std::optional<Passed<R>> {
            using Row = typename std::decay_t<decltype(form)>::Row;
            const auto y = static_cast<typename R::Label>(label);
            if (transforms != nullptr)
                return learn_through(rule, *transforms, form, y, weight, tally);
            Gate<Row> gate(form.columns);
            Row x = form.row(0, rule.bias);
            if (!gate.sound_indices(x) || !takes_weight<R>(x, weight)) return std::nullopt;
            if (!make_room(rule, gate, form, 0)) return std::nullopt;
            const auto prediction = play_round(rule, x, y, weight, tally);
            return prediction ? std::optional<Passed<R>>(*prediction) : std::nullopt;
        },
        block.form);
}

// One round with a dict; takes over its new names once the round is known to be valid.
template <Rule R>
std::optional<typename R::Label> learn_named(R& rule, Features& features, PyObject* x,
                                             typename R::Label y, double weight, Tally& tally,
                                             Transforms* transforms) {
    const auto row = features.read(x, rule.bias);
    if (!row || !takes_weight<R>(*row, weight)) return std::nullopt;
    if (transforms != nullptr)
        return learn_through(rule, *transforms, features, *row, y, weight, tally);
    if (!takes_row(rule, *row)) return std::nullopt;
    const std::size_t before = features.adopt();
    try {
        if (features.size() > rule.dimension()) rule.grow(features.size());
    } catch (...) {
        features.truncate(before);
        throw;
    }
    return play_round(rule, *row, y, weight, tally);
}

template <Rule R>
std::optional<Passed<R>> learn_dict(R& rule, Features& features, nb::dict x, Passed<R> label,
                                    Tally* tally, double weight, Transforms* transforms) {
    Tally nobodys;
    Tally& counts = tally == nullptr ? nobodys : *tally;
    Writing writing(rule.access), counting(counts.access);
    const Transforming transforming(transforms);
    IeeeArithmetic ieee;
    const auto y = static_cast<typename R::Label>(label);
    return learn_named(rule, features, x.ptr(), y, weight, counts, transforms);
}

template <Rule R>
std::size_t play_named(R& rule, Features& features, nb::list rows, Vector<typename R::Label> labels,
                       std::size_t start, std::size_t stop, Tally& tally,
                       const RoundWeights& weights, Transforms* transforms) {
    if (labels.size() < stop || start > stop || nb::len(rows) < stop)
        throw nb::value_error("rounds inside the block");
    const double* c = checked(weights, stop);
    Writing writing(rule.access), counting(tally.access);
    const Transforming transforming(transforms);
    IeeeArithmetic ieee;
    for (std::size_t t = start; t < stop; ++t) {
        PyObject* x = PyList_GET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(t));
        const double weight = c == nullptr ? 1 : c[t];
        if (!PyDict_Check(x)) return t;
        if (!learn_named(rule, features, x, labels(t), weight, tally, transforms)) return t;
    }
    return stop;
}

// Rounds [start, stop) with rows of a chunk, from its row `first` on. Names get numbers and weights
// before any other code runs: no name is ever without a weight.
template <Rule R>
std::size_t play_chunk(R& rule, Features& features, const HeldChunk& held, std::size_t first,
                       Vector<typename R::Label> labels, std::size_t start, std::size_t stop,
                       Tally& tally, const RoundWeights& weights, Transforms* transforms) {
    if (labels.size() < stop || start > stop) throw nb::value_error("rounds inside the block");
    const double* c = checked(weights, stop);
    if (c != nullptr) c += start;
    Writing writing(rule.access), counting(tally.access);
    const Transforming transforming(transforms);
    IeeeArithmetic ieee;
    const auto forget = [&] {
        if (!features.hashed())
            features.truncate(transforms == nullptr ? rule.dimension() : transforms->raw_columns());
    };
    std::size_t done = 0;
    try {
        const NumberedRows rows = numbered_rows(*held.chunk, features, first + start, first + stop,
                                                true, scales_loss<R> ? nullptr : c);
        const SparseBlock<std::int32_t, double> block{rows.starts.data(), rows.indices.data(),
                                                      rows.values.data(), rows.rows(),
                                                      features.size(),    rows.values.size()};
        const auto* y = labels.data() + start;
        if (transforms == nullptr) {
            const Unlocked unlocked;
            done = play(rule, block, y, c, 0, rows.rows(), tally);
        } else {
            Passage passage(*transforms, &features);
            passage.groups.look_at(rows.indices);
            const Unlocked unlocked;
            done = passage.play(rule, block, y, c, 0, rows.rows(), tally);
        }
    } catch (...) {
        forget();  // if memory ran out
        throw;
    }
    forget();  // names of refused rows
    return start + done;
}

// The rounds of one run, a dict at a time.
template <Rule R>
class RuleRounds : public NamedRounds {
  public:
    RuleRounds(nb::object rule, nb::object features, nb::object tally, nb::object transforms)
        : owners_{rule, features, tally, transforms},
          rule_(nb::cast<R&>(rule)),
          features_(nb::cast<Features&>(features)),
          tally_(nb::cast<Tally&>(tally)),
          transforms_(transforms.is_none() ? nullptr : nb::cast<Transforms*>(transforms)),
          restored_(rule_.access.restored) {}

    std::optional<std::size_t> learn(PyObject* x, long label, double weight) override {
        if (rule_.access.restored != restored_) return std::nullopt;  // its names have changed
        Writing writing(rule_.access), counting(tally_.access);
        const Transforming transforming(transforms_);
        if constexpr (declares_measures<R>)
            if (tally_.rounds + 1 >= tally_.checkpoint) return std::nullopt;
        IeeeArithmetic ieee;
        const auto y = static_cast<typename R::Label>(label);
        const auto prediction = learn_named(rule_, features_, x, y, weight, tally_, transforms_);
        return prediction ? std::optional(R::name_index(*prediction)) : std::nullopt;
    }

  private:
    nb::object owners_[4];
    R& rule_;
    Features& features_;
    Tally& tally_;
    Transforms* transforms_;  // null: none
    int restored_;
};

// Features beyond the weights weigh 0, so x is cut to the others.
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
template <Rule R, class Row>
Row within(const R& rule, const Row& x) {
    if constexpr (takes_whole_rows<R>)
        return x;
    else
        return cut(x, rule.dimension());
}

template <Rule R, class Row>
Extent measure_within(const R& rule, const Row& x) {
    const Row inside = within(rule, x);
    Extent extent = rule.measure(inside);
    if (inside.size != x.size) extent.norm2 = measure(x).norm2;
    return extent;
}

// The prediction for a dict; nothing if it is not an x.
template <Rule R>
std::optional<Passed<R>> predict_named(const R& rule, Features& features, nb::dict x) {
    if (!features.hashed() && features.size() > rule.dimension())
        throw nb::value_error("as many weights as names");
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    Effort effort;
    return rule.predict(within(rule, *row), measure_within(rule, *row), effort).label;
}

// The prediction for a dense vector; nothing if it is refused.
template <Rule R>
std::optional<Passed<R>> predict_dense(const R& rule, const double* x, std::size_t size) {
    const DenseBlock<double> form{x, 1, size, static_cast<std::ptrdiff_t>(size)};
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    Effort effort;
    std::optional<Passed<R>> found;
    const auto measured = [&](const auto& row) { return measure_within(rule, row); };
    for_rows(form, rule.bias, measured, [&](std::size_t, const auto& row, const Extent& extent) {
        found = rule.predict(within(rule, row), extent, effort).label;
    });
    return found;
}

// f(t, x cut, its measures) for every row; (what f wrote, the first row refused or the number).
template <Rule R, class T, class F>
nb::tuple map_rows(const R& rule, const AnyBlock& block, NewVector<T> result, F&& f) {
    block.check(0, block.rows());
    Reading reading(rule.access);
    std::size_t done;
    {
        const Unlocked unlocked;
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

template <Rule R>
nb::tuple predict_block(const R& rule, const AnyBlock& block) {
    auto predictions = new_vector<typename R::Label>(block.rows());
    Effort effort;
    return map_rows(rule, block, predictions,
                    [&, out = predictions.data()](std::size_t t, const auto& x, const Extent& e) {
                        out[t] = rule.predict(x, e, effort).label;
                    });
}

template <Rule R>
nb::dict state(R& rule) {
    if constexpr (requires { rule.forget(); }) {
        Writing writing(rule.access);
        IeeeArithmetic ieee;
        rule.forget();
    }
    Reading reading(rule.access);
    DictWriter written;
    rule.state(written);
    return written.dict;
}

template <Rule R>
void restore(R& rule, nb::dict saved) {
    Writing writing(rule.access);
    IeeeArithmetic ieee;
    NameCollector known;
    rule.state(known);
    std::set<std::string> optional;
    if constexpr (requires { R::kOptionalNames; })
        optional.insert(std::begin(R::kOptionalNames), std::end(R::kOptionalNames));
    rule.restore(DictReader(saved, known.names, optional));
    ++rule.access.restored;
}

template <Rule R>
void bind_playing(nb::class_<R>& c) {
    c.def("play", &play_block<R>, nb::arg("block"), nb::arg("labels").noconvert(), nb::arg("start"),
          nb::arg("stop"), nb::arg("tally"), nb::arg("weights").none(),
          nb::arg("transforms").none() = nb::none())
        .def("learn_row", &learn_row<R>, nb::arg("block"), nb::arg("label"), nb::arg("tally"),
             nb::arg("weight"), nb::arg("transforms").none() = nb::none())
        .def("play_named", &play_named<R>, nb::arg("features"), nb::arg("rows"),
             nb::arg("labels").noconvert(), nb::arg("start"), nb::arg("stop"), nb::arg("tally"),
             nb::arg("weights").none(), nb::arg("transforms").none() = nb::none())
        .def("play_chunk", &play_chunk<R>, nb::arg("features"), nb::arg("chunk"), nb::arg("first"),
             nb::arg("labels").noconvert(), nb::arg("start"), nb::arg("stop"), nb::arg("tally"),
             nb::arg("weights").none(), nb::arg("transforms").none() = nb::none())
        .def("learn_named", &learn_dict<R>, nb::arg("features"), nb::arg("x"), nb::arg("label"),
             nb::arg("tally").none(), nb::arg("weight"), nb::arg("transforms").none() = nb::none())
        .def(
            "declare",
            [](const R&, Tally& tally) {
                if constexpr (declares_measures<R>) tally.declare(R::kMeasures);
            },
            nb::arg("tally"), "Make room in a tally for the measures of this rule.")
        .def(
            "grow",
            [](R& rule, std::size_t dimension) {
                Writing writing(rule.access);
                IeeeArithmetic ieee;
                rule.grow(dimension);
            },
            nb::arg("dimension"))
        .def(
            "quicken",
            [](nb::object rule, Rounds& rounds, nb::object features, nb::object tally,
               nb::dict codes, nb::list names, nb::dict weights, nb::object transforms) {
                rounds.named = std::make_unique<RuleRounds<R>>(rule, features, tally, transforms);
                rounds.codes = codes;
                rounds.names = names;
                rounds.weights = weights;
            },
            nb::arg("rounds"), nb::arg("features"), nb::arg("tally"), nb::arg("codes"),
            nb::arg("names"), nb::arg("weights"), nb::arg("transforms").none() = nb::none());
}

template <Rule R>
void bind_reading(nb::class_<R>& c) {
    c.def("predict_named", &predict_named<R>, nb::arg("features"), nb::arg("x"))
        .def("predict", &predict_block<R>, nb::arg("block"))
        .def(
            "predict_vector",
            [](const R& rule, Vector<double> x) { return predict_dense(rule, x.data(), x.size()); },
            nb::arg("x").noconvert())
        .def(
            "predict_numbers",
            [](const R& rule, nb::handle x) -> std::optional<Passed<R>> {
                const auto values = numbers_of(x.ptr());
                if (!values) return std::nullopt;
                return predict_dense(rule, values->data(), values->size());
            },
            nb::arg("x"))
        .def("state", &state<R>)
        .def("restore", &restore<R>, nb::arg("state"), "Take over what state() returned.")
        .def("norm",
             [](const R& rule) {
                 Reading reading(rule.access);
                 IeeeArithmetic ieee;
                 return rule.norm();
             })
        .def("saturated",
             [](const R& rule) {
                 Reading reading(rule.access);
                 IeeeArithmetic ieee;
                 return rule.saturated();
             })
        .def_prop_ro("bytes", [](const R& r) { return r.bytes(); })
        .def_prop_ro("dimension", [](const R& r) { return r.dimension(); })
        .def_ro("rounds", &R::rounds);
}

template <Rule R, class... Options>
nb::class_<R> bind_rule(nb::module_& m, const char* name) {
    nb::class_<R> c(m, name);
    c.def(nb::init<double, Options...>());
    bind_playing(c);
    bind_reading(c);
    return c;
}

}  // namespace novikoff
