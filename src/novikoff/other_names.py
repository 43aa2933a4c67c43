"""Names that people look for because other libraries have them, and what they are called here."""

from collections.abc import Callable, Mapping
from inspect import getattr_static
from typing import NoReturn, TypeVar

C = TypeVar("C")
_FROZEN = "run.learn(x, y) or run.play(stream): a hypothesis no longer learns"
_TESTED = "nv.test(run, nv.stream(X, y)) for fresh rows"
_IN_SKLEARN = "or novikoff.sklearn.BlendClassifier for scikit-learn"

OF_PACKAGE = {
    "CountVectorizer": "nv.read(path, words=nv.Words()) for a file of texts, or "
    "nv.Words().features(text)",
    "LogisticRegression": f"nv.Blend(), {_IN_SKLEARN}",
    "Model": "nv.Run, a learner with its ledger; run.hypothesis() is what it has learned, frozen",
    "SGDClassifier": f"nv.Blend(), {_IN_SKLEARN}",
    "StandardScaler": "nv.Blend(), which takes columns on any scale",
    "fit": "nv.play(learner, stream)",
    "learn": "nv.play(learner, stream), or run.learn(x, y) for one round",
    "load": "nv.Run.load(path) for a run, nv.Hypothesis.load(path) for a hypothesis, and "
    "nv.read(path) for a file of rows",
    "load_model": "nv.Run.load(path)",
    "predict": "run.predict(X), or run.predict_one(x) for one row",
    "progressive_val_score": "run = nv.play(learner, stream): run.ledger.error_rate is the "
    "progressive error",
    "read_csv": "nv.read(path, label=COLUMN)",
    "save": "run.save(path)",
    "train": "nv.play(learner, stream)",
}

OF_RUN = {
    "accuracy": f"1 - run.ledger.error_rate for the rounds played, or {_TESTED}",
    "bounds": "nv.bounds(run)",
    "certificate": "nv.certify(run)",
    "certify": "nv.certify(run)",
    "classes_": "run.ledger.labels",
    "coef_": "run.hypothesis().weights()",
    "confusion": "run.ledger.mistakes_by_label and run.ledger.rounds_by_label",
    "decision_function": "run.hypothesis().scores(X)",
    "error_bound": "nv.error_bound(run.ledger)",
    "error_rate": "run.ledger.error_rate",
    "evaluate": _TESTED,
    "fit": "run.play(nv.stream(X, y)), or nv.play(learner, stream) to begin",
    "get_sum_loss": "run.ledger.loss",
    "get_weight": "run.hypothesis().weights()",
    "intercept_": "run.hypothesis().bias_weight",
    "learn_many": "run.play(nv.stream(X, y))",
    "learn_one": "run.learn(x, y)",
    "loss": "run.ledger.loss",
    "mean_loss": "run.ledger.mean_loss",
    "mistake_rounds": "run.ledger.mistake_rounds",
    "model": "run.learner, which goes on learning, or run.hypothesis(), which is frozen",
    "partial_fit": "run.play(nv.stream(X, y)), or run.learn(x, y) for one round",
    "predict_many": "run.predict(X)",
    "predict_proba": "run.probabilities(X)",
    "predict_proba_many": "run.probabilities(X)",
    "predict_proba_one": "run.probability(x)",
    "report": 'nv.report(run, "report.html")',
    "rounds": "run.ledger.rounds",
    "score": f"{_TESTED}; 1 - run.ledger.error_rate is the accuracy in the rounds played",
    "scores": "run.hypothesis().scores(X)",
    "test": _TESTED,
    "top": "run.hypothesis().top()",
    "train": "run.play(nv.stream(X, y))",
    "update": "run.learn(x, y), or run.play(stream) for many rounds",
    "weights": "run.hypothesis().weights()",
}

OF_LEDGER = {
    "accuracy": "1 - ledger.error_rate",
    "error": "ledger.error_rate",
    "errors": "ledger.mistakes",
    "log_loss": "ledger.mean_loss, if the learner gives probabilities, as nv.Blend does",
    "n_mistakes": "ledger.mistakes",
    "n_rounds": "ledger.rounds",
    "score": "1 - ledger.error_rate",
}

OF_HYPOTHESIS = {
    "accuracy": "nv.test(h, nv.stream(X, y))",
    "classes_": "h.labels",
    "coef_": "h.weights()",
    "decision_function": "h.scores(X)",
    "fit": _FROZEN,
    "intercept_": "h.bias_weight",
    "learn": _FROZEN,
    "ledger": "run.ledger: a hypothesis has no past",
    "mistakes": "run.mistakes: a hypothesis has no past",
    "partial_fit": _FROZEN,
    "play": _FROZEN,
    "predict_many": "h.predict(X)",
    "predict_one": "h(x)",
    "predict_proba": "h.probabilities(X), if the learner gives probabilities, as nv.Blend does",
    "score": "nv.test(h, nv.stream(X, y))",
}

_IN_RIVER = "; novikoff.river.BlendClassifier is a model for river"
_PLAYED = "run = nv.play(learner, nv.stream(X, y))"

OF_LEARNER = {
    "accuracy": f"run.ledger.error_rate, of {_PLAYED}",
    "certify": f"nv.certify(run), of {_PLAYED}",
    "fit": _PLAYED,
    "learn": "run.learn(x, y), of run = nv.Run(learner)",
    "learn_many": "run.play(nv.stream(X, y)), of run = nv.Run(learner)",
    "learn_one": f"run.learn(x, y), of run = nv.Run(learner){_IN_RIVER}",
    "ledger": f"run.ledger, of {_PLAYED}",
    "mistakes": f"run.mistakes, of {_PLAYED}",
    "partial_fit": "run.play(nv.stream(X, y)), of run = nv.Run(learner)",
    "play": _PLAYED,
    "predict_many": f"run.predict(X), of {_PLAYED}",
    "predict_one": f"run.predict_one(x), of {_PLAYED}",
    "predict_proba": f"run.probabilities(X), of {_PLAYED}",
    "score": f"{_TESTED}, after {_PLAYED}",
    "train": _PLAYED,
}


def hint(name: str, names: Mapping[str, str]) -> str:
    """Say what to use instead of a name, or nothing if nobody looks for it."""
    return f". Use {names[name]}." if name in names else ""


class OtherName:
    """A name that a class does not have: asking for it is an error that says what to use.

    A ``__getattr__`` of the class would do the same, but makes every attribute slower.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.name, self.instead = name, instead
        self.__doc__ = f"Not here. Use {instead}."

    def __repr__(self) -> str:
        return f"<not here: use {self.instead}>"

    def __get__(self, found: object, kind: type) -> NoReturn:
        whose = f"type object {kind.__name__!r}" if found is None else f"{kind.__name__!r} object"
        raise AttributeError(f"{whose} has no attribute {self.name!r}. Use {self.instead}.")


def hinting(names: Mapping[str, str]) -> Callable[[type[C]], type[C]]:
    """Return a decorator by which a class says what to use instead of these names."""

    def hinted(kind: type[C]) -> type[C]:
        for name, instead in names.items():
            setattr(kind, name, OtherName(name, instead))
        kind.__dir__ = _listed  # type: ignore[method-assign, assignment]
        return kind

    return hinted


def _listed(found: object) -> list[str]:
    """Return the names that an object has, for ``dir`` and for those who complete names."""
    names = object.__dir__(found)
    return [name for name in names if not isinstance(getattr_static(found, name, None), OtherName)]
