"""Write the one file of the verifier from its parts: ``python -m verifier.build [--check]``.

The parts follow each other in the order of ``PARTS``, new families last. Their imports of the
standard library are merged at the top, those of each other are dropped, and the rest stays as is.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parent
TARGET = FOLDER.parent / "src" / "novikoff" / "verifier.py"
CORE = (
    "certificate", "files", "ahead", "exact", "enclosures", "duals", "models", "transforms", "data",
    "theorem", "learner", "predicted", "check", "links",
)  # fmt: skip
FIRST = (
    "perceptron", "separability", "batch", "multiclass", "minnow", "kernel", "halfspaces",
    "finite", "experts", "chains", "losses", "betting", "mixture", "blend", "class_mixture",
    "class_losses", "class_blend", "linear_start", "loss_start", "blend_start",
)  # fmt: skip
FOUND = {path.stem for path in (FOLDER / "families").glob("*.py")} - {"__init__"}
FAMILIES = (*FIRST, *sorted(FOUND - {*FIRST}))
PARTS = (*(f"core/{name}.py" for name in CORE), *(f"families/{name}.py" for name in FAMILIES))
HEAD = '''"""The verifier of certificates: it trusts nothing in them and nothing of the library.

    python verifier.py certificate.json data.svm        # exit 0: verified, 1: refused, 2: usage,
    python verifier.py certificate.json data.csv LABEL  # 3: data that cannot be read, too much work
    python verifier.py certificate.json data.svm predictions=FILE   # a claim about predictions

It uses the standard library alone. Every number that a certificate states is computed again,
exactly, from the data and the evidence: a float is a whole number over a power of two, and so are
sums of products of floats. A certificate is verified if its own digest, the data's digest, the run
when it is played again, the hypotheses of its theorem and the bound, rounded up to a float, are
what it says. Rows are read again for every pass, never kept, and each reading is hashed: all of
them must be the data that the certificate names. docs/certificates.md describes the fields.

The core comes first. It knows no learner and no theorem:

{core}

The families behind it add theirs to THEOREMS, LEARNERS and PARAMETERS. Any of them can be left out
if no other builds on it:

{families}

This file is written from the folder `verifier` by `python -m verifier.build`: change it there.
"""
'''
ALONE = """
if __name__ == "__main__":
    sys.path.pop(0)  # modules beside this file must not stand in for the standard library's
"""
END = """

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


class Part:
    """A part of the verifier: what it says of itself, its imports and the rest of its text."""

    def __init__(self, name: str) -> None:
        text = (FOLDER / name).read_text(encoding="utf-8")
        tree = ast.parse(text)
        self.name, self.about = name, ast.get_docstring(tree) or ""
        self.modules: set[str] = set()
        self.names: dict[str, set[str]] = defaultdict(set)  # by the module they come from
        last = tree.body[0].end_lineno or 0
        for node in tree.body[1:]:
            if isinstance(node, ast.Import):
                self.modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                self.names[node.module or ""] |= {alias.name for alias in node.names}
            else:
                break
            last = node.end_lineno or 0
        self.body = "\n".join(text.splitlines()[last:]).strip("\n")

    @property
    def needs(self) -> set[str]:
        """The parts whose names it imports."""
        own = {module for module in self.names if module.startswith("verifier.")}
        return {module.removeprefix("verifier.").replace(".", "/") + ".py" for module in own}


def imports(parts: list[Part]) -> str:
    """Return the imports of the standard library, those of sys and what follows from it first."""
    modules = sorted({module for part in parts for module in part.modules} - {"sys"})
    names: dict[str, set[str]] = defaultdict(set)
    for part in parts:
        for module, found in part.names.items():
            if not module.startswith("verifier."):
                names[module] |= found
    lines = [f"import {module}" for module in modules]
    for module in sorted(names):
        listed = sorted(names[module], key=lambda n: (not n.isupper(), n[0].islower(), n.lower()))
        line = f"from {module} import {', '.join(listed)}"
        lines.append(line if len(line) <= 100 else wrapped(module, listed))
    return "\n".join(["import sys", *ALONE.splitlines(), "", *lines])


def wrapped(module: str, names: list[str]) -> str:
    """Return an import of many names, one a line."""
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def commented(part: Part) -> str:
    """Return what a part says of itself, as a comment above it."""
    lines = [f"From {part.name}:", "", *part.about.splitlines()]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def head(parts: list[Part]) -> str:
    """Return the docstring, with a line for each part."""
    lines: dict[str, list[str]] = {"core": [], "families": []}
    for part in parts:
        path = Path(part.name)
        lines[path.parent.name].append(f"    {path.stem:<14}{part.about.splitlines()[0]}")
    return HEAD.format(**{name: "\n".join(found) for name, found in lines.items()})


def written(names: tuple[str, ...] = PARTS) -> str:
    """Return the text of the verifier of these parts, each behind those that it needs."""
    parts = [Part(name) for name in names]
    for k, part in enumerate(parts):
        missing = part.needs - {*names[:k]}
        if missing:
            raise SystemExit(f"{part.name}: expected {', '.join(sorted(missing))} before it")
    gaps = ["\n\n\n" if part.body.startswith(("class", "def")) else "\n\n" for part in parts]
    bodies = [commented(p) + gap + p.body for p, gap in zip(parts, gaps, strict=True)]
    return "\n\n".join([head(parts) + "\n" + imports(parts), "\n\n\n".join(bodies)]) + "\n" + END


def main(arguments: list[str]) -> int:
    """Write the file, or say whether it is up to date."""
    text = written()
    if arguments == ["--check"]:
        same = TARGET.read_text(encoding="utf-8") == text
        if not same:
            print(f"{TARGET.name}: expected what its parts give. Run python -m verifier.build.")
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
