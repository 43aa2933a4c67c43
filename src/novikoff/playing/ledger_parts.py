"""Ledgers of parts that were played apart, added to one ledger in their order."""

import numpy as np

from novikoff import _core
from novikoff.playing.ledger import Ledger
from novikoff.types import AnyArray, Arrays


def tally_of(ledger: Ledger) -> _core.Tally:
    """Return the counts of labelled rounds."""
    assert isinstance(ledger.tally, _core.Tally)
    return ledger.tally


def add_part(ledger: Ledger, part: Arrays) -> None:
    """Add the counts of rounds played elsewhere, ``tally.state()``, as the next rounds.

    Labels that change from one part to the next are not counted as changes.
    """
    whole = tally_of(ledger).state()
    rounds = int(whole["counts"][0])
    changes = whole["label_changes"] + part["label_changes"]
    changes[-1] = part["label_changes"][-1]  # the last label
    later = part["mistake_rounds"] + rounds
    added = {
        "mistake_rounds": np.concatenate([whole["mistake_rounds"], later]),
        "counts": whole["counts"] + part["counts"],
        "label_changes": changes,
        "measures": np.append(
            np.maximum(whole["measures"], part["measures"])[:3],  # the radii; then the energy
            whole["measures"][3:] + part["measures"][3:],
        ),
    }
    others = {name: _sum(whole[name], part[name]) for name in whole.keys() - added.keys()}
    tally_of(ledger).restore({**others, **added})


def _sum(a: AnyArray, b: AnyArray) -> AnyArray:
    """Add counts, of which there may be more in one part than in the other."""
    found = np.zeros(max(len(a), len(b)), a.dtype)
    found[: len(a)] += a
    found[: len(b)] += b
    return found
