"""Receipts of real sets, changed in every field and sealed again: refused, or true.

Blend plays the first rounds of three sets. Every value of each certificate is nudged, retyped and
removed in turn, and the certificate sealed anew; what the verifier accepts, the oracle must find
true. Sets are found through NOVIKOFF_DATA or ../shared/data.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import novikoff as nv
from novikoff import verifier
from oracle import judge, sealed_text
from oracle.limits import little_memory, little_time
from oracle.mutations import nudged, paths, retyped, value_at
from oracle.sample import rows_of
from reproductions import quality_sets, sets

REAL = True  # it needs the real sets
SMALL = 12
"""Rounds of each set."""
_FIRST = 4  # items of a list that are changed
SETS = ("heart", "spambase", "digits")
REFUSALS = (verifier.BadData, verifier.TooLarge)


def campaign(size: int, seed: int) -> dict[str, int]:
    """Change the receipts of so many rounds; return how many were accepted, refused or not read."""
    counts: Counter[str] = Counter()
    if not sets.data_folder().is_dir():
        raise SystemExit(
            f"{sets.data_folder()}: expected the real sets, got none. Set NOVIKOFF_DATA."
        )
    with little_memory():
        for name in SETS:
            rounds = quality_sets.load(name, rows=size)
            X, y = rounds.X.toarray(), rounds.y.tolist()
            run = nv.play(nv.Blend(), nv.stream(X, rounds.y))
            rows = rows_of(X.tolist(), y)
            for bound in nv.bounds(run):
                content = nv.certify(run, theorem=bound.theorem).content
                _check(content, rows, name)
                for where, forged in _forged(content, Random(f"{seed}:{name}")):
                    counts[_outcome(forged, rows, f"{name}, {bound.theorem}, {where}")] += 1
    return dict(counts)


def _check(content: dict[str, Any], rows: list[Any], name: str) -> None:
    found = verifier.verify(_sealed(content), lambda: iter(rows))
    assert found.verified, f"{name}: {found.reason}"
    judgement = judge(_sealed(content), rows)
    assert judgement.true, f"{name}: {judgement.reason}"


def _forged(content: dict[str, Any], rng: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the content with each value nudged, retyped and removed; of a long list, the first."""
    for path in list(paths(content)):
        if path == ("sha256",) or any(isinstance(key, int) and key >= _FIRST for key in path):
            continue
        for how in (nudged, retyped, None):
            found = copy.deepcopy(content)
            holder, key = value_at(found, path[:-1]), path[-1]
            if how is None:
                del holder[key]
            else:
                holder[key] = how(rng, holder[key])
            yield ".".join(map(str, path)), found


def _sealed(content: dict[str, Any]) -> bytes:
    return sealed_text({name: value for name, value in content.items() if name != "sha256"})


def _outcome(content: dict[str, Any], rows: list[Any], where: str) -> str:
    try:
        text = _sealed(content)
        with little_time():
            verdict = verifier.verify(text, lambda: iter(copy.deepcopy(rows)))
    except REFUSALS:
        return "unreadable"
    except (TypeError, ValueError):  # no certificate can be written like this
        return "unwritable"
    if not verdict.verified:
        return "refused"
    judgement = judge(text, rows)
    assert judgement.true, f"{where}: the verifier accepted what is untrue: {judgement.reason}"
    return "true"
