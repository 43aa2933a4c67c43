"""The watch: figures and alarms that depend on the log alone, and stay small."""

import json
import logging
import random
import shutil
from pathlib import Path

import pytest
from services import LABELS, new_model, running

import novikoff as nv
from novikoff.service.append_log import AppendLog
from novikoff.service.limits import Limits
from novikoff.service.metrics import Metrics
from novikoff.service.opening_log import opened
from novikoff.service.receipt_answer import receipt_of
from novikoff.service.service_engine import Engine
from novikoff.service.watch import HISTORY, LATEST, AlarmTest, Raised, Watch
from novikoff.service.wishes import Example, Part


def drifting(rounds: int, noisy_from: int, seed: int = 0) -> list[Part]:
    """Examples with one telling word, whose labels are drawn from some round on."""
    rng, found = random.Random(seed), list[Part]()
    for number in range(rounds):
        label = rng.choice(LABELS)
        told = label if number < noisy_from or rng.random() < 0.3 else rng.choice(LABELS)
        found.append(Example({label: 1.0, f"w{rng.randrange(40)}": 0.5}, told))
    return found


def alarms_of(watch: Watch) -> list[Raised]:
    watch.settle()
    return list(watch.raised)


def test_alarms_are_those_of_the_ledger_and_survive_a_restart(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for start in range(0, 4000, 500):
            engine.wish(drifting(4000, 2500)[start : start + 500])
        ledger, watch = engine.replica.run.ledger, engine.replica.watch
        expected = nv.error_alarm(ledger).alarms
        assert len(expected) == 1
        assert [one.round for one in alarms_of(watch)] == expected
        assert 2500 < expected[0] < 3500
        (one,) = watch.raised
        assert one.mistakes / one.rounds > one.allowed
        before = watch.state
        shutil.copytree(tmp_path / "log", tmp_path / "killed")
    for folder in ("log", "killed"):  # from a snapshot, and from the records alone
        with running(tmp_path / folder) as engine:
            assert engine.replica.watch.state == before


def test_another_test_gives_the_alarms_it_would_have_given(tmp_path: Path) -> None:
    model = new_model(tmp_path / "m")
    with running(tmp_path / "log", model) as engine:
        engine.wish(drifting(3000, 1500)[:1000])
        engine.wish(drifting(3000, 1500)[1000:])
    found = {}
    for name, test in (("other", AlarmTest(200, 0.1)), ("off", AlarmTest(200, 0.0))):
        log = AppendLog(str(tmp_path / "log"))
        replica = opened(log, model, Limits(), test)
        log.close()
        found[name] = alarms_of(replica.watch)
        ledger = replica.run.ledger
        assert (replica.watch.alarm is None) == (name == "off")
        replica.close()
    assert [one.round for one in found["other"]] == nv.error_alarm(ledger, 200, 0.1).alarms
    assert found["other"]
    assert found["off"] == []


def test_the_alarm_is_a_metric_an_event_and_in_the_receipt(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.wish(drifting(2600, 2000)[:2000])
        quiet = Metrics(engine).page().decode()
        assert "novikoff_alarms_total 0.0" in quiet
        assert "novikoff_alarm 0.0" in quiet
        with caplog.at_level(logging.WARNING):
            engine.wish(drifting(2600, 2000)[2000:-1])
            engine.wish(drifting(2600, 2000)[-1:])  # the line is written after the answer
        (raised,) = engine.replica.watch.raised
        (said,) = [one for one in caplog.records if one.message.startswith("alarm")]
        assert (said.round, said.allowed) == (raised.round, raised.allowed)  # type: ignore[attr-defined]
        loud = Metrics(engine).page().decode()
        assert "novikoff_alarms_total 1.0" in loud
        assert "novikoff_alarm 1.0" in loud
        assert f"novikoff_alarm_round {float(raised.round)}" in loud
        alarms = receipt_of(engine).alarms
        assert alarms is not None
        assert (alarms.on, alarms.count, alarms.latest) == (True, 1, [raised])
        engine.wish(drifting(1000, 0, seed=5))
        after = receipt_of(engine).alarms
        assert after is not None
        assert not after.on  # a window of rounds has passed


def test_the_recent_error_and_the_history_are_those_of_the_ledger() -> None:
    rng = random.Random(0)
    run = nv.Run(nv.Perceptron(), labels=LABELS)
    watch, mistakes = Watch(run, None), [0]
    for _ in range(30_000):
        row, label = {f"w{rng.randrange(20)}": 1.0}, rng.choice(LABELS)
        watch.played(row, label, run.learn(row, label))  # type: ignore[arg-type]
        mistakes.append(run.ledger.mistakes)
    wrong, rounds = watch.recent
    assert (wrong / rounds, rounds) == (run.ledger.recent_error_rate, 1000)
    assert len(watch.history) <= 2 * HISTORY + 1
    assert [mark.rounds for mark in watch.history] == [
        number * watch.stride for number in range(len(watch.history))
    ]
    for mark in (*watch.history, *watch.marks):
        assert mark.mistakes == mistakes[mark.rounds]
    assert (watch.marks[-1].rounds - watch.marks[0].rounds, len(watch.marks)) == (1000, 101)
    assert len(watch.latest) == LATEST


def test_a_mistake_with_ten_thousand_features_is_kept_short() -> None:
    run = nv.Run(nv.Perceptron(), labels=LABELS)
    watch = Watch(run, None)
    row: dict[str, bool | float | str] = {f"{'n' * 900}{number}": 1.0 for number in range(10_000)}
    for label in LABELS * 30:
        watch.played(row, label, run.learn(row, label))
    assert len(watch.latest) == LATEST
    assert watch.latest[-1].others == 10_000 - len(watch.latest[-1].features)
    assert len(json.dumps([one.features for one in watch.latest])) < 30_000


def test_rounds_before_the_log_are_not_watched(tmp_path: Path) -> None:
    run = nv.Run(nv.Blend(), labels=LABELS)
    for part in drifting(300, 100):
        assert isinstance(part, Example)
        run.learn(part.features, part.label)
    run.save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.wish(drifting(50, 0))
        watch = engine.replica.watch
        assert watch.start.rounds == 300
        assert watch.recent[1] == 50
        assert watch.state.alarm is not None
        assert watch.state.alarm.rounds == 50
        assert isinstance(engine, Engine)
