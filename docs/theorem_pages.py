"""The pages of theorems, from the registry and the tests: ``python docs/theorem_pages.py``."""

import ast
import inspect
import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

from formulas import typeset
from instances import caption

from novikoff.theory import (
    batch_theorems,
    descent_theorems,
    finite_theorems,
    linear_theorems,
    loss_theorems,
    regression_theorems,
    regret_theorems,
    resumed_theorems,
    theorems,
)
from novikoff.theory.theorem import KINDS, Theorem

DOCS = Path(__file__).parent
INTUITIONS: dict[str, str] = tomllib.loads((DOCS / "intuitions.toml").read_text(encoding="utf-8"))
CHAPTERS: dict[str, tuple[ModuleType, str]] = {
    "finite": (finite_theorems, "Finite classes"),
    "linear": (linear_theorems, "Halfspaces"),
    "loss": (loss_theorems, "Losses"),
    "descent": (descent_theorems, "Gradient descent"),
    "resumed": (resumed_theorems, "Day after day"),
    "regression": (regression_theorems, "Regression"),
    "regret": (regret_theorems, "Experts and bandits"),
    "batch": (batch_theorems, "From online to batch"),
}
CLAIMS = {
    "holds": "holds",
    "tight": "is tight",
    "measured": "how near it comes",
    "refuses": "refuses",
}
_HEAD = """# Theorems

This is the list of every theorem that the library evaluates, for readers who want exact statements
and proofs. If you are new to them, begin with [the theory in one
afternoon](theory_in_one_afternoon.md), which goes through all of them in order.
`novikoff theorems` and `nv.theorems()` print the same list.

For each theorem you find the statement, the idea in two sentences, the proof in a few words, and a
picture of what the theorem allows and what we observed. The picture shows the instance on which the
theorem is tight, or a typical one if we know none. Then come the code that evaluates it, what it
measures and what it assumes. Unfold the list of tests to see where we show that it holds, that it
is tight (or how near it comes) and that it refuses. The source is where the statement, or a close
relative of it, is proved.

Each theorem is stated once, in the sources of the verifier, and its bound is computed once, in
`src/novikoff/theory`; these pages are written from that code. A bound is rounded upward. A theorem
whose hypotheses fail is an error: *holds always* means for every stream that meets them. Whether
some $h$ agrees with every label is checked while the run is played.

(letters)=
## What the letters mean
"""
_MEANINGS = {
    "$x_t$, $y_t$": "the row and the label of round $t$; labels are −1 and +1. If the learner has "
    "a bias, $x_t$ includes the constant",
    "$M$, $I$": "the number of mistakes, and the rounds in which they happened; the rounds of "
    "every pass count",
    "$w$, $u$": "in a statement, the comparator: a vector of our choice. Proofs call it $w*$, and "
    "there $w$ are the learner's weights, which begin at 0",
    "$R$, $R∞$": "$max_t ‖x_t‖$ and $max_t ‖x_t‖_∞$: the size of the largest row",
    "ln, lg": "the natural logarithm, and the logarithm to base 2",
    "$K(x, z)$": "a kernel; then $R² = max K(x, x)$",
    "$Φ(x, y)$": "the features of an input with an output, for many classes and for structures. "
    "There $y x$ is $Φ(x, y) − Φ(x, ŷ)$, $y w·x$ is the least $w·(Φ(x, y) − Φ(x, z))$ over "
    "$z ≠ y$, and $R$ is the largest $‖Φ(x, y) − Φ(x, ŷ)‖$ of the updates, which is at most "
    "$√2·max ‖x‖$ for classes",
}
_LETTERS = "\n[The list of all theorems](theorems.md#letters) explains the letters.\n"


def shown() -> dict[str, dict[str, list[str]]]:
    """Return {theorem: {claim: tests}}, from ``@pytest.mark.shows(claim, *theorems)``."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted((DOCS.parent / "tests").rglob("test_*.py")):
        for test, claim, id in _marks(ast.parse(path.read_text(encoding="utf-8"))):
            found[id][claim].append(f"{path.relative_to(DOCS.parent)}::{test}")
    return found


def _marks(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield (test, claim, theorem) of every mark."""
    for test in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        for mark in test.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.shows":
                claim, *ids = [str(ast.literal_eval(argument)) for argument in mark.args]
                yield from ((test.name, claim, id) for id in ids)


def pages() -> dict[str, str]:
    """Return {name of the file: its Markdown}."""
    meanings = "".join(f"| {letter} | {text} |\n" for letter, text in _MEANINGS.items())
    tests, listed = shown(), [f"{_HEAD}\n| letter | meaning |\n|---|---|\n{meanings}"]
    written = {}
    for chapter, (module, title) in CHAPTERS.items():
        mine = [t for t in theorems() if t.formula.__module__ == module.__name__]
        page = f"theorems_{chapter}.md"
        listed.append(f"\n## {title}\n\n| theorem | statement |\n|---|---|\n")
        listed += [f"| [`{t.id}`]({page}#{t.id}) | {_cell(t.statement)} |\n" for t in mine]
        entries = "".join(_entry(t, tests[t.id]) for t in mine)
        about = _linked(inspect.getdoc(module) or "")
        written[page] = f"# {_headed(title)}\n\n{about}\n{_LETTERS}{entries}"
    contents = "\n".join(name.removesuffix(".md") for name in written)
    listed.append(f"\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n")
    return {"theorems.md": "".join(listed)} | written


