"""Pages of reports, parsed: every element closed where it should be, and what a reader sees."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nv

VOID = {"meta", "br"}


class Outline(HTMLParser):
    """The elements of a page, each closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown.append(data)

    @property
    def text(self) -> str:
        """What a reader sees."""
        return " ".join(" ".join(self.shown).split())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every element of this name."""
        return [attributes for tag, attributes in self.found if tag == name]


def noisy(rounds: int = 400, d: int = 5) -> Any:
    """Return a stream that no weights separate."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rounds, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(rounds) >= 0, "spam", "ham")
    return nv.stream(X, y, positive="spam")


def page_of(path: Path, run: nv.Run, **more: Any) -> tuple[str, Outline]:
    """Return the page of a run, and its outline."""
    nv.report(run, path / "report.html", **more)
    page = (path / "report.html").read_text(encoding="utf-8")
    return page, Outline(page)
