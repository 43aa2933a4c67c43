"""The guides from river and scikit-learn name what is there, in the versions installed."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def first_column(page: str) -> list[str]:
    """Return what is quoted in the first column of a page's table."""
    text = (DOCS / page).read_text().replace("\\|", "")
    lines = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return [name for line in lines[1:] for name in re.findall("`([^`]+)`", line)]


def test_river_has_what_its_guide_names() -> None:
    pytest.importorskip("river", reason="a peer")
    names = [
        re.match(r"([a-z_]+)(?:\.([A-Za-z_0-9]+))?", one) for one in first_column("from_river.md")
    ]
    found = [match.groups() for match in names if match and match[1] not in ("model", "pickle")]
    assert len(found) > 20
    for module, name in found:
        home = importlib.import_module(f"river.{module}")
        assert name is None or hasattr(home, name), f"{module}.{name}"


def test_scikit_learn_has_what_its_guide_names() -> None:
    utils = pytest.importorskip("sklearn.utils", reason="a peer")
    known = dict(utils.all_estimators())
    named = [re.match(r"([A-Z]\w+)", one) for one in first_column("from_scikit_learn.md")]
    found = [match[1] for match in named if match and match[1] != "Pipeline"]
    assert len(found) > 12
    assert [name for name in found if name not in known] == []
