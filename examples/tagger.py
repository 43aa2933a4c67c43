"""A tagger for a new language: python examples/tagger.py

The language is a small Esperanto: nouns end in -o, adjectives in -a, adverbs in -e, and verbs in
-as. Nobody tells the tagger so. It learns from two hundred sentences, and then tags words that it
has never seen.
"""

import random

import novikoff as nv

ENDINGS = {"NOUN": "o", "ADJ": "a", "ADV": "e", "VERB": "as"}
KNOWN = "hund kat libr dom manĝ vid bel grand rapid kant lern skrib nov jun arb flor"
NEW = "ĉeval montar dolĉ blank dorm kur"
Tagged = tuple[list[str], list[str]]


def sentence(roots: str, rng: random.Random) -> Tagged:
    """Return words and tags: the [adjective] noun [adverb] verb, the [adjective] noun."""
    tags = ["DET"] + ["ADJ"] * rng.randrange(2) + ["NOUN"] + ["ADV"] * rng.randrange(2) + ["VERB"]
    tags += (["DET", "ADJ"] if rng.random() < 0.5 else ["DET"]) + ["NOUN"]
    words = ["la" if tag == "DET" else rng.choice(roots.split()) + ENDINGS[tag] for tag in tags]
    return words, tags


def main() -> None:
    """Learn from sentences of some roots, and tag sentences of others."""
    rng = random.Random(5)
    rounds = [sentence(KNOWN, rng) for _ in range(200)]
    learner = nv.StructuredPerceptron(nv.Chains("tagging"))
    run = nv.play(learner, rounds, until_clean=True)
    print(f"learned from {len(rounds)} sentences in {run.ledger.passes} passes")
    print(f"sentences with a wrong tag while learning: {run.mistakes}")
    tagger = run.hypothesis()
    fresh = [sentence(NEW, rng) for _ in range(100)]
    right = sum(tagger(words) == tags for words, tags in fresh)
    print(f"new sentences, of words that it has never seen: {right} of {len(fresh)} right")
    words, _ = fresh[0]
    print("  " + " ".join(f"{word}/{tag}" for word, tag in zip(words, tagger(words), strict=True)))
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, rounds)
    print(f"the theorem {certificate.theorem} allows {certificate.bound:.0f} wrong sentences")
    print(f"certificate verified: {verdict.verified}")


if __name__ == "__main__":
    main()
