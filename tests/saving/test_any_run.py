"""Whatever a run has been through, it can be saved, and is read back as it was."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from cases import CASES
from novikoff.errors import NovikoffError

Rng = np.random.Generator
PAIRS: list[tuple[Any, Any]] = [(-1, 1), (0, 1), (False, True), ("ham", "spam")]
LEARNERS: list[Callable[[], Any]] = [
    nv.Arow, nv.BaseRate, nv.Blend, nv.CoinBetting, nv.ForwardRegression, nv.NormalizedGradient,
    nv.OnlineNewton,
    *(case.make for case in CASES if not case.name.startswith("mixed")),  # made for all labels
]  # fmt: skip


def options(rng: Rng, learner: Any, names: tuple[Any, ...]) -> dict[str, Any]:
    """Return options for a run, some of which its learner may refuse."""
    found: dict[str, Any] = {"digest": bool(rng.random() < 0.2)}
    if rng.random() < 0.3:
        found["max_weight"] = float(rng.choice([1.0, 1e3, 1e300]))
    if rng.random() < 0.5:
        found["labels"] = names
    elif not learner.multiclass and rng.random() < 0.5:
        found["positive"] = names[1]
    if not learner.multiclass and rng.random() < 0.2:
        found["threshold"] = float(rng.random())
    return found


def batter(rng: Rng, run: Any, names: tuple[Any, ...]) -> Any:
    """Do one thing to a run, which it may refuse."""
    rounds, scale = int(rng.choice([0, 1, 2, 5, 40])), 10.0 ** rng.choice([0, 0, -3, 5, 150, -300])
    X = np.round(rng.normal(size=(rounds, 3)), int(rng.integers(0, 3))) * scale
    if rounds > 2 and rng.random() < 0.1:
        X[rounds // 2, 0] = np.nan
    y: list[Any] = [names[k] for k in rng.integers(0, len(names), rounds)]
    if not run.ledger.judges:
        y = X.sum(axis=1).tolist()
    w = rng.choice([0.0, 1.0, 0.5, 1e-300, 1e3], rounds) if rng.random() < 0.3 else None
    what = rng.integers(6)
    if what < 2:
        passes = {"passes": int(rng.integers(1, 4))}
        if run.ledger.judges and rng.random() < 0.3:
            passes = {"until_clean": True, "max_passes": 5}
        run.play(nv.stream(X, y, weights=w), **passes)
    elif what == 2:
        for x, label in zip(X, y, strict=True):
            run.learn(x, label)
    elif what == 3:
        asks = [run.ask(x) for x in X[:5]]
        for ask, label in zip(asks[::2], y[::2], strict=False):
            run.tell(ask, label)
    elif what == 4:
        return run.continued() if rng.random() < 0.5 else run.fresh()
    else:
        run.declare((*names, "another"))
    return run


@pytest.mark.parametrize("seed", range(6))
def test_any_run_is_read_back_as_it_was(seed: int, tmp_path: Path) -> None:
    rng, path = np.random.default_rng(seed), tmp_path / "m"
    for _ in range(40):
        learner = LEARNERS[rng.integers(len(LEARNERS))]()
        count = getattr(learner, "classes", 0) or int(rng.integers(2, 6))
        names = tuple(range(count)) if learner.multiclass else PAIRS[rng.integers(len(PAIRS))]
        try:
            run: Any = nv.Run(learner, **options(rng, learner, names))
        except (NovikoffError, TypeError):
            continue
        for _ in range(5):
            with suppress(NovikoffError, TypeError):  # refused, and the run goes on
                run = batter(rng, run, names)
            run.save(path)
            again = nv.Run.load(path)
            assert repr(again) == repr(run)
            assert [*again.pending] == [*run.pending]
            run = again if rng.random() < 0.5 else run


def test_an_ask_before_weights_and_labels_are_known(tmp_path: Path) -> None:
    """A run that has been asked does not begin otherwise: its asks wait for their labels."""
    run: Any = nv.Run(nv.AdaptiveGradient(), labels=(-1, 1))
    ask = run.ask([1.0, 2.0])
    with pytest.raises(nv.InputError, match="weights: expected a largest weight, declared before"):
        run.play(nv.stream([[1.0, 1.0]], [1], weights=[5.0]))
    assert run.tell(ask, 1) == 1
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").ledger.served == 1

    run = nv.Run(nv.Blend())
    ask = run.ask([1.0, 2.0])
    with pytest.raises(nv.InputError, match=r"Declare the labels with labels=…"):
        run.play(nv.stream([[1.0, 1.0]] * 3, ["a", "b", "c"]))
    assert [*run.pending] == [ask.id]
    run.save(tmp_path / "m")
    assert [*nv.Run.load(tmp_path / "m").pending] == [ask.id]


@pytest.mark.parametrize(
    "told",
    [
        lambda run: run.learn([1e-300, 0.0], 1, weight=0.5),
        lambda run: run.play(nv.stream([[1e-300, 0.0]] * 2, [1, -1], weights=[0.5, 0.5])),
    ],
)
def test_a_refused_first_row_leaves_no_columns(
    told: Callable[[nv.Run[Any]], object], tmp_path: Path
) -> None:
    """Its weight would take the numbers out of their range; then the features may have names."""
    run = nv.Run(nv.Perceptron(), positive=1)
    with pytest.raises(nv.InputError, match="their weight can scale within its range"):
        told(run)
    run.save(tmp_path / "m")
    run = nv.Run.load(tmp_path / "m")
    run.learn({"a": 1.0}, 1)
    run.save(tmp_path / "m")
