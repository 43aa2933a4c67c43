"""The keys of the JSON that every verb prints, found by calling it on small files."""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from tempfile import TemporaryDirectory

from novikoff.cli import main

ROWS = "".join(f"{1 if t % 3 else -1} 1:{t % 5 - 1} 2:{t % 7 - 3} 3:1\n" for t in range(1, 41))
FILES = {
    "a.svm": ROWS,
    "b.svm": "".join(ROWS.splitlines(True)[::-1]),
    "c.svm": "".join(f"{'xyz'[t % 3]} {t % 3 + 1}:1 4:{t}\n" for t in range(1, 31)),
    "t.conll": "the D\ncat N\n\na D\ndog N\nran V\n\n" * 3,
    "p.txt": "0.5\n" * 40,
}
COMMANDS = (
    "learn a.svm --certify --held-out last:25% --save m",
    "learn a.svm --learner perceptron --bounds --digest --baselines --save n --report r.svg",
    "learn c.svm --save k",
    "learn a.svm --compare perceptron,averaged --save o",
    "predict m b.svm --output p.csv",
    "test m b.svm --certify",
    "tag tagger t.conll --learn",
    "tag tagger t.conll --output tags",
    "certify n a.svm --output n.json",
    "certify a.svm --predictions p.txt --output p.json",
    "verify n.json a.svm",
    "learn b.svm --resume m --certify d2.json --save m2",
    "verify --chain a.certificate.json d2.json",
    "margin a.svm",
    "simulate --rounds 50 --seeds 2",
    "theorems",
    "check novikoff:Perceptron",
    "game thresholds:4",
    "report n a.svm --output s.svg",
    "inspect m",
    "cache a.svm --output a.cache",
    "export a.svm --output e.svm",
    "completion bash",
    "--version --verbose",
)
OPEN = ("parameters", "labels", "top", "reading", "extras", "packages")
"""Objects whose keys are the user's, or depend on the learner."""


def lines() -> Iterator[str]:
    """Yield each command with its keys."""
    with TemporaryDirectory() as folder, chdir(folder):
        for name, text in FILES.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        for command in COMMANDS:
            yield f"novikoff {command} --json"
            yield from (f"    {key}" for key in sorted(set(_keys(_said(command)))))


def _said(command: str) -> Mapping[str, object]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        main([*command.split(), "--json"])
    assert out.getvalue(), f"novikoff {command}: {err.getvalue()}"
    found: Mapping[str, object] = json.loads(out.getvalue())
    return found


def _keys(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict) and not path.endswith(OPEN):
        for name, one in value.items():
            yield from _keys(one, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for one in value:
            yield from _keys(one, f"{path}[]")
    else:
        yield path
