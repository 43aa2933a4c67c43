"""Numbers and arbitrary text, as a page can show them."""

import html
import math
import re
from decimal import ROUND_CEILING, Decimal

from novikoff.decimal_contexts import decimals, within

_NOISE = Decimal("1e-12")
_WIDE = decimals(400, ROUND_CEILING)
_JOINERS = "\u200c\u200d"  # not printable, and part of words and emoji


def text(value: object, limit: int = 60) -> str:
    """Return any value as HTML: escaped, without unprintable characters, not too long.

    >>> text("<b>ham & eggs\\x00"), text("long" * 9, limit=8)
    ('&lt;b&gt;ham &amp; eggs�', 'longlon…')
    """
    return html.escape(visible_text(value, limit))


def visible_text(value: object, limit: int = 60) -> str:
    """Return any value as text, not yet escaped: without unprintable characters, not too long."""
    whole = value if isinstance(value, str) else str(value)
    short = whole if len(whole) <= limit else whole[: limit - 1] + "…"
    return "".join(c if c.isprintable() or c in _JOINERS else "�" for c in short)


def formula(statement: str) -> str:
    """Return a theorem's statement as HTML, with its indices and powers.

    >>> formula("γ = min_t y_t w·x_t > 0, Σ_{t∈I} e^{−λ}")
    'γ = min<sub>t</sub> y<sub>t</sub> w·x<sub>t</sub> &gt; 0, Σ<sub>t∈I</sub> e<sup>−λ</sup>'
    """
    raised = r"\{([^{}]*)\}|\(([^()]*)\)"
    found = re.sub(r"_(?:\{([^{}]*)\}|([\w∞]))", r"<sub>\1\2</sub>", html.escape(statement))
    return re.sub(rf"\^(?:{raised})", r"<sup>\1\2</sup>", found)


def allowed(value: float, digits: int = 6) -> str:
    """Return a bound with this many digits, or all before the point; rounded upward, as bounds are.

    It ignores a float's last digits: 2 with a relative error of 1e-12 is 2.

    >>> allowed(485.12345), allowed(12561.2, digits=4), allowed(2.0000000000000004)
    ('485.124', '12,562', '2')
    """
    if not math.isfinite(value) or value == 0:
        return str(value).replace("inf", "∞").replace("0.0", "0")
    with within(_WIDE):
        exact = Decimal(value) * (1 - _NOISE)
    usual = 1e-6 <= abs(value) < 1e15
    kept = max(digits, exact.adjusted() + 1) if usual else digits
    with within(decimals(kept, ROUND_CEILING)):
        shown = format(+exact, ",f" if usual else "e")
    return shown.rstrip("0").rstrip(".") if usual and "." in shown else shown


def number(value: float, digits: int = 6) -> str:
    """Return a measure with this many digits."""
    return f"{value:,.{digits}g}".replace("-", "−")


def amount(value: float) -> str:
    """Return a sum with four digits, or all before the point.

    >>> amount(-14008.33), amount(74.3249), amount(0.0)
    ('−14,008', '74.32', '0')
    """
    return f"{value:,.0f}".replace("-", "−") if abs(value) >= 1000 else number(value, 4)


def percent(share: float) -> str:
    """Return a share with three digits.

    >>> percent(0.03219), percent(1.0), percent(0.0)
    ('3.22 %', '100 %', '0 %')
    """
    return f"{100 * share:.3g} %"


def percent_allowed(share: float) -> str:
    """Return a bound on a share with three digits, rounded upward.

    >>> percent_allowed(0.03511), percent_allowed(1.0)
    ('3.52 %', '100 %')
    """
    return f"{allowed(100 * share, 3)} %"


def count(value: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> count(1, "mistake"), count(12345, "mistake"), count(2, "pass", "passes")
    ('1 mistake', '12,345 mistakes', '2 passes')
    """
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def short(value: float) -> str:
    """Return a round number as an axis shows it.

    >>> [short(v) for v in (1, 500, -2000, 100_000, 10_000_000, 10**12)]
    ['1', '500', '−2k', '100k', '10M', '1T']
    """
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{name}".replace("-", "−")
    return f"{value:g}".replace("-", "−")
