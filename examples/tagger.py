"""A tagger for a new language: python examples/tagger.py

The language is a small Esperanto: nouns end in -o, adjectives in -a, adverbs in -e, and verbs in
-as. Nobody tells the tagger. It learns from two hundred sentences, and is then asked about words
that it has never seen.
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
    """Learn from known roots, and tag sentences of new ones."""
    rng = random.Random(5)
    rounds = [sentence(KNOWN, rng) for _ in range(200)]
    learner = nv.StructuredPerceptron(nv.Chains("tagging"))
    run = nv.play(learner, rounds, until_clean=True)
    print(f"{len(rounds)} sentences, {run.ledger.passes} passes, {run.mistakes} sentences wrong")
    tagger = run.hypothesis()
    fresh = [sentence(NEW, rng) for _ in range(100)]
    right = sum(tagger(words) == tags for words, tags in fresh)
    print(f"sentences of words it has never seen: {right} of {len(fresh)} right")
    words, _ = fresh[0]
    print("  " + " ".join(f"{word}/{tag}" for word, tag in zip(words, tagger(words), strict=True)))
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, rounds)
    print(f"certificate: {certificate.theorem}, {certificate.observed} ≤ {certificate.bound:.1f}")
    print(f"verified: {verdict.verified}")


if __name__ == "__main__":
    main()
