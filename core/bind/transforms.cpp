// The transforms of a model as Python holds them.
#include "passage.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../numbers/arithmetic.hpp"
#include "blocks.hpp"
#include "guards.hpp"
#include "saved_state.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

// Made rows, one after another.
struct MadeRows {
    std::vector<std::int64_t> starts{0}, indices;
    std::vector<double> values;

    void add(std::vector<Value> made) {
        std::sort(made.begin(), made.end(),
                  [](const Value& a, const Value& b) { return a.id < b.id; });
        for (const Value& v : made) {
            if (v.x == 0) continue;
            indices.push_back(v.id);
            values.push_back(v.x);
        }
        starts.push_back(static_cast<std::int64_t>(indices.size()));
    }

    nb::tuple arrays() const {
        return nb::make_tuple(to_numpy(starts), to_numpy(indices), to_numpy(values));
    }
};

// Makes rows [0, rows) of a block up to the first that is refused. `take(made)` may adopt them.
template <class Take>
MadeRows made_rows(const Transforms& transforms, const AnyBlock& block, Take&& take) {
    IeeeArithmetic ieee;
    const RawGroups groups(transforms, nullptr);
    MadeRows found;
    MadeRow made;
    std::visit(
        [&](const auto& form) {
            Gate<typename std::decay_t<decltype(form)>::Row> gate(form.columns);
            for (std::size_t t = 0; t < form.rows; ++t) {
                auto x = form.row(t, 0);
                if (!gate.sound_indices(x) || !sound_values(x, measure(x))) return;
                if (!transforms.make(x, made, groups)) return;
                found.add(made.values);
                take(made);
            }
        },
        block.form);
    return found;
}

nb::tuple made(const Transforms& transforms, const AnyBlock& block) {
    Reading reading(transforms.access);
    block.check(0, block.rows());
    MadeRows found;
    {
        const Unlocked unlocked;
        found = made_rows(transforms, block, [](const MadeRow&) {});
    }
    return found.arrays();
}

nb::tuple learned(Transforms& transforms, const AnyBlock& block) {
    Writing writing(transforms.access);
    block.check(0, block.rows());
    MadeRows found;
    {
        const Unlocked unlocked;
        found = made_rows(transforms, block, [&](const MadeRow& row) { transforms.adopt(row); });
        transforms.widen(block.columns());
    }
    return found.arrays();
}

// The rows of dicts, whose names stay as they are.
nb::tuple made_named(const Transforms& transforms, Features& features, nb::list rows) {
    Reading reading(transforms.access);
    IeeeArithmetic ieee;
    const RawGroups groups(transforms, &features);
    MadeRows found;
    MadeRow made;
    for (nb::handle x : rows) {
        if (!PyDict_Check(x.ptr())) break;
        const auto row = features.read(x.ptr(), 0);
        if (!row || !transforms.make(*row, made, groups)) break;
        found.add(made.values);
    }
    return found.arrays();
}

// The same for names that have numbers, whose rounds are learned.
nb::tuple learned_named(Transforms& transforms, Features& features, nb::list rows) {
    Writing writing(transforms.access);
    IeeeArithmetic ieee;
    const RawGroups groups(transforms, &features);
    MadeRows found;
    MadeRow made;
    for (nb::handle x : rows) {
        if (!PyDict_Check(x.ptr())) break;
        const auto row = features.read(x.ptr(), 0);
        if (!row || !transforms.make(*row, made, groups)) break;
        features.adopt();
        found.add(made.values);
        transforms.adopt(made);
        transforms.widen(features.size());
    }
    return found.arrays();
}

int add_group(Transforms& transforms, std::string name,
              std::vector<std::pair<std::int64_t, std::int64_t>> ranges) {
    if (transforms.groups.size() >= 31) throw nb::value_error("at most 31 groups of features");
    transforms.groups.push_back({std::move(ranges), std::move(name), false});
    return static_cast<int>(transforms.groups.size()) - 1;
}

