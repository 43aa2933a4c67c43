"""Headers: what the features of a table are called, and which of its columns hold text."""

from dataclasses import asdict, dataclass

from novikoff.errors import InputError, Phrase, argument
from novikoff.saving.contents import is_text, is_texts, optional


@dataclass(frozen=True)
class Table:
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

    @property
    def state(self) -> dict[str, object]:
        """Itself, as plain data."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()}

    def numbered(self, count: int, place: int, bare: bool, where: str) -> list[str]:
        """Return the columns of a file without a header, with the label at ``place``.

        If the file may be ``bare``, it may lack the label, and then also the weight.
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
        """Refuse a file with other features; if they are named, they may be in any order."""
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
        """Refuse to read a column as text if the run learned from it as numbers."""
        for name in categorical:
            if name in self.features and name not in self.texts:
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
    if not isinstance(state, dict) or state.keys() != Table.__annotations__.keys():
        raise ValueError("a table without its columns")
    sound = all(map(is_texts, (state[name] for name in several))) and is_text(state["label"])
    if not sound or not optional(is_text)(state["weight"]) or type(state["headed"]) is not bool:
        raise ValueError("names of columns that are not texts")
    columns, features, texts = (tuple(state[name]) for name in several)
    inside = {*texts} <= {*features} <= {*columns} - {state["label"], state["weight"]}
    if not inside or state["label"] not in columns or len({*columns}) < len(columns):
        raise ValueError("a table whose columns contradict each other")
    return Table(state["headed"], columns, features, texts, state["label"], state["weight"])


def checked_columns(names: object) -> tuple[str, ...] | None:
    """Return the names of columns that were saved, or None."""
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names of columns that are not texts")
    return tuple(names)


def check_columns(expected: tuple[str, ...], found: tuple[str, ...], where: str) -> None:
    """Refuse a table whose features, or their order, differ from those learned from."""
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
