"""The listing of all that is public: ``make api`` writes api.txt, and a test compares it.

Names, parameters and defaults are in it, types are not. A class lists what it adds to the public
classes it is made of, or takes otherwise.
"""

import argparse
import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import json_keys

import novikoff as nv
import novikoff.conformance
import novikoff.river
import novikoff.sklearn
from novikoff.cli.parser import build
from novikoff.other_names import OtherName

HEAD = """\
All that is public of novikoff, written by `make api`: names, parameters with their defaults, what
the command line takes, and the keys of its JSON. A test compares this listing with the code. If a
line is removed or changes, programs of users may break: deprecate it first.
"""
SPECIAL = ("__call__", "__contains__", "__getitem__", "__iter__", "__len__")
_EMPTY = inspect.Parameter.empty


def listing() -> str:
    """Return the whole listing."""
    parts = [HEAD, *_module("novikoff", nv, list(nv.__all__))]
    for module in (novikoff.sklearn, novikoff.river, novikoff.conformance):
        parts += _module(module.__name__, module, _own(module))
    parts += ["\n# Command line\n", *_command_line()]
    parts += ["\n# Keys of JSON\n", *json_keys.lines()]
    return "\n".join(parts) + "\n"


def _own(module: ModuleType) -> list[str]:
    """Return the names of a module without the ones it imports from elsewhere."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    found = [name for name in vars(module) if not name.startswith("_")]
    home = module.__name__
    return sorted(n for n in found if getattr(vars(module)[n], "__module__", "").startswith(home))


def _module(title: str, module: ModuleType, names: list[str]) -> list[str]:
    """Return the lines of a module: each name, and below a class its members."""
    public = {getattr(module, name) for name in names if inspect.isclass(getattr(module, name))}
    lines = [f"\n# {title}\n"]
    for name in names:
        found = getattr(module, name)
        if inspect.isclass(found):
            lines += _class(name, found, public)
        else:
            lines.append(f"{name}{_signature(found)}")
    return lines


def _class(name: str, kind: type, public: set[type]) -> list[str]:
    bases = [base for base in kind.__mro__[1:] if base in public]
    nearest = [b for b in bases if not any(issubclass(o, b) for o in bases if o is not b)]
    shown = f" ({', '.join(base.__name__ for base in nearest)})" if nearest else ""
    if issubclass(kind, BaseException):
        errors = [base.__name__ for base in kind.__bases__]
        return [f"{name} ({', '.join(errors)})", *_members(kind, [])]
    return [f"{name}{_signature(kind)}{shown}", *_members(kind, nearest)]


def _members(kind: type, bases: list[type]) -> list[str]:
    """Return the members that no public base lists in the same words."""
    known = {line for base in bases for line in _lines(base)}
    return [f"    .{line}" for line in _lines(kind) if line not in known]


def _lines(kind: type) -> list[str]:
    """Return every public member of a class, its bases' included."""
    found: dict[str, str] = {}
    for base in kind.__mro__:
        if not base.__module__.startswith("novikoff"):
            continue
        for name in _names(base):
            if name not in found and (not name.startswith("_") or name in SPECIAL):
                found[name] = _member(name, inspect.getattr_static(kind, name, None))
    return [found[name] for name in sorted(found)]


def _names(base: type) -> Iterator[str]:
    yield from (name for name, member in vars(base).items() if not isinstance(member, OtherName))
    yield from inspect.get_annotations(base)
    try:
        source = textwrap.dedent(inspect.getsource(base))
    except (OSError, TypeError):
        return
    for node in ast.walk(ast.parse(source)):  # what __init__ gives every object
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield from (
                target.attr
                for target in ast.walk(node)
                if isinstance(target, ast.Attribute)
                and isinstance(target.ctx, ast.Store)
                and isinstance(target.value, ast.Name)
                and target.value.id == "self"
            )


def _member(name: str, member: object) -> str:
    if isinstance(member, (classmethod, staticmethod)):
        return f"{name}{_signature(member.__func__)}"
    return f"{name}{_signature(member)}" if inspect.isroutine(member) else name


def _signature(found: object) -> str:
    """Return the parameters as they are passed, without types; nothing if it takes none."""
    if not callable(found):
        return ""
    try:
        signature = inspect.signature(found)
    except ValueError:  # one of the core's
        return "(…)"
    given = [
        parameter.replace(annotation=_EMPTY)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    called = signature.replace(parameters=given, return_annotation=inspect.Signature.empty)
    return re.sub(r"<(function|class|novikoff)[^<>]*( at 0x\w+)?>", "…", str(called))


def _command_line() -> Iterator[str]:
    parser = build()
    verbs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    yield "novikoff " + " ".join(_options(parser))
    for verb, sub in verbs.choices.items():
        yield f"novikoff {verb} {' '.join(_words(sub))}".rstrip()
        yield from (f"    {option}" for option in _options(sub))


def _words(parser: argparse.ArgumentParser) -> list[str]:
    return [str(a.metavar or a.dest) for a in parser._actions if not a.option_strings]


def _options(parser: argparse.ArgumentParser) -> list[str]:
    found = []
    for action in parser._actions:
        if action.option_strings and action.dest != "help":
            choices = f" {{{','.join(map(str, action.choices))}}}" if action.choices else ""
            value = "" if action.nargs == 0 else choices or f" {action.metavar or 'VALUE'}"
            found.append(f"{', '.join(action.option_strings)}{value}")
    return sorted(found)


if __name__ == "__main__":
    Path(__file__).with_suffix(".txt").write_text(listing(), encoding="utf-8")
