"""The live page over HTTP: who may look, what is shown, and that nobody is held up by it."""

import asyncio
import base64
import hashlib
import html
import http.client
import json
import os
import re
import signal
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from services import LABELS, new_model, running, wishes
from test_watch import drifting

import novikoff as nv
from novikoff.service.live_figures import LABELS as LISTED
from novikoff.service.live_figures import Rates, live_figures
from novikoff.service.live_stream import LISTENERS, EventStream, Live
from novikoff.service.metrics import Metrics
from novikoff.service.sessions import MOST, Sessions
from novikoff.service.tokens import Tokens
from novikoff.service.wishes import Example
from processes import READ, WRITE, Reply, Server

HOSTILE = '</script><img src=x onerror="alert(1)">\'&'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("live"), "--max-body", "5000")
    try:
        yield found
        assert found.stop() == 0
    finally:
        found.process.kill()


def signed_in(server: Server, token: str = READ, **headers: str) -> Reply:
    return server.call("POST", "/session", f"token={token}".encode(), token=None, **headers)


def cookie_in(found: Reply) -> str:
    return found.headers["set-cookie"].partition(";")[0]


def test_without_a_token_there_is_only_the_form(server: Server) -> None:
    found = server.call("GET", "/", token=None)
    assert found.status == 200
    assert b'name="token"' in found.body
    assert b"Mistakes by label" not in found.body
    assert b"<script" not in found.body
    shown = server.call("GET", "/", token=READ)
    assert b"Mistakes by label" in shown.body


@pytest.mark.parametrize("token", [READ, WRITE])
def test_a_session_may_look_and_nothing_else(server: Server, token: str) -> None:
    found = signed_in(server, token)
    assert (found.status, found.headers["location"]) == (303, "./")
    said = found.headers["set-cookie"]
    for word in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"):
        assert word in said
    assert token not in said
    cookie = cookie_in(found)
    assert b"Mistakes by label" in server.call("GET", "/", token=None, Cookie=cookie).body
    for path in ("/v1/live", "/v1/events"):
        assert server.call("GET", path, token=None, Cookie=cookie).status == 200
        assert server.call("GET", path, token=None).status == 401
    before = server.call("GET", "/v1/receipt").json["covers"]
    learn = b'{"features": {"w": 1.0}, "label": "spam"}'
    for method, path, body in (
        ("POST", "/v1/learn", learn),
        ("POST", "/v1/predict", b'{"features": {}}'),
        ("POST", "/v1/certify", b"{}"),
        ("GET", "/v1/receipt", None),
        ("GET", "/v1/model", None),
        ("GET", "/metrics", None),
    ):
        assert server.call(method, path, body, token=None, Cookie=cookie).status == 401
    assert server.call("GET", "/v1/receipt").json["covers"] == before


def test_signing_out_ends_the_session(server: Server) -> None:
    cookie = cookie_in(signed_in(server))
    other = cookie_in(signed_in(server))
    found = server.call("POST", "/session/end", b"", token=None, Cookie=cookie)
    assert (found.status, found.headers["location"]) == (303, "../")
    assert "Max-Age=0" in found.headers["set-cookie"]
    assert server.call("GET", "/v1/live", token=None, Cookie=cookie).status == 401
    assert server.call("GET", "/v1/live", token=None, Cookie=other).status == 200


def test_a_wrong_token_gets_the_form_again(server: Server) -> None:
    for token in ("no-such-token", "", "%3Cscript%3E", "a" * 3000, "%00", "%ff"):
        found = signed_in(server, token)
        assert found.status in (400, 401)
        assert "set-cookie" not in found.headers
        assert b"<script" not in found.body
    assert signed_in(server, "").status == 401
    for body in (b"", b"user=x", b"\xff\xff", b"token", b"&" * 200, b'{"token": "x"}'):
        assert server.call("POST", "/session", body, token=None).status in (400, 401)
    assert signed_in(server, "a" * 5000).status == 413


def test_a_session_that_somebody_else_chose_is_not_taken_over(server: Server) -> None:
    chosen = "novikoff=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    found = signed_in(server, Cookie=chosen)
    assert cookie_in(found) != chosen
    assert server.call("GET", "/v1/live", token=None, Cookie=chosen).status == 401
    first = cookie_in(found)
    again = cookie_in(signed_in(server, Cookie=first))  # the earlier one ends
    assert server.call("GET", "/v1/live", token=None, Cookie=first).status == 401
    assert server.call("GET", "/v1/live", token=None, Cookie=again).status == 200


