"""``learn --by`` and ``predict --by``: a run per key on the command line."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from novikoff.cli import main
from novikoff.cluster import KeyedRuns

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = ["who,a,b,label"]
    for _ in range(600):
        key, x = int(rng.integers(0, 12)), rng.normal(size=2).round(3)
        label = "up" if x[0] * (1 if key % 2 else -1) > 0 else "down"
        lines.append(f"{key:03d},{x[0]},{x[1]},{label}")
    Path("rows.csv").write_text("\n".join(lines) + "\n")


def test_one_command_learns_sums_up_and_writes_a_table(capsys: Captured) -> None:
    assert main(["learn", "rows.csv", "--by", "who", "--save", "runs", "--table", "t.parquet",
                 "--json"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert (found["keys"], found["rounds"], found["saved"]) == (12, 600, "runs")
    assert found["mistakes"] == sum(row.mistakes for row in KeyedRuns("runs").summaries())
    assert len(found["worst"]) == len(found["best"]) == 10
    assert found["worst"][0]["key"] == KeyedRuns("runs").worst(1)[0].key
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="the extra novikoff[files] is not installed"
    )
    table = parquet.read_table("t.parquet").to_pydict()
    assert sorted(table["key"]) == [f"{k:03d}" for k in range(12)]
    assert sum(table["rounds"]) == 600
    assert main(["learn", "rows.csv", "--by", "who", "--save", "runs", "--table", "t.csv"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("12 keys: ")
    assert "each error bound holds for its own key" in shown.err
    with open("t.csv", newline="") as file:
        lines = [*csv.DictReader(file)]
    assert {line["key"]: int(line["rounds"]) for line in lines} == dict(
        zip(table["key"], table["rounds"], strict=True)
    )


def test_each_row_is_predicted_by_the_run_of_its_key(capsys: Captured) -> None:
    assert main(["learn", "rows.csv", "--by", "who", "--save", "runs"]) == 0
    capsys.readouterr()
    Path("new.csv").write_text("b,who,a\n0.1,001,3\n0.1,002,3\n0.1,nobody,3\n0.1,001,-3\n")
    assert main(["predict", "runs", "new.csv", "--by", "who"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "up\ndown\n\ndown\n"
    assert "1 row of 1 key without a run" in shown.err
    assert main(["predict", "runs", "new.csv", "--by", "who", "--probabilities"]) == 0
    header, first, _, empty, *_ = capsys.readouterr().out.split("\n")
    assert (header, empty) == ("prediction,down,up", "")
    assert float(first.split(",")[2]) == KeyedRuns("runs")["001"].hypothesis().probabilities(  # type: ignore[attr-defined]
        [[3.0, 0.1]]
    )
    assert main(["predict", "runs", "rows.csv", "--by", "who", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["unknown"]) == (600, 0)
    assert found["error_rate"] < 0.1
    assert found["learned_from"] == ["rows.csv"]
    assert found["remarks"][-1].startswith("the model has learned from rows.csv. Unless the file")


def test_the_same_command_goes_on_after_an_interruption(capsys: Captured) -> None:
    command = ["learn", "rows.csv", "--by", "who", "--save", "runs", "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    largest = max(Path("runs").glob("part-*.zip"), key=lambda path: path.stat().st_size)
    largest.unlink()
    Path(f"runs/.{largest.name}.0123456789abcdef").write_text("half")
    assert main(["predict", "runs", "rows.csv", "--by", "who"]) == 3
    assert "play again with the same folder" in capsys.readouterr().err
    assert main(command) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["worst"] == first["worst"]
    assert not [*Path("runs").glob(".part*")]
    assert main([*command, "--learner", "perceptron", "--positive", "up"]) == 3
    assert "Name another folder" in capsys.readouterr().err


def test_options_that_a_run_per_key_does_not_take_are_refused(capsys: Captured) -> None:
    learn = ["learn", "rows.csv", "--by", "who"]
    others = (
        "--certify", "--bounds", "--passes 2", "--shards 2", "--report x.html", "--resume runs",
        "--held-out last:10%", "--threshold 0.3", "--table t.txt", "--progress", "--bias auto",
    )  # fmt: skip
    for more in [*map(str.split, others), ["--by", ""]]:
        assert main([*learn, *more]) == 2, more
    assert main(["learn", "rows.csv", "--table", "t.csv"]) == 2
    assert main(["learn", "rows.csv", "--readings", "2"]) == 2
    assert main(["learn", "rows.csv", "--by", "nothing"]) == 3
    assert "key: expected a column" in capsys.readouterr().err
    Path("file").write_text("")
    assert main([*learn, "--save", "file"]) == 3
    assert main(["predict", "runs", "rows.csv", "--by", "who"]) == 3
    Path("runs").mkdir()
    assert main(["predict", "runs", "rows.csv"]) == 2
