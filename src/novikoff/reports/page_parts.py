"""The parts that sections of the page are made of: figures, lists of facts, terms."""

from collections.abc import Iterable, Mapping

from novikoff.reports.canvas import NARROW, WIDE, Drawing, inline
from novikoff.reports.page_words import text


def figure(draw: Drawing, name: str, described: str, caption: str, more: str = "") -> str:
    """Return a figure in its two forms, with what it shows in words."""
    pictures = "\n".join(inline(draw, form, name, described) for form in (WIDE, NARROW))
    return (
        f'<figure id="{name}">\n{pictures}\n<figcaption>{caption}</figcaption>\n{more}</figure>\n'
    )


def section(title: str, body: str) -> str:
    """Return a section with its heading."""
    return f"<section>\n<h2>{title}</h2>\n{body}</section>\n"


DIGEST = "<small>SHA-256 of the rows and labels</small>"


def fact_list(rows: Mapping[str, str]) -> str:
    """Return names and values, without those that have no value."""
    kept = ((name, value) for name, value in rows.items() if value)
    lines = "".join(f"<dt>{name}</dt><dd>{value}</dd>\n" for name, value in kept)
    return f'<dl class="facts">\n{lines}</dl>\n'


def table(head: Iterable[str], rows: Iterable[Iterable[str]], kind: str = "") -> str:
    """Return a table that scrolls sideways if it must; the first cell of a row is its name."""
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    lines = []
    for first, *rest in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in rest)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>\n')
    named = f' class="{kind}"' if kind else ""
    return (
        f'<div class="scroll"><table{named}><thead><tr>{heads}</tr></thead><tbody>\n'
        f"{''.join(lines)}</tbody></table></div>\n"
    )


def folded(summary: str, body: str) -> str:
    """Return what a reader may unfold."""
    return f"<details><summary>{summary}</summary>\n{body}</details>\n"


def terms(meanings: Mapping[str, str]) -> str:
    """Return what the words of a section mean, folded."""
    lines = "".join(f"<dt>{term}</dt><dd>{meaning}</dd>\n" for term, meaning in meanings.items())
    return folded("What the words mean", f'<dl class="terms">\n{lines}</dl>\n')


def own(value: object, limit: int) -> str:
    """Return the user's words, which may run in either direction."""
    return f"<bdi>{text(value, limit)}</bdi>"


def code(value: object, limit: int = 100) -> str:
    """Return a value as it is written in code."""
    return f"<code>{text(value, limit)}</code>"