@pytest.mark.parametrize("path", ["/session", "/session/end"])
def test_forms_of_other_sites_are_refused(server: Server, path: str) -> None:
    body, cookie = f"token={READ}".encode(), cookie_in(signed_in(server))
    for headers in (
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
    ):
        found = server.call("POST", path, body, token=None, Cookie=cookie, **headers)
        assert found.status == 403
        assert "set-cookie" not in found.headers
    assert server.call("GET", "/v1/live", token=None, Cookie=cookie).status == 200
    ours = {"Origin": server.url, "Sec_Fetch_Site": "same-origin"}
    assert server.call("POST", path, body, token=None, **ours).status == 303


def test_the_policy_allows_our_own_script_and_style_alone(server: Server) -> None:
    found = server.call("GET", "/", token=READ)
    policy, text = found.headers["content-security-policy"], found.body.decode()
    for kind in ("script", "style"):
        (inner,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert not re.findall(r"(?:src|href)=[\"']?https?:", text)
    assert " style=" not in text
    for path in ("/v1/live", "/v1/events"):
        assert server.call("GET", path, token=READ).headers["cache-control"] == "no-store"


def test_hostile_words_are_text(tmp_path: Path) -> None:
    labels = f"ham{HOSTILE}", "spam"
    nv.Run(nv.Blend(), labels=labels).save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        parts = [
            Example({HOSTILE: 1.0, "\u202e\x00": HOSTILE, "s": 1.0}, labels[number % 2])
            for number in range(20)
        ]
        engine.wish([*parts])
        from novikoff.service.live_page import live_page, sign_in_page

        live = Live(engine, Metrics(engine))
        for body in (live_page(live.figures()).body, sign_in_page(HOSTILE).body):
            text = bytes(body).decode()
            assert HOSTILE not in text
            assert html.escape(HOSTILE) in text
            assert "<img" not in text
            assert "\x00" not in text


def test_figures_are_the_same_after_a_restart(tmp_path: Path) -> None:
    first = Server(tmp_path)
    learn = {"examples": [{"features": p.features, "label": p.label} for p in drifting(900, 500)
                          if isinstance(p, Example)]}  # fmt: skip
    try:
        assert first.call("POST", "/v1/learn", json.dumps(learn).encode()).status == 200
        first.call("POST", "/v1/ask", b'{"features": {"w": 1.0}, "id": "x"}')
        before = first.call("GET", "/v1/live").json
    finally:
        first.kill()
    again = Server(tmp_path)
    try:
        after = again.call("GET", "/v1/live").json
    finally:
        assert again.stop() == 0
    for figures in (before, after):  # these are since the start, and the page says so
        del figures["charts"]["rates"]
        for key in ("learn_rate", "learn_note", "predict_rate", "predict_note"):
            del figures["texts"][key]
    assert before == after
    assert before["rounds"] == 900
    assert before["charts"]["error"][0][-1] == 900


def test_rotating_tokens_ends_sessions(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        cookie = cookie_in(signed_in(server))
        connection, response = listening(server, Cookie=cookie)
        (tmp_path / "tokens").write_text("read another-token\n")
        os.kill(server.process.pid, signal.SIGHUP)
        while server.call("GET", "/v1/live", token="another-token").status != 200:
            pass
        assert server.call("GET", "/v1/live", token=None, Cookie=cookie).status == 401
        assert response.read().endswith(b"\n\n")  # the stream ends too
        connection.close()
    finally:
        assert server.stop() == 0


def test_sessions_are_few_and_end_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"read {READ}\n")
    sessions = Sessions(Tokens(str(tmp_path / "tokens")))
    scopes = []
    for _ in range(MOST + 1):
        name = sessions.begin(READ.encode())
        assert name is not None
        scopes.append({"headers": [(b"cookie", b"a=b; novikoff=" + name.encode())]})
    assert not sessions.admits(scopes[0])
    assert sessions.admits(scopes[-1])
    over_tls = scopes[-1] | {"scheme": "https"}
    assert not sessions.admits(over_tls)  # over TLS the cookie has another name
    monkeypatch.setattr("novikoff.service.sessions.time.monotonic", lambda: 1e12)
    assert not sessions.admits(scopes[-1])


def listening(
    server: Server, **headers: str
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/v1/events", None, headers or {"Authorization": f"Bearer {READ}"})
    return connection, connection.getresponse()


def test_listeners_are_limited_and_let_go_when_the_service_stops(tmp_path: Path) -> None:
    server = Server(tmp_path)
    opened = [listening(server) for _ in range(LISTENERS)]
    assert {response.status for _, response in opened} == {200}
    refused = server.call("GET", "/v1/events", token=READ)
    assert (refused.status, refused.headers["retry-after"]) == (429, "5")
    assert server.call("GET", "/v1/live", token=READ).status == 200
    assert server.call("POST", "/v1/learn", b'{"features": {}, "label": "ham"}').status == 200
    opened[0][0].close()
    opened[0][1].close()
    while server.call("GET", "/v1/events", token=READ).status == 429:
        pass
    os.kill(server.process.pid, signal.SIGTERM)
    for connection, response in opened[1:]:
        assert response.read().endswith(b"\n\n")  # the stream has an end, and was not cut
        connection.close()
    assert server.stop() == 0


def test_an_alarm_is_an_event_of_the_stream(tmp_path: Path) -> None:
    server = Server(tmp_path, "--alarm-window", "200", "--false-alarms", "0.1")
    try:
        parts = [one for one in drifting(1200, 800) if isinstance(one, Example)]
        rows = [{"features": one.features, "label": one.label} for one in parts]
        server.call("POST", "/v1/learn", json.dumps({"examples": rows[:800]}).encode())
        connection, response = listening(server)
        assert response.readline() == b"id: 1\n"
        server.call("POST", "/v1/learn", json.dumps({"examples": rows[800:]}).encode())
        while response.readline() != b"event: alarm\n":
            pass
        raised = json.loads(response.readline().removeprefix(b"data: "))
        connection.close()
        assert raised == server.call("GET", "/v1/receipt").json["alarms"]["latest"][0]
    finally:
        assert server.stop() == 0
    assert any(one["event"].startswith("alarm") for one in server.events)


def test_a_slow_listener_gets_the_latest_frame_and_is_left_in_the_end(tmp_path: Path) -> None:
    """Nothing is queued: while it does not read, frames pass it by."""
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        live = Live(engine, Metrics(engine))
        asyncio.run(_slowly(live, engine))


async def _slowly(live: Live, engine: Any) -> None:
    sent: list[bytes] = []
    ready, taken = asyncio.Event(), asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body":
            sent.append(message["body"])
            taken.set()
            await ready.wait()

    stream = EventStream(live)
    task = asyncio.ensure_future(stream({"type": "http"}, receive, send))
    await taken.wait()
    for _ in range(1000):
        live.publish()
    assert len(sent) == 1
    taken.clear()
    ready.set()
    await taken.wait()
    assert [frame.split(b"\n")[0] for frame in sent] == [b"id: 1", b"id: 1001"]
    live.end()
    await task

    stuck = Live(engine, Metrics(engine))
    ready.clear()
    await EventStream(stuck, patience=0.0)({"type": "http"}, receive, send)
    assert not stuck._listeners


def test_ten_thousand_labels_make_a_short_page(tmp_path: Path) -> None:
    labels = [f"label {number}" for number in range(10_000)]
    nv.Run(nv.MulticlassPerceptron(), labels=labels).save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.wish([Example({f"w{n % 7}": 1.0}, labels[n * 37 % 10_000]) for n in range(300)])
        found = live_figures(engine.replica, Rates([], [], []))
        assert len(found.tables["labels"]) == LISTED
        assert "10,000 labels" in found.texts["labels_note"]
        assert found.charts["loss"] == []
        assert found.texts["loss"] == "–"


def test_an_empty_run_has_a_page(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        found = live_figures(engine.replica, Rates([], [], []))
        assert found.rounds == 0
        assert found.texts["error"] == "–"
        assert found.charts["error"] == [[], [], [], [], []]
        for parts in wishes(30):
            engine.wish(parts)
        assert live_figures(engine.replica, Rates([], [], [])).texts["pending"] != "0"
        assert LABELS[0] in str(live_figures(engine.replica, Rates([], [], [])).tables["labels"])
