"""Plan options: how files are read, as a plan has it: by name, and only what is not the default.

A release with one more option goes on with older plays, because they have its default. So the
default of an option must never change.
"""

import ast
import json
from collections.abc import Mapping
from dataclasses import fields

from novikoff.streams.files.file_stream import Options
from novikoff.streams.files.words import Words

_SPEED = ("threads",)  # options that change how fast files are read, and nothing else
_LONGEST = 100_000  # characters of options that an earlier release wrote


def plan_options(options: Options) -> dict[str, object]:
    """Return the options that decide what is read, without those at their defaults."""
    return _unusual(_by_name(options))


def options_in(value: object) -> object:
    """Return the options in a plan by name; None if nobody can read them.

    0.2.0 began with plans that have all options as Python writes them: ``Options(label='y', …)``.
    """
    if not isinstance(value, str):
        return value
    try:
        found = _called(ast.parse(value[:_LONGEST], mode="eval").body)
        json.dumps(found)
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        return None
    return _unusual(found) if isinstance(found, dict) else None


def _by_name(record: Options | Words) -> dict[str, object]:
    """Return the fields of a record, and of records in it."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {
        name: _by_name(value) if isinstance(value, Words) else value
        for name, value in values.items()
    }


def _called(node: ast.expr) -> object:
    """Return the named arguments of a call; any other expression must be a literal."""
    if isinstance(node, ast.Call) and not node.args:
        return {str(one.arg): _called(one.value) for one in node.keywords}
    found: object = ast.literal_eval(node)
    return found


def _unusual(found: Mapping[str, object]) -> dict[str, object]:
    """Drop what is at its default, and what changes nothing but the speed."""
    usual = _by_name(Options())
    return {
        name: value
        for name, value in found.items()
        if name not in _SPEED and not (name in usual and value == usual[name])
    }
