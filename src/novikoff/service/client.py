"""Clients of the service: typed calls with retries that never count an example twice."""

import asyncio
import http.client
import json
import random
import threading
import time
import uuid
from collections.abc import Iterable
from typing import Self, TypeVar
from urllib.parse import quote

import msgspec

from novikoff.errors import shown
from novikoff.service.messages import (
    Answers,
    Ask,
    Examples,
    Job,
    LearnedMany,
    PredictedMany,
    Questions,
    Row,
    Rows,
    ServedMany,
)
from novikoff.service.receipt_answer import Receipt
from novikoff.service.refusals import Refusal, Unreadable
from novikoff.service.replica import Learned, Predicted, Served
from novikoff.service.service_address import connected, response_of
from novikoff.service.wishes import Answer, Example, Question
from novikoff.streams.log.records import AskId, Features, ServedLabel

_RETRIED = (429, 503, 507)
_SHOWN = 80  # bytes of an answer that nobody can read
T = TypeVar("T")


class Client:
    """A connection to a service; use it from one thread.

    A request that fails on the way, or is answered by 429, 503 or 507, is sent again, up to
    ``retries`` times, after a pause that doubles. ``learn`` and ``tell`` send a key with it, so
    that an example counts once even if only its answer was lost.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, retries: int = 5, pause: float = 0.1
    ) -> None:
        self._connection, self._prefix = connected(url, "url", timeout)
        self._token = token
        self._retries, self._pause = retries, pause
        self._repeated = False  # whether the last request was sent more than once

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def learn(self, features: Features, label: ServedLabel, weight: float = 1.0) -> Learned:
        """Learn one example; it is on the service's disk when this returns."""
        return self.learn_many([Example(features, label, weight)])[0]

    def learn_many(self, examples: Iterable[Example]) -> list[Learned]:
        """Learn examples, all or none."""
        return self._post("/v1/learn", Examples(list(examples)), LearnedMany, key=True).examples

    def ask(self, features: Features, id: AskId | None = None) -> Served:
        """Predict now; ``tell`` brings the label. Without an id, one is made for the retries."""
        return self.ask_many([Question(features, id)])[0]

    def ask_many(self, questions: Iterable[Question]) -> list[Served]:
        """Ask many, all or none."""
        named = [
            one if one.id is not None else msgspec.structs.replace(one, id=uuid.uuid4().hex)
            for one in questions
        ]
        try:
            return self._post("/v1/ask", Questions(named), ServedMany).examples
        except Refusal as error:
            if error.status != 409 or not self._repeated:
                raise
        return [self._served(one) for one in named]

    def _served(self, one: Question) -> Served:
        """Return what was served for a question whose answer was lost on the way."""
        assert one.id is not None
        found = self.pending(one.id)
        return Served(found.id, found.prediction, found.probability)

    def tell(self, id: AskId, label: ServedLabel, weight: float = 1.0) -> Learned:
        """Tell the label of an ask."""
        return self.tell_many([Answer(id, label, weight)])[0]

    def tell_many(self, answers: Iterable[Answer]) -> list[Learned]:
        """Tell the labels of asks, all or none."""
        return self._post("/v1/tell", Answers(list(answers)), LearnedMany, key=True).examples

    def predict(self, rows: Iterable[Features]) -> list[Predicted]:
        """Predict rows, and leave no trace."""
        wish = Rows([Row(row) for row in rows])
        return self._post("/v1/predict", wish, PredictedMany).examples

    def pending(self, id: AskId) -> Ask:
        """Return a pending ask."""
        return self._get(f"/v1/asks/{quote(str(id), safe='')}", Ask)

    def receipt(self) -> Receipt:
        """Return the receipt of the run."""
        return self._get("/v1/receipt", Receipt)

    def certify(self, theorem: str | None = None, poll: float = 0.2) -> bytes:
        """Have a certificate made, wait for it, and return it."""
        body = msgspec.json.encode({"theorem": theorem})
        job = _answer("/v1/certify", self._sent("POST", "/v1/certify", body), Job)
        while job.state == "running":
            time.sleep(poll)
            job = self._get(f"/v1/certify/{job.id}", Job)
        if job.certificate is None:
            raise Refusal(job.error or "certify: expected a certificate, got none.")
        return self._sent("GET", job.certificate)

    def model(self) -> bytes:
        """Download the model; ``novikoff.Run.load`` reads it from a file."""
        return self._sent("GET", "/v1/model")

    def _get(self, path: str, kind: type[T]) -> T:
        return _answer(path, self._sent("GET", path), kind)

    def _post(self, path: str, wish: msgspec.Struct, kind: type[T], key: bool = False) -> T:
        extra = {"Idempotency-Key": uuid.uuid4().hex} if key else {}
        body = self._sent("POST", path, msgspec.json.encode(wish), extra)
        return _answer(path, body, kind)

    def _sent(
        self, method: str, path: str, body: bytes | None = None, extra: dict[str, str] | None = None
    ) -> bytes:
        """Send a request until it is answered; return the body of a good answer."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._repeated = False
        for left in range(self._retries, -1, -1):
            try:
                self._connection.request(
                    method, self._prefix + path, body, {**headers, **(extra or {})}
                )
                response = response_of(self._connection)
                found = response.read()
            except (OSError, http.client.HTTPException):
                self._connection.close()
                if not left:
                    raise
            else:
                if response.status < 300:
                    return found
                if response.status not in _RETRIED or not left:
                    raise _refusal(response.status, found)
            self._repeated = True
            time.sleep(self._pause * 2 ** (self._retries - left) * random.uniform(0.5, 1.0))
        raise AssertionError("the last try returns or raises")


def _answer(path: str, body: bytes, kind: type[T]) -> T:
    """Return a good answer as what it is, or say that no service of novikoff gave it."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(
            where=path,
            expected="an answer of novikoff's service",
            got=f"{shown(body[:_SHOWN])} ({error})",
            remedy="Check the address; nobody knows whether the request was carried out.",
        ) from None


