"""Jobs that certify: each is a process of its own, so that serving goes on beside it."""

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

from novikoff import verifier
from novikoff.saving.storage import digest_of
from novikoff.service.messages import Job
from novikoff.service.refusals import Conflict, Unknown
from novikoff.service.service_engine import Engine
from novikoff.streams.log.receipt_links import last_link, start_path
from novikoff.streams.log.snapshot_files import model_path

_KEPT = 100


@dataclass
class _Work:
    """A job that was begun."""

    id: int
    theorem: str | None
    began: float
    state: str = "running"
    rounds: int = 0
    model: str | None = None
    begins: bool = False
    """Whether it is about a run that went on from a model."""
    error: str | None = None
    ended: float | None = None
    process: subprocess.Popen[str] | None = None


class Jobs:
    """The jobs of a service; one runs at a time. Certificates are files beside the log."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._folder = engine, os.path.join(engine.log.folder, "certificates")
        self._jobs: dict[int, _Work] = {}
        self._last = self._highest()

    def _highest(self) -> int:
        names = os.listdir(self._folder) if os.path.isdir(self._folder) else []
        return max((int(name[:-5]) for name in names if name[:-5].isdigit()), default=0)

    def begin(self, theorem: str | None) -> Job:
        """Begin a job; refuse it if one is running, or if nothing was learned."""
        if any(one.state == "running" for one in self._jobs.values()):
            raise Conflict(
                where="certify",
                expected="no other job that runs",
                got="one",
                remedy="Wait until it is done.",
            )
        self._refuse_shortened()
        if theorem is not None and theorem not in (known := known_theorems()):
            raise Unknown(
                where="theorem",
                expected=f"one of {', '.join(known)}",
                got=repr(theorem),
                remedy="novikoff theorems shows what they say.",
            )
        self._last += 1
        work = self._jobs[self._last] = _Work(self._last, theorem, time.monotonic())
        if len(self._jobs) > _KEPT:
            del self._jobs[next(iter(self._jobs))]
        threading.Thread(target=self._done, args=(work,), name="certify", daemon=True).start()
        return self.job(work.id)

    def _refuse_shortened(self) -> None:
        """Refuse if old records are gone and no theorem of the learner takes a start."""
        name = self._engine.replica.begin.learner
        part = verifier.LEARNERS.get(name)
        if last_link(self._engine.log.folder) is None or (part is not None and part.resumed):
            return
        raise Conflict(
            where="certify",
            expected="a log with all its records, because no theorem of this learner takes a start",
            got=f"{name} on one that begins with record {self._engine.log.first:,}",
            remedy="Certify before old segments are dropped, or serve without --drop-old.",
        )

    def job(self, id: int) -> Job:
        """Return how far a job is."""
        work = self._jobs.get(id)
        if work is None:
            raise _no_job(id)
        return Job(
            id=work.id,
            state=work.state,
            rounds=work.rounds,
            seconds=(work.ended or time.monotonic()) - work.began,
            certificate=f"/v1/certificates/{id}" if work.state == "done" else None,
            start=f"/v1/certificates/{id}/start" if work.state == "done" and work.begins else None,
            model=work.model,
            error=work.error,
        )

    def path(self, id: int, ending: str = ".json") -> str:
        """Return where a certificate is, or with ``.start.model`` the model it begins from."""
        path = os.path.join(self._folder, f"{id}{ending}")
        if not os.path.exists(path):
            raise _no_job(id)
        return path

    def stop(self) -> None:
        """End the process of a job that runs."""
        for work in self._jobs.values():
            if work.process is not None and work.process.poll() is None:
                work.process.terminate()

    def _done(self, work: _Work) -> None:
        self._engine.held = True  # no record goes while it reads
        try:
            work.error = self._certified(work)
        except Exception as error:
            work.error = str(error)
        finally:
            self._engine.held = False
        work.state = "done" if work.error is None else "failed"
        work.ended = time.monotonic()

    def _certified(self, work: _Work) -> str | None:
        """Certify the rounds up to a snapshot of now; return what went wrong, if anything."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        self._engine.snapshot()
        folder = self._engine.log.folder
        model = os.path.join(self._folder, f"{work.id}.model")
        shutil.copyfile(model_path(folder, self._engine.snapshot_sequence), model)
        work.model, work.rounds = digest_of(model), _rounds_of(model)
        draft = os.path.join(self._folder, f".{work.id}.json")
        command = [sys.executable, "-m", "novikoff", "certify", model, folder]
        command += ["--first", str(work.rounds), "--output", draft]
        command += ["--theorem", work.theorem] if work.theorem else []
        link, start = last_link(folder), os.path.join(self._folder, f"{work.id}.start.model")
        before = self._engine.replica.begin.rounds if link is None else link.rounds
        if before:  # a copy, because the next drop replaces it
            shutil.copyfile(start_path(folder), start)
            command, work.begins = [*command, "--start", start], True
            command[command.index("--first") + 1] = str(work.rounds - before)
        work.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        _, said = work.process.communicate()
        if work.process.returncode:
            return said.strip() or f"the process ended with {work.process.returncode}"
        os.replace(draft, os.path.join(self._folder, f"{work.id}.json"))
        return None


def _rounds_of(model: str) -> int:
    from novikoff.playing.run import Run

    return Run.load(model).ledger.rounds


def known_theorems() -> tuple[str, ...]:
    """Return the ids of the theorems."""
    from novikoff.theory import theorems

    return tuple(theorem.id for theorem in theorems())


def _no_job(id: int) -> Unknown:
    return Unknown(where="id", expected="the id of a job", got=str(id), remedy="Begin one first.")
