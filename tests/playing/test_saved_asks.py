"""Saved asks, thresholds and largest weights that no run has are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.saving import storage


def _run(**options: Any) -> nv.Run:
    return nv.Run(nv.AdaptiveGradient(bias=1.0), labels=("ham", "spam"), **options)


@pytest.mark.parametrize(
    "change",
    [
        {"last": -1},
        {"last": "x"},
        {"pending": {}},
        {"more": 1},
        {"pending": [{"id": 1}]},
        {"id": 1.5},
        {"id": True},
        {"label": [1]},
        {"code": "x"},
        {"probability": 1.5},
        {"probability": [["ham"]]},
        {"probability": [["ham", 2]]},
        {"x": {}},
        {"x": {"dense": "x"}},
        {"x": {"point": 1.5}},
        {"x": {"sparse": [[1]]}},
        {"x": 3},
        {"id": 2},
    ],
)
def test_asks_that_no_run_has_saved_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    run = _run()
    run.ask({"a": 1.0})
    run.ask({"a": 1.0})
    metadata, arrays = run._state()
    asks: Any = metadata["asks"]
    for name, value in change.items():
        if name in ("last", "pending", "more"):
            asks[name] = value
        else:
            asks["pending"][0][name] = value
    storage.write(tmp_path / "m", "Run", metadata, arrays, lambda *_: None)
    with pytest.raises(nv.InputError, match="expected what save wrote"):
        nv.Run.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 1.5),
        ("threshold", "x"),
        ("threshold", [0.5]),
        ("threshold", True),
        ("max_weight", 0),
        ("max_weight", "x"),
        ("max_weight", {}),
        ("asks", None),
        ("asks", []),
    ],
)
def test_options_that_no_run_has_are_refused(name: str, value: Any, tmp_path: Path) -> None:
    run = _run(threshold=0.5, max_weight=2.0)
    run.ask({"a": 1.0})
    metadata, arrays = run._state()
    changed = {**metadata, name: value}
    storage.write(tmp_path / "m", "Run", changed, arrays, lambda *_: None)
    with pytest.raises(nv.InputError, match="expected what save wrote"):
        nv.Run.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ledger.served", np.array([1, 2])),
        ("ledger.served", np.array([9, 0])),
        ("ledger.served", np.array([1.0, 0.0])),
        ("ledger.served", np.array([1])),
        ("ledger.served_loss", np.array([-1.0])),
        ("ledger.served_loss", np.array([np.inf])),
        ("ledger.decided", np.array([2, 0])),
        ("ledger.decided", np.array([-1, 1])),
    ],
)
def test_counts_that_no_run_has_are_refused(name: str, value: Any, tmp_path: Path) -> None:
    run = _run(threshold=0.5)
    run.tell(run.ask({"a": 1.0}).id, "ham")
    metadata, arrays = run._state()
    storage.write(tmp_path / "m", "Run", metadata, arrays | {name: value}, lambda *_: None)
    with pytest.raises(nv.InputError, match="expected what save wrote"):
        nv.Run.load(tmp_path / "m")
