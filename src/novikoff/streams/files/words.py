"""Text as features."""

from novikoff import _core
from novikoff.errors import parameter
from novikoff.quick_records import record
from novikoff.saving.contents import is_text


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
        if not is_text(text):
            raise parameter("text", "one text", text, "Pass texts one at a time.")
        return self.parser().texts([text.encode()]).row(0)

    def parser(self) -> _core.Words:
        """Return the core's parser of such text."""
        first, last = self.characters or (0, 0)
        return _core.Words(self.words, first, last, self.presence)
