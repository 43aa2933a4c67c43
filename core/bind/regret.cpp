#include "../learners/experts/bandits.hpp"
#include "../learners/experts/experts.hpp"
#include "../numbers/arithmetic.hpp"
#include "arrays.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

void expect(bool sound, const char* what) {
    if (!sound) throw nb::value_error(what);
}

struct Play {
    template <class Environment>
    static std::size_t rounds(Hedge& rule, const Environment& e, std::size_t start,
                              std::size_t stop, RegretTally& tally) {
        return play_experts(rule, e, start, stop, tally);
    }
    template <class Rule, class Environment>
    static std::size_t rounds(Rule& rule, const Environment& e, std::size_t start, std::size_t stop,
                              RegretTally& tally) {
        return play_bandit(rule, e, start, stop, tally);
    }
};

template <class Rule, class Environment>
std::size_t played(Rule& rule, const Environment& e, std::size_t start, std::size_t stop,
                   RegretTally& tally) {
    Writing writing(rule.access), counting(tally.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    return Play::rounds(rule, e, start, stop, tally);
}

template <class Rule, class V>
std::size_t replay(Rule& rule, Matrix<V> losses, std::size_t start, std::size_t stop,
                   RegretTally& tally) {
    expect(losses.shape(1) == rule.size() && start <= stop && stop <= losses.shape(0),
           "rounds inside the matrix, a column for each");
    return played(rule, Replay<V>{losses.data(), losses.shape(1)}, start, stop, tally);
}

template <class Rule>
std::size_t simulate(Rule& rule, const Bernoulli& losses, std::size_t start, std::size_t stop,
                     RegretTally& tally) {
    expect(losses.columns == rule.size() && start <= stop, "a mean for each");
    const Bernoulli own = losses;  // with a row of its own: many threads may share the other
    return played(rule, own, start, stop, tally);
}

Bernoulli bernoulli(Matrix<double> means, std::size_t period, bool cyclic, std::uint64_t seed) {
    expect(means.shape(0) > 0 && means.shape(1) > 0 && period > 0, "some phases of some rounds");
    Bernoulli found{{}, means.shape(1), period, cyclic, seed, {}};
    for (std::size_t k = 0; k < means.size(); ++k) {
        expect(means.data()[k] >= 0 && means.data()[k] <= 1, "means from 0 to 1");
        found.means.push_back(static_cast<std::uint64_t>(means.data()[k] * 0x1p32 + 0.5));
    }
    return found;
}

bool finite(const Vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!std::isfinite(values(k))) return false;
    return values.size() > 0;
}

bool a_count(std::int64_t rounds) { return rounds >= 0 && rounds < (std::int64_t{1} << 53); }

void restore_hedge(Hedge& rule, Vector<double> losses, Vector<double> weights,
                   std::int64_t rounds) {
    bool sound = finite(losses) && finite(weights) && losses.size() == weights.size();
    double all = 0;
    for (std::size_t k = 0; sound && k < weights.size(); ++k) {
        sound = weights(k) >= 0;
        all += weights(k);
    }
    expect(sound && all > 0 && std::isfinite(all) && a_count(rounds), "not a learner's state");
    Writing writing(rule.access);
    rule.restore(to_std(losses), to_std(weights), rounds);
}

template <class Rule, class V>
void joined(Rule& rule, V start) {
    Writing writing(rule.access);
    rule.join(start);
}

template <class Rule>
void restore_bandit(Rule& rule, Vector<double> estimates, double base, std::int64_t rounds) {
    expect(finite(estimates) && std::isfinite(base) && a_count(rounds), "not a learner's state");
    double least = estimates(0);
    for (std::size_t k = 0; k < estimates.size(); ++k) least = std::min(least, estimates(k));
    expect(base <= least || base == 0, "not a learner's state");
    Writing writing(rule.access);
    rule.restore(to_std(estimates), base, rounds);
}

