"""A command line becomes a frozen plan that is checked as a whole before anything happens."""

import argparse
import ast
import builtins
import dataclasses
import inspect
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from commands import Call
from novikoff.cli.parser import UsageError, build
from novikoff.cli.plans import _HOMES, plan_of
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.plans.plan import Part, Plan
from novikoff.cli.plans.reading_plan import ReadingPlan

CLI = Path(nv.__file__).parent / "cli"
PLAIN = {
    "learn": "a.svm", "predict": "m a.svm", "test": "m a.svm", "tag": "m a.conll",
    "certify": "m a.svm",
    "verify": "c a.svm", "margin": "a.svm", "report": "m a.svm", "simulate": "", "game": "x:1",
    "theorems": "", "check": "a:B", "inspect": "m", "completion": "bash",
    "cache": "a.svm --output o", "export": "a.svm --output o",
    "serve": "m --log d --token-file t", "log": "export d o.svm", "demo": "", "bench": "",
}  # fmt: skip


def planned(command: str) -> Plan:
    return plan_of(vars(build().parse_args(command.split())))


def names(kind: type[Part]) -> set[str]:
    """Return the options that a plan and its parts take."""
    found = set()
    for field in dataclasses.fields(kind):
        found.add(field.name)
        if isinstance(field.type, type) and issubclass(field.type, Part):
            found |= names(field.type)
    return found