def _refusal(status: int, body: bytes) -> Refusal:
    """Return what the service refused, as it said it."""
    try:
        said = json.loads(body)
        text = str(said["error"])
    except (ValueError, KeyError, TypeError):
        said, text = {}, f"service: expected an answer, got status {status}."
    found = Refusal(text)
    found.status = status
    for name in ("where", "expected", "got"):
        setattr(found, name, str(said.get(name, "")))
    return found


class AsyncClient:
    """The same calls for asyncio: each waits in a thread, with a connection of its own."""

    def __init__(self, url: str, token: str, *, timeout: float = 30.0, retries: int = 5) -> None:
        self._here = threading.local()
        self._clients: list[Client] = []
        self._url, self._token, self._timeout, self._retries = url, token, timeout, retries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def _client(self) -> Client:
        found: Client | None = getattr(self._here, "client", None)
        if found is None:
            found = Client(self._url, self._token, timeout=self._timeout, retries=self._retries)
            self._here.client = found
            self._clients.append(found)
        return found

    async def learn(self, features: Features, label: ServedLabel, weight: float = 1.0) -> Learned:
        """Learn one example."""
        return await asyncio.to_thread(lambda: self._client().learn(features, label, weight))

    async def learn_many(self, examples: Iterable[Example]) -> list[Learned]:
        """Learn examples, all or none."""
        return await asyncio.to_thread(lambda: self._client().learn_many(examples))

    async def ask(self, features: Features, id: AskId | None = None) -> Served:
        """Predict now; ``tell`` brings the label."""
        return await asyncio.to_thread(lambda: self._client().ask(features, id))

    async def tell(self, id: AskId, label: ServedLabel, weight: float = 1.0) -> Learned:
        """Tell the label of an ask."""
        return await asyncio.to_thread(lambda: self._client().tell(id, label, weight))

    async def predict(self, rows: Iterable[Features]) -> list[Predicted]:
        """Predict rows, and leave no trace."""
        return await asyncio.to_thread(lambda: self._client().predict(rows))

    async def receipt(self) -> Receipt:
        """Return the receipt of the run."""
        return await asyncio.to_thread(lambda: self._client().receipt())
