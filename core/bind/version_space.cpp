#include "../learners/finite/version_space.hpp"

#include "blocks.hpp"
#include "guards.hpp"
#include "unlocked.hpp"

namespace novikoff {
namespace {

constexpr std::size_t kLarge = 1 << 20;  // with this many hypotheses, it frees the interpreter lock

// A version space with the columns it still needs, kept alive.
using Column = Vector<std::uint64_t>;

struct HeldSpace {
    VersionSpace space;
    Column counted, pending;
    Access access;

    explicit HeldSpace(std::size_t size) : space(size) {
        if (size == 0) throw nb::value_error("at least one hypothesis");
    }
};

std::uint64_t positives(HeldSpace& held, Column column) {
    if (column.size() != held.space.words()) throw nb::value_error("a bit for every hypothesis");
    Writing writing(held.access);
    if (held.space.has_counted(column.data())) return held.space.positives(column.data());
    std::uint64_t found;
    if (held.space.size() >= kLarge) {
        const Unlocked unlocked;
        found = held.space.positives(column.data());
    } else {
        found = held.space.positives(column.data());
    }
    held.counted = column;
    held.pending = Column();
    return found;
}

void prune(HeldSpace& held, Column column, bool positive) {
    positives(held, column);
    Writing writing(held.access);
    held.space.prune(column.data(), positive);
    held.pending = held.counted;
}

std::size_t first(HeldSpace& held) {
    Writing writing(held.access);
    held.space.settle();
    return held.space.first();
}

NewVector<std::uint64_t> words(HeldSpace& held) {
    Writing writing(held.access);
    held.space.settle();
    return to_numpy(held.space.settled());
}

void restore(HeldSpace& held, Column words) {
    Writing writing(held.access);
    if (words.size() != held.space.words() || !held.space.restore(words.data()))
        throw nb::value_error("a bit for every hypothesis");
    held.counted = held.pending = Column();
}

void reset(HeldSpace& held) {
    Writing writing(held.access);
    held.space.reset();
    held.counted = held.pending = Column();
}

}  // namespace

void bind_version_space(nb::module_& m) {
    nb::class_<HeldSpace>(m, "VersionSpace")
        .def(nb::init<std::size_t>(), nb::arg("size"))
        .def("positives", &positives, nb::arg("column").noconvert(),
             "How many of V are +1 in a column, one bit a hypothesis.")
        .def("prune", &prune, nb::arg("column").noconvert(), nb::arg("positive"),
             "Keep those of V that have this sign in a column.")
        .def("first", &first, "The first of V; the size of the class if there is none.")
        .def("words", &words, "V, one bit a hypothesis.")
        .def("restore", &restore, nb::arg("words").noconvert())
        .def("reset", &reset, "All hypotheses are consistent again.")
        .def_prop_ro("count", [](const HeldSpace& held) {
            Reading reading(held.access);
            return held.space.count();
        });
}

}  // namespace novikoff
