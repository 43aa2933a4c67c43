"""Predict clicks with probabilities that can be trusted: python examples/click_prediction.py

A log of who saw which advertisement at what hour and price, with the users' tastes made up. Columns
have very different scales, and nobody scales them.
"""

import math
import random
from collections.abc import Iterator

import novikoff as nv

TASTES = {("ann", "books"): 2.0, ("bob", "shoes"): 1.5, ("cy", "tea"): 2.5, ("dee", "books"): -1.0}
Row = dict[str, str | float]


def log(count: int, seed: int = 3) -> Iterator[tuple[Row, str]]:
    """Yield what was shown, and whether it was clicked."""
    rng = random.Random(seed)
    for _ in range(count):
        user, ad = rng.choice(["ann", "bob", "cy", "dee"]), rng.choice(["shoes", "books", "tea"])
        hour, price = rng.randrange(24), round(rng.lognormvariate(3, 1), 2)
        score = -2.5 + TASTES.get((user, ad), 0.0) + 0.5 * (hour > 18) - 0.01 * price
        clicked = rng.random() < 1 / (1 + math.exp(-score))
        row: Row = {"user": user, "ad": ad, "hour": f"{hour:02d}", "price": price}
        yield row, "click" if clicked else "no click"


def main() -> None:
    """Learn with and without products of features, and compare."""
    rows, labels = map(list, zip(*log(6000), strict=True))
    stream = nv.stream(rows, labels, positive="click")
    clicks = labels.count("click")
    rate = clicks / len(labels)
    entropy = -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)
    print(f"{len(labels):,} shown, {clicks:,} clicked")
    print(f"the click rate alone:      log loss {entropy:.4f}")
    plain = nv.play(nv.Blend(), stream)
    print(f"Blend:                     log loss {plain.ledger.mean_loss:.4f}")
    crossed = nv.play(nv.Blend(transforms=[nv.Cross("user", "ad")]), stream)
    print(f"Blend with user × ad:      log loss {crossed.ledger.mean_loss:.4f}")
    for user, ad in (("cy", "tea"), ("dee", "books")):
        shown: Row = {"user": user, "ad": ad, "hour": "20", "price": 10.0}
        print(f"{user} sees {ad} at 20:00: {crossed.probability(shown):.1%} click")
    certificate = nv.certify(crossed)
    print(f"{certificate.theorem}: {certificate.observed:.0f} ≤ {certificate.bound:.0f}")


if __name__ == "__main__":
    main()
