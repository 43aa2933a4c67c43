"""Choose among headlines while readers come: python examples/headlines.py

You show each reader one headline, and see only whether that one was clicked. Exp3IX promises nearly
as many clicks as the best single headline would get, whatever readers like, even if it changes.
"""

import numpy as np

import novikoff as nv

HEADLINES = ("Ten facts about tea", "Tea: a history", "You drink tea wrong", "Why tea?")
READERS = 30_000


def main() -> None:
    """Show headlines to all readers, and compare with the best headline in hindsight."""
    rng = np.random.default_rng(0)
    rates = np.full((READERS, len(HEADLINES)), (0.05, 0.02, 0.04, 0.03))
    rates[READERS // 2 :, 2] = 0.12  # the third headline becomes popular half-way
    clicks = (rng.random(rates.shape) < rates).astype(float)
    learner = nv.Exp3IX(arms=len(HEADLINES), horizon=READERS, rewards=True, seed=1)
    run = nv.play(learner, clicks)
    best = HEADLINES[run.ledger.best]
    got = READERS - run.ledger.loss  # a loss is a reader who does not click
    print(f"clicks of {READERS:,} readers")
    print(f"  headlines drawn at random:        {clicks.mean() * READERS:,.0f}")
    print(f"  the learner:                      {got:,.0f}")
    print(f"  always the best one in hindsight: {clicks.sum(axis=0).max():,.0f} ({best!r})")
    print("what the learner would show next")
    for name, share in zip(HEADLINES, learner.probabilities(), strict=True):
        print(f"  with probability {share:.2f}: {name!r}")
    (bound,) = nv.bounds(run)
    print(f"the learner got {bound.observed:,.0f} clicks fewer than the best headline;")
    print(f"the theorem {bound.theorem} allows {bound.value:,.0f}")


if __name__ == "__main__":
    main()
