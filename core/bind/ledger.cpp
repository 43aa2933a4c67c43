#include "../playing/tally.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "saved_state.hpp"

namespace novikoff {
namespace {

// A valid round that a foreign learner judged.
void round(Tally& tally, const AnyBlock& block, std::size_t t, std::size_t label, bool mistaken) {
    block.check(t, t + 1);
    IeeeArithmetic ieee;
    std::visit(
        [&](const auto& form) {
            const auto x = form.row(t, 0);
            const Extent extent = measure(x);
            tally.expect_labels(label + 1);
            tally.begin_round(x, extent, label);
            if (mistaken) tally.mistake(extent.norm2, label);
        },
        block.form);
}

// Valid rounds that were judged outside the core: K(x, x) stands for ‖x‖².
void judged(Tally& tally, Vector<std::int64_t> labels, Vector<std::uint8_t> mistaken,
            Vector<double> squares, Vector<double> largest) {
    const std::size_t rounds = labels.size();
    if (mistaken.size() != rounds || squares.size() != rounds || largest.size() != rounds ||
        !are_counts(labels))
        throw nb::value_error("one label, verdict and measure per round");
    IeeeArithmetic ieee;
    for (std::size_t t = 0; t < rounds; ++t) {
        const auto label = static_cast<std::size_t>(labels(t));
        tally.expect_labels(label + 1);
        ++tally.rounds;
        tally.meet(label);
        tally.radius2 = std::max(tally.radius2, squares(t));
        tally.radius_inf = std::max(tally.radius_inf, largest(t));
        if (mistaken(t)) tally.mistake(squares(t), label);
    }
}

// The counts as they are saved: ten arrays, and one more for each measure that was declared.
void write(const Tally& t, StateWriter& out) {
    const std::int64_t counts[] = {t.rounds, t.abstentions, t.effort.second, t.effort.exact,
                                   t.weighted};
    const double measures[] = {t.radius2, t.extreme_norm, t.radius_inf, t.energy};
    out.put("mistake_rounds", std::span<const std::int64_t>(t.mistake_rounds));
    out.put("rounds_by_label", std::span<const std::int64_t>(t.rounds_by_label));
    out.put("mistakes_by_label", std::span<const std::int64_t>(t.mistakes_by_label));
    out.put("counts", std::span<const std::int64_t>(counts));
    out.put("measures", std::span<const double>(measures));
    const LabelChanges& order = t.label_changes;
    const std::int64_t changes[] = {order.rounds, order.changes, order.last + 1};
    out.put("label_changes", std::span<const std::int64_t>(changes));
    out.put("calibration_rounds", std::span<const std::int64_t>(t.calibration.rounds));
    out.put("calibration_came", std::span<const std::int64_t>(t.calibration.came));
    out.put("calibration_sums", std::span<const double>(t.calibration.sums));
    out.put("confusion", std::span<const std::int64_t>(t.confusion.counts));
    for (const Measured& m : t.measured) {
        const double parts[] = {m.total, m.rest};
        out.put(m.name.c_str(), std::span<const double>(parts));
    }
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
    return {values.begin(), values.end()};
}

bool are_rounds(std::span<const std::int64_t> rounds, std::int64_t last) {
    std::int64_t before = 0;
    for (const std::int64_t t : rounds)
        if (t <= std::exchange(before, t) || t > last) return false;
    return true;
}

// Terms are never negative, and n < 2^53 of them lose less than the total: n·2^−53·total.
bool is_sum(double total, double rest) {
    return std::isfinite(total) && total >= 0 && std::abs(rest) <= total;
}

bool add_up_within(const std::vector<std::int64_t>& counts, std::int64_t most) {
    for (const std::int64_t count : counts)
        if ((most -= count) < 0) return false;
    return true;
}

// What the tally follows for people: nothing in it may be more than the rounds that were played.
void read_followed(const StateReader& in, Tally& t) {
    const auto order = in.counts("label_changes", 3);
    check(order[0] <= t.rounds && order[1] <= order[0]);
    t.label_changes = {order[0], order[1], order[2] - 1};
    Calibration& found = t.calibration;
    found.rounds = copied(in.counts("calibration_rounds"));
    found.came = copied(in.counts("calibration_came"));
    found.sums = copied(in.reals("calibration_sums"));
    const std::size_t bins = found.rounds.size();
    check((bins == 0 || bins == Calibration::kBins) && found.came.size() == bins &&
          found.sums.size() == bins && add_up_within(found.rounds, t.rounds));
    for (std::size_t b = 0; b < bins; ++b)
        check(found.came[b] <= found.rounds[b] && found.sums[b] >= 0 &&
              found.sums[b] <= static_cast<double>(found.rounds[b]));
    t.confusion.counts = copied(in.counts("confusion"));
    const std::size_t pairs = t.confusion.counts.size();
    check(pairs == 0 || pairs == Confusion::kLabels * Confusion::kLabels);
    check(add_up_within(t.confusion.counts, std::ssize(t.mistake_rounds)));
}

Tally read(const StateReader& in, Tally t) {
    const auto counts = in.counts("counts", 5);
    const auto measures = in.array<double>("measures");
    const auto mistakes = in.array<std::int64_t>("mistake_rounds");
    check(measures.size() == 4 && are_rounds(mistakes, counts[0]));
    for (const double measure : measures) check(measure >= 0);
    t.mistake_rounds = copied(mistakes);
    t.rounds_by_label = copied(in.counts("rounds_by_label"));
    t.mistakes_by_label = copied(in.counts("mistakes_by_label"));
    check(t.rounds_by_label.size() == t.mistakes_by_label.size());
    t.rounds = counts[0], t.abstentions = counts[1];
    t.effort = {counts[2], counts[3]};
    t.weighted = counts[4] != 0;
    t.radius2 = measures[0], t.extreme_norm = measures[1];
    t.radius_inf = measures[2], t.energy = measures[3];
    read_followed(in, t);
    for (Measured& m : t.measured) {
        const auto parts = in.array<double>(m.name.c_str());
        check(parts.size() == 2 && is_sum(parts[0], parts[1]));
        m.total = parts[0], m.rest = parts[1];
    }
    return t;
}

nb::dict state(const Tally& tally) {
    Reading reading(tally.access);
    DictWriter written;
    write(tally, written);
    return written.dict;
}

// Measures must be declared before they are restored.
void restore(Tally& tally, nb::dict saved) {
    NameCollector known;
    write(tally, known);
    Tally found = read(DictReader(saved, known.names), tally);
    Writing writing(tally.access);
    found.access = tally.access;
    tally = std::move(found);
}

void calibrate(Tally& t, double chance, bool came) {
    Writing writing(t.access);
    t.calibration.add(chance, came);
}

void confuse(Tally& t, std::size_t label, std::size_t predicted) {
    Writing writing(t.access);
    t.confusion.add(label, predicted);
}

// What a rule declared: each measure's name, and how two of them combine.
using Declared = std::vector<std::pair<std::string, std::string>>;

Declared declared(const Tally& t) {
    Declared found;
    for (const Measured& m : t.measured)
        found.emplace_back(m.name, m.combination == Combination::kSum ? "sum" : "largest");
    return found;
}

// Makes room for measures without their rule: a copied ledger has no learner.
void declare(Tally& t, const Declared& measures) {
    Writing writing(t.access);
    if (!t.measured.empty() || t.rounds != 0) throw nb::value_error("a tally without rounds");
    for (const auto& [name, combination] : measures) {
        if (combination != "sum" && combination != "largest")
            throw nb::value_error("measures that are summed, or whose largest counts");
        t.measured.push_back(
            {name, combination == "sum" ? Combination::kSum : Combination::kLargest});
    }
}

// Adds to a measure that was declared: what a round outside the core cost.
void add(Tally& t, const std::string& name, double term) {
    Writing writing(t.access);
    IeeeArithmetic ieee;
    const auto found = std::find_if(t.measured.begin(), t.measured.end(),
                                    [&](const Measured& m) { return m.name == name; });
    if (found == t.measured.end() || !(term >= 0)) throw nb::value_error("a measure, and a term");
    found->add(term);
}

// Every measure by name, its parts added up.
std::map<std::string, double> measures(const Tally& t) {
    Reading reading(t.access);
    std::map<std::string, double> found{
        {"radius", t.radius()}, {"radius_inf", t.radius_inf}, {"energy", t.energy}};
    for (const Measured& m : t.measured) found[m.name] = m.value();
    return found;
}

}  // namespace

void bind_ledger(nb::module_& m) {
    nb::class_<Tally>(m, "Tally", "What rounds did: the counts behind a ledger.")
        .def(nb::init<>())
        .def_ro("rounds", &Tally::rounds)
        .def_rw("abstentions", &Tally::abstentions)
        .def_prop_ro("mistakes", [](const Tally& t) { return t.mistake_rounds.size(); })
        .def_prop_ro(
            "mistake_rounds",
            [](const Tally& t) {
                Reading reading(t.access);
                return to_numpy(t.mistake_rounds);
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "rounds_by_label",
            [](const Tally& t) {
                Reading reading(t.access);
                return to_numpy(t.rounds_by_label);
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "mistakes_by_label",
            [](const Tally& t) {
                Reading reading(t.access);
                return to_numpy(t.mistakes_by_label);
            },
            nb::rv_policy::move)
        .def_prop_ro("label_changes", [](const Tally& t) { return t.label_changes.changes; })
        .def_prop_ro("follows_labels",
                     [](const Tally& t) { return t.label_changes.rounds == t.rounds; })
        .def_prop_ro("calibrated", [](const Tally& t) { return t.calibration.total() == t.rounds; })
        .def_prop_ro(
            "confused",
            [](const Tally& t) { return t.confusion.total() == std::ssize(t.mistake_rounds); })
        .def_ro("weighted", &Tally::weighted)
        .def_prop_ro("radius", &Tally::radius)
        .def_ro("radius_inf", &Tally::radius_inf)
        .def_ro("energy", &Tally::energy)
        .def_prop_ro("second_steps", [](const Tally& t) { return t.effort.second; })
        .def_prop_ro("exact_steps", [](const Tally& t) { return t.effort.exact; })
        .def("round", &round, nb::arg("block"), nb::arg("row"), nb::arg("label"),
             nb::arg("mistaken"))
        .def("judged", &judged, nb::arg("labels"), nb::arg("mistaken"), nb::arg("squares"),
             nb::arg("largest"), "Count rounds that were judged elsewhere.")
        .def(
            "count_effort",
            [](Tally& t, std::int64_t exact) { t.effort.second += exact, t.effort.exact += exact; },
            nb::arg("exact"), "Count rounds that only exact arithmetic could decide.")
        .def("structured_round", &Tally::structured_round, nb::arg("mistaken"), nb::arg("norm2"))
        .def_rw("checkpoint", &Tally::checkpoint)
        .def_rw("threshold", &Tally::threshold)
        .def_rw("false_positives", &Tally::false_positives)
        .def_rw("false_negatives", &Tally::false_negatives)
        .def_prop_ro("decides", &Tally::decides)
        .def("decide", &Tally::decide, nb::arg("chance"), nb::arg("positive"),
             "Count what the threshold decides in a round that was judged elsewhere.")
        .def("calibrate", &calibrate, nb::arg("chance"), nb::arg("came"),
             "Count whether a probability given elsewhere came true.")
        .def("confuse", &confuse, nb::arg("label"), nb::arg("predicted"),
             "Count which label was predicted in a mistake that was made elsewhere.")
        .def_prop_ro("declared", &declared)
        .def("declare", &declare, nb::arg("measures"), "Make room for measures without a rule.")
        .def("add", &add, nb::arg("name"), nb::arg("term"), "Add to a measure that was declared.")
        .def("state", &state)
        .def("measures", &measures, "Return every measure by name, those of the rule included.")
        .def("restore", &restore, nb::arg("state"), "Take over what state() returned.");
}

}  // namespace novikoff
