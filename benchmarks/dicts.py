"""Predict and learn, one dict of 10, 30 or 100 named features, against river and pure Python.

Blend asks for a probability and learns, beside river's scaler and logistic regression.
"""

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from river.compose import Pipeline
from river.linear_model import LogisticRegression
from river.linear_model import Perceptron as RiverPerceptron
from river.preprocessing import StandardScaler

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import compare

_ROUNDS, _WORDS = 1000, 10_000

Documents = list[tuple[dict[Any, float], bool]]


class PurePerceptron:
    """What one writes in a dozen lines."""

    def __init__(self) -> None:
        self.w: defaultdict[str, float] = defaultdict(float)

    def learn(self, x: dict[str, float], y: bool) -> bool:
        w = self.w
        score = 0.0
        for name, value in x.items():
            score += w[name] * value
        prediction = score >= 0
        if prediction != y:
            sign = 1 if y else -1
            for name, value in x.items():
                w[name] += sign * value
        return prediction


def _documents(features: int) -> Iterator[Documents]:
    """The same rows again and again, one label in ten turned round anew: mistakes do not end."""
    rng = random.Random(features)
    words = [f"word{j}" for j in range(_WORDS)]
    target = {word: rng.gauss(0, 1) for word in words}
    X = [{word: rng.random() for word in rng.sample(words, features)} for _ in range(_ROUNDS)]
    y = [sum(target[word] * value for word, value in x.items()) >= 0 for x in X]
    noisy = [[label != (rng.random() < 0.1) for label in y] for _ in range(9)]
    return itertools.cycle([list(zip(X, labels, strict=True)) for labels in noisy])


def rows() -> Iterator[Row]:
    for features, goal in ((10, 10), (30, 8), (100, 5)):
        documents = _documents(features)
        river, pure = RiverPerceptron(), PurePerceptron()
        run, judged = nv.Run(nv.Perceptron()), nv.Run(nv.Perceptron())

        def by_river(model: Any = river, documents: Iterator[Documents] = documents) -> None:
            for x, y in next(documents):
                model.predict_one(x)
                model.learn_one(x, y)

        def by_hand(model: Any = pure, documents: Iterator[Documents] = documents) -> None:
            for x, y in next(documents):
                model.learn(x, y)

        def fused(run: nv.Run = run, documents: Iterator[Documents] = documents) -> nv.Run:
            for x, y in next(documents):
                run.learn(x, y)
            return run

        def apart(run: nv.Run = judged, documents: Iterator[Documents] = documents) -> nv.Run:
            learner = run.learner
            for x, y in next(documents):
                learner.predict(x)
                learner.update(x, 1 if y else -1)
            return run

        work = f"{_ROUNDS} dicts of {features}"
        yield compare(f"{work}, `run.learn`, river", goal, by_river, fused, turns=15, calls=5)
        yield compare(f"{work}, `run.learn`, pure Python", 2.5, by_hand, fused, turns=15, calls=5)
        yield compare(f"{work}, predict, update; river", None, by_river, apart, turns=15, calls=5)
    yield _probabilities()


def _probabilities() -> Row:
    """Blend beside river's pipeline: the probability of a dict of 30, then learn it."""
    documents = _documents(30)
    model: Any = Pipeline(StandardScaler(), LogisticRegression())
    run = nv.Run(nv.Blend())

    def by_river() -> None:
        for x, y in next(documents):
            model.predict_proba_one(x)
            model.learn_one(x, y)

    def by_blend() -> nv.Run:
        for x, y in next(documents):
            run.probability(x)
            run.learn(x, y)
        return run

    work = f"{_ROUNDS} dicts of 30, probability and learn, blend; river's scaler and logistic"
    return compare(work, 4, by_river, by_blend, turns=15, calls=5)
