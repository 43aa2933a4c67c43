"""A sample is a true certificate with its data; the data that samples share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.receipts.certificates import Certificate


@dataclass(frozen=True)
class Sample:
    """A true certificate with its data."""

    name: str
    content: dict[str, Any]
    rows: list[Any]


def sample(name: str, certificate: Certificate, rows: Sequence[Any]) -> Sample:
    """Return a certificate's content with its rows."""
    content = {key: value for key, value in certificate.content.items() if key != "sha256"}
    return Sample(name, content, list(rows))


def rows_of(X: Any, y: Sequence[Any], zeros: bool = False) -> list[Any]:
    """Return rows as the verifier reads them; with ``zeros`` those are named too."""
    return [
        (f"row {t}", label, [(j, float(v)) for j, v in enumerate(x) if v or zeros])
        for t, (x, label) in enumerate(zip(X, y, strict=True), 1)
    ]


SEPARABLE = np.array([[1.0, 2.0], [0.5, -1.0], [-2.0, 0.25], [1.5, 0.0], [-0.1, -0.7]])
SIGNS = [1, -1, -1, 1, -1]
MIXED = np.array([[1.0, 0.1, 0.0], [0.3, -1.0, 2.0], [1.0, 0.1, 0.0], [-0.7, 0.0, 0.2]])
WORDS = ["spam", "ham", "ham", "spam"]
W = [[0, 1.0], [1, 2.0]]
