"""The notebooks of docs run, and show what they say they show."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def _played(source: str, names: dict[str, object]) -> Any:
    """Run a cell as a notebook does, and return the value of its last line."""
    cell = ast.parse(source)
    last = cell.body.pop() if isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, "cell", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_every_cell_gives_what_the_notebook_shows(path: Path) -> None:
    names: dict[str, object] = {}
    compared = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        value = _played("".join(cell["source"]), names)
        for output in cell["outputs"]:
            told = output["data"]
            if "text/html" in told:
                assert value._repr_html_() == "".join(told["text/html"])
            else:
                assert repr(value) == "".join(told["text/plain"])
            compared += 1
    assert compared >= 3


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 2
