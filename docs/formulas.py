"""Finds the formulas in plain text, and puts them between dollars for :mod:`mathml` to set."""

import re

from mathml import FUNCTIONS, RELATIONS, WORDS

_SHORT = {
    "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me", "my", "no", "of",
    "on", "or", "so", "to", "up", "us", "vs", "we",
}  # fmt: skip
_NAMES = {"err", "rate", "rounding", "hinge", "mistake", "risk", "mean", "clamp"}
_OPERATORS = RELATIONS + "+−±·/"
_PROSE = r"`[^`]*`|e\.g\.|i\.e\.|'s\b|-[a-z]+|\w+/\w+\.md|[a-z]+\d{4}\b"
_SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀ₀₁₂₃½¼⅓"
_TOKEN = re.compile(
    rf"(?P<prose>{_PROSE})|(?P<space>\s+)|(?P<number>\d+(?:[.,]\d+)*)"
    rf"|(?P<word>(?:[^\W\d_ΣΠ{_SMALL}][\u0302\u0304]?)+)|(?P<other>.)",
    re.DOTALL,
)
_MATH = set("ΣΠ√‖|⌊⌋⌈⌉()[]{}_^*∞…" + _SMALL + _OPERATORS)
_OPEN, _CLOSE = "([{⌊⌈", ")]}⌋⌉"


def typeset(text: str) -> str:
    """Return Markdown in which every formula of a plain text stands between dollars."""
    tokens = [(str(m.lastgroup), m.group()) for m in _TOKEN.finditer(text.replace("``", "`"))]
    found, at = [], 0
    while at < len(tokens):
        end = _formula(tokens, at)
        if end > at:
            found.append(f"${''.join(text for _, text in tokens[at:end])}$")
        else:
            end = at + 1
            found.append(re.sub(r"([*|])", r"\\\1", tokens[at][1]))
        at = end
    return "".join(found)


def _formula(tokens: list[tuple[str, str]], start: int) -> int:
    """Return where the formula that begins here ends, or ``start`` if none does."""
    if tokens[start][0] == "space" or tokens[start][1] in ")]}*_·/=≤<>":
        return start
    closers: list[str] = []
    bars: set[str] = set()
    end, at = start, start
    while at < len(tokens) and _is_math(tokens, at, bool(closers)):
        kind, text = tokens[at]
        if text in _OPEN:
            closers.append(_CLOSE[_OPEN.index(text)])
        elif text in _CLOSE:
            if not closers or closers.pop() != text:
                break
        elif text in "|‖":
            bars ^= {text}
        at += 1
        if kind != "space" and not closers and not bars and text not in _OPERATORS + ",:":
            end = at
    said = "".join(text for _, text in tokens[start:end])
    return end if _worth(said) else start


def _worth(said: str) -> bool:
    """Whether there is a letter outside of a lone bracket, which is prose."""
    lone = said.startswith("(") and said.endswith(")") and ")" not in said[1:-1]
    return any(letter.isalpha() for letter in said) and not lone


def _is_math(tokens: list[tuple[str, str]], at: int, inside: bool) -> bool:
    kind, text = tokens[at]
    if kind == "word":
        return _is_symbol(tokens, at, inside)
    if kind == "other":
        return text in _MATH or (inside and text in ",:<;") or _is_range(tokens, at)
    return kind in ("space", "number")


def _is_range(tokens: list[tuple[str, str]], at: int) -> bool:
    """Whether this is one of the two dots of ``0..33``."""
    around = "".join(text for _, text in tokens[max(0, at - 2) : at + 3])
    return tokens[at][1] == "." and bool(re.search(r"\d\.\.\d|\d\.\.$|^\.\.\d|\.\.", around))


def _is_symbol(tokens: list[tuple[str, str]], at: int, inside: bool) -> bool:
    """Whether a word is a letter, a product of letters or a name in a formula."""
    word = tokens[at][1]
    before = tokens[at - 1][1] if at else " "
    after = tokens[at + 1][1] if at + 1 < len(tokens) else " "
    if word in FUNCTIONS | WORDS or re.search("[α-ωΓ-Ωℓ\u0302ŷ]", word):
        return True
    touched = after in _MATH - set(")]}…|") or (before in _MATH - set("([{|*") and before != "…")
    beside = _near(tokens, at, 1) in _OPERATORS or _near(tokens, at, -1) in _OPERATORS
    if word == "mean":
        return after == "_" or before == "·"
    if word in ("a", "A", "I"):
        return touched or beside
    if word in _NAMES:
        return touched or beside or inside
    return len(word) <= 2 and word.lower() not in _SHORT


def _near(tokens: list[tuple[str, str]], at: int, step: int) -> str:
    """Return the next token that is not a space, or one that is no operator."""
    at += step
    while 0 <= at < len(tokens):
        if tokens[at][0] != "space":
            return tokens[at][1]
        at += step
    return "none"
