"""HTML tables: what our objects show in a notebook, in the notebook's own colours."""

from collections.abc import Iterable, Sequence

_LEFT = "text-align:left"


def fact_table(title: str, facts: Iterable[tuple[str, object]]) -> str:
    """Return a table with one fact per line: its name and its value.

    >>> fact_table("Run <1>", [("rounds", 1200)])[:52]
    '<table><caption style="text-align:left"><b>Run &lt;1'
    """
    return wide_table(title, (), facts)


def wide_table(title: str, heads: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return a table with a title, names of columns if there are any, and lines."""
    from html import escape  # only notebooks need it, and its table of names

    named = "".join(f'<th style="{_LEFT}">{escape(head)}</th>' for head in heads)
    cells = (
        "".join(f'<td style="{_LEFT}">{escape(shown(value))}</td>' for value in line)
        for line in lines
    )
    return (
        f'<table><caption style="{_LEFT}"><b>{escape(title)}</b></caption>'
        f"{f'<thead><tr>{named}</tr></thead>' if heads else ''}"
        f"<tbody>{''.join(f'<tr>{cell}</tr>' for cell in cells)}</tbody></table>"
    )


def shown(value: object) -> str:
    """Return a value for people: thousands apart, few digits, a dash for nothing.

    >>> [shown(value) for value in (12345, 0.123456, None, True, "spam")]
    ['12,345', '0.1235', '–', 'yes', 'spam']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.1f}"
    return "–" if value is None else str(value)
