"""Requests that fit the schema, and some that do not: schemathesis against a running service.

It looks for server errors, for answers that the schema does not have, for bad requests that are
taken, and for requests that need no token.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from processes import WRITE, Server

SMALL = 8
_GONE = """\
[[operations]]
include-path = "/v1/log"
checks.positive_data_acceptance.expected-statuses = ["2xx", "409", "410"]
"""  # the log of a follower may begin later, and says so


def campaign(size: int, seed: int) -> dict[str, int]:
    """Send so many requests to each endpoint, in each way of making them; half to a follower."""
    with tempfile.TemporaryDirectory() as name:
        server = Server(Path(name) / "leader")
        follower = Server.following(Path(name) / "follower", server)
        try:
            _attack(server, max(size // 2, 1), seed)
            _attack(follower, max(size // 2, 1), seed)
            with server.client() as client:
                rounds = client.receipt().rounds
        finally:
            assert follower.stop() == 0
            assert server.stop() == 0
    return {"examples": size, "rounds": rounds}


def _attack(server: Server, size: int, seed: int) -> None:
    (server.folder / "schemathesis.toml").write_text(_GONE)
    done = subprocess.run(
        [
            sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json",
            "--header", f"Authorization: Bearer {WRITE}", "--max-examples", str(size),
            "--seed", str(seed), "--phases", "coverage,fuzzing", "--no-color",
            "--exclude-path", "/v1/events",  # it has no end
        ],
        capture_output=True, text=True, cwd=server.folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"seed {seed}: {done.stdout[-6000:]}{done.stderr[-2000:]}"