std::size_t play_advice(Majority& rule, Matrix<std::int8_t> advice, Vector<std::int8_t> outcomes,
                        std::size_t start, std::size_t stop, RegretTally& tally) {
    expect(advice.shape(1) == rule.size() && start <= stop && stop <= advice.shape(0) &&
               outcomes.size() >= stop,
           "rounds inside the matrix, a column for each expert");
    Writing writing(rule.access), counting(tally.access);
    const Unlocked unlocked;
    IeeeArithmetic ieee;
    const Advice rounds{advice.data(), outcomes.data(), advice.shape(1)};
    return play_experts(rule, rounds, start, stop, tally);
}

void restore_majority(Majority& rule, Vector<std::int64_t> mistakes, std::int64_t rounds) {
    expect(are_counts(mistakes) && mistakes.size() > 0 && a_count(rounds), "not a learner's state");
    Writing writing(rule.access);
    rule.restore(to_std(mistakes), rounds);
}

void restore_tally(RegretTally& tally, Vector<double> sums, Vector<double> losses,
                   Vector<std::int64_t> mistake_rounds, std::int64_t rounds) {
    expect(sums.size() == 3 && a_count(rounds) && are_counts(mistake_rounds), "not a ledger");
    tally.loss = sums(0), tally.expected = sums(1), tally.pseudo = sums(2);
    tally.losses = to_std(losses), tally.mistake_rounds = to_std(mistake_rounds);
    tally.rounds = rounds;
}

template <class Rule>
void bind_bandit(nb::class_<Rule>& bound) {
    bound
        .def("play", &replay<Rule, double>, nb::arg("losses").noconvert(), nb::arg("start"),
             nb::arg("stop"), nb::arg("tally"))
        .def("play", &replay<Rule, std::uint8_t>, nb::arg("losses").noconvert(), nb::arg("start"),
             nb::arg("stop"), nb::arg("tally"))
        .def("play", &simulate<Rule>, nb::arg("losses"), nb::arg("start"), nb::arg("stop"),
             nb::arg("tally"));
    if constexpr (!std::is_same_v<Rule, Hedge>) {
        bound
            .def(
                "choose",
                [](const Rule& rule, std::uint64_t draws) {
                    Reading reading(rule.access);
                    return rule.choose(draws);
                },
                nb::arg("draws"))
            .def(
                "probability",
                [](const Rule& rule, std::size_t arm) {
                    expect(arm < rule.size(), "an arm");
                    Reading reading(rule.access);
                    return rule.probability(arm);
                },
                nb::arg("arm"))
            .def("probabilities",
                 [](const Rule& rule) {
                     Reading reading(rule.access);
                     auto found = new_vector<double>(rule.size());
                     for (std::size_t k = 0; k < rule.size(); ++k)
                         found.data()[k] = rule.probability(k);
                     return found;
                 })
            .def(
                "learn",
                [](Rule& rule, std::size_t arm, double probability, double loss) {
                    expect(arm < rule.size(), "an arm");
                    Writing writing(rule.access);
                    IeeeArithmetic ieee;
                    rule.learn(arm, probability, loss);
                },
                nb::arg("arm"), nb::arg("probability"), nb::arg("loss"))
            .def("join", &joined<Rule, double>, nb::arg("estimate"))
            .def("restore", &restore_bandit<Rule>, nb::arg("estimates").noconvert(),
                 nb::arg("base"), nb::arg("rounds"))
            .def_prop_ro(
                "estimates",
                [](const Rule& r) {
                    Reading reading(r.access);
                    return to_numpy(r.estimates);
                },
                nb::rv_policy::move)
            .def_ro("base", &Rule::base)
            .def_ro("rounds", &Rule::rounds);
    }
    bound.def_prop_ro("size", &Rule::size);
}

