"""Swapped files: the data where the model or certificate belongs, and the other way round."""

import os
from collections.abc import Callable, Iterable

from novikoff.cli.output_kinds import head_of, is_certificate
from novikoff.cli.parser import UsageError
from novikoff.streams.files.formats import is_model


def refuse_swapped_model(verb: str, model: str, files: Iterable[str]) -> None:
    """Refuse a model that is not one, if one of the data files is."""
    _refuse(verb, model, files, "a saved model", is_model)


def refuse_swapped_certificate(verb: str, certificate: str, files: Iterable[str]) -> None:
    """Refuse a certificate that is not one, if one of the data files is."""
    _refuse(verb, certificate, files, "a certificate", is_certificate)


def _refuse(
    verb: str, first: str, files: Iterable[str], what: str, is_one: Callable[[bytes], bool]
) -> None:
    if not os.path.isfile(first) or is_one(head_of(first)):
        return
    for file in files:
        if os.path.isfile(file) and is_one(head_of(file)):
            raise UsageError(
                f"{first}: expected {what}, got another file, but {file} is {what}: the two look "
                f"swapped. Say novikoff {verb} {file} {first}."
            )
