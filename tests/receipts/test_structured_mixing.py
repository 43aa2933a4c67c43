"""Chains in shards: their means, the theorem, and its certificates, against a plain twin."""

import json
import math
import random
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from novikoff import cluster, verifier
from novikoff.learners import Chain
from novikoff.learners.structured.mixed_structured import UNIT, MixedStructuredPerceptron
from novikoff.learners.structured.whole_means import WholeMeans
from novikoff.receipts.certificates import sealed
from novikoff.receipts.rereading import Sentences

TAGS = ["N", "V", "X"]


def tagged(count: int = 60, seed: int = 1) -> list[Any]:
    """Sentences whose tags follow their words, but for some noise."""
    draw, found = random.Random(seed), []
    for _ in range(count):
        words = [draw.choice("abcdefgh") for _ in range(draw.randint(1, 4))]
        tags = ["N" if w in "abc" else "V" if w in "de" else "X" for w in words]
        if draw.random() < 0.2:
            tags[0] = draw.choice(TAGS)
        found.append((words, tags))
    return found


def played(pairs: Any, shards: int, epochs: int = 3, **options: Any) -> nv.Run:
    learner = nv.StructuredPerceptron(nv.Chains("w[0] w[-1]"), **options)
    return cluster.play(learner, pairs, shards=shards, epochs=epochs)


def features(words: list[str], tags: Any) -> dict[Any, Fraction]:
    """Φ(x, z): the words and the words before by tag, and the tag before."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    for i, tag in enumerate(tags):
        found["w", words[i], tag] += 1
        found["before", words[i - 1] if i else None, tag] += 1
        found["move", tags[i - 1] if i else None, tag] += 1
    return found


class Twin:
    """Every output is scored, in fractions; the best of equal ones has the lowest last tags."""

    def __init__(self, shards: list[int], tags: list[str]) -> None:
        self.shards, self.tags = shards, tags
        self.start: dict[Any, Fraction] = {}
        self.moved: dict[Any, Fraction] = defaultdict(Fraction)
        self.grown = Fraction(0)

    def output(self, w: dict[Any, Fraction], words: list[str]) -> list[str]:
        def key(z: Any) -> Any:
            score = sum((v * w.get(f, 0) for f, v in features(words, z).items()), Fraction(0))
            return (-score, [self.tags.index(t) for t in reversed(z)])

        return list(min(product(self.tags, repeat=len(words)), key=key))

    def epoch(self, pairs: Any) -> list[bool]:
        mistakes, total, at = [], defaultdict[Any, Fraction](Fraction), 0
        for size in self.shards:
            w = defaultdict(Fraction, self.start)
            for words, y in pairs[at : at + size]:
                z = self.output(w, words)
                mistakes.append(z != y)
                for sign, tags in ((1, y), (-1, z)):
                    for f, v in features(words, tags).items():
                        w[f] += sign * v
            at += size
            for f, v in w.items():
                total[f] += v / len(self.shards)
        self.start = {f: Fraction(round(v * UNIT), UNIT) for f, v in total.items()}
        for f, v in total.items():
            self.moved[f] += self.start[f] - v
            self.grown += self.start[f] ** 2 - v**2
        return mistakes


@pytest.mark.parametrize("shards", [1, 2, 3, 7])
def test_chains_in_shards_are_what_a_plain_twin_plays(shards: int) -> None:
    pairs = tagged()
    run = played(pairs, shards)
    twin = Twin([*run.learner.shards], [*run.learner.problem.tags])
    mistakes = [one for _ in range(3) for one in twin.epoch(pairs)]
    assert run.ledger.mistake_rounds.tolist() == [t for t, m in enumerate(mistakes, 1) if m]
    assert run.ledger.mistake_energy == one_by_one(run, pairs).ledger.mistake_energy
    moved, unit, grown = run.learner.means.moved_by(UNIT)
    assert grown == twin.grown
    assert sorted(v * unit for v in moved.tolist() if v) == sorted(
        v for v in twin.moved.values() if v
    )
    last = run.learner.hypothesis(last=True).weights()
    assert sorted(last.values()) == sorted(float(v) for v in twin.start.values() if v)


def one_by_one(run: nv.Run, pairs: Any) -> nv.Run:
    """The sequential form: one learner that plays the shards one after another."""
    return nv.play(run.learner.fresh(), pairs, passes=run.learner.epochs)


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("shards", [1, 4])
def test_a_cluster_and_one_learner_have_the_same_bits(
    tmp_path: Path, shards: int, averaged: bool
) -> None:
    pairs = tagged()
    run = played(pairs, shards, averaged=averaged)
    again = one_by_one(run, pairs)
    a, b = run.learner.state(), again.learner.state()
    assert a.keys() == b.keys()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    words = [x for x, _ in pairs]
    assert run.predict(words) == again.predict(words)
    run.save(tmp_path / "it.model")
    loaded = nv.Run.load(tmp_path / "it.model")
    assert loaded.predict(words) == run.predict(words)
    half = nv.play(run.learner.fresh(), pairs[:37])
    half.save(tmp_path / "half.model")
    resumed = nv.Run.load(tmp_path / "half.model")
    for part in (pairs[37:], pairs, pairs):
        resumed.play(part)
    c = resumed.learner.state()
    assert all(np.array_equal(a[name], c[name]) for name in a)


def weights(run: nv.Run) -> dict[Any, float]:
    h = run.hypothesis()
    assert isinstance(h, Chain)
    return h.weights()


def test_the_average_is_that_of_the_weights_after_every_round() -> None:
    """One shard and one epoch: the plain learner's average, in finer units."""
    pairs = tagged(40)
    run = played(pairs, 1, epochs=1)
    plain = nv.play(nv.StructuredPerceptron(run.learner.problem), pairs)
    assert weights(run) == weights(plain)
    two = weights(played(pairs, 2, epochs=1))
    halves = [
        nv.play(nv.StructuredPerceptron(run.learner.problem), pairs[a : a + 20]) for a in (0, 20)
    ]
    first, second = map(weights, halves)
    expected = {f: (first.get(f, 0.0) + second.get(f, 0.0)) / 2 for f in {**first, **second}}
    assert two == pytest.approx({f: v for f, v in expected.items() if v})


