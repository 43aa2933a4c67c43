"""Chunk F1 by the definition of the shared task's script, written from that: tag by tag.

A chunk ends, or starts, between two tags by a list of cases; it is right when both sequences
start it together, hold the same kind all along, and end it together.
"""

from collections.abc import Iterable, Sequence


def _split(tag: str) -> tuple[str, str]:
    return ("O", "") if tag == "O" else (tag[0], tag[2:])


def _ends(before: str, tag: str) -> bool:
    (p, kind), (q, other) = _split(before), _split(tag)
    return (p, q) in {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O")} or (
        p != "O" and kind != other
    )


def _starts(before: str, tag: str) -> bool:
    (p, kind), (q, other) = _split(before), _split(tag)
    return (p, q) in {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I")} or (
        q != "O" and kind != other
    )


def f1(gold: Iterable[Sequence[str]], guessed: Iterable[Sequence[str]]) -> float:
    correct = wanted = found = 0
    for one, other in zip(gold, guessed, strict=True):
        inside, last, last_guess = False, "O", "O"
        for tag, guess in [*zip(one, other, strict=True), ("O", "O")]:
            ended, guess_ended = _ends(last, tag), _ends(last_guess, guess)
            if inside:
                same = _split(last)[1] == _split(last_guess)[1]
                if ended and guess_ended and same:
                    correct, inside = correct + 1, False
                elif ended != guess_ended or _split(tag)[1] != _split(guess)[1]:
                    inside = False
            started, guess_started = _starts(last, tag), _starts(last_guess, guess)
            if started and guess_started and _split(tag)[1] == _split(guess)[1]:
                inside = True
            wanted, found = wanted + started, found + guess_started
            last, last_guess = tag, guess
    return 2 * correct / (wanted + found) if correct else 0.0
