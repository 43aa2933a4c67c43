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
    "-b": "hash names with --hash-bits N",
    "-c": "leave it out, or write a cache first: novikoff cache FILE",
    "--loss_function": "leave it out: the default learner has the logistic loss",
    "--link": "leave it out: novikoff predict --probabilities writes probabilities",
    "-l": "leave it out: the default learner needs no rate",
    "--learning_rate": "leave it out: the default learner needs no rate",
}
"""What to write instead of an option of Vowpal Wabbit (docs/from_vowpal_wabbit.md)."""


def advice(strange: Iterable[str], known: Iterable[str]) -> str:
    """Return what to do about strange words of a verb with these options, each in its turn."""
    found, options = [], list(known)
    for word in strange:
        name = word.partition("=")[0]
        near = nearest(name, options) if name.startswith("--") else None
        if name in _FROM_VOWPAL_WABBIT:
            found.append(f"Instead of {name}, {_FROM_VOWPAL_WABBIT[name]}.")
        elif near is not None:
            found.append(f"Did you mean {near}?")
    return " ".join(found)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant: its letters in another order, or nearly it."""
    names = list(known)
    swapped = [name for name in names if sorted(name) == sorted(word)]
    return next(iter([*swapped, *get_close_matches(word, names, 1, cutoff=0.75)]), None)
