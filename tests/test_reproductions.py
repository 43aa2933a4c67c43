"""The reproductions do what their tables say, on sets small enough to check."""

import gzip
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import conlleval
import novikoff as nv
from reproductions import bounds, collins, errors, libol, sets

PAGE = Path(__file__).parents[1] / "docs" / "reproductions.md"


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


def test_errors_are_counted_alike_for_everybody() -> None:
    """On separable rows each of them errs, and not by much, on what was left out."""
    pytest.importorskip("river", reason="a peer")
    pytest.importorskip("vowpal_wabbit_next", reason="a peer")
    X = np.random.default_rng(0).standard_normal((600, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    cells = [cell.strip() for cell in errors.line("toy", (X, y)).strip("|").split("|")]
    assert cells[:2] == ["toy", "480"]
    order = np.random.default_rng(0).permutation(600)
    run = nv.play(nv.Perceptron(bias=1.0), nv.stream(X[order][:480], y[order][:480]))
    assert float(cells[2]) == pytest.approx(100 * run.ledger.error_rate, abs=0.01)
    assert all(0 < float(cell) < 25 for cell in cells[2:5])
    assert all(float(cell) < 15 for cell in cells[5:])


def test_tables_are_read_with_their_labels(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "toy.csv.gz", "wt") as file:
        file.write('a,b,class\n1,2.5,"M"\n3,4,"R"\n5,6,"R"\n')
    X, y = sets.table("toy.csv.gz", "M", tmp_path, skip=1)
    assert sorted(map(tuple, X)) == [(1, 2.5), (3, 4), (5, 6)]
    assert y[X[:, 0] == 1].tolist() == [1]
    assert sorted(y) == [-1, -1, 1]


def _sentences(count: int, seed: int) -> collins.Rounds:
    """Noun phrases of an article and a noun or two, verbs between them, some tags wrong."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        x, y = [], []
        for _ in range(rng.integers(1, 4)):
            nouns = int(rng.integers(1, 3))
            x += [("the", "DT"), *[(f"n{rng.integers(9)}", "NN") for _ in range(nouns)]]
            y += ["B-NP", *["I-NP" if rng.random() < 0.9 else "O"] * nouns]
            x.append((f"v{rng.integers(9)}", "VB"))
            y.append("O")
        found.append((x, y))
    return found


@pytest.mark.parametrize("cut", [0, 5])
def test_a_line_of_collins_has_the_last_and_the_averaged_weights(cut: int) -> None:
    """Judged as the shared task does, with the features that are frequent enough."""
    train, test = _sentences(60, 0), _sentences(40, 1)
    counts = Counter(f for x, _ in train for i in range(len(x)) for f in collins.chunking(x, i))
    listed = [
        ([[f for f in collins.chunking(x, i) if counts[f] >= cut] for i in range(len(x))], y)
        for x, y in train + test
    ]
    cells = [f"{cut}", f"{sum(n >= cut for n in counts.values()):,}", "3"]
    for averaged in (False, True):
        learner = nv.StructuredPerceptron(nv.Chains(), averaged=averaged)
        h = nv.play(learner, listed[:60], passes=3).hypothesis()
        found = list(h.predict([x for x, _ in listed[60:]]))
        cells.append(f"{100 * conlleval.f1([y for _, y in test], found):.2f}")
    task = collins.TASKS["noun phrases"]
    line = collins.lines(task, train, test, cut, (1, 3))[1]
    assert line == f"| {' | '.join(cells)} |"


def test_collins_features_see_a_window_of_five() -> None:
    x = [(word, word.upper()) for word in "abcdefg"]
    assert len(list(collins.chunking(x, 3))) == 5 + 4 + 5 + 4 + 3
    seen = {word for f in collins.chunking(x, 3) for word in f.split()[1:]}
    assert seen == set("bcdefBCDEF")
    assert list(collins.tagging(["so", "X-9"], 1))[-3:] == ["a digit", "a capital", "a hyphen"]
    assert collins.noun_phrases(["B-VP", "B-NP", "I-NP", "O"]) == ["O", "B-NP", "I-NP", "O"]
    assert collins.error([["A", "B"]], [["A", "A"]]) == 50


def test_a_first_pass_of_collins_table_is_measured(data: Path) -> None:
    """The other lines are the same code, and slower."""
    if not (data / "conll2000").is_dir():
        pytest.skip("no conll2000 among the datasets")
    task = collins.TASKS["noun phrases"]
    (line,) = collins.lines(task, *task.read(data), 5, (1,))
    assert line in PAGE.read_text(), "run: python -m reproductions.collins FOLDER"
