"""Mutated models, ledgers, caches and certificates: each works or is refused by a NovikoffError.

No case may raise another error, end the process, compute for ten seconds, or need more memory than
ten times its file and 64 MiB.
"""

import json
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from campaigns.models.mutations import mutated
from campaigns.models.specimens import Specimen, for_memory, specimens
from novikoff.errors import NovikoffError

SMALL = 600
_BATCH = 500
_SECONDS = 10  # of the processor; a case that waits for ever is ended after as many minutes
SPARE = 2**31 if "asan" in os.environ.get("LD_PRELOAD", "") else 2**26
"""Bytes beside ten times the file; a sanitizer takes some for itself."""
_SHOWN = 30
_ENDINGS = (signal.SIGALRM, signal.SIGPROF)
_NO_THREAD = 127  # how the loader ends a process without memory for a thread's own data
_TOO_LITTLE = "needs too much memory"


def campaign(size: int, seed: int) -> dict[str, int]:
    """Try so many cases; say how many worked and how many were refused."""
    counts: Counter[str] = Counter()
    failures: list[str] = []
    with _Folder() as folder:
        known = list(_made(folder))
        start = 0
        while start < size and len(failures) < _SHOWN:
            stop = min(start + _BATCH, size)
            start, found, failed = _tried(known, seed, start, stop, folder)
            counts.update(found)
            failures += failed
    assert not failures, "\n\n".join([f"{len(failures)} of {start} cases failed:", *failures])
    return dict(counts)


def case(known: list[Specimen], seed: int, number: int) -> tuple[Specimen, bytes]:
    """Return a specimen and what became of it; a function of seed and number."""
    rng = np.random.default_rng([seed, number])
    specimen = known[rng.integers(len(known))]
    return specimen, mutated(specimen.data, rng)


def show(seed: int, number: int) -> None:
    """Do one case again, here: ``python -c "from campaigns.models import show; show(0, 17)"``."""
    with _Folder() as folder:
        specimen, data = case(list(specimens(folder)), seed, number)
        (Path.cwd() / "case").write_bytes(data)
        print(specimen.name, "in ./case")
        print(_judged(specimen, data, folder / "file"))


class _Folder:
    """A folder in memory, where the system has one: to save is to wait for the disk."""

    def __enter__(self) -> Path:
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = Path(tempfile.mkdtemp(dir=place))
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _made(folder: Path) -> Iterator[Specimen]:
    """Make the specimens, and see that each works as it is."""
    for specimen in list(specimens(folder)):
        outcome = _judged(specimen, specimen.data, folder / "file")
        assert outcome == "works", f"{specimen.name}, as it is: {outcome}"
        yield specimen


def _tried(
    known: list[Specimen], seed: int, start: int, stop: int, folder: Path
) -> tuple[int, Counter[str], list[str]]:
    """Try cases in a process of their own, up to one that ends it: (the next, counts, failures)."""
    place = mmap.mmap(-1, 8)
    report = folder / "report"
    child = os.fork()
    if child == 0:
        try:
            _child(known, seed, range(start, stop), folder, place)
        except BaseException:  # whatever happens, this is not the process that goes on
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    report.unlink()
    counts = Counter(outcome for _, outcome in lines if outcome in ("works", "refused"))
    failures = [_told(known, seed, number, said) for number, said in lines
                if said not in ("works", "refused")]  # fmt: skip
    if status == 0:
        return stop, counts, failures
    number = int.from_bytes(place[:8], "little")
    if os.waitstatus_to_exitcode(status) == _NO_THREAD and number > start:
        return number, counts, failures  # perhaps the cases before it took the memory
    late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in _ENDINGS
    ended = "took too long" if late else f"ended with status {os.waitstatus_to_exitcode(status)}"
    return number + 1, counts, [*failures, _told(known, seed, number, ended)]


def _told(known: list[Specimen], seed: int, number: int, said: str) -> str:
    again = f'python -c "from campaigns.models import show; show({seed}, {number})"'
    return f"case {number}, {case(known, seed, number)[0].name}: {said}\n  again: {again}"


def _child(
    known: list[Specimen], seed: int, numbers: range, folder: Path, place: mmap.mmap
) -> None:
    for one in _ENDINGS:
        signal.signal(one, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with open(folder / "report", "w", buffering=1) as report:
        for number in numbers:
            place[:8] = number.to_bytes(8, "little")
            specimen, data = case(known, seed, number)
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            signal.alarm(60 * _SECONDS)
            outcome = _judged(specimen, data, folder / "file")
            signal.setitimer(signal.ITIMER_PROF, 0)
            report.write(json.dumps([number, outcome]) + "\n")


def _judged(specimen: Specimen, data: bytes, path: Path) -> str:
    """Say whether a file works or is refused; anything else is what is wrong.

    Memory is asked for twice: a library's own pools are made once, and then are there.
    """
    outcome = _tried_once(specimen, data, path)
    return _tried_once(specimen, data, path) if outcome == _TOO_LITTLE else outcome


def _tried_once(specimen: Specimen, data: bytes, path: Path) -> str:
    path.write_bytes(data)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 10 * len(data) + SPARE, limits[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "positive: no row of")  # odd, and it says so
            specimen.use(path, specimen.examples)
    except NovikoffError as error:
        return _TOO_LITTLE if for_memory(error) else "refused"
    except MemoryError:
        return _TOO_LITTLE
    except Exception:
        return traceback.format_exc(limit=-6)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    return "works"