def verbs() -> dict[str, argparse.ArgumentParser]:
    actions = [a for a in build()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(actions[0].choices)


@pytest.mark.parametrize("verb", PLAIN)
def test_every_option_of_a_verb_is_in_its_frozen_plan(verb: str) -> None:
    plan = planned(f"{verb} {PLAIN[verb]}")
    options = {action.dest for action in verbs()[verb]._actions} - {"help"}
    assert options <= names(type(plan)), "an option that no plan has does nothing"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(plan, "json", True)  # noqa: B010
    assert hash(dataclasses.replace(plan, **_hashable(plan))), "nothing in it can change"


def _hashable(plan: Plan) -> dict[str, Any]:
    return {"arguments": ()} if hasattr(plan, "arguments") else {}


def test_every_verb_has_a_plan_and_what_carries_it_out_takes_nothing_else() -> None:
    assert PLAIN.keys() == _HOMES.keys() == verbs().keys()
    for verb, arguments in PLAIN.items():
        plan = planned(f"{verb} {arguments}")
        module = import_module(f"novikoff.cli.{plan.home}")
        (parameter,) = inspect.signature(getattr(module, verb)).parameters.values()
        assert isinstance(plan, parameter.annotation)


def test_only_the_parser_knows_argparse() -> None:
    """What carries a plan out never sees what argparse found."""
    allowed = {
        "parser.py", "file_options.py", "run_options.py", "receipt_options.py",
        "tag_options.py", "service_options.py", "completion.py", "help_page.py",
    }  # fmt: skip
    for path in sorted(CLI.rglob("*.py")):
        imported = [
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        ]
        assert path.name in allowed or not {"argparse", "Namespace"} & set(imported), path


def test_no_module_of_the_command_line_is_too_long_to_read() -> None:
    lines = {path.name: path.read_text().count("\n") for path in CLI.rglob("*.py")}
    assert {name: count for name, count in lines.items() if count >= 400} == {}


CONTRADICTIONS = (
    "learn a.svm --until-clean --passes 2", "learn a.svm --max-passes 2", "learn a.svm --save=",
    "learn a.svm --save-every 1", "learn a.svm --certify --save-every 1",
    "learn a.svm --theorem hinge", "learn a.svm --chain",
    "learn a.svm --certify --theorem progressive --delta 0.1",
    "learn a.svm --resume m --eta 1", "learn a.svm --characters x", "tag m a.conll --certify c",
    "tag m a.conll --learn --output o", "game x:1 --play learner --learner soa",
    "game x:1 --play learner --json", "simulate --plot a.gif", "simulate --environment tides",
    "export a.svm --output o --format csv --templates tagging",
    "export a.conll --output o --format conll --hash-bits 4",
    "learn a.svm --format svmlight --hash-bits 4",
    "export a.svm --output o --format svmlight --hash-bits 4",
)  # fmt: skip


@pytest.mark.parametrize("command", CONTRADICTIONS)
def test_a_contradiction_is_refused_by_the_plan_itself(command: str) -> None:
    with pytest.raises(UsageError, match=": expected "):
        planned(command)


REFUSED = {
    "learn a.svm --learner minnow --eta -1": "eta: expected",
    "learn a.svm --learner minnow": "--eta: expected a value",
    "learn a.svm --sigma 1": "--sigma: expected no such option",
    "learn a.svm --hash-bits 99": "bits: expected",
    "learn a.svm --words 9": "words: expected",
    "learn a.svm --delimiter ab --format csv": "delimiter: expected",
    "learn a.svm --threads 0": "threads: expected",
    "learn a.svm --labels one": "--labels: expected two or more",
    "learn a.svm --positive nan": "--positive: expected a word",
    "learn a.svm --format svmlight --words 2": "--words: expected none for svmlight",
    "learn a.svm --report x.pdf": "--report: expected a file that ends",
    "learn a.svm --save a.svm": "a.svm: expected a file to write, got one that is read",
    "learn a.svm --save m --certify m": "expected a file of its own for each output",
    "learn a.svm --certify no/c": "no/c: expected a folder that exists",
    "learn a.svm --certify --theorem nonsense": "theorem: expected one of",
    "learn a.svm --certify --theorem minnow": "certify: expected a theorem about Blend",
    "learn a.svm --learner perceptron --certify --theorem minnow": "a theorem about Perceptron",
    "learn a.svm --certify --learner modified --sigma 0.1": "certify: expected",
    "learn a.svm --certify --theorem progressive --passes 2": "expected one pass",
    "learn - --format svmlight --bounds": "standard input: expected a file for a receipt",
    "predict m a.svm --output m": "m: expected a file to write, got one that is read",
    "predict m a.svm --output no/o": "no/o: expected a folder",
    "certify m a.svm --theorem nonsense": "theorem: expected one of",
    "certify m a.svm --output m": "m: expected a file to write, got one that is read",
    "report m a.svm --output x.pdf": "--output: expected a file that ends",
    "margin a.svm --certify a.svm": "a.svm: expected a file to write",
    "cache a.svm --output a.svm": "a.svm: expected a file to write",
    "export a.svm --output a.svm": "a.svm: expected a file to write",
    "tag a.svm mail.txt --learn": "MODEL: expected a new file, or a model to replace",
    "simulate --plot no/a.svg": "no/a.svg: expected a folder",
    "game thresholds:4 --tree no/a.svg": "no/a.svg: expected a folder",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_needs_no_data_is_refused_before_a_file_is_opened(
    call: Call, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the input nor the model is opened, and nothing is left behind."""
    call("learn a.svm --save m")
    call(f"{command.split(maxsplit=1)[0]} --help")  # modules are read before
    before, opened = sorted(os.listdir()), []
    kept = builtins.open

    def watched(file: Any, *arguments: Any, **named: Any) -> Any:
        opened.append(str(file))
        return kept(file, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", watched)
        found = call(command)
    assert found.code in (1, 2, 3)
    assert REFUSED[command] in found.err
    assert sorted(os.listdir()) == before
    read = {"a.svm", "m"} - ({"a.svm"} if command.startswith("tag") else set())  # its own output
    assert not read & {Path(name).name for name in opened}, "opened before it was refused"


def test_a_plan_names_what_it_writes() -> None:
    plan = planned("learn dir/mail.svm.gz --certify")
    assert isinstance(plan, LearnPlan)
    assert (plan.certify, plan.save, plan.save_unnamed) == (
        "mail.certificate.json", "mail.model", True,
    )  # fmt: skip
    plan = planned("learn *.svm --report page.html --save m")
    assert isinstance(plan, LearnPlan)
    assert (plan.certify, plan.save, plan.save_unnamed) == (None, "m", False)


def test_a_model_completes_a_plan_and_options_come_first() -> None:
    plan = ReadingPlan(input=("b.csv",), words=2, on_bad="stop")
    known = {"label": "kind", "words": 3, "presence": True, "ignore": ["id"], "format": "csv",
             "on_bad": "skip", "labels": "a,b", "categorical": []}  # fmt: skip
    found = plan.like(known, None)
    assert (found.words, found.presence, found.ignore) == (2, True, ("id",))
    assert (found.label, found.usual_label, found.on_bad) == (None, "kind", "stop")
    found = found.resuming(known)
    assert (found.label, found.on_bad, found.labels) == ("kind", "stop", "a,b")
    assert plan.words == 2, "the plan itself stays as it was"
    assert plan.resuming(None) is plan.like(None, None) is plan


def test_resume_remembers_label_labels_and_bad_lines(call: Call) -> None:
    text = Path("many.csv").read_text()
    Path("first.csv").write_text(f"{text}1,2,3,w\n1,x\n")
    Path("next.csv").write_text(f"{text}0,0\n")
    options = "--label kind --on-bad skip --labels x,y,z --learner multiclass"
    assert call(f"learn first.csv {options} --save m --json").json["skipped"] == 2
    found = call("learn next.csv --resume m --save n --json").json
    assert (found["rounds"], found["skipped"]) == (600, 1)
    about = nv.Run.load("n").reading
    assert about is not None
    assert (about["label"], about["on_bad"], about["labels"]) == ("kind", "skip", "x,y,z")
    assert "Mend the line" in call("learn next.csv --resume m --on-bad stop").err


def test_a_model_that_has_learned_nothing_predicts_nothing(call: Call) -> None:
    nv.Run(nv.Perceptron()).save("m")
    found = call("predict m a.svm")
    assert (found.code, found.out) == (3, "")
    assert found.err == (
        "novikoff: m: expected a model that has learned something, got one of 0 rounds. Learn "
        "first: novikoff learn INPUT --save MODEL.\n"
    )
