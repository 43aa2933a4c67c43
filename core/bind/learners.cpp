#include "../playing/engine.hpp"
#include "rules.hpp"

namespace novikoff {
namespace {

nb::tuple score_block(const FixedHalfspace& rule, const AnyBlock& block) {
    auto scores = new_vector<double>(block.rows());
    return map_rows(rule, block, scores,
                    [&, out = scores.data()](std::size_t t, const auto& x, const Extent&) {
                        double s = 0;  // term by term: the same bits for every form and CPU
                        for_each(x, [&](Coordinate j, double v) { s += rule.w.rounded(j) * v; });
                        out[t] = s;
                    });
}

nb::tuple score_classes(const Multiclass& rule, const AnyBlock& block) {
    const std::size_t classes = rule.classes;
    auto scores = new_vector<double>(block.rows() * classes);
    std::vector<double> row(rule.stride());
    return map_rows(rule, block, scores,
                    [&, out = scores.data()](std::size_t t, const auto& x, const Extent&) {
                        rule.scores(x, row.data());
                        std::copy_n(row.data(), classes, out + t * classes);
                    });
}

// sgn(w̄·x) for a dict, with only the weights of its features; nothing if it is not an x.
template <class Tie>
std::optional<int> predict_average(const Averaged<Tie>& rule, Features& features, nb::dict x) {
    Reading reading(rule.access);
    IeeeArithmetic ieee;
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
nb::tuple rounded(const Weights& w) {
    auto weights = new_vector<double>(w.dimension());
    w.copy_rounded(weights.data());
    return nb::make_tuple(w.rounded(kBias), weights);
}

template <class Rule>
nb::tuple halfspace(const Rule& rule) {
    Reading reading(rule.access);
    return rounded(rule.w);
}

// The same for many classes: (one weight per class, a matrix with one column per class).
nb::tuple class_weights(const Multiclass& rule) {
    Reading reading(rule.access);
    const std::size_t columns = std::max<std::size_t>(rule.classes, 1);
    auto weights = new_matrix(rule.dimension(), columns);
    auto constant = new_vector<double>(columns);
    const Weights spread = rule.listed ? rule.listed->spread() : Weights(1);
    const Weights& w = rule.listed ? spread : rule.w;
    w.copy_rounded(weights.data(), columns);
    for (std::size_t k = 0; k < columns; ++k) constant.data()[k] = w.rounded(kBias, k);
    return nb::make_tuple(constant, weights);
}

// Those that are not 0, if they are few: (where each class ends, its features with −1 for the
// constant one, their weights); otherwise nothing.
std::optional<nb::tuple> listed_weights(const Multiclass& rule) {
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    if (!rule.few()) return std::nullopt;
    const auto found = [&](const ListedWeights& w) {
        const auto columns = w.columns(w.in_order(), std::max<std::size_t>(rule.classes, 1));
        return nb::make_tuple(to_numpy(columns.ends), to_numpy(columns.features),
                              to_numpy(columns.values));
    };
    return rule.listed ? found(*rule.listed) : found(ListedWeights(rule.w));
}

std::optional<nb::tuple> listed_averages(const AveragedClasses& rule) {
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    if (!rule.few()) return std::nullopt;
    const std::vector<Cell> found = rule.cells();
    const std::size_t classes = std::max<std::size_t>(rule.classes, 1);
    return nb::make_tuple(to_numpy(ends_of(found, classes)), to_numpy(features_of(found)),
                          to_numpy(values_of(found)));
}

// The same for the means of their weights.
nb::tuple average_class_weights(const AveragedClasses& rule) {
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const std::size_t columns = std::max<std::size_t>(rule.classes, 1);
    auto weights = new_matrix(rule.dimension(), columns);
    auto constant = new_vector<double>(columns);
    const auto fill = [&](Coordinate j, double* row) {
        for (std::size_t k = 0; k < columns; ++k)
            row[k] = rule.average(j, static_cast<AveragedClasses::Label>(k));
    };
    fill(kBias, constant.data());
    for (std::size_t j = 0; j < rule.dimension(); ++j)
        fill(static_cast<Coordinate>(j), weights.data() + j * columns);
    return nb::make_tuple(constant, weights);
}

// argmax_k w̄_k·x for a dict, with only the weights of its features; nothing if it is not an x.
std::optional<std::int64_t> predict_average_class(const AveragedClasses& rule, Features& features,
                                                  nb::dict x) {
    using Label = AveragedClasses::Label;
    Reading reading(rule.access);
    IeeeArithmetic ieee;
    const auto row = features.read(x.ptr(), rule.bias);
    if (!row) return std::nullopt;
    const auto dimension = static_cast<Coordinate>(rule.dimension());
    Label best = 0;
    for (Label k = 1; k < rule.classes; ++k) {
        Accumulator lead;
        for_each(*row, [&](Coordinate j, double v) {
            if (j >= dimension) return;
            lead.add_product(rule.average(j, k), v);
            lead.add_product(rule.average(j, best), -v);
        });
        if (lead.sign() > 0) best = k;
    }
    return best;
}

template <class Tie>
void bind_perceptron(nb::module_& m, const char* name) {
    using Rule = Perceptron<Tie>;
    bind_rule<Rule>(m, name).def("halfspace", &halfspace<Rule>);
}

template <class Tie>
void bind_averaged(nb::module_& m, const char* name) {
    using Rule = Averaged<Tie>;
    bind_rule<Rule>(m, name)
        .def("halfspace",
             [](const Rule& rule) {
                 Reading reading(rule.access);
                 IeeeArithmetic ieee;
                 auto weights = new_vector<double>(rule.dimension());
                 for (std::size_t j = 0; j < rule.dimension(); ++j)
                     weights.data()[j] = rule.average(static_cast<Coordinate>(j));
                 return nb::make_tuple(rule.average(kBias), weights);
             })
        .def("predict_average", &predict_average<Tie>, nb::arg("features"), nb::arg("x"));
}

// (births, starts, indices, values): the round that made each voter, and its y x as a sparse row.
template <class Rule>
nb::tuple voters(Rule& rule) {
    Writing writing(rule.access);
    IeeeArithmetic ieee;
    rule.forget();
    const Voters& v = rule.voters;
    return nb::make_tuple(to_numpy(v.births), to_numpy(v.starts), to_numpy(v.indices),
                          to_numpy(v.values));
}

// The rounding errors of the base: (features, with −1 for the constant one; parts).
template <class Rule>
nb::tuple base_rest(Rule& rule) {
    Writing writing(rule.access);
    IeeeArithmetic ieee;
    rule.forget();
    std::vector<std::int64_t> features;
    std::vector<double> parts;
    rule.base.for_each_rest([&](Coordinate j, double part) {
        features.push_back(j);
        parts.push_back(part);
    });
    return nb::make_tuple(to_numpy(features), to_numpy(parts));
}

template <class Tie>
void bind_voted(nb::module_& m, const char* name) {
    using Rule = Voted<Tie>;
    bind_rule<Rule, std::size_t>(m, name)
        .def("base",
             [](Rule& rule) {
                 Writing writing(rule.access);
                 IeeeArithmetic ieee;
                 rule.forget();
                 return rounded(rule.base);
             })
        .def("base_rest", &base_rest<Rule>)
        .def("voters", &voters<Rule>)
        .def_ro("forgotten", &Rule::forgotten);
}

template <class Form>
void bind_minnow(nb::module_& m, const char* name) {
    using Rule = Minnow<Form>;
    bind_rule<Rule, double>(m, name).def("normalized", [](const Rule& rule) {
        Reading reading(rule.access);
        IeeeArithmetic ieee;
        return to_numpy(rule.normalized());
    });
}

// Counts round t as a mistake, now that another w is found; false if x is refused.
bool concede(FixedHalfspace& rule, const AnyBlock& block, Vector<Binary::Label> labels,
             std::size_t t, Tally& tally) {
    if (labels.size() <= t) throw nb::value_error("rounds inside the block");
    block.check(t, t + 1);
    Writing writing(rule.access), counting(tally.access);
    IeeeArithmetic ieee;
    const Conceding conceding(rule);
    const auto play_one = [&](const auto& form) {
        return play(rule, form, labels.data(), nullptr, t, t + 1, tally);
    };
    return std::visit(play_one, block.form) == t + 1;
}

void bind_fixed(nb::module_& m) {
    bind_rule<FixedHalfspace>(m, "FixedHalfspace")
        .def("concede", &concede, nb::arg("block"), nb::arg("labels").noconvert(), nb::arg("round"),
             nb::arg("tally"))
        .def("scores", &score_block, nb::arg("block"));
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
    bind_fixed(m);
    bind_rule<Multiclass>(m, "Multiclass")
        .def_ro("classes", &Multiclass::classes)
        .def("weights", &class_weights)
        .def("listed_weights", &listed_weights)
        .def_prop_ro("is_listed", [](const Multiclass& r) { return r.listed.has_value(); })
        .def("scores", &score_classes, nb::arg("block"));
    m.def(
        "list_weights_from",
        [](std::size_t weights, std::size_t columns) {
            const Listing before = listing();
            listing() = {weights, columns};
            return nb::make_tuple(before.weights, before.columns);
        },
        nb::arg("weights"), nb::arg("columns"),
        "List weights from so many weights and columns on; return the limits before.");
    bind_rule<AveragedClasses>(m, "AveragedClasses")
        .def_ro("classes", &AveragedClasses::classes)
        .def("weights", &average_class_weights)
        .def("listed_weights", &listed_averages)
        .def_prop_ro("is_listed", [](const AveragedClasses& r) { return r.listed.has_value(); })
        .def("predict_average", &predict_average_class, nb::arg("features"), nb::arg("x"));
}

}  // namespace novikoff
