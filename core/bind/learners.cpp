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
    const auto dimension = static_cast<Coordinate>(rule.dimension());
    Accumulator score;
    for_each(*row, [&](Coordinate j, double v) {
        if (j < dimension) score.add_product(rule.average(j), v);
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
                 auto weights = new_vector<double>(rule.dimension());
                 for (std::size_t j = 0; j < rule.dimension(); ++j)
                     weights.data()[j] = rule.average(static_cast<Coordinate>(j));
                 return nb::make_tuple(rule.average(kBias), weights);
             })
        .def("predict_average", &predict_average<Tie>, nb::arg("features"), nb::arg("x"));
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
        .def_ro("forgotten", &Rule::forgotten);
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
        .def_ro("draws", &Modified::draws);
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
        .def("scores", &score_classes, nb::arg("block"));
}

}  // namespace novikoff
