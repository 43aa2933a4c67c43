"""The schema page: OpenAPI 3.1, made of the endpoints and the types that decode and encode them."""

import re
from functools import cache

import msgspec

from novikoff.service.endpoints import ENDPOINTS, Endpoint, Message
from novikoff.service.limits import LARGEST_ID
from novikoff.service.messages import Problem
from novikoff.streams.log.records import ServedLabel
from novikoff.types import Fields

_REFUSED = {
    "400": "A body that is not the JSON of the schema",
    "401": "No token, or an unknown one",
    "403": "A token that may not write, or a follower",
    "404": "Something that is not there",
    "405": "Another method",
    "409": "An id or a key that was used before",
    "410": "Something that is no longer there",
    "413": "More than a limit allows",
    "422": "An example that the learner refuses",
    "429": "More than can be done now",
    "503": "A service that is stopping, or whose disk fails",
    "507": "A disk that is full",
}


_TEXT: Fields = {"type": "string", "minLength": 1}


@cache
def page(labels: tuple[ServedLabel, ...], weights: tuple[float, float]) -> bytes:
    """Return the page of a service with these labels and weights, as JSON."""
    found = _document()
    return msgspec.json.encode(found | {"components": _components(labels, weights)})


def _components(labels: tuple[ServedLabel, ...], weights: tuple[float, float]) -> Fields:
    """Return the types, in which labels and weights are those that the service takes."""
    low, high = weights
    some: Fields = {"type": "number", "minimum": low, "maximum": high}
    weight: Fields = {"const": 1} if low == high else {"anyOf": [{"const": 0}, some]}
    kinds = {kind for one in ENDPOINTS for kind in (*one.takes, *one.gives)} | {Problem}
    ordered = sorted(kinds, key=lambda kind: kind.__name__)
    _, components = msgspec.json.schema_components(
        ordered, ref_template="#/components/schemas/{name}"
    )
    for kind in ("Example", "Answer"):
        components[kind]["properties"]["label"] = {"enum": list(labels)}
        components[kind]["properties"]["weight"] = {**weight, "default": 1.0}
        key: Fields = {"anyOf": [_TEXT, {"type": "null"}]}
        components[kind]["properties"]["key"] = {**key, "default": None}
    number: Fields = {"type": "integer", "minimum": -LARGEST_ID, "maximum": LARGEST_ID}
    chosen: Fields = {"anyOf": [number, {"type": "string"}, {"type": "null"}], "default": None}
    components["Question"]["properties"]["id"] = chosen
    return {
        "schemas": dict(components),
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "novikoff"},
        },
    }


def _document() -> Fields:
    paths: dict[str, dict[str, Fields]] = {}
    for one in ENDPOINTS:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "novikoff serve", "version": "1"},
        "paths": paths,
    }


def _operation(one: Endpoint) -> Fields:
    found: Fields = {
        "summary": one.text,
        "operationId": re.sub(r"\W+", "_", f"{one.method} {one.path}".lower()).strip("_"),
        "security": _security(one),
        "responses": _responses(one),
    }
    if one.takes:
        schema = _either(one.takes)
        media = "application/x-www-form-urlencoded" if one.form else "application/json"
        found["requestBody"] = {"required": True, "content": {media: schema}}
    names = re.findall(r"{(\w+)}", one.path)
    if names:
        found["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": _id_of(one)} for name in names
        ]
    if one.query:
        number: Fields = {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999}
        found["parameters"] = [
            {"name": name, "in": "query", "schema": number} for name in one.query
        ]
    if one.path in ("/v1/learn", "/v1/tell"):
        found["parameters"] = [{"name": "Idempotency-Key", "in": "header", "schema": _TEXT}]
    return found


def _security(one: Endpoint) -> list[Fields]:
    token: list[Fields] = [{"token": []}] if one.access else []
    return [*token, {"session": []}] if one.session else token


def _id_of(one: Endpoint) -> Fields:
    """Return the type of an id in a path: asks have any, jobs have numbers."""
    if one.path == "/v1/asks/{id}":
        return {"type": "string", "minLength": 1}
    return {"type": "integer", "minimum": 1, "maximum": 999_999_999}


def _responses(one: Endpoint) -> Fields:
    status = "202" if (one.method, one.path) == ("POST", "/v1/certify") else "200"
    content = _either(one.gives) if one.gives else {}
    found: Fields = {status: {"description": one.text, "content": {one.media: content}}}
    if one.form:
        found = {"303": {"description": "The browser goes to the live page"}}
    if one.path == "/v1/model":
        found["304"] = {"description": "The model has not changed"}
    problem = {"application/json": _either((Problem,))}
    for code, text in _REFUSED.items():
        found[code] = {"description": text, "content": problem}
    if one.form:
        again = {"description": "Not a token of ours: the form again"}
        found["401"] = {**again, "content": {"text/html": {}}}
    return found


def _either(kinds: tuple[Message, ...]) -> Fields:
    found: list[Fields] = [{"$ref": f"#/components/schemas/{kind.__name__}"} for kind in kinds]
    return {"schema": found[0] if len(found) == 1 else {"anyOf": found}}
