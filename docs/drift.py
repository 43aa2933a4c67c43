"""The table of drift in adapters.md: ``python docs/drift.py FOLDER``, which holds the datasets."""

import sys
from pathlib import Path
from typing import Any

from river import evaluate, linear_model, preprocessing, stream
from river import metrics as river_metrics

import novikoff.river as nr

metrics: Any = river_metrics

MODELS: dict[str, Any] = {
    "`MinnowClassifier()`": nr.MinnowClassifier,
    "`PerceptronClassifier()`": nr.PerceptronClassifier,
    "river's `Perceptron()`": linear_model.Perceptron,
    "`VotedPerceptronClassifier(max_voters=100)`": lambda: nr.VotedPerceptronClassifier(
        max_voters=100
    ),
    "`AveragedPerceptronClassifier()`": nr.AveragedPerceptronClassifier,
}


def line(name: str, folder: Path) -> str:
    """Return a line of the table: accuracy on the prices of electricity, asked before learning."""
    columns = [
        "date",
        "day",
        "period",
        "nswprice",
        "nswdemand",
        "vicprice",
        "vicdemand",
        "transfer",
    ]
    rows = stream.iter_csv(
        str(folder / "elec2" / "elec2.csv.gz"),
        target="class",
        converters=dict.fromkeys(columns, float) | {"class": "UP".__eq__},
    )
    model = preprocessing.StandardScaler() | MODELS[name]()
    found = evaluate.progressive_val_score(rows, model, metrics.Accuracy())
    return f"| {name} | {found.get():.1%} |"


if __name__ == "__main__":
    print("\n".join(line(name, Path(sys.argv[1])) for name in MODELS))
