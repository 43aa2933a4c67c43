"""The page of all public names: ``python docs/reference.py`` writes reference.md."""

import inspect
import re
from pathlib import Path

import novikoff as nv

_HEAD = """# Reference

This page lists every public name of `import novikoff as nv`, by its module, for looking things up.
`make docs` writes it from the code: a table of how to call each name and what it is, then its full
description. A learner's second line is its update as a formula. A word such as (novikoff1962) is
the key of a source in `references.bib`; the [glossary](glossary.md) explains the other words. The
[command line](cli.md), the [adapters for scikit-learn and river](adapters.md) and
[conformance](conformance.md) have their own pages.
"""
_TITLES = {
    "playing.play": "Playing",
    "playing.run": "Runs",
    "streams": "Streams",
    "learners": "Learners and hypotheses",
    "kernels": "Kernels",
    "structures": "Structures",
    "receipts.selection": "Best passes",
    "classes": "Finite classes",
    "games.adversaries": "Adversaries",
    "games.worst_case": "Games",
    "games.played_worst_case": "What a game ends with",
    "playing.asks": "Late labels",
    "playing.ledger": "The ledger",
    "playing.progress": "Progress",
    "theory": "Theorems",
    "receipts.receipt": "Receipts",
    "receipts.certificates": "Certificates",
    "receipts.certificate_chains": "Chains of certificates",
    "receipts.predictions": "Certificates of predictions",
    "comparators": "Geometry",
    "streams.environments": "Environments",
    "games.simulation": "Simulation",
    "receipts.calibration": "Calibration",
    "receipts.fresh_testing": "Testing a model",
    "receipts.comparison": "Comparing learners",
    "receipts.conversion": "From online to batch",
    "receipts.error_alarm": "Error alarms",
    "reports": "Reports",
    "errors": "Errors",
}


def page() -> str:
    """Return the page in Markdown."""
    homes: dict[str, str] = vars(nv)["_NAMES"]
    missing = homes.keys() - _TITLES.keys()
    assert not missing, f"docs/reference.py: give a title to {missing}"
    parts = [_HEAD]
    for home, title in _TITLES.items():
        names = homes[home].split()
        parts.append(f"\n## {title}\n\n| name | what it is |\n|---|---|\n")
        parts += [f"| `{_call(name)}` | {_first_line(name)} |\n" for name in names]
        parts += [_entry(name) for name in names]
    return "".join(parts)


def _call(name: str) -> str:
    """Return the name with its parameters, as they are passed, without their types."""
    found = getattr(nv, name)
    if not callable(found) or (isinstance(found, type) and issubclass(found, BaseException)):
        return name
    try:
        signature = inspect.signature(found)
    except ValueError:  # one of the core's
        return name
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    called = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return re.sub(r"<function .*? at 0x\w+>", "…", f"{name}{called}")


def _first_line(name: str) -> str:
    found = inspect.getdoc(getattr(nv, name)) or ""
    line = " ".join(found.partition("\n\n")[0].split()).replace("``", "`")
    return line.replace("|", "\\|")


def _entry(name: str) -> str:
    found = getattr(nv, name)
    kind = "autoclass" if inspect.isclass(found) else "autofunction"
    alone = "" if _known(found) else "   :no-show-inheritance:\n"
    return f"\n```{{eval-rst}}\n.. {kind}:: novikoff.{name}\n{alone}```\n"


def _known(found: object) -> bool:
    """Whether a reader can look up every class that this one is derived from, if it is one."""
    public = [getattr(nv, name) for name in nv.__all__]
    bases = found.__bases__ if inspect.isclass(found) else ()
    return object not in bases and all(
        base in public or base.__module__ == "builtins" for base in bases
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
