#include "../engine.hpp"
#include "rules.hpp"

namespace novikoff {
namespace {

template <class Tie>
nb::tuple score_block(const Perceptron<Tie>& rule, const AnyBlock& block) {
    auto scores = new_vector<double>(block.rows());
    return map_rows(rule, block, scores,
                    [&, out = scores.data()](std::size_t t, const auto& x, const Extent&) {
                        double s = 0;  // term by term: the same bits from every form and CPU
                        for_each(x, [&](Coordinate j, double v) { s += rule.w.high_at(j) * v; });
                        out[t] = s;
                    });
}

nb::tuple score_classes(const Multiclass& rule, const AnyBlock& block) {
    const std::size_t classes = rule.classes;
    auto scores = new_vector<double>(block.rows() * classes);
    std::vector<double> row(rule.w.stride());
    return map_rows(rule, block, scores,
                    [&, out = scores.data()](std::size_t t, const auto& x, const Extent&) {
                        rule.scores(x, row.data());
                        std::copy_n(row.data(), classes, out + t * classes);
                    });
}

// sgn(w̄·x) for a dict, with the weights of its features alone; nothing where it is no x.
template <class Tie>
std::optional<int> predict_average(const Averaged<Tie>& rule, Features& features, nb::dict x) {
    Reading reading(rule.access);
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    const auto dimension = static_cast<Coordinate>(rule.w.dimension());
    Accumulator score;
    for_each(*row, [&](Coordinate j, double v) {
        if (j >= dimension) return;
        const auto slot = j + static_cast<Coordinate>(Weights::kFront);
        score.add_product(rule.average(static_cast<std::size_t>(slot)), v);
    });
    return score.sign() < 0 ? -1 : 1;
}

// w as handed out: (the constant feature's weight, the features' weights), each rounded once.
template <class Rule>
nb::tuple halfspace(const Rule& rule) {
    Reading reading(rule.access);
    return nb::make_tuple(rule.w.high_at(kBias), to_numpy(rule.w.high(), rule.w.dimension()));
}

template <class Tie>
void bind_perceptron(nb::module_& m, const char* name) {
    using Rule = Perceptron<Tie>;
    bind_rule<Rule>(m, name)
        .def("halfspace", &halfspace<Rule>)
        .def("scores", &score_block<Tie>, nb::arg("block"));
}

template <class Tie>
void bind_averaged(nb::module_& m, const char* name) {
    using Rule = Averaged<Tie>;
    bind_rule<Rule>(m, name)
        .def("halfspace",
             [](const Rule& rule) {
                 Reading reading(rule.access);
                 auto weights = new_vector<double>(rule.w.dimension());
                 for (std::size_t j = 0; j < rule.w.dimension(); ++j)
                     weights.data()[j] = rule.average(Weights::kFront + j);
                 return nb::make_tuple(rule.average(Weights::kFront - 1), weights);
             })
        .def("predict_average", &predict_average<Tie>, nb::arg("features"), nb::arg("x"))
        .def("moments",
             [](const Rule& rule) {
                 Reading reading(rule.access);
                 return to_numpy(rule.u.data(), rule.w.slots().size());
             })
        .def_prop_ro("moment_bytes",
                     [](const Rule& rule) { return rule.u.size() * sizeof(double); })
        .def("restore_moments", [](Rule& rule, Vector<double> u) {
            Writing writing(rule.access);
            check(u.size() == rule.w.slots().size());
            rule.grow(rule.w.dimension());
            std::copy_n(u.data(), u.size(), rule.u.data());
        });
}

// The voters, each born in its round; those forgotten are part of the base.
template <class Rule>
nb::dict voters(Rule& rule) {
    Writing writing(rule.access);
    rule.forget();
    nb::dict d;
    d["births"] = to_numpy(rule.voters.births);
    d["starts"] = to_numpy(rule.voters.starts);
    d["indices"] = to_numpy(rule.voters.indices);
    d["values"] = to_numpy(rule.voters.values);
    return d;
}

template <class Rule>
nb::dict base_state(Rule& rule) {
    Writing writing(rule.access);
    rule.forget();
    const auto remainder = rule.base.remainder();
    nb::dict d;
    d["base"] = to_numpy(rule.base.slots().data(), rule.base.slots().size());
    d["base_slots"] = to_numpy(remainder.slots);
    d["base_parts"] = to_numpy(remainder.parts);
    d["forgotten"] = to_numpy(&rule.forgotten, 1);
    return d;
}

template <class Rule>
void restore_voters(Rule& rule, Vector<std::int64_t> births, Vector<std::int64_t> starts,
                    Vector<std::int32_t> indices, Vector<double> values, Vector<double> base,
                    Vector<std::int64_t> base_slots, Vector<double> base_parts,
                    Vector<std::int64_t> forgotten) {
    Writing writing(rule.access);
    check(starts.size() == births.size() + 1 && forgotten.size() == 1 && are_counts(forgotten) &&
          are_counts(births));
    Voters voters{to_std(births), to_std(starts), to_std(indices), to_std(values)};
    check(voters.sound(rule.w.dimension()) && base.size() == rule.w.slots().size());
    rule.voters = std::move(voters);
    rule.base = restored_weights(base, base_slots, base_parts, 1);
    rule.forgotten = forgotten(0);
}

template <class Tie>
void bind_voted(nb::module_& m, const char* name) {
    using Rule = Voted<Tie>;
    bind_rule<Rule, std::size_t>(m, name)
        .def("base",
             [](Rule& rule) {
                 Writing writing(rule.access);
                 rule.forget();
                 return nb::make_tuple(rule.base.high_at(kBias),
                                       to_numpy(rule.base.high(), rule.base.dimension()));
             })
        .def("voters", &voters<Rule>)
        .def("base_state", &base_state<Rule>)
        .def("restore_voters", &restore_voters<Rule>)
        .def_ro("forgotten", &Rule::forgotten)
        .def_prop_ro("voter_bytes",
                     [](const Rule& r) { return r.voters.bytes() + r.base.bytes(); });
}

template <class Form>
void bind_minnow(nb::module_& m, const char* name) {
    using Rule = Minnow<Form>;
    bind_rule<Rule, double>(m, name).def("normalized", [](const Rule& rule) {
        Reading reading(rule.access);
        return to_numpy(rule.normalized());
    });
}

void bind_modified(nb::module_& m) {
    bind_rule<Modified, double, std::uint64_t>(m, "Modified")
        .def("halfspace", &halfspace<Modified>)
        .def_prop_ro("limit", &Modified::limit)
        .def_ro("updates", &Modified::updates)
        .def_ro("draws", &Modified::draws)
        .def(
            "restore_draws",
            [](Modified& rule, std::int64_t draws, std::int64_t updates) {
                Writing writing(rule.access);
                constexpr std::int64_t most = std::int64_t{1} << 53;
                check(draws >= 0 && draws <= most && updates >= 0 && updates <= most);
                rule.draws = draws;
                rule.updates = updates;
            },
            nb::arg("draws"), nb::arg("updates"));
}

}  // namespace

void bind_learners(nb::module_& m) {
    bind_perceptron<ZeroIsPositive>(m, "Perceptron");
    bind_perceptron<ZeroIsMistake>(m, "StrictPerceptron");
    bind_averaged<ZeroIsPositive>(m, "Averaged");
    bind_averaged<ZeroIsMistake>(m, "StrictAveraged");
    bind_voted<ZeroIsPositive>(m, "Voted");
    bind_voted<ZeroIsMistake>(m, "StrictVoted");
    bind_minnow<OneSided>(m, "Minnow");
    bind_minnow<Balanced>(m, "BalancedMinnow");
    bind_modified(m);
    bind_rule<Multiclass>(m, "Multiclass")
        .def_ro("classes", &Multiclass::classes)
        .def("restore_classes",
             [](Multiclass& rule, std::size_t classes) {
                 Writing writing(rule.access);
                 check(classes <= rule.w.stride());
                 rule.classes = static_cast<Multiclass::Label>(classes);
             })
        .def("scores", &score_classes, nb::arg("block"));
}

}  // namespace novikoff
