"""Calling the command line, in a folder with a few small files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from novikoff import cli
from novikoff.saving import storage


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        assert self.out.count("\n") == 1, "one JSON object on one line"
        return dict(json.loads(self.out))


Call = Callable[..., Said]


def caller(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return what runs a command, its words split at blanks."""

    def call(command: str) -> Said:
        capsys.readouterr()
        try:
            code = cli.main(command.split())
        except SystemExit as leave:  # argparse's way
            code = int(leave.code or 0)
        found = Said(code, *capsys.readouterr())
        assert "Traceback" not in found.err
        if found.code not in (0, 2):
            wrong = [line for line in found.err.splitlines() if not line.startswith("remark: ")]
            assert len(wrong) <= 1, "one line says what is wrong"
        return found

    return call


def assert_same_run(one: Path | str, other: Path | str) -> None:
    """Two saved runs are the same to the last bit: ledger, labels, names and weights."""
    (_, about, arrays), (_, others_about, others) = (
        storage.read(path, ("Run",)) for path in (one, other)
    )
    assert about == others_about
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert array.tobytes() == others[name].tobytes(), name


def write_files() -> None:
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(300, 8)).round(2), rng.normal(size=8)
    y = np.where(X @ w > 0, 1, -1)
    rows = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) for x in X.tolist()]
    Path("a.svm").write_text("".join(f"{b} {r}\n" for b, r in zip(y, rows, strict=True)))
    lines = [f"{','.join(map(str, x))},{b}\n" for x, b in zip(X.tolist(), y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,e,f,g,h,label\n" + "".join(lines))
    kinds = np.array(["x", "y", "z"])[np.argmax(X[:, :3], axis=1)]
    three = [f"{','.join(map(str, x[:3]))},{k}\n" for x, k in zip(X.tolist(), kinds, strict=True)]
    Path("many.csv").write_text("a,b,c,kind\n" + "".join(three))
    mail = [("spam", "free money now"), ("ham", "see you at home"), ("spam", "free prize")] * 20
    Path("mail.txt").write_text("".join(f"{label}\t{text}\n" for label, text in mail))
    Path("mail.jsonl").write_text(
        "".join(json.dumps({"label": b, "text": t}) + "\n" for b, t in mail)
    )
    Path("mail.vw").write_text("".join(f"{1 if b == 'spam' else -1} |w {t}\n" for b, t in mail))
    Path("bad.svm").write_text("1 1:2\n1x 1:1\n-1 1:-2\n")
    Path("knot.svm").write_text("1 1:1\n-1 1:1\n")
