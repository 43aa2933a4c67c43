"""Write certificates about predictions, true and false: ``python -m oracle.prediction_corpus``.

Each has its data and its predictions as files, so that any verifier can be tried on them.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claims import rows_of
from oracle.corpus import data_text
from oracle.judging import judge
from oracle.writing import sealed_text
from predicted_claims import ALL, claimed

FOLDER = Path(__file__).parents[1] / "corpus" / "certificates" / "predictions"
LIES: dict[str, Any] = {
    "bound": 0.5, "loss": 1.0, "least": 1.0, "regret": 0.25, "baseline": 2.0, "mistakes": 39,
    "predictions": "0" * 64, "kind": "label", "clip": 0.25, "penalty": 0.5, "delta": 0.01,
    "threshold": 0.875, "steps": 1, "w": [], "bias": 7.0,
}  # fmt: skip


def false(content: dict[str, Any], rows: list[Any], predictions: list[Any]) -> Iterator[str]:
    """Yield the fields that are stated otherwise, each a lie, and change them one at a time."""
    for name, value in LIES.items():
        holder = content if name in content else content["evidence"]
        if name in holder:
            before, holder[name] = holder[name], value
            if not judge(sealed_text(content), rows, predictions).true:
                yield name
            holder[name] = before


def write(folder: Path) -> None:
    """Write every certificate with its data and predictions, and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for name in ALL:
        stem = name.replace(" ", "-")
        certificate, stream, predictions = claimed(name)
        rows = list(rows_of(stream)())
        (folder / f"{stem}.svm").write_text(data_text(rows), encoding="utf-8")
        lines = "".join(f"{one}\n" for one in predictions)
        (folder / f"{stem}.txt").write_text(lines, encoding="utf-8")
        about = {"data": f"{stem}.svm", "predictions": f"{stem}.txt"}
        content = {k: v for k, v in copy.deepcopy(certificate.content).items() if k != "sha256"}
        (folder / f"{stem}.json").write_bytes(sealed_text(content))
        index.append({"certificate": f"{stem}.json", **about, "verdict": "verified"})
        for lie in false(content, rows, predictions):
            (folder / f"{stem}.{lie}.json").write_bytes(sealed_text(content))
            index.append({"certificate": f"{stem}.{lie}.json", **about, "verdict": "refused"})
    lines = ",\n".join(json.dumps(row) for row in index)
    (folder / "index.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
