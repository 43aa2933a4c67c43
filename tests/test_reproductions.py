"""The reproductions do what their tables say, on sets small enough to check."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from reproductions import bounds, libol, sets


def _rounds() -> sets.Set:
    X = np.random.default_rng(0).standard_normal((60, 3))
    return X, np.where(X[:, 0] > 0, 1, -1)


def test_libols_protocol_is_one_pass_over_each_of_twenty_orders() -> None:
    X, y = _rounds()
    found = re.fullmatch(
        r"\| toy \| 60 \| (\S+) ± (\S+) \| (\S+) ± (\S+) \|", libol.line("toy", (X, y))
    )
    assert found is not None
    made = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(60)
        run = nv.Run(nv.Perceptron())
        for t in order:
            run.learn(X[t], y[t])
        made.append(run.mistakes)
    assert float(found[1]) == pytest.approx(np.mean(made) / 60, abs=6e-4)
    assert float(found[4]) == pytest.approx(np.std(made, ddof=1), abs=6e-2)


def test_a_line_of_bounds_has_the_mistakes_and_no_bound_below_them() -> None:
    X, y = _rounds()
    cells = [cell.strip() for cell in bounds.line("toy", (X, y)).strip("|").split("|")]
    mistakes = nv.play(nv.Perceptron(), nv.stream(X, y)).mistakes
    assert cells[:3] == ["toy", "60", str(mistakes)]
    values = [float(cell.split()[0]) for cell in cells[3:8]]
    assert min(values) >= mistakes


def test_tables_are_read_with_their_labels(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "toy.csv.gz", "wt") as file:
        file.write('a,b,class\n1,2.5,"M"\n3,4,"R"\n5,6,"R"\n')
    X, y = sets.table("toy.csv.gz", "M", tmp_path, skip=1)
    assert sorted(map(tuple, X)) == [(1, 2.5), (3, 4), (5, 6)]
    assert y[X[:, 0] == 1].tolist() == [1]
    assert sorted(y) == [-1, -1, 1]
