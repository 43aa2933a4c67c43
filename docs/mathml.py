"""MathML from formulas in plain text, as our docstrings and statements write them.

``R²‖w‖²/γ²`` and ``√(Σ_{s<t} (g_s x_{s,i})² + m²)`` are read by a small recursive descent. A space
ends a numerator or a denominator, ``*`` after a letter is a star, and words are set upright. The
argument of ``min_t`` or ``max_t`` is everything up to the next space, a whole fraction included.
"""

import re
from html import escape

RELATIONS = "=≤≥<>≠∈∝→≈⊆"
SIGNS = "+−±×:;,"
FENCES = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉", "|": "|", "‖": "‖"}
FUNCTIONS = {"ln", "lg", "exp", "max", "min", "cosh", "det"}
WORDS = {"Ldim", "Bin"}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀ", "0123456789−+nT", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉∞", "0123456789∞", strict=True))
_TAGS = {"number": "mn", "letter": "mi", "word": 'mi mathvariant="normal"'}
_BIG = {"Σ": "∑", "Π": "∏"}
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:[.,]\d+)*…?|[½¼¾⅓⅔])|(?P<dots>…|\.\.)"
    rf"|(?P<word>{'|'.join(sorted(FUNCTIONS | WORDS))}|[a-z]{{3,}}(?![\u0302\u0304]))"
    r"|(?P<letter>[^\W\d_ΣΠ][\u0302\u0304]?)|(?P<other>.)"
)


def split(formula: str) -> list[tuple[str, str]]:
    """Return (kind, text) of the tokens of a formula."""
    return [(str(m.lastgroup), m.group()) for m in _TOKEN.finditer(formula)]


def pieces(formula: str) -> list[str]:
    """Cut a formula where a line may break: before a relation, + or − outside all brackets."""
    found, depth, open_bars = [""], 0, set[str]()
    for kind, text in split(formula):
        if text in open_bars:
            open_bars.discard(text)
        elif text in "|‖":
            open_bars.add(text)
        depth += (text in "([{⌊⌈") - (text in ")]}⌋⌉")
        spaced = kind == "other" and found[-1].endswith(" ")
        if depth == 0 and not open_bars and spaced and text in RELATIONS + "+−":
            found.append("")
        found[-1] += text
    return [piece.strip() for piece in found if piece.strip()]


def mathml(formula: str, display: bool = False) -> str:
    """Return the formula as MathML, one element for each piece, so that lines can break."""
    style = ' displaystyle="true"' if display else ""
    rows = [_Parser(piece).row() for piece in pieces(formula)]
    rows[1:] = [re.sub('^<mo(?: form="prefix")?>', '<mo form="infix">', row) for row in rows[1:]]
    return "<wbr>".join(f"<math{style}>{row}</math>" for row in rows)


