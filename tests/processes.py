"""Services in processes of their own."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from novikoff.service import Client

READ, WRITE = "read-token-of-tests", "write-token-of-tests"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """``novikoff serve`` on a free port of this machine."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        port: int = 0,
        labels: str = "ham,spam",
        files: int | None = None,
    ) -> None:
        self.folder, self.log = folder, folder / "log"
        folder.mkdir(exist_ok=True)
        tokens = folder / "tokens"
        if not tokens.exists():
            tokens.write_text(f"read {READ}\nwrite {WRITE}\n")
        words = ["serve", "--log", str(self.log), "--port", str(port)]
        words += ["--token-file", str(tokens), *options]
        if "--follow" not in options:
            words.append(str(folder / "model"))
            if not self.log.exists():
                words += ["--create", "--labels", labels]
        limited = [] if files is None else ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
        self.process = subprocess.Popen(
            [*limited, sys.executable, "-m", "novikoff", *words],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.events: list[dict[str, Any]] = []
        self.port = self._port()

    @classmethod
    def following(cls, folder: Path, leader: "Server") -> "Server":
        """Return a follower of a server."""
        folder.mkdir(exist_ok=True)
        (folder / "leader").write_text(READ + "\n")
        return cls(folder, "--follow", leader.url, "--leader-token-file", str(folder / "leader"))

    def _port(self) -> int:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            try:
                self.events.append(json.loads(line))
            except ValueError:
                raise AssertionError(line + self.process.stderr.read()) from None
            found = re.search(r"running on http://127\.0\.0\.1:(\d+)", self.events[-1]["event"])
            if found:
                return int(found[1])
        raise AssertionError(f"the service ended with {self.process.wait()}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, token: str = WRITE, retries: int = 0) -> Client:
        return Client(self.url, token, retries=retries, pause=0.01)

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        token: str | None = WRITE,
        **headers: str,
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            stream = names.get("content-type", "").startswith("text/event-stream")
            body = b"".join(iter(response.readline, b"\n")) if stream else response.read()
            return Reply(response.status, names, body)  # of a stream, the first event
        finally:
            connection.close()

    def kill(self) -> None:
        """Kill it as a power failure would stop the process."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> int:
        """Stop it as an operator does."""
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGTERM)
        _, rest = self.process.communicate(timeout=60)
        self.events += [json.loads(line) for line in rest.splitlines()]
        return self.process.returncode
