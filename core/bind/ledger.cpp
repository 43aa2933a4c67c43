#include "../ledger.hpp"

#include <nanobind/nanobind.h>

#include "access.hpp"
#include "blocks.hpp"

namespace novikoff {
namespace {

// A sound round that somebody else's learner judged.
void round(Tally& tally, const AnyBlock& block, std::size_t t, std::size_t label, bool mistaken) {
    block.check(t, t + 1);
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

// Sound rounds that were judged outside the core: K(x, x) stands for ‖x‖².
void judged(Tally& tally, Vector<std::int64_t> labels, Vector<std::uint8_t> mistaken,
            Vector<double> squares, Vector<double> largest) {
    const std::size_t rounds = labels.size();
    if (mistaken.size() != rounds || squares.size() != rounds || largest.size() != rounds ||
        !are_counts(labels))
        throw nb::value_error("one label, verdict and measure a round");
    for (std::size_t t = 0; t < rounds; ++t) {
        const auto label = static_cast<std::size_t>(labels(t));
        tally.expect_labels(label + 1);
        ++tally.rounds;
        ++tally.rounds_by_label[label];
        tally.radius2 = std::max(tally.radius2, squares(t));
        tally.radius_inf = std::max(tally.radius_inf, largest(t));
        if (mistaken(t)) tally.mistake(squares(t), label);
    }
}

void restore(Tally& tally, Vector<std::int64_t> mistake_rounds,
             Vector<std::int64_t> rounds_by_label, Vector<std::int64_t> mistakes_by_label,
             Vector<std::int64_t> counts, Vector<double> measures) {
    bool sound = counts.size() == 5 && measures.size() == 4 &&
                 rounds_by_label.size() == mistakes_by_label.size() && are_counts(counts) &&
                 are_counts(rounds_by_label) && are_counts(mistakes_by_label);
    for (std::size_t k = 0; sound && k < measures.size(); ++k) sound = measures(k) >= 0;
    std::int64_t before = 0;
    for (std::size_t k = 0; sound && k < mistake_rounds.size(); ++k) {
        sound = mistake_rounds(k) > before && mistake_rounds(k) <= counts(0);
        before = mistake_rounds(k);
    }
    if (!sound) throw nb::value_error("not a ledger");
    tally.mistake_rounds = to_std(mistake_rounds);
    tally.rounds_by_label = to_std(rounds_by_label);
    tally.mistakes_by_label = to_std(mistakes_by_label);
    tally.rounds = counts(0), tally.abstentions = counts(1);
    tally.effort = {counts(2), counts(3)};
    tally.weighted = counts(4) != 0;
    tally.radius2 = measures(0), tally.extreme_norm = measures(1);
    tally.radius_inf = measures(2), tally.energy = measures(3);
}

nb::dict state(const Tally& t) {
    Reading reading(t.access);
    const std::int64_t counts[] = {t.rounds, t.abstentions, t.effort.second, t.effort.exact,
                                   t.weighted};
    const double measures[] = {t.radius2, t.extreme_norm, t.radius_inf, t.energy};
    nb::dict d;
    d["mistake_rounds"] = to_numpy(t.mistake_rounds);
    d["rounds_by_label"] = to_numpy(t.rounds_by_label);
    d["mistakes_by_label"] = to_numpy(t.mistakes_by_label);
    d["counts"] = to_numpy(counts, 5);
    d["measures"] = to_numpy(measures, 4);
    return d;
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
        .def("state", &state)
        .def("restore", &restore, nb::arg("mistake_rounds"), nb::arg("rounds_by_label"),
             nb::arg("mistakes_by_label"), nb::arg("counts"), nb::arg("measures"));
}

}  // namespace novikoff
