"""The table and the tree of docs/classes.md: ``python docs/classes.py`` writes them."""

import re
from pathlib import Path

import novikoff as nv

PAGE = Path(__file__).parent / "classes.md"
CLASSES = {
    "conjunctions(2)": nv.conjunctions(2),
    "conjunctions(3)": nv.conjunctions(3),
    "conjunctions(3, monotone=True)": nv.conjunctions(3, monotone=True),
    "disjunctions(2)": nv.disjunctions(2),
    "disjunctions(3)": nv.disjunctions(3),
    "disjunctions(4, monotone=True)": nv.disjunctions(4, monotone=True),
    "decision_lists(2)": nv.decision_lists(2),
    "decision_lists(3)": nv.decision_lists(3),
    "decision_lists(3, rules=1)": nv.decision_lists(3, rules=1),
    "parities(3)": nv.parities(3),
    "thresholds(7)": nv.thresholds(7),
    "thresholds(16)": nv.thresholds(16),
    "singletons(8)": nv.singletons(8),
    "halfspaces(1)": nv.halfspaces(1),
    "halfspaces(2)": nv.halfspaces(2),
    "halfspaces(3)": nv.halfspaces(3),
    "halfspaces(4)": nv.halfspaces(4),
}
_HEAD = (
    "| class | hypotheses | points | VC | Ldim | optimal | halving | ⌊lg \\|H\\|⌋ | consistent | "
    "\\|H\\| − 1 |\n|---|---|---|---|---|---|---|---|---|---|"
)


def line(name: str) -> str:
    """Return the row of a class: its sizes, its dimensions, and each learner's worst case."""
    H = CLASSES[name]
    optimal, halving, consistent = (
        nv.worst_case(kind(H), H).mistakes
        for kind in (nv.StandardOptimal, nv.Halving, nv.Consistent)
    )
    cells = [
        f"`{name}`", len(H), len(H.points), nv.vc_dimension(H), nv.littlestone_dimension(H),
        optimal, halving, len(H).bit_length() - 1, consistent, len(H) - 1,
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def tree() -> str:
    """Return the drawing."""
    return nv.littlestone_tree(nv.conjunctions(3, monotone=True)).svg()


def table() -> str:
    """Return the whole table."""
    return "\n".join([_HEAD, *(line(name) for name in CLASSES)]) + "\n"


if __name__ == "__main__":
    PAGE.with_name("tree.svg").write_text(tree())
    text = PAGE.read_text()
    PAGE.write_text(re.sub(r"\| class \|(?:.*\n)+?(?=\n)", lambda _: table(), text, count=1))
