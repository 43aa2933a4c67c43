"""Facts: what a version of the library says of what it wrote."""

from typing import Any

import numpy as np

Facts = dict[str, Any]


def plain(value: Any) -> Any:
    """Return arrays as lists, and numbers of NumPy as numbers."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def facts_of(run: Any, rows: Any) -> Facts:
    """Return what a run says of itself, and what it predicts."""
    ledger = run.ledger
    found: Facts = {"learner": ledger.learner, "rounds": ledger.rounds}
    for name in ("mistakes", "loss", "radius", "digest", "abstentions"):
        value = getattr(ledger, name, None)
        if value is not None:
            found[name] = plain(value)
    if hasattr(run.learner, "arms") or hasattr(run.learner, "experts"):
        found["probabilities"] = plain(run.learner.probabilities())
    elif rows is not None:
        found |= said(run.hypothesis(), rows)
    return found


def said(h: Any, rows: Any) -> Facts:
    """Return what a hypothesis says of some rows."""
    asked = [x for x, _ in rows] if isinstance(rows, list) and isinstance(rows[0], tuple) else rows
    if not isinstance(asked, np.ndarray) and not isinstance(asked[0], dict):
        return {"predicted": [plain(h(x)) for x in asked]}
    found = {"predicted": plain(h.predict(asked)), "scores": plain(h.scores(asked))}
    if hasattr(h, "probabilities"):
        found["probable"] = plain(h.probabilities(asked))
    return found
