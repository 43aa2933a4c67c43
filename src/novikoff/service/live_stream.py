"""The live stream: once a second, the figures of the live page go to everybody who listens.

All listeners share one frame. A listener that reads too slowly gets the latest frame when it is
ready for one, and holds up nobody: nothing is queued for it.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from itertools import pairwise

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from novikoff.service.live_figures import LiveFigures, Rates, live_figures
from novikoff.service.metrics import Metrics
from novikoff.service.refusals import TooMany
from novikoff.service.service_engine import Engine

_log = logging.getLogger("novikoff.service")
TICK = 1.0
"""Seconds between two frames."""
LISTENERS = 64
"""How many may listen at once."""
PATIENCE = 30.0
"""Seconds that a listener may take to read a frame."""
_SAMPLES = 300  # seconds of the curves of the rates
_NOW = 10  # seconds over which the present rates are taken
_ENCODER = msgspec.json.Encoder()


class Live:
    """Makes the figures, at most once a second, and tells the listeners."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self._engine, self._metrics = engine, metrics
        self._first = self._engine.replica.run.ledger.rounds
        self._samples = deque([self._counted()], maxlen=_SAMPLES + 1)
        self._made: tuple[float, LiveFigures] | None = None
        self._listeners: set[asyncio.Event] = set()
        self.number = 0
        """How many frames there were."""
        self.frame = b""
        self.ended = False

    def _counted(self) -> tuple[float, int, int]:
        """Return the time, and what was learned and predicted since the start."""
        counts = self._metrics.examples
        predicted = counts.get("/v1/predict", 0) + counts.get("/v1/ask", 0)
        return time.monotonic(), self._engine.replica.run.ledger.rounds - self._first, predicted

    async def run(self) -> None:
        """Tell the listeners once a second, for as long as the service runs."""
        while not self.ended:
            await asyncio.sleep(TICK)
            try:
                self._samples.append(self._counted())
                if self._listeners:
                    self.publish()
            except Exception:
                _log.exception("the live page has no new figures")

    def publish(self) -> None:
        """Make a frame, and wake all who wait for it."""
        self._made = None
        self.number += 1
        self.frame = b"id: %d\nevent: figures\ndata: %b\n\n" % (
            self.number,
            _ENCODER.encode(self.figures()),
        )
        for listener in self._listeners:
            listener.set()

    def figures(self) -> LiveFigures:
        """Return the figures; they are at most a second old."""
        now = time.monotonic()
        if self._made is None or now - self._made[0] > TICK:
            self._made = now, live_figures(self._engine.replica, self._rates())
        return self._made[1]

    def _rates(self) -> Rates:
        samples = list(self._samples)
        end, begin = samples[-1][0], self._metrics.began_steadily
        learned, predicted = [], []
        for before, after in pairwise(samples):
            learned.append(_rate(before, after, 1))
            predicted.append(_rate(before, after, 2))
        last, since = samples[-1], samples[max(0, len(samples) - 1 - _NOW)]
        whole = (begin, 0, 0)
        return Rates(
            seconds=[round(one[0] - end, 1) for one in samples[1:]],
            learned=[round(rate, 1) for rate in learned],
            predicted=[round(rate, 1) for rate in predicted],
            now=(_rate(since, last, 1), _rate(since, last, 2)),
            mean=(_rate(whole, last, 1), _rate(whole, last, 2)),
        )

    def join(self) -> asyncio.Event:
        """Return what is set whenever there is a new frame; refuse one listener too many."""
        if len(self._listeners) >= LISTENERS:
            raise TooMany(
                where="events",
                expected=f"at most {LISTENERS} listeners",
                got="one more",
                remedy="Close a page, or ask for /v1/live now and then.",
            )
        found = asyncio.Event()
        self._listeners.add(found)
        return found

    def leave(self, listener: asyncio.Event) -> None:
        """Forget a listener."""
        self._listeners.discard(listener)

    @property
    def alarms(self) -> int:
        """How many alarms there were since the log began."""
        return self._engine.replica.watch.count

    def alarm_frames(self, seen: int) -> bytes:
        """Return the alarms after the first ``seen`` ones, as events of their own."""
        new = self._engine.replica.watch.count - seen
        latest = list(self._engine.replica.watch.raised)[-new:] if new > 0 else []
        return b"".join(b"event: alarm\ndata: %b\n\n" % _ENCODER.encode(one) for one in latest)

    def end(self) -> None:
        """Let all listeners go, because the service stops."""
        self.ended = True
        for listener in self._listeners:
            listener.set()


def _rate(before: tuple[float, int, int], after: tuple[float, int, int], which: int) -> float:
    return (after[which] - before[which]) / max(after[0] - before[0], 1e-3)


class EventStream(Response):
    """Server-sent events: a frame at once, and then one a second."""

    def __init__(
        self, live: Live, allowed: Callable[[], bool] = lambda: True, patience: float = PATIENCE
    ) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Accel-Buffering"] = "no"
        self._live, self._allowed, self._patience = live, allowed, patience
        self._listener = live.join()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the client goes, is too slow, or may no longer read."""
        gone = asyncio.ensure_future(_gone(receive, self._listener))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send_all(send, gone)
            if not gone.done():
                await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            _log.info("a listener of /v1/events reads too slowly and was left")
        finally:
            gone.cancel()
            self._live.leave(self._listener)

    async def _send_all(self, send: Send, gone: "asyncio.Future[None]") -> None:
        live, listener, alarms = self._live, self._listener, self._live.alarms
        if not live.frame:
            live.publish()
        while not (gone.done() or live.ended) and self._allowed():
            listener.clear()
            body = live.alarm_frames(alarms) + live.frame
            alarms = live.alarms
            message = {"type": "http.response.body", "body": body, "more_body": True}
            await asyncio.wait_for(send(message), self._patience)
            await listener.wait()


async def _gone(receive: Receive, listener: asyncio.Event) -> None:
    """Return when the client has gone, and wake whoever waits for a frame."""
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.set()
