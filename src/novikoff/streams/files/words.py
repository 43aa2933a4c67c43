"""Text as features."""

from collections.abc import Mapping

from novikoff import _core
from novikoff.errors import InputError, parameter
from novikoff.quick_records import record
from novikoff.saving.contents import is_text
from novikoff.types import Plain


@record(frozen=True, init=False)
class Words:
    """Says how text becomes features: words, runs of words and runs of characters, all counted.

    ``words`` is the longest run of words (0 for none), ``characters`` the shortest and the longest
    run of characters. ``presence`` counts everything once. Words are runs of letters and digits,
    with ASCII letters in lower case.

    >>> import novikoff as nv
    >>> nv.Words(2).features("Win, win now")
    {'win': 2.0, 'win win': 1.0, 'win now': 1.0, 'now': 1.0}
    """

    words: int
    characters: tuple[int, int] | None
    presence: bool

    def __init__(
        self, words: int = 1, characters: tuple[int, int] | None = None, presence: bool = False
    ) -> None:
        if type(words) is not int or not 0 <= words <= 8:
            raise parameter("words", "a whole number from 0 to 8", words)
        runs = (0, 0) if characters is None else tuple(characters)
        whole = len(runs) == 2 and all(type(run) is int for run in runs)
        if characters is not None and not (whole and 1 <= runs[0] <= runs[1] <= 16):
            raise parameter("characters", "None or (from, to) within 1 to 16", characters)
        if not (words or characters):
            raise parameter("words", "at least 1 if there are no characters", words)
        if not isinstance(presence, bool):
            raise parameter("presence", "True or False", presence)
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "characters", None if characters is None else runs)
        object.__setattr__(self, "presence", presence)

    def features(self, text: str) -> dict[str, float]:
        """Return the features of one text, as a file of texts has them: an x to learn or predict.

        Pass the options that the model learned with.
        """
        if not isinstance(text, str):
            raise parameter("text", "one text", text, "Pass texts one at a time.")
        if not is_text(text):
            holds = "text that UTF-8 can hold, and not half a surrogate pair"
            raise parameter("text", holds, text, "Leave it out: text.encode(errors='ignore').")
        return self.parser().texts([text.encode()]).row(0)

    @property
    def kinds(self) -> int:
        """How many kinds of runs it counts; a text has at most as many of each as characters."""
        first, last = self.characters or (1, 0)
        return self.words + last - first + 1

    def parser(self, with_empty: bool = False) -> _core.Words:
        """Return the core's parser of such text, to which empty lines may be texts, too."""
        first, last = self.characters or (0, 0)
        return _core.Words(self.words, first, last, self.presence, with_empty)


@record(frozen=True, kw_only=True)
class Texts:
    """How the texts that a run learned from became rows, so that others become rows likewise."""

    words: Words
    member: str | None = None
    """The member of each JSON object that held the text; None if each line was one."""

    @property
    def name(self) -> str:
        """The name under which a mapping holds the text."""
        return self.member or "text"

    def row(self, x: object) -> object:
        """Return the words of a text, or of a mapping that holds one; any other x as it is."""
        if isinstance(x, str):
            return self.words.features(x)
        return self.features(x) if isinstance(x, Mapping) else x

    def features(self, x: Mapping[str, object]) -> dict[str, object]:
        """Return the words of the text that a mapping holds; words and their counts as they are.

        Several words as the value of another name are refused: they would be one category.
        """
        name = self.name
        if isinstance(text := x.get(name), str):
            return {**self.words.features(text)}
        for other, value in x.items():
            if isinstance(value, str) and len(value.split()) > 1:
                raise InputError(
                    f"x: expected a text, {{{name!r}: TEXT}}, or words with their counts, got "
                    f"{value!r:.60} for {other!r}. The run has learned from words: pass the text "
                    "itself."
                )
        return x if isinstance(x, dict) else dict(x)

    def rows(self, X: object) -> object:
        """Return the rows of many texts, or of mappings that hold them; anything else as it is."""
        if isinstance(X, str):
            raise InputError(
                f"X: expected many texts, got one, {X!r:.60}. Put it into a list, or predict it "
                "with run.predict_one or run.probability."
            )
        column = getattr(X, "ndim", None) == 1 and hasattr(X, "tolist")  # of an array or a frame
        listed = X.tolist() if column else X  # type: ignore[attr-defined]
        if not (isinstance(listed, (list, tuple)) and listed and _holds_text(listed[0])):
            return X
        for number, x in enumerate(listed, 1):
            if not _holds_text(x):
                raise InputError(
                    f"row {number}: expected a text or a dict, as in row 1, got {x!r:.60} "
                    f"({type(x).__name__}). Leave the row out, or pass an empty text."
                )
        return [self.row(x) for x in listed]

    @property
    def plain(self) -> dict[str, Plain]:
        """The same as a saved run says it: how its files were read."""
        runs = self.words.characters
        return {
            "format": "text" if self.member is None else "jsonl",
            "label": None,
            "text": self.member,
            "words": self.words.words,
            "characters": None if runs is None else f"{runs[0]}-{runs[1]}",
            "presence": self.words.presence,
        }


def _holds_text(x: object) -> bool:
    return isinstance(x, (str, Mapping))


def texts_of(reading: Mapping[str, object] | None) -> Texts | None:
    """Return how a run's texts became rows, from what it says about its files; None if none did."""
    if reading is None:
        return None
    member, words = reading.get("text"), reading.get("words")
    if reading["format"] != "text" and member is None:
        return None
    words = 1 if words is None else words
    return Texts(
        words=Words(
            words if isinstance(words, int) else 1,
            _runs_of(reading.get("characters")),
            bool(reading.get("presence")),
        ),
        member=member if isinstance(member, str) else None,
    )


def _runs_of(text: object) -> tuple[int, int] | None:
    """Return the runs of characters that a text such as 2-4 or 3 names."""
    if text is None:
        return None
    first, dash, last = str(text).partition("-")
    runs = (first, last if dash else first)
    if not all(run.isascii() and run.isdecimal() and len(run) <= 2 for run in runs):
        raise parameter("characters", "one number or two, as in 2-4", text)
    return int(runs[0]), int(runs[1])
