"""Formulas in plain text are found and set as MathML."""

import re
from xml.etree import ElementTree

import pytest

import novikoff as nv


def _read(formula: str) -> ElementTree.Element:
    from mathml import mathml

    return ElementTree.fromstring(f"<p>{mathml(formula).replace('<wbr>', '')}</p>")


def _plain(node: ElementTree.Element) -> str:
    """Return a formula in words of its own: what is above, below and under the root."""
    parts = [_plain(child) for child in node]
    if node.tag == "mfrac":
        return "frac({}; {})".format(*parts)
    if node.tag == "msqrt":
        return f"root({''.join(parts)})"
    if node.tag in ("msub", "munder"):
        return "{}_[{}]".format(*parts)
    if node.tag == "msup":
        return "{}^[{}]".format(*parts)
    if node.tag == "msubsup":
        return "{}_[{}]^[{}]".format(*parts)
    return (node.text or "") + "".join(parts)


@pytest.mark.parametrize(
    ("formula", "meant"),
    [
        ("R²‖w‖²/γ²", "frac(R^[2]‖w‖^[2]; γ^[2])"),
        ("(M + R²)/2", "frac(M+R^[2]; 2)"),
        ("√M R", "root(M)R"),
        ("√(a²/4 + ac + b)", "root(frac(a^[2]; 4)+ac+b)"),
        ("Σ_{t∈I} ‖x_t‖²", "∑_[t∈I]‖x_[t]‖^[2]"),
        ("x_{t,i}²", "x_[t,i]^[2]"),
        ("w*·w_0", "w^[*]·w_[0]"),
        ("e^{−ηL}", "e^[−ηL]"),
        ("ln K/(tK)", "frac(ln\u2061K; tK)"),
        ("t/(t + 1)·π_t", "frac(t; t+1)·π_[t]"),
        ("g²/−ln(1 − g)", "frac(g^[2]; −ln\u2061(1−g))"),
        ("|Λ|/δ", "frac(|Λ|; δ)"),
        ("‖u‖²/2rate", "frac(‖u‖^[2]; 2rate)"),
        ("A_t⁻¹", "A_[t]^[−1]"),
        ("R∞ < ⌈K/2⌉", "R_[∞]<⌈frac(K; 2)⌉"),
        ("min_t y_t", "min_[t]\u2061y_[t]"),
        ("2^(3 − j/2)", "2^[3−frac(j; 2)]"),
        ("½ max_g g²/−ln(1 − g)", "½max_[g]\u2061frac(g^[2]; −ln\u2061(1−g))"),
        ("min_λ (1 − λ)/(1 − e^{−λ})", "min_[λ]\u2061frac(1−λ; 1−e^[−λ])"),
        ("|max_t y_t/2| + 1", "|max_[t]\u2061frac(y_[t]; 2)|+1"),
        ("(Π_t q_t(y_t))/(K T)", "frac(∏_[t]q_[t](y_[t]); KT)"),
    ],
)
def test_a_formula_is_read_as_it_is_meant(formula: str, meant: str) -> None:
    assert _plain(_read(formula)) == meant


@pytest.mark.parametrize(
    ("formula", "grows"),
    [("p_t(y_t)", False), ("Φ(x, y)", False), ("|x|", False), ("(R/γ)²", True), ("(√M + 1)", True)],
)
def test_brackets_grow_only_around_what_is_tall(formula: str, grows: bool) -> None:
    """Without a font for formulas, browsers draw growing brackets too large."""
    brackets = [node for node in _read(formula).iter("mo") if (node.text or "") in "()|"]
    assert [node.get("stretchy") != "false" for node in brackets] == [grows, grows]


@pytest.mark.parametrize("formula", ["max_t ‖x_t‖_∞", "x_+", "w^*·x", "R∞"])
def test_every_sign_stands_in_an_element_that_browsers_show(formula: str) -> None:
    bare = [
        node.tag for node in _read(formula).iter() if node.tag in ("mrow", "msub") and node.text
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("A mistake adds y x to the weights", "A mistake adds $y x$ to the weights"),
        ("a = R²‖w‖² and a margin", "$a = R²‖w‖²$ and a margin"),
        ("it grows by at most R², to MR².", "it grows by at most $R²$, to $MR²$."),
        ("the mean (Hoeffding's lemma)", "the mean (Hoeffding's lemma)"),
        ("with `w_t` as code", "with `w_t` as code"),
        ("labels −1 and +1", "labels −1 and +1"),
        ("w is w* in proofs, 1/2 + … + 1/N", "$w$ is $w*$ in proofs, $1/2 + … + 1/N$"),
        ("a* or b|c", "$a*$ or $b$\\|$c$"),
    ],
)
def test_formulas_in_a_sentence_are_found(text: str, marked: str) -> None:
    from formulas import typeset

    assert typeset(text) == marked


@pytest.mark.parametrize("theorem", nv.theorems(), ids=lambda theorem: str(theorem.id))
def test_every_formula_of_a_theorem_keeps_its_letters(
    theorem: nv.Theorem,
) -> None:
    from formulas import typeset

    for text in (theorem.statement, theorem.proof, theorem.tight):
        marked = typeset(text)
        for formula in re.findall(r"\$([^$]+)\$", marked):
            read = "".join(_read(formula).itertext())
            letters = [c for c in formula.replace("ᵀ", "T") if c.isalpha() and c not in "ΣΠ"]
            assert letters == [c for c in read if c.isalpha()]
        assert re.sub(r"[$\\]", "", marked) == text.replace("``", "`")


@pytest.mark.parametrize("theorem", nv.theorems(), ids=lambda theorem: str(theorem.id))
def test_no_fraction_of_a_theorem_cuts_a_sum_a_product_or_a_minimum(theorem: nv.Theorem) -> None:
    from formulas import typeset

    for text in (theorem.statement, theorem.proof, theorem.tight):
        for formula in re.findall(r"\$([^$]+)\$", typeset(text)):
            for node in _read(formula).iter("mfrac"):
                above, below = map(_plain, node)
                assert not re.match("(min|max)_", above), formula
                assert not re.fullmatch(r"[∑∏](_\[[^]]*\])?", below), formula


def test_a_line_may_break_before_a_relation_but_not_in_a_bracket() -> None:
    from mathml import pieces

    assert pieces("M ≤ (a + b) + |c − d|") == ["M", "≤ (a + b)", "+ |c − d|"]


def test_every_theorem_has_an_intuition_of_two_sentences() -> None:
    import theorem_pages

    ids = {theorem.id for theorem in nv.theorems()}
    assert theorem_pages.INTUITIONS.keys() == ids, "docs/intuitions.toml"
    for id, text in theorem_pages.INTUITIONS.items():
        assert len(re.findall(r"[.!?](?= |$)", text)) == 2, id
