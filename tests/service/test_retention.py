"""Retention: what is dropped leaves a receipt, and the rest of the log can be certified."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from services import LABELS, features, running

import novikoff as nv
from novikoff import cli, verifier
from novikoff.errors import InputError
from novikoff.saving.storage import digest_of
from novikoff.service.certifying_jobs import Jobs
from novikoff.service.receipt_answer import receipt_of
from novikoff.service.refusals import Conflict
from novikoff.service.service_engine import Engine
from novikoff.service.wishes import Example
from novikoff.streams.log.log_stream import records_of
from novikoff.streams.log.receipt_links import NAME, links_of, start_path

LEARNERS = {"Blend": nv.Blend(), "Perceptron": nv.Perceptron(), "Arow": nv.Arow()}


def shortened(tmp_path: Path, name: str = "Blend", rounds: int = 120) -> Path:
    """Make a log whose oldest records were dropped, with four snapshots on the way."""
    nv.Run(LEARNERS[name].fresh(), labels=LABELS).save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.keep_log, engine.log._segment = False, 600
        learned(engine, rounds)
    return tmp_path / "log"


def learned(engine: Engine, rounds: int) -> None:
    rng = random.Random(3)
    for number in range(rounds):
        row = features(rng)
        engine.wish([Example(row, LABELS[(len(row) + number // 40) % 2])])
        if number % 30 == 29:
            engine.snapshot()


def test_the_receipt_says_what_it_covers_and_chains_to_the_one_before(tmp_path: Path) -> None:
    log = shortened(tmp_path)
    with running(log) as engine:
        found, links = receipt_of(engine), links_of(str(log))
        assert len(links) >= 2
        assert engine.log.first > 1
        first = next(records_of(str(log)))[0]
        assert found.covers.first_sequence == first == links[-1].sequence + 1
        assert found.covers.start == digest_of(start_path(str(log))) == links[-1].model
        before = found.covers.before
        assert before is not None
        assert (before.rounds, before.mistakes) == (links[-1].rounds, links[-1].mistakes)
        rest = nv.Run.load(start_path(str(log))).continued().play(nv.read(log))
        assert found.rounds == before.rounds + rest.ledger.rounds
        assert found.mistakes == before.mistakes + rest.mistakes
        assert any("older ones were dropped" in one for one in found.remarks)


def test_a_link_that_was_changed_is_found_out(tmp_path: Path) -> None:
    log = shortened(tmp_path)
    file = log / "receipts.jsonl"
    lines = file.read_text().splitlines()
    changed = json.loads(lines[0]) | {"mistakes": 0}
    file.write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n")
    with pytest.raises(InputError, match=r"receipts.jsonl:2: expected a receipt that chains"):
        links_of(str(log))
    file.write_text("nonsense\n")
    with pytest.raises(InputError, match=r"receipts.jsonl:1: expected the receipt"):
        links_of(str(log))


@pytest.mark.parametrize("name", ["Blend", "Perceptron"])
def test_a_shortened_log_is_certified_from_its_start(tmp_path: Path, name: str) -> None:
    log = shortened(tmp_path, name)
    model, certificate = str(tmp_path / "now.model"), str(tmp_path / "c.json")
    with running(log) as engine:
        engine.replica.run.save(model)
        rounds = engine.replica.run.ledger.rounds
    assert cli.main(["certify", model, str(log), "--output", certificate]) == 0
    start = start_path(str(log))
    verdict = nv.verify(nv.Certificate.load(certificate), nv.read(log), start=start)
    assert verdict.verified, verdict.reason
    played = nv.Run.load(start).ledger.rounds
    assert 0 < played < rounds
    assert json.loads(Path(certificate).read_text())["data"]["rows"] == rounds - played
    export = str(tmp_path / "rest.svm")
    assert cli.main(["log", "export", str(log), export]) == 0
    words = [sys.executable, verifier.__file__, certificate, export, f"start={start}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_learner_without_such_a_theorem_is_refused_with_the_reason(tmp_path: Path) -> None:
    log = shortened(tmp_path, "Arow")
    with running(log) as engine:
        with pytest.raises(Conflict, match="no theorem of this learner takes a start, got Arow"):
            Jobs(engine).begin(None)
        engine.replica.run.save(tmp_path / "now.model")
    assert cli.main(["certify", str(tmp_path / "now.model"), str(log)]) == 1


def test_certificates_of_two_parts_are_a_chain(tmp_path: Path) -> None:
    """One before a drop and one after, if the first ends where the second begins."""
    nv.Run(nv.Blend(), labels=LABELS).save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.keep_log, engine.log._segment = False, 600
        learned(engine, 30)
        engine.replica.run.save(tmp_path / "first.model")
        first = nv.certify(nv.Run.load(tmp_path / "first.model"), nv.read(tmp_path / "log"))
        learned(engine, 30)
        assert links_of(str(tmp_path / "log"))[-1].rounds == 30
        engine.replica.run.save(tmp_path / "second.model")
        rest = nv.read(tmp_path / "log")
        second = nv.certify(
            nv.Run.load(tmp_path / "second.model"), rest, start=tmp_path / "first.model"
        )
    chain = nv.verify_chain([first, second])
    assert chain.linked, chain.reason


def test_a_crash_between_the_steps_of_a_drop_loses_nothing(tmp_path: Path) -> None:
    """The link was written, and its segments are still there: the next drop removes them."""
    log = shortened(tmp_path)
    kept = sorted(path.name for path in log.glob("*.nvlog"))
    with running(log) as engine:
        engine.keep_log, engine.log._segment = False, 600
        removed, engine.log.drop_before = engine.log.drop_before, lambda sequence: 0  # type: ignore[method-assign]
        learned(engine, 60)
        expected = receipt_of(engine)
        engine.log.drop_before = removed  # type: ignore[method-assign]
    assert set(kept) <= {path.name for path in log.glob("*.nvlog")}
    with running(log) as engine:
        assert receipt_of(engine) == expected
        engine.keep_log = False
        learned(engine, 60)
        assert not set(kept) & {path.name for path in log.glob("*.nvlog")}
        assert len(list(log.glob("start-*.model"))) == 1


def test_a_link_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b'{"sequence": 1, "model": "\xff"}\n')
    with pytest.raises(InputError, match=rf"{NAME}:1: expected the receipt of a dropped part"):
        links_of(str(tmp_path))