void add_cross(Transforms& transforms, std::vector<std::pair<int, int>> pairs, int bits) {
    if (bits < 0 || bits > 30) throw nb::value_error("bits from 1 to 30");
    const auto known = static_cast<int>(transforms.groups.size());
    for (const auto& [a, b] : pairs)
        if (a < 0 || b < 0 || a >= known || b >= known) throw nb::value_error("groups");
    transforms.steps.emplace_back(Cross{std::move(pairs), bits});
}

// (first raw feature, second raw feature) of each made feature: a raw feature has −1 as its second,
// a hashed pair is (place, −2).
nb::tuple origins(const Transforms& transforms) {
    Reading reading(transforms.access);
    std::vector<std::int64_t> first, second;
    for (const std::uint64_t key : transforms.keys()) {
        const bool raw = key & kRawKey, place = key & kPlaceKey;
        const auto low = static_cast<std::int64_t>(key & 0xffffffff);
        first.push_back(raw || place ? low : static_cast<std::int64_t>(key >> 32));
        second.push_back(raw ? -1 : place ? -2 : low);
    }
    return nb::make_tuple(to_numpy(first), to_numpy(second));
}

// Which of these names are in a group?
std::vector<std::int64_t> members(const Transforms& transforms, const Features& features,
                                  std::size_t group) {
    Reading reading(transforms.access);
    if (group >= transforms.groups.size()) throw nb::value_error("a group");
    std::vector<std::int64_t> found;
    for (std::size_t id = 0; id < features.size(); ++id)
        if (transforms.groups[group].has(features.text(id)))
            found.push_back(static_cast<std::int64_t>(id));
    return found;
}

nb::dict state(const Transforms& transforms) {
    Reading reading(transforms.access);
    DictWriter written;
    transforms.state(written);
    return written.dict;
}

void restore(Transforms& transforms, nb::dict saved) {
    Writing writing(transforms.access);
    NameCollector known;
    transforms.state(known);
    transforms.restore(DictReader(saved, known.names));
}

}  // namespace

void bind_transforms(nb::module_& m) {
    nb::class_<Transforms>(m, "Transforms", "The transforms of a model, with their state.")
        .def(nb::init<>())
        .def("add_scale", [](Transforms& t) { t.steps.emplace_back(Scale{}); })
        .def("add_normalize", [](Transforms& t) { t.steps.emplace_back(Normalize{}); })
        .def("add_presence", [](Transforms& t) { t.steps.emplace_back(Presence{}); })
        .def("add_group", &add_group, nb::arg("name"), nb::arg("ranges"))
        .def("add_cross", &add_cross, nb::arg("pairs"), nb::arg("bits"))
        .def("place", &Transforms::place, nb::arg("group"), nb::arg("ranges"))
        .def_prop_ro("placed", &Transforms::placed)
        .def(
            "ranges",
            [](const Transforms& t, std::size_t group) { return t.groups.at(group).ranges; },
            nb::arg("group"))
        .def_prop_ro("crosses", &Transforms::crosses)
        .def_prop_ro("columns", [](const Transforms& t) { return t.columns(); })
        .def_prop_ro("raw_columns", &Transforms::raw_columns)
        .def_prop_ro("bytes", &Transforms::bytes)
        .def("widen", &Transforms::widen, nb::arg("columns"))
        .def("origins", &origins)
        .def("members", &members, nb::arg("features"), nb::arg("group"))
        .def("made", &made, nb::arg("block"),
             "(starts, indices, values) of the rows before the first refused; changes nothing.")
        .def("learned", &learned, nb::arg("block"), "The same, and learn from each row.")
        .def("made_named", &made_named, nb::arg("features"), nb::arg("rows"))
        .def("learned_named", &learned_named, nb::arg("features"), nb::arg("rows"))
        .def("state", &state)
        .def("restore", &restore, nb::arg("state"), "Take over what state() returned.");
}

}  // namespace novikoff
