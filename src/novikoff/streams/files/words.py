"""Text as features."""

from dataclasses import dataclass

from novikoff import _core
from novikoff.errors import parameter
from novikoff.saving.contents import is_text


@dataclass(frozen=True)
class Words:
    """Says how text becomes features: words, runs of words and runs of characters, all counted.

    ``words`` is the longest run of words (0 for none), ``characters`` the shortest and the longest
    run of characters. ``presence`` counts everything once. Words are runs of letters and digits,
    with ASCII letters in lower case.

    >>> import novikoff as nv
    >>> nv.Words(2).features("Win, win now")
    {'win': 2.0, 'win win': 1.0, 'win now': 1.0, 'now': 1.0}
    """

    words: int = 1
    characters: tuple[int, int] | None = None
    presence: bool = False

    def __post_init__(self) -> None:
        if type(self.words) is not int or not 0 <= self.words <= 8:
            raise parameter("words", "a whole number from 0 to 8", self.words)
        runs = (0, 0) if self.characters is None else tuple(self.characters)
        whole = len(runs) == 2 and all(type(run) is int for run in runs)
        if self.characters is not None and not (whole and 1 <= runs[0] <= runs[1] <= 16):
            raise parameter("characters", "None or (from, to) within 1 to 16", self.characters)
        if not (self.words or self.characters):
            raise parameter("words", "at least 1 if there are no characters", self.words)
        if not isinstance(self.presence, bool):
            raise parameter("presence", "True or False", self.presence)
        object.__setattr__(self, "characters", None if self.characters is None else runs)

    def features(self, text: str) -> dict[str, float]:
        """Return the features of one text, as a file of texts has them: an x to learn or predict.

        Pass the options that the model learned with.
        """
        if not is_text(text):
            raise parameter("text", "one text", text, "Pass texts one at a time.")
        return self.parser().texts([text.encode()]).row(0)

    def parser(self) -> _core.Words:
        """Return the core's parser of such text."""
        first, last = self.characters or (0, 0)
        return _core.Words(self.words, first, last, self.presence)
