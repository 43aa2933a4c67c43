"""Certificates about predictions, in files: the oracle and the verifier find the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from novikoff import verifier
from oracle import judge, read_rows

FOLDER = Path(__file__).parents[1] / "corpus" / "certificates" / "predictions"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))


def _predictions(row: dict[str, Any]) -> list[Any]:
    lines = (FOLDER / row["predictions"]).read_text(encoding="utf-8").splitlines()
    return lines if row["certificate"].startswith(("classes", "labels")) else [*map(float, lines)]


def test_every_claim_about_predictions_is_there_true_and_false() -> None:
    for verdict in ("verified", "refused"):
        named = [row["certificate"] for row in INDEX if row["verdict"] == verdict]
        texts = [json.loads((FOLDER / name).read_bytes()) for name in named]
        assert {text["theorem"] for text in texts} == verifier.PREDICTION_CLAIMS.keys()


@pytest.mark.parametrize("row", INDEX, ids=lambda row: str(row["certificate"]))
def test_files_are_judged_as_the_index_says(row: dict[str, Any]) -> None:
    text = (FOLDER / row["certificate"]).read_bytes()
    found = judge(text, list(read_rows(FOLDER / row["data"])), _predictions(row))
    assert found.true == (row["verdict"] == "verified"), found.reason
    arguments = [str(FOLDER / row["certificate"]), str(FOLDER / row["data"])]
    code = verifier.main([*arguments, f"predictions={FOLDER / row['predictions']}"])
    assert code == (0 if row["verdict"] == "verified" else 1)
