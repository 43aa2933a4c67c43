"""The live page of the service in a real browser, while it learns."""

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from processes import READ, Server

SIZES = {"desktop": (1280, 900), "tablet": (700, 900), "phone": (390, 844), "small": (320, 640)}
VIEWS = [*(("light", size) for size in SIZES), ("dark", "desktop"), ("dark", "phone")]
HOSTILE = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'
LABELS = (HOSTILE.replace(",", ""), "w" * 200)


def rows(count: int, seed: int, noise: float = 0.05) -> bytes:
    """Examples with one telling word, hostile names, and labels that are wrong now and then."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        kind = rng.randrange(2)
        features: dict[str, object] = {f"{LABELS[kind]}{rng.randrange(9)}": 1.0, HOSTILE: "עברית"}
        features["n" * 500] = -1.5
        label = LABELS[kind if rng.random() > noise else 1 - kind]
        found.append({"features": features, "label": label})
    return json.dumps({"examples": found}).encode()


class Load:
    """Examples that keep coming, from a thread of its own."""

    def __init__(self, server: Server) -> None:
        self._server, self._ended = server, threading.Event()
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self) -> None:
        number = 100
        while not self._ended.is_set():
            number += 1
            assert self._server.call("POST", "/v1/learn", rows(20, number)).status == 200
            predict = b'{"examples": [{"features": {"w": 1.0}}, {"features": {}}]}'
            assert self._server.call("POST", "/v1/predict", predict).status == 200

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that has raised an alarm, and goes on learning."""
    found = Server(tmp_path_factory.mktemp("live"), labels=",".join(LABELS))
    try:
        for seed in range(20):
            assert found.call("POST", "/v1/learn", rows(100, seed)).status == 200
        for seed in range(20, 23):
            assert found.call("POST", "/v1/learn", rows(100, seed, noise=0.5)).status == 200
        load = Load(found)
        yield found
        load.end()
        assert found.stop() == 0
    finally:
        found.process.kill()


@dataclass
class Seen:
    """A page, and what the console said."""

    page: Page
    scheme: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ask(self, script: str, argument: object = None) -> Any:
        """Evaluate a script in the page."""
        return self.page.evaluate(script, argument)

    def text(self, key: str) -> str:
        """Return a figure as it is shown."""
        return self.page.locator(f'[data-figure="{key}"]').first.inner_text()


def signed_in(context: BrowserContext, server: Server, scheme: str = "light") -> Seen:
    seen = Seen(context.new_page(), scheme)
    seen.page.on("console", lambda message: seen.said.append(message.text))
    seen.page.on("pageerror", lambda error: seen.said.append(str(error)))
    seen.page.on("request", lambda asked: seen.asked.append(asked.url))
    seen.page.goto(server.url)
    seen.page.fill("#token", READ)
    seen.page.get_by_role("button").click()
    return seen


@pytest.fixture(scope="module", params=VIEWS, ids="-".join)
def seen(request: pytest.FixtureRequest, browser: Browser, server: Server) -> Iterator[Seen]:
    scheme, size = request.param
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    opened = signed_in(context, server, scheme)
    opened.page.wait_for_selector("body.live figure[data-chart='error']:not([hidden]) canvas")
    yield opened
    context.close()


def rounds_shown(seen: Seen) -> int:
    return int(seen.text("mistakes").split(" in ")[1].split()[0].replace(",", ""))


def test_figures_move_while_examples_are_learned(seen: Seen) -> None:
    first = rounds_shown(seen)
    seen.page.wait_for_function(
        "before => +document.querySelector('[data-figure=mistakes]').textContent"
        ".split(' in ')[1].replace(/[^0-9]/g, '') > before",
        arg=first,
    )
    assert rounds_shown(seen) > first > 2000
    assert seen.text("learn_rate").endswith("/s")


def test_nothing_is_complained_of_and_nobody_else_is_asked(seen: Seen, server: Server) -> None:
    assert seen.said == []
    assert {url.removeprefix(server.url) for url in seen.asked if not url.startswith("data:")} <= {
        "/", "/session", "/v1/events",
    }  # fmt: skip
    assert not any(READ in url for url in seen.asked)


def test_hostile_words_are_text(seen: Seen) -> None:
    assert seen.page.title() == "What is being learned – novikoff"
    assert seen.ask("document.querySelectorAll('img, iframe, main script').length") == 0
    shown = seen.page.locator('[data-table="labels"] tbody').inner_text()
    assert HOSTILE[:40] in shown
    assert HOSTILE[:30] in seen.page.locator('[data-table="mistakes"] tbody').inner_text()