void bind_experts(nb::module_& m) {
    auto hedge = nb::class_<Hedge>(m, "Hedge");
    bind_bandit(hedge);
    hedge
        .def(nb::init<std::size_t, double, bool, std::uint64_t>(), nb::arg("experts"),
             nb::arg("eta"), nb::arg("anytime"), nb::arg("seed"))
        .def("draw",
             [](const Hedge& rule) {
                 Reading reading(rule.access);
                 return rule.draw();
             })
        .def("join", &joined<Hedge, double>, nb::arg("loss"))
        .def("restore", &restore_hedge, nb::arg("losses").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("rounds"))
        .def_prop_ro("rounds", &Hedge::rounds)
        .def_prop_ro(
            "losses",
            [](const Hedge& r) {
                Reading reading(r.access);
                return to_numpy(r.losses().data(), r.size());
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "weights",
            [](const Hedge& r) {
                Reading reading(r.access);
                return to_numpy(r.weights().data(), r.size());
            },
            nb::rv_policy::move);
    nb::class_<Majority>(m, "Majority")
        .def(nb::init<std::size_t, double>(), nb::arg("experts"), nb::arg("beta"))
        .def("play", &play_advice, nb::arg("advice").noconvert(), nb::arg("outcomes").noconvert(),
             nb::arg("start"), nb::arg("stop"), nb::arg("tally"))
        .def(
            "predict",
            [](const Majority& rule, Vector<std::int8_t> advice) {
                expect(advice.size() == rule.size(), "a prediction of every expert");
                Reading reading(rule.access);
                return rule.predict(advice.data());
            },
            nb::arg("advice").noconvert())
        .def("join", &joined<Majority, std::int64_t>, nb::arg("mistakes"))
        .def("restore", &restore_majority, nb::arg("mistakes").noconvert(), nb::arg("rounds"))
        .def_prop_ro("size", &Majority::size)
        .def_ro("rounds", &Majority::rounds)
        .def_prop_ro(
            "mistakes",
            [](const Majority& r) {
                Reading reading(r.access);
                return to_numpy(r.mistakes());
            },
            nb::rv_policy::move);
}

}  // namespace

void bind_regret(nb::module_& m) {
    nb::class_<RegretTally>(m, "RegretTally")
        .def(nb::init<>())
        .def("restore", &restore_tally, nb::arg("sums").noconvert(), nb::arg("losses").noconvert(),
             nb::arg("mistake_rounds").noconvert(), nb::arg("rounds"))
        .def_ro("rounds", &RegretTally::rounds)
        .def_ro("loss", &RegretTally::loss)
        .def_ro("expected", &RegretTally::expected)
        .def_ro("pseudo", &RegretTally::pseudo)
        .def_prop_ro(
            "losses", [](const RegretTally& t) { return to_numpy(t.losses); }, nb::rv_policy::move)
        .def_prop_ro(
            "mistake_rounds", [](const RegretTally& t) { return to_numpy(t.mistake_rounds); },
            nb::rv_policy::move);
    nb::class_<Bernoulli>(m, "Bernoulli")
        .def(
            "__init__",
            [](Bernoulli* self, Matrix<double> means, std::size_t period, bool cyclic,
               std::uint64_t seed) {
                new (self) Bernoulli(bernoulli(means, period, cyclic, seed));
            },
            nb::arg("means").noconvert(), nb::arg("period"), nb::arg("cyclic"), nb::arg("seed"))
        .def(
            "rows",
            [](const Bernoulli& e, std::size_t start, std::size_t stop) {
                expect(start <= stop, "rounds in order");
                const Bernoulli own = e;
                auto rows = new_vector<std::uint8_t>((stop - start) * own.columns);
                for (std::size_t t = start; t < stop; ++t)
                    std::copy_n(own.row(t), own.columns, rows.data() + (t - start) * own.columns);
                return rows;
            },
            nb::arg("start"), nb::arg("stop"), "Their losses, one after the other.")
        .def("mean", &Bernoulli::mean, nb::arg("t"), nb::arg("arm"));
    bind_experts(m);
    auto exp3 = nb::class_<Exp3>(m, "Exp3").def(
        nb::init<std::size_t, double, bool, double, std::uint64_t>(), nb::arg("arms"),
        nb::arg("eta"), nb::arg("anytime"), nb::arg("share"), nb::arg("seed"));
    bind_bandit(exp3);
    auto exp3p = nb::class_<Exp3P>(m, "Exp3P")
                     .def(nb::init<std::size_t, double, std::int64_t, std::uint64_t>(),
                          nb::arg("arms"), nb::arg("delta"), nb::arg("horizon"), nb::arg("seed"));
    bind_bandit(exp3p);
}

}  // namespace novikoff