def _headed(title: str) -> str:
    """Return the title of a chapter's page, which no guide has: a search shows titles alone."""
    return f"Theorems: {title[0].lower()}{title[1:]}"


def _linked(text: str) -> str:
    """Return a text with its formulas set, and with links to the pages that it names."""
    return re.sub(r"docs/(\w+)\.md", _page, typeset(text))


def _page(found: re.Match[str]) -> str:
    """Return a link to a page that says its title."""
    text = (DOCS / f"{found[1]}.md").read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    return f"the page [{title}]({found[1]}.md)"


def _cell(statement: str) -> str:
    """Return a statement for a table, whose columns bars would end."""
    return re.sub(r"(?<!\\)\|", r"\|", typeset(statement))


def source(citation: str) -> str:
    """Return who wrote what is cited, with its title and year, from references.bib."""
    key, _, place = citation.partition(", ")
    bib = (DOCS.parent / "references.bib").read_text(encoding="utf-8")
    entry = bib.partition(f"{{{key},")[2].partition("\n}")[0]
    entry = re.sub(r"\{?\\(['\"`])\{?(\w)\}?\}?", _accented, entry)
    author, title, year = (
        re.sub(r"[{}]", "", re.findall(rf"\b{field}\s*=\s*{{(.*)}}", entry)[0])
        for field in ("author", "title", "year")
    )
    who = author.replace(" and ", ", ")
    return f"{who}: *{title}*, {year}" + (f", {place}" if place else "")


def _accented(found: re.Match[str]) -> str:
    """Return a letter with the accent that BibTeX writes before it."""
    accents = {"'": "\u0301", '"': "\u0308", "`": "\u0300"}
    return unicodedata.normalize("NFC", found[2] + accents[found[1]])


def body(formula: Callable[..., object]) -> str:
    """Return what a function does, without its name and its docstring."""
    text = inspect.getsource(formula)
    statements = ast.parse(text).body[0]
    assert isinstance(statements, ast.FunctionDef)
    first = statements.body[0].end_lineno
    return dedent("\n".join(text.splitlines()[first:])).strip()


def _entry(theorem: Theorem, tests: dict[str, list[str]]) -> str:
    loose = theorem.tight.startswith("not: ")
    tight = _linked(theorem.tight.removeprefix("not: "))
    lines = [
        f"\n({theorem.id})=\n## `{theorem.id}`\n\n{_displayed(theorem.statement)}\n",
        f"\n*Intuition.* {typeset(INTUITIONS[theorem.id])}\n",
        f"\n*Proof.* {_linked(theorem.proof)}\n",
        f"\n![{_alternative(theorem.id, loose)}](theorems/{theorem.id}.svg)\n",
        f"\n*In the picture:* {typeset(caption(theorem.id))}\n",
        f"\n*{'Not tight' if loose else 'Tight on'}:* {tight}\n",
        f"\n*Code:* `{theorem.formula.__module__}.{theorem.formula.__name__}`\n\n",
        f"```python\n{body(theorem.formula)}\n```\n",
        f"\n- source: {source(theorem.citation)}\n",
        f"- {KINDS[theorem.kind]}\n",
        f"- measures: {', '.join(f'`{name}`' for name in theorem.needs)}\n",
    ]
    if theorem.learners:
        lines.append(f"- learners: {', '.join(f'`{name}`' for name in theorem.learners)}\n")
    lines += [f"- assumes: {typeset(assumption)}\n" for assumption in theorem.assumptions]
    return "".join(lines) + _folded(tests)


def _displayed(statement: str) -> str:
    """Return a statement as a quotation that shows the formula it begins with in the middle."""
    first, _, rest = typeset(statement).removeprefix("$").partition("$")
    if not typeset(statement).startswith("$"):
        return f"> {typeset(statement)}"
    return f"> $$\n> {first}\n> $$\n>\n> {rest.strip()}"


def _alternative(theorem: str, loose: bool) -> str:
    """Return what a picture shows, for those who do not see it."""
    where = "stays below" if loose else "reaches"
    return f"{theorem}: what was observed {where} what the theorem allows, point by point"


def _folded(tests: dict[str, list[str]]) -> str:
    """Return the list of tests, which opens on a click."""
    count = sum(map(len, tests.values()))
    lines = [
        f"- {title}: `{test}`\n" for claim, title in CLAIMS.items() for test in tests.get(claim, [])
    ]
    head = f"\n<details><summary>{count} tests</summary>\n\n"
    return f"{head}{''.join(lines)}\n</details>\n"


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
