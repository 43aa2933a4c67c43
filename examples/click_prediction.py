"""Predict clicks with probabilities that can be trusted: python examples/click_prediction.py

The log says who saw which advertisement, at what hour and price. The users and their tastes are
made up. The columns have very different scales, and nothing is done about it.
"""

import math
import random
from collections.abc import Iterator

import novikoff as nv

TASTES = {("ann", "books"): 2.0, ("bob", "shoes"): 1.5, ("cy", "tea"): 2.5, ("dee", "books"): -1.0}
Row = dict[str, str | float]


def log(count: int, seed: int = 3) -> Iterator[tuple[Row, str]]:
    """Yield what was shown, and whether the user clicked on it."""
    rng = random.Random(seed)
    for _ in range(count):
        user, ad = rng.choice(["ann", "bob", "cy", "dee"]), rng.choice(["shoes", "books", "tea"])
        hour, price = rng.randrange(24), round(rng.lognormvariate(3, 1), 2)
        score = -2.5 + TASTES.get((user, ad), 0.0) + 0.5 * (hour > 18) - 0.01 * price
        clicked = rng.random() < 1 / (1 + math.exp(-score))
        row: Row = {"user": user, "ad": ad, "hour": f"{hour:02d}", "price": price}
        yield row, "click" if clicked else "no click"


def main() -> None:
    """Learn with and without a feature for each pair of user and advertisement, and compare."""
    rows, labels = map(list, zip(*log(6000), strict=True))
    stream = nv.stream(rows, labels, positive="click")
    clicks = labels.count("click")
    rate = clicks / len(labels)
    entropy = -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)
    print(f"{len(labels):,} advertisements shown, {clicks:,} clicked")
    print("mean log loss (lower is better)")
    print(f"  the click rate alone:   {entropy:.4f}")
    plain = nv.play(nv.Blend(), stream)
    print(f"  Blend:                  {plain.ledger.mean_loss:.4f}")
    crossed = nv.play(nv.Blend(transforms=[nv.Cross("user", "ad")]), stream)
    print(f"  Blend with user × ad:   {crossed.ledger.mean_loss:.4f}")
    for user, ad in (("cy", "tea"), ("dee", "books")):
        shown: Row = {"user": user, "ad": ad, "hour": "20", "price": 10.0}
        chance = crossed.probability(shown)
        print(f"{user} sees {ad} at 20:00: clicks with probability {chance:.1%}")
    certificate = nv.certify(crossed)
    print(f"log loss of the last run, all rows together: {certificate.observed:,.0f}")
    print(f"the theorem {certificate.theorem} allows {certificate.bound:,.0f}")


if __name__ == "__main__":
    main()