def test_nothing_is_wider_than_the_screen(seen: Seen) -> None:
    width, room = seen.ask(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert width <= room


def test_charts_fill_their_place_and_have_ink(seen: Seen) -> None:
    for name in ("error", "loss", "calibration", "rates"):
        found = seen.ask(
            """name => {
              const figure = document.querySelector(`figure[data-chart="${name}"]`);
              if (figure.hidden) return null;
              const canvas = figure.querySelector('canvas');
              const pixels = canvas.getContext('2d')
                .getImageData(0, 0, canvas.width, canvas.height).data;
              let ink = 0;
              for (let i = 3; i < pixels.length; i += 4) ink += pixels[i] > 0;
              const box = canvas.getBoundingClientRect();
              return [box.width, figure.clientWidth, box.height, ink];
            }""",
            name,
        )
        if name == "rates" and found is None:
            continue  # its second sample comes within a second
        width, room, height, ink = found
        assert abs(width - room) <= 1
        assert height > 150
        assert ink > 1000


def test_the_scheme_is_the_one_that_was_asked_for(seen: Seen) -> None:
    dark = seen.ask("parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128")
    assert dark == (seen.scheme == "dark")


_CONTRASTS = """() => {
  const parse = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = rgb => rgb.map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = light(parse(getComputedStyle(document.body).backgroundColor));
  return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility()
      && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
    const ink = light(parse(getComputedStyle(e).color));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    return [e.textContent.trim().slice(0, 40), ratio];
  });
}"""


def test_text_stands_out_from_the_paper(seen: Seen) -> None:
    found = seen.ask(_CONTRASTS)
    assert len(found) > 30
    assert [line for line in found if line[1] < 4.5] == []


def test_an_alarm_is_seen(seen: Seen) -> None:
    table = seen.page.locator('[data-table="alarms"]')
    assert table.is_visible()
    assert "in " in table.locator("tbody").inner_text()


def test_without_javascript_there_are_tables(browser: Browser, server: Server) -> None:
    context = browser.new_context(java_script_enabled=False)
    seen = signed_in(context, server)
    first = rounds_shown(seen)
    assert first > 2000
    assert seen.page.locator('[data-table="labels"] tbody tr').count() == 2
    assert seen.page.locator('[data-table="mistakes"] tbody tr').count() == 20
    assert HOSTILE[:40] in seen.page.locator('[data-table="labels"]').inner_text()
    seen.page.reload()
    assert rounds_shown(seen) >= first
    assert seen.page.locator("figure:visible").count() == 0
    assert seen.said == []
    context.close()


def test_signing_out_leaves_the_form(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    seen = signed_in(context, server)
    seen.page.wait_for_selector("body.live")
    assert seen.ask("document.cookie") == ""  # scripts do not see it
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    seen.page.get_by_role("button", name="Sign out").click()
    seen.page.wait_for_selector("#token")
    assert context.cookies() == []
    seen.page.goto(server.url)
    assert seen.page.locator("#token").is_visible()
    context.close()


def test_a_wrong_token_says_so(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url)
    page.fill("#token", "<b>no such token</b>")
    page.get_by_role("button").click()
    assert "not a token" in page.get_by_role("alert").inner_text()
    context.close()


def test_the_policy_holds(browser: Browser, server: Server) -> None:
    """Scripts, styles, images and requests elsewhere are refused even if somebody got them in."""
    context = browser.new_context()
    seen = signed_in(context, server)
    seen.page.wait_for_selector("body.live")
    violated = seen.ask(
        """async () => {
          const found = new Set();
          addEventListener('securitypolicyviolation', e => found.add(e.effectiveDirective));
          const script = document.createElement('script');
          try { script.textContent = 'document.title = 1'; }
          catch (e) { found.add('trusted-types'); }
          document.body.append(script);
          const style = document.createElement('style');
          style.textContent = 'body { display: none }';
          document.head.append(style);
          const image = document.createElement('img');
          image.src = '/x.png';
          document.body.append(image);
          await fetch('https://example.com/').catch(() => 0);
          try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); }
          catch (e) { found.add('trusted-types'); }
          await new Promise(done => setTimeout(done, 100));
          return [...found].sort();
        }"""
    )
    assert {"connect-src", "img-src", "style-src-elem", "trusted-types"} <= set(violated)
    assert seen.page.title() != "1"
    context.close()


def test_the_page_comes_back_after_a_restart(browser: Browser, tmp_path_factory: Any) -> None:
    """A stopped service is shown as such; afterwards the browser has to sign in again."""
    folder = tmp_path_factory.mktemp("restarted")
    server = Server(folder)
    context = browser.new_context()
    seen = signed_in(context, server)
    seen.page.wait_for_selector("body.live")
    os.kill(server.process.pid, signal.SIGTERM)
    assert server.stop() == 0
    seen.page.wait_for_selector("body:not(.live)")
    again = Server(folder, "--port", str(server.port))
    try:
        seen.page.wait_for_selector("#token", timeout=60_000)
    finally:
        assert again.stop() == 0
    context.close()
