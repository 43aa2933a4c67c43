"""Chains: sentences with a tag for every position."""

import keyword
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, Self

from novikoff import _core
from novikoff.errors import InputError, Phrase, argument, parameter
from novikoff.saving.contents import is_text
from novikoff.structures.templates import TEMPLATES

Function = Callable[[Any, int], Iterable[str]]
"""The features of a position, given the user's sentence and the position."""


class Chains:
    """Sequences to tag: x is a sentence, y has a tag for each of its positions.

    Φ(x, y) counts every (feature, tag) of a position and every (tag before, tag); the start is a
    tag of its own. ``templates`` says which features a position has: the name of a ready-made set
    ("tagging", "chunking", "chunking-window" or "entities"), a text in the language of templates
    (``docs/structured.md``) with the names of a token's ``columns`` (``w`` if a token is a word), a
    function of (sentence, i) that returns texts, or None if positions are already lists of
    features. ``tags`` are the allowed tags; None allows any.

    >>> import novikoff as nv
    >>> problem = nv.Chains("w[0] suf3[0] w[-1]")
    >>> run = nv.play(nv.StructuredPerceptron(problem), [(["they", "run"], ["PRON", "VERB"])] * 2)
    >>> run.mistakes, run.hypothesis()(["they", "jump"])
    (1, ['PRON', 'VERB'])
    """

    def __init__(
        self,
        templates: str | Function | None = None,
        columns: str | Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
    ) -> None:
        self.templates = templates
        self.function = templates if callable(templates) else None
        self.tags = None if tags is None else _checked_tags(tags)
        text, named = "", ""
        if is_text(templates):
            text, named = TEMPLATES.get(templates, (templates, "w"))
        elif templates is not None and self.function is None:
            raise parameter("templates", "a text, a function or None", ascii(templates))
        if columns is not None and not text:
            raise parameter("columns", "None without templates of text", columns)
        self.columns = _checked_columns(named if columns is None else columns)
        if text and not self.columns:
            raise parameter("columns", "at least one name", columns)
        self._text = text
        self.names()  # complains about invalid templates

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.arguments.items() if value is not None]
        return f"Chains({', '.join(given)})"

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments that make a problem like this one; a function stays a function."""
        own = list(self.columns) if isinstance(self.templates, str) else None
        tags = None if self.tags is None else list(self.tags)
        return {"templates": self.templates, "columns": own, "tags": tags}

    def names(self) -> _core.ChainNames:
        """Return an empty dictionary of features and tags, with only the allowed tags in it."""
        columns = list(self.columns)
        try:
            return _core.ChainNames(self._text, columns, list(self.tags or ()), self.tags is None)
        except ValueError as error:
            about = "lower shape digit hyphen upper title pre1…pre9 suf1…suf9"
            raise parameter(
                "templates",
                f"atoms name[offset] with a name among {' '.join(columns)} {about}, or always",
                str(error),
                f"A set is one of {', '.join(TEMPLATES)}.",
            ) from None

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the problem that ``arguments`` describes."""
        return cls(**arguments)

    def read(self, rows: list[Any], start: int, stop: int) -> list[Any]:
        """Return sentences as the core reads them."""
        if self.function is None:
            return rows[start:stop]
        return [self._applied(self.function, rows[t]) for t in range(start, stop)]

    @staticmethod
    def _applied(function: Function, sentence: object) -> list[object] | None:
        if not isinstance(sentence, Sized):
            return None
        return [_listed(function(sentence, i)) for i in range(len(sentence))]

    def fault(self, x: object, y: object, judged: bool = True) -> str:
        """Say why a sentence or its tags are refused."""
        if not isinstance(x, (list, tuple)) and self.function is None:
            return _said("a sentence, a list of positions", type(x).__name__, "Split it in words")
        read = self.read([x], 0, 1)[0]
        for i, position in enumerate(read or (), 1):
            if fault := self._position_fault(position):
                return f"position {i}: {fault}"
        if not judged or not isinstance(x, Sized):
            return _said("a sentence", repr(x)[:40], "Pass a list")
        return self._output_fault(x, y)

    def _position_fault(self, position: object) -> str | None:
        cells = [position] if isinstance(position, str) and self.columns else position
        if not isinstance(cells, (list, tuple)):
            wanted = "a word" if self.columns else "a list of features"
            return _said(wanted, repr(position)[:40], "Pass texts")
        if self.columns and len(cells) != len(self.columns):
            wanted = f"{len(self.columns)} columns ({' '.join(self.columns)})"
            return _said(wanted, len(cells), "Give every token its columns")
        for cell in cells:
            if not isinstance(cell, str):
                return _said("texts", repr(cell)[:40], "Write features as texts")
            if not is_text(cell):
                return _said("text that UTF-8 can hold", ascii(cell)[:40], "Mend the encoding")
        return None

    def _output_fault(self, x: Sized, y: object) -> str:
        if not isinstance(y, (list, tuple)):
            return _said("a list of tags", type(y).__name__, "Pass a tag for each position")
        if len(y) != len(x):
            return _said(f"{len(x)} tags, one per position", len(y), "Pass a tag for each position")
        for i, tag in enumerate(y, 1):
            if not is_text(tag):
                return _said(f"a text as tag {i}", ascii(tag)[:40], "Name tags by texts")
            if self.tags is not None and tag not in self.tags:
                known = " ".join(self.tags[:30])
                advice = Phrase("Allow it with ", argument("tags"), ", or leave tags out")
                return _said(f"tag {i} among {known}", repr(tag), advice)
        return _said("a sentence that fits 32 bits", "a longer one", "Split it")


def _listed(features: object) -> object:
    """Return features as a list; anything else, such as a single text, will be refused."""
    if isinstance(features, Iterable) and not isinstance(features, (str, bytes)):
        return list(features)
    return features


def _said(expected: str, got: object, remedy: str) -> str:
    return Phrase(f"expected {expected}, got {got}. ", remedy, ".")


def _checked_tags(tags: object) -> tuple[str, ...]:
    found = tuple(tags) if isinstance(tags, Iterable) and not isinstance(tags, str) else ()
    sound = all(map(is_text, found))
    if not found or not sound or len(set(found)) < len(found):
        raise parameter("tags", "None or texts, each once", tags)
    return found


def _checked_columns(columns: object) -> tuple[str, ...]:
    if not isinstance(columns, Iterable):
        raise parameter("columns", "names, each once, such as 'w p'", columns)
    found = tuple(columns.split()) if isinstance(columns, str) else tuple(columns)
    sound = all(isinstance(c, str) and c.isidentifier() and not keyword.iskeyword(c) for c in found)
    if not sound or len(set(found)) < len(found):
        raise parameter("columns", "names, each once, such as 'w p'", columns)
    return found


def checked_sentences(X: object) -> list[Any]:
    """Return many sentences as a list."""
    if isinstance(X, list):
        return X
    if isinstance(X, Iterable) and not isinstance(X, (str, bytes, dict)):
        return list(X)
    raise InputError(
        f"X: expected sentences, got {type(X).__name__}. Put a single one in a list, or call h(x)."
    )
