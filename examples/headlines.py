"""Choose among headlines while readers come: python examples/headlines.py

You see only whether the headline that you showed was clicked. Exp3IX promises that its clicks are
close to those of the best single headline, whatever readers do, and however their taste changes.
"""

import numpy as np

import novikoff as nv

HEADLINES = ("Ten facts about tea", "Tea: a history", "You drink tea wrong", "Why tea?")
READERS = 30_000


def main() -> None:
    """Play the readers, and compare with the best headline in hindsight."""
    rng = np.random.default_rng(0)
    rates = np.full((READERS, len(HEADLINES)), (0.05, 0.02, 0.04, 0.03))
    rates[READERS // 2 :, 2] = 0.12  # the third headline becomes popular half-way
    clicks = (rng.random(rates.shape) < rates).astype(float)
    learner = nv.Exp3IX(arms=len(HEADLINES), horizon=READERS, rewards=True, seed=1)
    run = nv.play(learner, clicks)
    best = HEADLINES[run.ledger.best]
    got = READERS - run.ledger.loss  # a loss is a reader who does not click
    print(f"{READERS:,} readers")
    print(f"clicks if headlines are drawn at random: {clicks.mean() * READERS:,.0f}")
    print(f"clicks that the learner got: {got:,.0f}")
    print(f"clicks of {best!r}, the best in hindsight: {clicks.sum(axis=0).max():,.0f}")
    for name, share in zip(HEADLINES, learner.probabilities(), strict=True):
        print(f"  shows {name!r} with probability {share:.2f} now")
    (bound,) = nv.bounds(run)
    print(f"{bound.observed:,.0f} fewer than the best; {bound.theorem} allows {bound.value:,.0f}")


if __name__ == "__main__":
    main()