@given(st.integers(1, 9), st.lists(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=6)))
def test_a_mean_is_the_whole_number_nearest_to_the_exact_mean(shards: int, parts: Any) -> None:
    parts = (parts + [[]] * shards)[:shards]
    means = WholeMeans(shards)
    for part in parts:
        means.add(np.array(part, np.int32))
    size = max(map(len, parts))
    true = [Fraction(sum(p[j] for p in parts if j < len(p)), shards) for j in range(size)]
    found = means.mix().tolist()
    assert found == [round(v) for v in true]
    moved, unit, grown = means.moved_by(1)
    assert [v * unit for v in moved.tolist()] == [m - t for m, t in zip(found, true, strict=True)]
    assert grown == sum((Fraction(m) ** 2 - t**2 for m, t in zip(found, true, strict=True)), 0)


@pytest.mark.shows("holds", "parameter-mixing")
@pytest.mark.parametrize("shards", [1, 2, 5])
def test_certificates_of_chains_state_the_exact_bound(shards: int) -> None:
    pairs = tagged(seed=shards)
    run = played(pairs, shards)
    (bound,) = nv.bounds(run)
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, pairs)
    assert verdict.verified, verdict.reason
    assert (verdict.observed, verdict.bound) == (run.mistakes, certificate.bound)
    assert certificate.bound == bound.value
    assert run.mistakes <= bound.value


def written(folder: Path, pairs: Any) -> Path:
    lines = ["".join(f"{w} {t}\n" for w, t in zip(*pair, strict=True)) for pair in pairs]
    (folder / "data.conll").write_text("\n".join(lines))
    return folder / "data.conll"


