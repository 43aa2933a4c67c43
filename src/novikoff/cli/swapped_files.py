"""Swapped files: the data where the model or certificate belongs, and the other way round."""

import os
import re
from collections.abc import Callable, Iterable

from novikoff.cli.parser import UsageError
from novikoff.streams.files.formats import is_model

_LOOKED_AT = 1024
_CERTIFICATE = rb'\s*\{\s*"assumptions"\s*:\s*\['


def refuse_swapped_model(verb: str, model: str, files: Iterable[str]) -> None:
    """Refuse a model that is not one, if one of the data files is."""
    _refuse(verb, model, files, "a saved model", is_model)


def refuse_swapped_certificate(verb: str, certificate: str, files: Iterable[str]) -> None:
    """Refuse a certificate that is not one, if one of the data files is."""
    _refuse(
        verb, certificate, files, "a certificate", lambda head: bool(re.match(_CERTIFICATE, head))
    )


def _refuse(
    verb: str, first: str, files: Iterable[str], what: str, is_one: Callable[[bytes], bool]
) -> None:
    if not os.path.isfile(first) or is_one(_head(first)):
        return
    for file in files:
        if os.path.isfile(file) and is_one(_head(file)):
            raise UsageError(
                f"{first}: expected {what}, got another file, but {file} is {what}: the two look "
                f"swapped. Say novikoff {verb} {file} {first}."
            )


def _head(path: str) -> bytes:
    """Return the first bytes of a file; none if it cannot be read, which others say better."""
    try:
        with open(path, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return b""
