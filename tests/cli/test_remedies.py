"""Errors carry their remedy as data, and the command line writes it with its own options."""

import argparse
import ast
import copy
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from novikoff import errors
from novikoff.cli.parser import build
from novikoff.cli.remedies import COMMANDS, OPTIONS, in_options
from novikoff.errors import Named, Phrase, argument

SOURCES = sorted(Path(nv.__file__).parent.rglob("*.py"))
SKIP = Phrase("Mend the line, or skip such lines with ", argument("on_bad", "skip"), ".")


def made() -> nv.InputError:
    error = nv.InputError(where="a.svm:2", expected="a number", got="'x'", remedy=SKIP)
    error.row = 1
    return error


def test_an_error_reads_as_one_text_in_python_and_another_on_the_command_line() -> None:
    error = made()
    said = "a.svm:2: expected a number, got 'x'. Mend the line, or skip such lines with "
    assert str(error) == said + "on_bad='skip'."
    assert repr(error) == f"InputError({str(error)!r})"
    assert in_options(error) == said + "--on-bad skip."
    assert (error.where, error.expected, error.got) == ("a.svm:2", "a number", "'x'")
    assert str(error.remedy) == "Mend the line, or skip such lines with on_bad='skip'."


def test_an_error_with_a_text_of_its_own_is_that_text() -> None:
    error = nv.InputError("a text")
    assert (str(error), error.where, error.remedy, in_options(error)) == (
        "a text",
        "",
        "",
        "a text",
    )
    assert str(nv.NovikoffError()) == ""


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
def test_a_copied_or_pickled_error_keeps_its_parts(
    copied: Callable[[nv.InputError], nv.InputError],
) -> None:
    error, twin = made(), copied(made())
    assert (str(twin), vars(twin)) == (str(error), vars(error))
    assert in_options(twin) == in_options(error)


def test_an_error_can_be_moved_and_advised_further() -> None:
    """What wraps an error keeps what it names."""
    moved = made().moved("b.svm:7")
    assert (str(moved).split(":")[0], moved.where, moved.row) == ("b.svm", "b.svm:7", 1)
    assert in_options(moved.with_advice("Or do this.")).endswith("--on-bad skip. Or do this.")
    plain = nv.InputError(Phrase("round 3: expected labels, got 4; name one with ", SKIP.parts[1]))
    assert str(plain.moved("c.svm:1")) == (
        "c.svm:1: expected labels, got 4; name one with on_bad='skip'"
    )
    assert in_options(plain.with_advice("Go.")).endswith("with --on-bad skip. Go.")


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module but for its docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bare = {
        id(one.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for one in node.body
        if isinstance(one, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def test_advice_names_arguments_as_data() -> None:
    """No text of the library spells an argument that advice could name."""
    spelled = re.compile(r"\b[a-z_]+=…|(?<![-\w])(on_bad|labels?|positive|ignore)=['\"]")
    for path in SOURCES:
        if path.name in ("errors.py", "verifier.py"):
            continue
        tree = ast.parse(path.read_text())
        named = {
            one.value
            for call in calls(tree, "Named")
            for one in ast.walk(call)
            if isinstance(one, ast.Constant)
        }
        for line, text in literals(tree):
            assert text in named or not spelled.search(text), f"{path}:{line}: use argument(…)"


def test_every_remedy_has_a_form_on_the_command_line_or_says_that_it_has_none() -> None:
    found = set()
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        if path == Path(errors.__file__):
            continue
        for kind in ("argument", "Named"):
            for call in calls(tree, kind):
                name, *values = [ast.unparse(one) for one in call.args]
                found.add(ast.literal_eval(name))
                if kind == "argument" and values:
                    named = argument(ast.literal_eval(name), ast.literal_eval(values[0]))
                    assert in_options(nv.InputError(Phrase(named))).startswith("--")
    assert found == OPTIONS.keys() | COMMANDS.keys()


def test_the_options_of_remedies_are_those_of_the_parser() -> None:
    parsers = [a for a in build()._actions if isinstance(a, argparse._SubParsersAction)]
    written = {
        f"{option} {action.metavar}"
        for verb in parsers[0].choices.values()
        for action in verb._actions
        for option in action.option_strings
    }
    for name, form in OPTIONS.items():
        if form is not None and name != "on_bad":
            assert form in written, name


def test_no_message_is_rewritten_by_replacing_its_words() -> None:
    for path in SOURCES:
        if "cli" in path.parts:
            for call in re.findall(r"\w+\.replace\([^)]*\)", path.read_text()):
                assert call.split(".")[0] not in ("text", "message", "said", "error"), (path, call)


def test_each_remedy_is_written_with_options(call: Call) -> None:
    """As a user meets them."""
    call("learn a.csv --save rows")
    call("learn mail.txt --positive spam --labels ham,spam --save mail")
    Path("more.csv").write_text(Path("a.csv").read_text().replace("label", "extra,label", 1)
                                .replace("1\n", "0,1\n"))  # fmt: skip
    Path("eggs.txt").write_text("eggs\tfree\n")
    Path("bare.jsonl").write_text('{"text": "free"}\n')
    for command, said in {
        "learn mail.txt --learner perceptron": "which one counts as +1 with --positive LABEL, or "
        "use --learner multi",
        "learn bad.svm": "Mend the line, or skip such lines with --on-bad skip.",
        "verify a.svm bad.svm": "",
        "learn eggs.txt --positive spam --labels ham,spam": "--labels A,B, or let new labels in "
        "with --labels open, or skip such lines with --on-bad skip.",
        "learn bare.jsonl": "name another with --label COLUMN. Mend the line",
        "learn a.svm --learner ellipsoid": "Pass --dimension D.",
        "predict rows more.csv": "leave out others with --ignore COLUMN.",
        "learn many.csv": "--label COLUMN; of a file without a header --label -1 is the last one.",
        "certify rows a.csv --theorem minnow": "",
    }.items():
        found = call(command)
        assert found.code != 0, command
        assert said in found.err, found.err
        assert "=…" not in found.err
        assert "on_bad" not in found.err


def test_names_are_plain_data() -> None:
    assert argument("labels") == Named("labels", "labels=…")
    assert argument("tags", of="Chains").python == "Chains(tags=…)"
    assert argument("label", -1) == Named("label", "label=-1", -1)
