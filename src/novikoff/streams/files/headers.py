"""Headers: what the features of a table are called, and which of its columns hold text."""

from dataclasses import asdict, dataclass
from typing import Any

from novikoff.errors import InputError, Phrase, argument
from novikoff.saving.contents import is_text, is_texts, optional


@dataclass(frozen=True)
class Table:
    """The columns of a CSV file that was learned from, by which others are read alike."""

    headed: bool
    """Whether their names are in the file; else they are their numbers, from 0 on."""
    columns: tuple[str, ...]
    """All of them, in their order."""
    features: tuple[str, ...]
    """Those that are features."""
    texts: tuple[str, ...]
    """Those that hold text."""
    label: str
    weight: str | None

    @property
    def state(self) -> dict[str, Any]:
        """Itself, as plain data."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()}

    def numbered(self, count: int, place: int, bare: bool, where: str) -> list[str]:
        """Return the columns of a file without a header, of which the label's may be at a place.

        Where a file may be bare, it may also lack the label, and with it the weight.
        """
        if self.headed:
            shown = ", ".join(map(repr, self.columns[:20]))
            raise InputError(
                f"{where}: expected a header with the columns learned from ({shown}), got a file "
                "without one. Name the label's column."
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
        """Refuse a file with other features; where they are named, their order is free."""
        if headed and not self.headed:
            raise InputError(
                f"{where}: expected a file without a header, as learned from, got one whose label "
                "has a name. Name the label's column by its number."
            )
        if not self.texts:
            check_columns(self.features, features, where)
            return
        known, found = set(self.features), set(features)
        missing = next((repr(name) for name in self.features if name not in found), None)
        extra = next((repr(name) for name in features if name not in known), None)
        if missing:
            got = extra or "none"
            raise InputError(
                f"{where}: expected column {missing}, as learned from, got {got}. Pass the same "
                "columns."
            )
        if extra:
            raise InputError(
                where=where,
                expected="the columns learned from",
                got=f"{extra} too",
                remedy=Phrase("Pass those, and leave out others with ", argument("ignore"), "."),
            )

    def check_texts(self, categorical: tuple[str, ...], where: str) -> None:
        """Refuse to take a column for text that was learned from as numbers."""
        for name in categorical:
            if name in self.features and name not in self.texts:
                raise InputError(
                    where=where,
                    expected=f"numbers in column {name!r}, as learned from",
                    got=Phrase("it named in ", argument("categorical")),
                    remedy="Leave it out.",
                )


def checked_table(state: Any) -> Table | None:
    """Return a table that was saved, or None where there is none."""
    if state is None:
        return None
    several = ("columns", "features", "texts")
    if not isinstance(state, dict) or state.keys() != Table.__annotations__.keys():
        raise ValueError("a table without its columns")
    sound = all(map(is_texts, (state[name] for name in several))) and is_text(state["label"])
    if not sound or not optional(is_text)(state["weight"]) or type(state["headed"]) is not bool:
        raise ValueError("names of columns that are not texts")
    columns, features, texts = (tuple(state[name]) for name in several)
    inside = {*texts} <= {*features} <= {*columns} - {state["label"], state["weight"]}
    if not inside or state["label"] not in columns or len({*columns}) < len(columns):
        raise ValueError("a table of other columns than its own")
    return Table(state["headed"], columns, features, texts, state["label"], state["weight"])


def checked_columns(names: Any) -> tuple[str, ...] | None:
    """Return the names of columns that were saved, or None where there are none."""
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names of columns that are not texts")
    return tuple(names)


def check_columns(expected: tuple[str, ...], found: tuple[str, ...], where: str) -> None:
    """Refuse a table whose features are others than those learned from, or in another order."""
    if found == expected:
        return
    pairs = zip(expected, found, strict=False)
    first = next((j for j, (mine, theirs) in enumerate(pairs) if mine != theirs), None)
    if first is None:
        first = min(len(expected), len(found))
    mine, theirs = (
        repr(names[first]) if first < len(names) else "none" for names in (expected, found)
    )
    raise InputError(
        where=where,
        expected=f"column {mine} as feature {first + 1} of {len(expected)}, as learned from",
        got=theirs,
        remedy=Phrase(
            "Put the columns in that order, or leave out others with ", argument("ignore"), "."
        ),
    )