def test_the_stand_alone_verifier_replays_chains_shard_by_shard(tmp_path: Path) -> None:
    data = written(tmp_path, tagged())
    learner = nv.StructuredPerceptron(nv.Chains("w[0] w[-1]"))
    stream = nv.read(data, "conll")
    run = cluster.play(learner, stream, shards=3, epochs=2)
    nv.certify(run).save(tmp_path / "it.json")
    rows = tmp_path / "data.tags"
    rows.write_text("".join(Sentences(stream, run.learner.problem).lines()))
    command = [sys.executable, "-I", verifier.__file__, str(tmp_path / "it.json"), str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["verified"]


FORGERIES: dict[str, Any] = {
    "another partition": {"shards": [25, 20, 15]},
    "fewer rows": {"shards": [20, 20]},
    "an empty shard": {"shards": [20, 20, 20, 0]},
    "one shard": {"shards": [60]},
    "a shard for every row": {"shards": [1] * 60},
    "no list": {"shards": 60},
    "tags that are found as they appear": {"tags": None},
    "tags in another order": {"tags": TAGS[::-1]},
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_chains_that_were_played_otherwise_are_refused(change: Any) -> None:
    pairs = tagged()
    content = nv.certify(played(pairs, 3)).content
    learner = content["learner"]
    parameters = dict(learner["parameters"])
    if "tags" in change:
        parameters["problem"] = parameters["problem"] | change
    else:
        parameters |= change
    forged = sealed(content | {"learner": {**learner, "parameters": parameters}})
    assert not nv.verify(forged, pairs).verified


def test_a_bound_of_chains_that_forgets_the_rounding_is_refused() -> None:
    pairs = tagged()
    certificate = nv.certify(played(pairs, 3))
    exact = certificate.bound
    assert exact is not None
    for other in (math.nextafter(exact, 0), math.nextafter(exact, math.inf)):
        assert not nv.verify(sealed(certificate.content | {"bound": other}), pairs).verified


def test_structures_that_are_not_chains_are_refused_by_name() -> None:
    with pytest.raises(nv.HypothesisError, match="StructuredPerceptron, whose outputs are not"):
        cluster.play(nv.StructuredPerceptron(nv.Trees()), [([("cat", "N")], [0])], shards=1)
    with pytest.raises(nv.ParameterError, match="Chains with tags"):
        MixedStructuredPerceptron([1], nv.Chains("w[0]"))


def test_a_strange_sentence_is_named_before_the_first_round(tmp_path: Path) -> None:
    data = written(tmp_path, tagged(5))
    learner = nv.StructuredPerceptron(nv.Chains("w[0]", tags=["N", "V"]))
    with pytest.raises(nv.InputError, match=r"data\.conll:\d+: expected tag"):
        cluster.play(learner, nv.read(data, "conll"), shards=2)


HOSTILE: dict[str, Any] = {
    "more weights than names": {"mixing_start": np.zeros(10**4, np.int64)},
    "a weight beyond 32 bits": {"mixing_start": np.array([2**31])},
    "a sum beyond its shards": {"mixing_total": np.array([2**33])},
    "the least whole number": {"mixing_total": np.array([-(2**63)])},
    "too many sums": {"mixing_sums": np.zeros(10**4, np.int64)},
    "too many shards": {"mixing_ended": np.array([3])},
    "epochs before the first": {"mixing_epochs": np.array([-1])},
    "half a number": {"mixing_grown": np.array([0, -1])},
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_state_that_no_run_has_is_refused(change: Any) -> None:
    run = nv.play(played(tagged(30), 3).learner.fresh(), tagged(30)[:15])
    state = run.learner.state()
    run.learner.fresh().restore(state)
    with pytest.raises(ValueError, match=r"."):
        run.learner.fresh().restore({**state, **change})
