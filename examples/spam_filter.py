"""A spam filter whose labels come late: python examples/spam_filter.py [FILE]

The filter judges each message at once. The label comes fifty messages later, and only then does the
filter learn from it. FILE has a label, a tab and a message on each line; without FILE, the messages
are made up.
"""

import random
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import novikoff as nv

DELAY = 50
HAM = "are you home dinner meeting tomorrow thanks see call mother lunch the at train late"
SPAM = "free win prize claim now text offer cash call click urgent account the you"


def messages(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield (label, message): about one in five is spam, and both kinds share some words."""
    rng = random.Random(seed)
    for _ in range(count):
        label = "spam" if rng.random() < 0.2 else "ham"
        own, other = (SPAM, HAM) if label == "spam" else (HAM, SPAM)
        words = rng.choices(own.split(), k=6) + rng.choices(other.split(), k=3)
        yield label, " ".join(words)


def from_file(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (label, message) from a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        label, _, text = line.partition("\t")
        yield label, text


def play(arriving: Iterator[tuple[str, str]]) -> nv.Run:
    """Judge every message at once, and learn from it fifty messages later."""
    run = nv.Run(nv.Blend(), labels=("ham", "spam"))
    waiting: deque[tuple[int, str]] = deque()
    for number, (label, text) in enumerate(arriving):
        run.ask(dict.fromkeys(text.lower().split(), 1), id=number)  # what the user sees
        waiting.append((number, label))
        if len(waiting) > DELAY:
            run.tell(*waiting.popleft())
    while waiting:
        run.tell(*waiting.popleft())
    return run


def main(arguments: list[str]) -> None:
    """Play the messages, and say how often the filter was wrong."""
    arriving = from_file(Path(arguments[0])) if arguments else messages(4000)
    ledger = play(arriving).ledger
    spam = ledger.rounds_by_label["spam"]
    print(f"{ledger.rounds:,} messages, {spam:,} of them spam")
    print("how often it was wrong")
    print(f"  when the message came:            {ledger.served_mistakes:,}")
    print(f"  asked again when the label came:  {ledger.mistakes:,}")
    print(f"  if it always said 'ham':          {spam:,}")
    found = nv.error_bound(ledger, delta=0.05)
    print(f"on new messages, its hypotheses err on average at most {found.value:.2%}")
    print("of the time, with probability 0.95, if")
    print("\n".join(f"- {assumption}" for assumption in found.assumes))


if __name__ == "__main__":
    main(sys.argv[1:])
