"""Ids and keys at their limits: none can stop the service, or make examples vanish."""

from pathlib import Path

import pytest
from services import new_model, running

from novikoff.service.limits import LARGEST_ID
from novikoff.service.refusals import Refusal, TooLarge
from novikoff.service.replica import Served
from novikoff.service.wishes import Answer, Example, Question
from processes import Server


def test_no_id_keeps_the_service_from_choosing_the_next(tmp_path: Path) -> None:
    """A number of 4,300 digits was taken once; its successor could not be written."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for id in (int("9" * 4300), LARGEST_ID + 1, -LARGEST_ID - 1):
            with pytest.raises(Refusal, match="id: expected a text, or a whole number up to"):
                engine.wish([Question({}, id)])
        with pytest.raises(TooLarge, match="id: expected at most 1,000 characters, got 1,001"):
            engine.wish([Question({}, "x" * 1001)])
        assert engine.replica.sequence == 1
        engine.wish([Question({}, LARGEST_ID)])
        for more in (1, 2):
            (served,) = engine.wish([Question({})])
            assert isinstance(served, Served)
            assert served.id == LARGEST_ID + more
            engine.wish([Answer(served.id, "spam")])


def test_an_empty_key_is_refused(tmp_path: Path) -> None:
    """A client that sends it with every example would see one of them count."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        for _ in range(2):
            with pytest.raises(Refusal, match="key: expected a text of its own, got an empty one"):
                engine.wish([Example({"w": 1.0}, "spam", key="")])
        engine.wish([Question({}, 1)])
        with pytest.raises(Refusal, match="key: expected"):
            engine.wish([Answer(1, "spam", key="")])
        assert engine.replica.run.ledger.rounds == 0


def test_numbers_of_any_sign_are_shown(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        for id in (-LARGEST_ID, LARGEST_ID, 0):
            server.call("POST", "/v1/ask", b'{"features": {}, "id": %d}' % id)
            assert server.call("GET", f"/v1/asks/{id}").json["id"] == id
        empty = server.call(
            "POST", "/v1/learn", b'{"features": {}, "label": "spam"}', Idempotency_Key=""
        )
        assert (empty.status, empty.json["where"]) == (422, "key")
    finally:
        assert server.stop() == 0
