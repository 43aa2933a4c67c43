"""Headers: what the features of a table are called, and which of its columns hold text."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from novikoff.errors import InputError, Named, ParameterError, Phrase, argument
from novikoff.saving.contents import check_known, is_text, is_texts, optional
from novikoff.streams.labels.declared import differing
from novikoff.streams.missing_values import REFUSE, Missing, is_missing_option

_NAMES_SHOWN = 10


class Table(NamedTuple):
    """The columns of a CSV file that a run learned from; later files are read by them."""

    headed: bool
    """Whether the file names them; else they are called by their numbers, from 0 on."""
    columns: tuple[str, ...]
    """All of them, in their order."""
    features: tuple[str, ...]
    """Those that are features."""
    texts: tuple[str, ...]
    """Those that hold text."""
    label: str
    weight: str | None
    missing: Missing = REFUSE
    """What a cell without a value is."""

    @property
    def named(self) -> bool:
        """Whether its features are named, not numbered."""
        return bool(self.texts) or self.missing == "feature"

    @property
    def state(self) -> dict[str, object]:
        """Itself, as plain data."""
        found = {n: list(v) if isinstance(v, tuple) else v for n, v in self._asdict().items()}
        if self.missing == REFUSE:
            del found["missing"]  # as older versions saved it, and as they can read it
        return found

    def numbered(self, count: int, place: int, bare: bool, where: str) -> list[str]:
        """Return the columns of a file without a header, with the label at ``place``.

        If the file may be ``bare``, it may lack the label, and then also the weight.
        """
        if self.headed:
            raise InputError(
                where=where,
                expected=f"a header with the columns learned from ({_shown([*self.columns])})",
                got="a file read without one, because the label's column has a number",
                remedy="Name the label's column; if the file has no header, write the names of "
                "its columns into a first line.",
            )
        rest = [name for name in self.columns if name != self.label]
        if count == len(self.columns) and -count <= place < count:
            rest.insert(place % count, self.label)
            return rest
        without = [name for name in rest if name != self.weight]
        if bare and count in (len(rest), len(without)):
            return rest if count == len(rest) else without
        may = f", or {len(rest)} without the label" if bare else ""
        raise InputError(
            f"{where}: expected {len(self.columns)} columns, as learned from{may}, got {count}. "
            "Pass the same columns."
        )

    def check(self, headed: bool, features: tuple[str, ...], where: str) -> None:
        """Refuse a file with other features; they may be in any order."""
        if headed and not self.headed:
            raise InputError(
                f"{where}: expected a file without a header, as learned from, got one whose label "
                "has a name. Name the label's column by its number."
            )
        check_names(self.features, features, where)

    def check_texts(self, categorical: tuple[str, ...], where: str) -> None:
        """Refuse to read a column as text if the run learned from it as numbers."""
        numbers = set(self.features) - set(self.texts)
        for name in categorical:
            if name in numbers:
                raise InputError(
                    where=where,
                    expected=f"numbers in column {name!r}, as learned from",
                    got=Phrase("it named in ", argument("categorical")),
                    remedy="Leave it out.",
                )


def checked_table(state: object) -> Table | None:
    """Return a table that was saved, or None."""
    if state is None:
        return None
    several = ("columns", "features", "texts")
    known = Table.__annotations__.keys()
    if not isinstance(state, dict) or not {"missing", *state} >= known:
        raise ValueError("a table without its columns")
    check_known("field", state, known)
    missing = state.get("missing", REFUSE)
    if not is_missing_option(missing):
        raise ValueError("missing values that are neither refused nor features nor 0")
    sound = all(map(is_texts, (state[name] for name in several))) and is_text(state["label"])
    if not sound or not optional(is_text)(state["weight"]) or type(state["headed"]) is not bool:
        raise ValueError("names of columns that are not texts")
    columns, features, texts = (tuple(state[name]) for name in several)
    inside = {*texts} <= {*features} <= {*columns} - {state["label"], state["weight"]}
    if not inside or state["label"] not in columns or len({*columns}) < len(columns):
        raise ValueError("a table whose columns contradict each other")
    label, weight = state["label"], state["weight"]
    return Table(state["headed"], columns, features, texts, label, weight, missing)


def checked_columns(names: object) -> tuple[str, ...] | None:
    """Return the names of columns that were saved, or None."""
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names of columns that are not texts")
    if len({*names}) < len(names):
        raise ValueError("a column twice")
    return tuple(names)


def check_names(expected: tuple[str, ...], found: tuple[str, ...], where: str) -> None:
    """Refuse a table that lacks columns learned from, or has others; they may be in any order."""
    known, here = set(expected), set(found)
    missing = [name for name in expected if name not in here]
    extra = [name for name in found if name not in known]
    if missing:
        columns = "column" if len(missing) == 1 else "columns"
        got = _shown(extra) if extra else "none"
        raise InputError(
            f"{where}: expected {columns} {_shown(missing)}, as learned from, got {got}. Pass the "
            "same columns."
        )
    if extra:
        raise InputError(
            where=where,
            expected="the columns learned from",
            got=f"{_shown(extra)} too",
            remedy=Phrase("Pass those, and leave out others with ", argument("ignore"), "."),
        )


def unknown_column(
    option: str, got: object, columns: Sequence[str], where: str, remedy: str = ""
) -> ParameterError:
    """Return the error about a column that a table does not have, with one of a like name."""
    told = differing(got, columns)
    near = None if told else like(got, columns)
    meant: str = f"Did you mean {near!r}?" if near is not None else ""
    several = [name.strip() for name in got.split(",")] if isinstance(got, str) else []
    if option == "ignore" and len(several) > 1 and {*several} <= {*columns}:
        each = Named("each_ignore", f"ignore={several!r}")
        meant = Phrase("Name each column by itself: ", each, ".")
    return ParameterError(
        where=option,
        expected=f"a column of {where} ({_shown([*columns])})",
        got=f"{got!r}{told}",
        remedy=meant or remedy,
    )


def without_header(learned: Sequence[str], got: Sequence[str], where: str) -> InputError:
    """Return the error about a file without the header that the one learned from had."""
    return InputError(
        where=where,
        expected=f"a header with the columns learned from ({_shown([*learned])})",
        got=f"a file that begins with values ({_shown([*got])})",
        remedy="Write the names of its columns into a first line.",
    )


def like(name: object, names: Iterable[str]) -> str | None:
    """Return the one of these names that somebody may have meant.

    >>> like("incom", ["age", "income"]), like("Age", ["age", "income"]), like("x", ["age"])
    ('income', 'age', None)
    """
    if not isinstance(name, str):
        return None
    from difflib import get_close_matches  # only after a mistake

    by_case = {one.casefold(): one for one in names if isinstance(one, str)}
    found = get_close_matches(name.casefold(), by_case, 1, cutoff=0.75)
    return by_case[found[0]] if found else None


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:_NAMES_SHOWN])) + more


def numbers_of(
    learned: tuple[str, ...], columns: Iterable[str], features: tuple[str, ...]
) -> list[int]:
    """Return the feature's number of every column, by its name; [] if the order is the same.

    A column that is not a feature gets 0, which nobody asks for.
    """
    if features == learned:
        return []
    place = {name: j for j, name in enumerate(learned)}
    return [place.get(name, 0) for name in columns]


def check_columns(expected: tuple[str, ...], found: tuple[str, ...], where: str) -> None:
    """Refuse rounds whose numbered features have other names, or the same in another order."""
    if found == expected:
        return
    check_names(expected, found, where)
    first = next(j for j, name in enumerate(expected) if name != found[j])
    raise InputError(
        f"{where}: expected column {expected[first]!r} as feature {first + 1} of {len(expected)}, "
        f"as learned from, got {found[first]!r}. Put the columns in that order."
    )
