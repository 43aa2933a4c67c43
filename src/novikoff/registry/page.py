"""The list of theorems as a page of the documentation."""

from novikoff.registry.theorem import REGISTRY, Theorem

_CHAPTERS = {
    "finite": "Finite classes",
    "linear": "Halfspaces",
    "regret": "Experts and bandits",
    "batch": "From online to batch",
}
KINDS = {
    "always": "holds always",
    "expected": "holds in expectation over the learner's draws or the examples",
    "probable": "holds with the probability it states",
}
_HEAD = """# Theorems

Every theorem the library knows, each stated once in `src/novikoff/registry` and listed from there
(`novikoff theorems`, `nv.theorems()`). M is the number of mistakes, I their rounds; labels are −1
and +1; R = max‖x_t‖, R∞ = max‖x_t‖_∞; ln is natural, lg to base 2. A bound is rounded upward, and a
theorem whose hypotheses fail is an error.
"""


def page() -> str:
    """Return the page in Markdown."""
    parts = [_HEAD]
    for chapter, title in _CHAPTERS.items():
        found = [t for t in REGISTRY.values() if t.formula.__module__.endswith("." + chapter)]
        parts.append(f"\n## {title}\n")
        parts += [_entry(theorem) for theorem in found]
    return "".join(parts)


def _entry(theorem: Theorem) -> str:
    lines = [
        f"\n### `{theorem.id}`\n\n{theorem.statement}\n",
        f"\n*Proof.* {theorem.proof}\n",
        f"\n*Tight on:* {theorem.tight}\n",
        f"\n- {theorem.citation}; {KINDS[theorem.kind]}\n",
        f"- measures: {', '.join(f'`{name}`' for name in theorem.needs)}\n",
    ]
    if theorem.learners:
        lines.append(f"- learners: {', '.join(theorem.learners)}\n")
    lines += [f"- assumes: {assumption}\n" for assumption in theorem.assumptions]
    return "".join(lines)
