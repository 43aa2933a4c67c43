"""The learning service: a run behind HTTP, with a log from which it can always be rebuilt."""

from novikoff.extras import missing

try:
    from novikoff.service.client import AsyncClient, Client
    from novikoff.service.wishes import Answer, Example, Question
except ModuleNotFoundError as error:
    if error.name != "msgspec":
        raise
    raise missing("msgspec", "novikoff.service") from None

__all__ = ["Answer", "AsyncClient", "Client", "Example", "Question"]
