"""A follower has the records of its leader, and at the same record the same bits."""

import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from services import new_model, running, wishes

from novikoff.service import following
from novikoff.service.append_log import AppendLog
from novikoff.service.following import begin_copy
from novikoff.service.log_tail import LogTail
from novikoff.service.refusals import Gone
from novikoff.service.replica_snapshots import packed_snapshot
from novikoff.streams.log.receipt_links import links_of
from novikoff.streams.log.records import Features
from novikoff.streams.log.segments import frame_at, segments_of
from novikoff.streams.log.snapshot_files import snapshots_of
from processes import READ, Server


def sequence(server: Server) -> int:
    found = server.call("GET", "/v1/receipt", token=READ).json["covers"]["last_sequence"]
    assert isinstance(found, int)
    return found


def caught_up(follower: Server, leader: Server) -> None:
    """Wait until the follower has all that the leader has."""
    for _ in range(3000):
        if sequence(follower) == sequence(leader):
            return
        time.sleep(0.01)
    raise AssertionError(f"{sequence(follower)} of {sequence(leader)} records")


def digest(server: Server) -> str:
    time.sleep(1.1)  # a model may be a second old
    return server.call("GET", "/v1/model", token=READ).headers["etag"]


def ask_and_tell(leader: Server, name: str, count: int) -> None:
    with leader.client() as client:
        for number in range(count):
            row: Features = {f"w{number % 7}": 1.0, "kind": "ab"[number % 2]}
            client.ask(row, f"{name} {number}")
            if number % 3:
                client.tell(f"{name} {number}", "spam" if number % 2 else "ham")
            client.learn({**row, f"n{number}": 0.5}, "ham")


def test_a_follower_has_the_bits_of_its_leader_whoever_is_killed(tmp_path: Path) -> None:
    leader = Server(tmp_path / "leader")
    ask_and_tell(leader, "before", 20)
    follower = Server.following(tmp_path / "follower", leader)
    try:
        ask_and_tell(leader, "meanwhile", 20)
        caught_up(follower, leader)
        assert digest(follower) == digest(leader)
        shown = "/v1/asks/meanwhile%200"
        assert follower.call("GET", shown).json == leader.call("GET", shown).json
        leader.kill()
        body = b'{"features": {"w1": 1.0}}'
        assert follower.call("POST", "/v1/predict", body, token=READ).status == 200
        leader = Server(leader.folder, port=leader.port)
        ask_and_tell(leader, "again", 10)
        follower.kill()
        ask_and_tell(leader, "more", 10)
        follower = Server.following(tmp_path / "follower", leader)
        caught_up(follower, leader)
        assert digest(follower) == digest(leader)
        answers = [one.call("POST", "/v1/predict", body).body for one in (leader, follower)]
        assert answers[0] == answers[1]
    finally:
        assert follower.stop() == 0
        assert leader.stop() == 0
    promoted = Server(tmp_path / "follower")  # its log is a log like any other
    assert promoted.call("POST", "/v1/learn", b'{"features": {}, "label": "ham"}').status == 200
    assert promoted.stop() == 0


def test_a_follower_only_reads_and_says_its_lag(tmp_path: Path) -> None:
    leader = Server(tmp_path / "leader")
    follower = Server.following(tmp_path / "follower", leader)
    try:
        ask_and_tell(leader, "a", 3)
        caught_up(follower, leader)
        before = sequence(follower)
        for path, body in (
            ("/v1/learn", b'{"features": {}, "label": "ham"}'),
            ("/v1/ask", b'{"features": {}}'),
            ("/v1/tell", b'{"id": "a 0", "label": "ham"}'),
        ):
            found = follower.call("POST", path, body)
            assert found.status == 403
            assert f"Send it to {leader.url}" in found.json["error"]
        assert sequence(follower) == before
        ready = follower.call("GET", "/readyz", token=None)
        assert ready.status == 200
        assert ready.json["lag"]["records"] == 0
        receipt = follower.call("GET", "/v1/receipt").json
        assert receipt["lag"]["leader"] == leader.url
        assert receipt["covers"]["before"]["rounds"] == receipt["covers"]["start_rounds"]
        page = follower.call("GET", "/metrics").body.decode()
        assert "novikoff_follower_lag_records 0.0" in page
        assert "novikoff_follower_connected 1.0" in page
    finally:
        assert follower.stop() == 0
        assert leader.stop() == 0


