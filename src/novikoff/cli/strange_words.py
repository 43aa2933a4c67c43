"""Strange words: those of a command line that no verb knows, and what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_FROM_VOWPAL_WABBIT = {
    "-d": "name the file alone: novikoff learn FILE",
    "--data": "name the file alone: novikoff learn FILE",
    "-f": "write the model with --save MODEL",
    "--final_regressor": "write the model with --save MODEL",
    "-i": "go on with a model with --resume MODEL",
    "--initial_regressor": "go on with a model with --resume MODEL",
    "-t": "predict with novikoff predict MODEL FILE",
    "-p": "predict with novikoff predict MODEL FILE",
    "-q": "cross two namespaces with --cross user,ad, by their whole names",
    "--quadratic": "cross two namespaces with --cross user,ad, by their whole names",
    "--interactions": "cross two namespaces with --cross user,ad, by their whole names",
    "--oaa": "leave it out: the default learner takes any number of classes",
    "--ngram": "use runs of up to N words with --words N, in files of text",
    "--l1": "leave it out: the default learner needs no penalty",
    "--l2": "leave it out: the default learner needs no penalty",
    "--holdout_off": "leave it out: every row is predicted first and then learned from",
    "--model": "write the model with --save MODEL",
    "-b": "hash names with --hash-bits N",
    "-c": "leave it out, or write a cache first: novikoff cache FILE",
    "--loss_function": "leave it out: the default learner has the logistic loss",
    "--link": "leave it out: novikoff predict --probabilities writes probabilities",
    "-l": "leave it out: the default learner needs no rate",
    "--learning_rate": "leave it out: the default learner needs no rate",
}
"""What to write instead of an option of Vowpal Wabbit (docs/from_vowpal_wabbit.md)."""
_MODEL = "name the model first: novikoff predict MODEL FILE"
_FILE = "name the file after the model: novikoff predict MODEL FILE"
_PREDICTIONS = "write predictions with --output FILE"
_KNOWN = "leave it out: the model knows it"
_NEVER_LEARNS = "leave it out: predict never learns"
_TO_PREDICT = {
    "-i": _MODEL,
    "--initial_regressor": _MODEL,
    "--model": _MODEL,
    "-d": _FILE,
    "--data": _FILE,
    "-p": _PREDICTIONS,
    "--predictions": _PREDICTIONS,
    "-r": "write scores with --scores",
    "--raw_predictions": "write scores with --scores",
    "-t": _NEVER_LEARNS,
    "--testonly": _NEVER_LEARNS,
    "-f": _NEVER_LEARNS,
    "--final_regressor": _NEVER_LEARNS,
    "--holdout_off": _NEVER_LEARNS,
    "-l": _NEVER_LEARNS,
    "--learning_rate": _NEVER_LEARNS,
    "--l1": _NEVER_LEARNS,
    "--l2": _NEVER_LEARNS,
    "-q": _KNOWN,
    "--quadratic": _KNOWN,
    "--interactions": _KNOWN,
    "-b": _KNOWN,
    "--oaa": _KNOWN,
    "--ngram": _KNOWN,
    "--loss_function": _KNOWN,
    "-c": "leave it out: the file is read once",
    "--link": "write probabilities with --probabilities",
}
"""The same for ``predict``."""


def advice(strange: Iterable[str], known: Iterable[str], verb: str | None = None) -> str:
    """Return what to do about strange words of a verb with these options, each in its turn."""
    found, options = [], list(known)
    instead = _TO_PREDICT if verb == "predict" else _FROM_VOWPAL_WABBIT
    for word in strange:
        name = word.partition("=")[0]
        near = nearest(name, options) if name.startswith("--") else None
        if name in instead:
            found.append(f"Instead of {name}, {instead[name]}.")
        elif near is not None:
            found.append(f"Did you mean {near}?")
    return " ".join(found)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant: its letters in another order, or nearly it."""
    names = list(known)
    swapped = [name for name in names if sorted(name) == sorted(word)]
    return next(iter([*swapped, *get_close_matches(word, names, 1, cutoff=0.75)]), None)
