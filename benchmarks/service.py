"""The service under load on this machine: ``python -m benchmarks.service [seconds]``; needs wrk.

Single examples with ten features are learned at 64 connections, each on the disk before it is
answered, and batches of ten are predicted at 8. Both at once, 16 connections predict, and each
pauses for 5 ms after an answer: otherwise predictions would take whatever time there is. Memory is
read before and after. Client and service share the processors of this machine.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from processes import WRITE, Server

_SCRIPT = """
wrk.method = "POST"
wrk.headers["Authorization"] = "Bearer {token}"
local bodies = {{}}
for line in io.lines("{bodies}") do bodies[#bodies + 1] = line end
local place = 0
request = function()
  place = place % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[place])
end
{pause}
"""


class Load(NamedTuple):
    """What wrk measured."""

    rate: float
    p50: float
    p99: float
    errors: int
    cpu: float
    """Microseconds of the service's processor time for one request."""


class Work(NamedTuple):
    """What is asked, and how often at once."""

    path: str
    examples: int
    connections: int
    pause: int = 0
    """Milliseconds that a connection waits before its next request."""


LEARN, BATCHES = Work("/v1/learn", 1, 64), Work("/v1/learn", 10, 16)
PREDICT, BESIDE = Work("/v1/predict", 10, 8), Work("/v1/predict", 10, 16, pause=5)
_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def _bodies(work: Work) -> list[str]:
    """Return 997 bodies, from 2,000 features."""
    found = []
    for number in range(997):
        examples = []
        for place in range(work.examples):
            start = number * 37 + place * 101
            features = {f"w{(start + 211 * k * k) % 2000}": 1.0 for k in range(10)}
            label = {} if work.path == "/v1/predict" else {"label": ("ham", "spam")[start % 3 == 0]}
            examples.append({"features": features, **label})
        found.append(json.dumps(examples[0] if work.examples == 1 else {"examples": examples}))
    return found


def load(server: Server, work: Work, seconds: int, folder: Path) -> Load:
    """Load the service for some seconds."""
    name = f"{work.path.strip('/').replace('/', '-')}-{work.examples}"
    (folder / f"{name}.txt").write_text("\n".join(_bodies(work)))
    script = folder / f"{name}.lua"
    pause = f"delay = function() return {work.pause} end" if work.pause else ""
    script.write_text(_SCRIPT.format(token=WRITE, bodies=folder / f"{name}.txt", pause=pause))
    words = ["wrk", "-t1", f"-c{work.connections}", f"-d{seconds}s", "--latency", "-s", str(script)]
    began = _processor(server)
    said = subprocess.run(
        [*words, server.url + work.path], capture_output=True, text=True, check=True
    ).stdout
    wrong = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", said)))
    wrong += sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", said)))
    rate = float(re.findall(r"Requests/sec:\s+([\d.]+)", said)[0]) * work.examples
    answered = int(re.findall(r"(\d+) requests in", said)[0])
    cpu = (_processor(server) - began) / answered * 1e6
    return Load(rate, _latency(said, "50%"), _latency(said, "99%"), wrong, cpu)


def _processor(server: Server) -> float:
    """Return the seconds of processor time that the service has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _latency(said: str, share: str) -> float:
    number, unit = re.findall(rf"{share}\s+([\d.]+)(us|ms|s)", said)[0]
    return float(number) * _UNITS[unit]


def _resident(server: Server) -> float:
    """Return the megabytes that the process has now."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def _line(name: str, found: Load, goal: str) -> str:
    cells = (f"{found.rate:,.0f}", f"{found.p50:.1f} ms", f"{found.p99:.1f} ms")
    return f"| {name} | {' | '.join(cells)} | {found.cpu:.0f} µs | {found.errors} | {goal} |"


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(folder)
        print("| work | examples a second | p50 | p99 | processor | errors | goal |")
        print("|---|---|---|---|---|---|---|")
        try:
            alone = min(seconds, 10)
            one = "≥ 15,000, p99 < 50 ms"
            print(_line("learn, 64 connections", load(server, LEARN, alone, folder), one))
            print(_line("learn, batches of 10", load(server, BATCHES, alone, folder), ""))
            many = "≥ 20,000, p99 < 20 ms"
            print(_line("predict, batches of 10", load(server, PREDICT, alone, folder), many))
            before = _resident(server)
            with ThreadPoolExecutor() as pool:
                both = [pool.submit(load, server, w, seconds, folder) for w in (LEARN, BESIDE)]
                learned, predicted = (one.result() for one in both)
            print(_line(f"both at once, {seconds} s: learn", learned, one))
            print(_line("… predict", predicted, many))
            print(f"\nmemory {before:.0f} MB before, {_resident(server):.0f} MB after both at once")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
