"""Write the golden files of a version: ``python -m golden.writing FILE`` in ``tests``.

Use the Python of the version that shall write them. The facts among the files are what that version
said of them.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

import novikoff as nv
from golden.facts import Facts, facts_of, plain, said
from golden.folders import write_blended, write_keyed, write_log, write_mixed
from golden.recipes import (
    FURTHER,
    NAMED,
    RECIPES,
    SEPARABLE,
    SIGNS,
    Recipe,
    X,
    numbers,
    separable,
    signs,
)


def certificate_facts(certificate: Any, verdict: Any) -> Facts:
    """Return what a certificate says, and whether the version that wrote it verifies it."""
    observed = certificate.observed
    return {
        "theorem": certificate.theorem, "observed": plain(observed),
        "bound": plain(certificate.bound), "verified": verdict.verified,
    }  # fmt: skip


def write_run(name: str, recipe: Recipe, folder: Path) -> Facts:
    """Play a recipe; save its run, its hypothesis and its certificate."""
    run = recipe.played()
    run.save(folder / f"{name}.run")
    found = facts_of(run, recipe.rows)
    if recipe.rows is not None:
        run.hypothesis().save(folder / f"{name}.hypothesis")
    if recipe.certified:
        try:
            certificate = nv.certify(run, theorem=recipe.theorem)
        except (KeyError, ValueError, nv.NovikoffError) as error:
            print(f"{name}: no certificate: {error}")
        else:
            certificate.save(folder / f"{name}.certificate.json")
            start = {"start": folder / f"{name}.run"} if recipe.started else {}
            verdict = nv.verify(certificate, recipe.data(), **start)
            found["certificate"] = certificate_facts(certificate, verdict)
    run.play(recipe.rounds())
    found["again"] = facts_of(run, recipe.rows)
    return found


def write_learner(folder: Path) -> Facts:
    """Save a learner without its run."""
    learner = nv.play(nv.AveragedPerceptron(bias=1.0), signs()).learner
    learner.save(folder / "averaged.learner")
    return said(learner.hypothesis(), X)


def write_digesting(folder: Path) -> Facts:
    """Save a run that goes on digesting, if this version does."""
    run = nv.play(nv.Perceptron(), signs(), digest=True)
    run.save(folder / "digesting.run")
    return facts_of(run, X)


def write_asks(folder: Path) -> Facts:
    """Save a run with labels that have not come yet, weights of classes and a threshold."""
    run = nv.Run(nv.AdaptiveGradient(0.5), threshold=0.25, class_weights={1: 2.0}, max_weight=2.0)
    run.play(NAMED)
    run.ask(FURTHER[0][0], id="late")
    run.save(folder / "asks.run")
    found = {"pending": sorted(map(str, run.pending)), "rounds": run.ledger.rounds}
    run.tell("late", 1)
    return {**found, "told": plain(run.probability(FURTHER[1][0]))}


def write_listed(folder: Path) -> Facts:
    """Save many classes with few weights, which are listed."""
    rows, labels = listed()
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(rows, labels))
    run.save(folder / "listed.run")
    if (folder / "listed.run").stat().st_size > 1_000_000:
        (folder / "listed.run").unlink()
        raise AttributeError("this version does not list weights")
    run.hypothesis().save(folder / "listed.hypothesis")
    return {"mistakes": run.mistakes, "predicted": plain(run.predict(rows[:12]))}


def listed() -> tuple[Any, Any]:
    """Return rows and labels of many classes and features, of which few have a weight."""
    from scipy.sparse import csr_array

    columns = [0, 2999, 1, 2998, 0, 7, 1, 2999, 7, 2998]
    starts = np.minimum(np.arange(1502), 10)  # all rows but the first ones are empty
    rows = csr_array((np.ones(10), columns, starts), shape=(1501, 3000))
    return rows, np.arange(1501) % 1500


def write_cache(folder: Path) -> Facts:
    """Write caches of numbered rows, of named ones and of rows with weights."""
    streams = {
        "numbered": nv.stream(X, SIGNS),
        "named": [({**row}, "spam" if y > 0 else "ham") for row, y in NAMED],
        "weighted": nv.stream(X, SIGNS, weights=np.arange(1.0, 11.0)),
    }
    found = {}
    for name, stream in streams.items():
        nv.cache(stream, folder / f"{name}.cache")
        again = nv.read(folder / f"{name}.cache", positive="spam" if name == "named" else None)
        run = nv.play(nv.Perceptron(), again, digest=True)
        found[name] = facts_of(run, None) | {"digest": run.ledger.digest}
    return found


def write_separability(folder: Path) -> Facts:
    """Certify that rows are separable, and that others are not."""
    found = {}
    for name, labels in (("separable", SEPARABLE), ("not-separable", SIGNS)):
        stream = nv.stream(X, labels)
        certificate = nv.certify(nv.margin(X, labels), stream)
        certificate.save(folder / f"{name}.certificate.json")
        found[name] = certificate_facts(certificate, nv.verify(certificate, stream))
    return found


def write_predictions(folder: Path) -> Facts:
    """Certify predictions: probabilities and numbers."""
    found = {}
    cases: list[tuple[str, Any, Any, list[float]]] = [
        ("predictions", signs(), "logistic", [0.25, 0.75] * 5),
        ("predicted-numbers", numbers(), "squared", [1.0, -1.0] * 5),
    ]
    for name, stream, loss, guessed in cases:
        certificate = nv.certify_predictions(guessed, stream, loss)
        certificate.save(folder / f"{name}.certificate.json")
        verdict = nv.verify(certificate, stream, predictions=guessed)
        found[name] = certificate_facts(certificate, verdict) | {"predictions": guessed}
    return found


def write_days(folder: Path) -> Facts:
    """Certify two days: the first of a chain, and the rounds since its model."""
    found = {}
    for name, make in (("perceptron", nv.Perceptron), ("blend", nv.Blend)):
        first = nv.play(make(), signs())
        one = nv.certify(first, chain=True)
        first.save(folder / f"{name}.day1.run")
        one.save(folder / f"{name}.day1.certificate.json")
        second = nv.Run.load(folder / f"{name}.day1.run").continued()
        second.play(separable())
        two = nv.certify(second, separable(), start=folder / f"{name}.day1.run")
        two.save(folder / f"{name}.day2.certificate.json")
        verdict = nv.verify(two, separable(), start=folder / f"{name}.day1.run")
        found[f"{name}.day1"] = certificate_facts(one, nv.verify(one, signs()))
        found[f"{name}.day2"] = certificate_facts(two, verdict)
    return found


PARTS: dict[str, Callable[[Path], Facts]] = {
    "learner": write_learner, "digesting": write_digesting, "asks": write_asks,
    "listed": write_listed, "cache": write_cache, "separability": write_separability,
    "predictions": write_predictions, "days": write_days, "keyed": write_keyed,
    "mixed": write_mixed, "blended": write_blended, "service": write_log,
}  # fmt: skip


WRITERS: dict[str, Callable[[Path], Facts]] = {
    **{name: partial(write_run, name, recipe) for name, recipe in RECIPES.items()},
    **PARTS,
}


def write_all(folder: Path) -> None:
    """Write all that this version knows, and the facts."""
    facts: dict[str, Facts] = {}
    for name, write in WRITERS.items():
        try:
            facts[name] = write(folder)
        except (AttributeError, TypeError, ImportError) as error:  # this version does not have it
            print(f"{name}: left out: {error}")
    (folder / "facts.json").write_text(json.dumps(facts, sort_keys=True))


def main(target: Path) -> None:
    """Pack the files, with the same date for all, so that the same files are the same bytes."""
    with TemporaryDirectory() as name, ZipFile(target, "w", ZIP_DEFLATED) as packed:
        write_all(Path(name))
        for path in sorted(Path(name).rglob("*")):
            if path.is_file() and path.name != "lock":
                inside = str(path.relative_to(name))
                packed.writestr(ZipInfo(inside), path.read_bytes(), ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