def test_a_leader_that_was_set_back_is_not_followed(tmp_path: Path) -> None:
    leader = Server(tmp_path / "leader")
    ask_and_tell(leader, "a", 5)
    follower = Server.following(tmp_path / "follower", leader)
    try:
        ask_and_tell(leader, "b", 5)
        caught_up(follower, leader)
        before = sequence(follower)
        leader.kill()
        other = Server(tmp_path / "other", port=leader.port)
        refused = 'novikoff_requests_total{path="/v1/log",status="409"}'
        for _ in range(3000):
            if refused in other.call("GET", "/metrics").body.decode():
                break
            time.sleep(0.01)
        assert sequence(follower) == before
        assert other.stop() == 0
    finally:
        assert follower.stop() == 0
    said = [event for event in follower.events if "error" in event]
    assert any("at most 1, the last record" in event["error"] for event in said), said


@pytest.mark.parametrize("query", ["after=x", "after=-1", "wait=1e3", "after=" + "9" * 30])
def test_a_bad_place_in_the_log_is_refused(tmp_path: Path, query: str) -> None:
    server = Server(tmp_path / "s")
    try:
        found = server.call("GET", f"/v1/log?{query}")
        assert found.status == 422
        assert found.json["where"] in ("after", "wait")
        assert server.call("GET", "/v1/log?after=99").status == 409
    finally:
        assert server.stop() == 0


def test_the_tail_is_the_log_record_by_record(tmp_path: Path) -> None:
    """Over many segments, from any record on, while it grows; until old ones are dropped."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        engine.log._segment = 700
        said, growing, grown = wishes(60), LogTail(engine.log.folder, 0), b""
        for number, parts in enumerate(said):
            engine.wish(parts)
            if number % 5 == 0:
                while piece := growing.read(engine.log.durable):
                    grown += piece
        last = engine.log.durable
        while piece := growing.read(last):
            grown += piece
        assert numbers(grown) == list(range(1, last + 1))
        for after in (0, 1, 17, last - 1, last):
            tail, found = LogTail(engine.log.folder, after), b""
            while piece := tail.read(last):
                found += piece
            assert numbers(found) == list(range(after + 1, last + 1))
        assert numbers(LogTail(engine.log.folder, 3).read(4)) == [4]
        engine.keep_log = False
        engine.snapshot()
        engine.wish(wishes(1)[0])
        engine.snapshot()
        with pytest.raises(Gone, match="still goes back to, got 0"):
            LogTail(engine.log.folder, 0).go()


def numbers(data: bytes) -> list[int]:
    found, end = list[int](), 0
    while (frame := frame_at(memoryview(data), end)) is not None:
        found.append(frame.sequence)
        end = frame.end
    assert end == len(data)
    return found


def test_a_follower_of_nobody_says_why_it_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"read {READ}\n")
    words = ["serve", "--follow", "http://127.0.0.1:9", "--leader-token-file", "/dev/null"]
    words += ["--log", str(tmp_path / "log"), "--token-file", str(tmp_path / "tokens")]
    done = subprocess.run(
        [sys.executable, "-m", "novikoff", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "http://127.0.0.1:9: expected a leader that answers, got " in done.stderr


class Remembered:
    """A leader that answers with a snapshot, or stops in the middle of it."""

    url = "http://leader"

    def __init__(self, snapshot: bytes) -> None:
        self._snapshot = snapshot

    def get(self, path: str) -> Any:
        assert path == "/v1/snapshot"
        return BytesIO(self._snapshot)


def test_a_copy_that_did_not_begin_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash before its page is written leaves a receipt and an empty segment, which go."""
    with running(tmp_path / "leader", new_model(tmp_path / "m")) as engine:
        for parts in wishes(20):
            engine.wish(parts)
        engine.snapshot()
        leader: Any = Remembered(packed_snapshot(engine.log.folder))
    log = AppendLog(str(tmp_path / "copy"))
    with monkeypatch.context() as patch:
        patch.setattr(following, "page_path", lambda folder, sequence: f"{folder}/no/page")
        with pytest.raises(OSError, match="No such file"):
            begin_copy(log, leader)
    assert len(links_of(log.folder)) == len(segments_of(log.folder)) == 1
    begin_copy(log, leader)
    assert len(links_of(log.folder)) == 1
    last = max(snapshots_of(log.folder))
    log.close()
    with running(tmp_path / "copy") as engine:
        assert engine.log.durable == engine.replica.sequence == last