class _Parser:
    """Reads one formula from left to right."""

    def __init__(self, formula: str) -> None:
        self.tokens, self.at = split(formula), 0

    @property
    def next(self) -> str:
        """Return the text of the next token, or nothing at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def row(self, close: str = "") -> str:
        """Return everything up to the closing bracket, or to the end."""
        found: list[str] = []
        while self.next and self.next != close:
            if self.kind == "space":
                self.take()
            elif self.next in RELATIONS + SIGNS or self.next in ")]}⌋⌉/":
                found.append(_sign(self.take(), prefix=not found or found[-1].startswith("<mo")))
            else:
                found.append(self.run())
        return "".join(found)

    def run(self) -> str:
        """Return factors without a space between them, with their fraction if there is one."""
        parts = [self.factor()]
        while self.next and self.kind != "space" and self.next not in RELATIONS + SIGNS + ")]}⌋⌉":
            if self.next == "/":
                self.take()
                parts = [f"<mfrac>{_one(parts)}{_one(self.denominator())}</mfrac>"]
            elif self.next in "|‖" and self.closes():
                break
            else:
                parts.append(self.factor())
        return "".join(_bare(part) for part in parts)

    def denominator(self) -> list[str]:
        """Return factors up to a space, a sign or a point."""
        parts = [_sign(self.take(), prefix=True)] if self.next == "−" else []
        parts.append(self.factor())
        while self.next and self.kind != "space" and self.next not in RELATIONS + SIGNS + ")]}⌋⌉/·":
            if self.next in "|‖" and self.closes():
                break
            parts.append(self.factor())
        return parts

    def closes(self) -> bool:
        """Whether the bar that comes next closes one that was opened before."""
        return sum(text == self.next for _, text in self.tokens[: self.at]) % 2 == 1

    def factor(self) -> str:
        """Return one letter, number, bracket or root, with what stands above and below it."""
        if self.next == "√":
            self.take()
            return f"<msqrt>{_inside(self.factor())}</msqrt>"
        if self.next in _BIG:
            return self.scripts(f'<mo movablelimits="true">{_BIG[self.take()]}</mo>', "munder")
        if self.next in FUNCTIONS:
            return self.function()
        if self.next in FENCES:
            return self.scripts(self.fence())
        kind, text = self.kind, self.take()
        if kind in _TAGS:
            return self.scripts(f"<{_TAGS[kind]}>{escape(text)}</{_TAGS[kind][:2]}>")
        return _sign("…" if kind == "dots" else text)

    def function(self) -> str:
        """Return a function with its argument, which may follow a space."""
        name = self.take()
        below = "munder" if name in ("max", "min") else "msub"
        head = self.scripts(f'<mi mathvariant="normal">{name}</mi>', below)
        if self.kind == "space":
            self.take()
        if not self.next or self.next in RELATIONS + ")]}⌋⌉,":
            return head
        gap = "" if self.next in "([{" else '<mspace width="0.17em"/>'
        sign = _sign(self.take(), prefix=True) if self.next == "−" else ""
        argument = self.run() if head.startswith("<munder>") else _bare(self.factor())
        return f"<mrow>{head}<mo>&#x2061;</mo>{gap}{sign}{argument}</mrow>"

    def fence(self) -> str:
        """Return what is in brackets, with them."""
        opening = self.take()
        closing = FENCES[opening]
        inside = self.row(closing)
        if self.next == closing:
            self.take()
        tall = any(part in inside for part in ("mfrac", "msqrt", "munder", "∑", "∏"))
        stretch = "" if tall else ' stretchy="false"'
        return (
            f'<mrow class="b"><mo form="prefix"{stretch}>{opening}</mo>{inside}'
            f'<mo form="postfix"{stretch}>{closing}</mo></mrow>'
        )

    def scripts(self, base: str, below: str = "msub") -> str:
        """Return the base with its subscript and its superscript."""
        low = high = ""
        while self.next and (self.next in "_^*" or self.next in _RAISED or self.next in _LOWERED):
            text = self.take()
            if text == "_":
                low += self.script()
            elif text == "^":
                high += self.script()
            elif text == "*":
                high += "<mo>*</mo>"
            elif text in _LOWERED:
                low += _leaf(_LOWERED[text])
            else:
                high += _leaf(_RAISED[text])
        if below == "munder" and low and not high:
            return f"<munder>{base}<mrow>{low}</mrow></munder>"
        if low and high:
            return f"<msubsup>{base}<mrow>{low}</mrow><mrow>{high}</mrow></msubsup>"
        tag = "msub" if low else "msup"
        return f"<{tag}>{base}<mrow>{low or high}</mrow></{tag}>" if low or high else base

    def script(self) -> str:
        """Return what follows _ or ^: braces are left out, brackets stay."""
        if self.next == "{":
            self.take()
            inside = self.row("}")
            self.take()
            return inside
        if self.next == "(":
            return _inside(self.fence())
        kind, text = self.kind, self.take()
        return _leaf(text) if kind in ("letter", "number") or text in _LOWERED else _sign(text)


def _leaf(text: str) -> str:
    if text in "−+":
        return _sign(text, prefix=True)
    return f"<mn>{text}</mn>" if text.isdigit() or text == "∞" else f"<mi>{escape(text)}</mi>"


def _sign(text: str, prefix: bool = False) -> str:
    form = ' form="prefix"' if prefix and text in "+−±" else ""
    gap = ' lspace="0.1em" rspace="0.1em"' if text == "·" else ""
    return f"<mo{form}{gap}>{escape(text)}</mo>"


_FENCED = re.compile(
    r'<mrow class="b"><mo form="prefix"(?: stretchy="false")?>\(</mo>(.*)'
    r'<mo form="postfix"(?: stretchy="false")?>\)</mo></mrow>'
)


def _inside(part: str) -> str:
    """Return a part without its brackets, if it is one bracket: a root or a bar replaces them."""
    found = _FENCED.fullmatch(part)
    return found[1] if found and _balanced(found[1]) else _bare(part)


def _balanced(text: str) -> bool:
    depth = 0
    for bracket in re.findall(r'<mo form="(?:pre|post)fix"[^>]*>([()])</mo>', text):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _one(parts: list[str]) -> str:
    """Return the numerator or denominator that the parts make."""
    inside = _inside(parts[0]) if len(parts) == 1 else "".join(map(_bare, parts))
    return f"<mrow>{inside}</mrow>"


def _bare(part: str) -> str:
    return part.replace('<mrow class="b">', "<mrow>")
