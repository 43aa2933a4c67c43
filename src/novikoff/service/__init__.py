"""The learning service: a run behind HTTP, with a log from which it can always be rebuilt."""

from novikoff.service.client import AsyncClient, Client
from novikoff.service.wishes import Answer, Example, Question

__all__ = ["Answer", "AsyncClient", "Client", "Example", "Question"]
