"""Transforms on the command line: learned, saved, resumed, predicted, certified and verified."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from commands import Call, Said

Say = Callable[..., Said]
LIKES = {("ann", "tea"), ("bob", "shoes"), ("cy", "tea")}


@pytest.fixture
def clicks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose labels depend on the user and the ad together; ages are large numbers."""
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{1 if (user, ad) in LIKES else -1} |user {user} |ad {ad}:2 |about age:{20 + 7 * k}\n"
        for k in range(6)
        for user in ("ann", "bob", "cy")
        for ad in ("tea", "shoes")
    ]
    Path("clicks.vw").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def say(call: Call) -> Say:
    """Run a command, given as its words."""
    return lambda *words: call(" ".join(words))


STEPS = [nv.Scale(), nv.Cross("user", "ad"), nv.Normalize()]
OPTIONS = ["--scale", "--normalize", "--cross", "user,ad"]


LEARNERS: list[tuple[list[str], Callable[..., Any]]] = [
    ([], nv.Blend),
    (["--learner", "perceptron"], nv.Perceptron),
]
by_default_and_by_name = pytest.mark.parametrize(
    ("learner", "make"), LEARNERS, ids=["default", "perceptron"]
)


@by_default_and_by_name
def test_the_command_line_does_what_the_library_does(
    say: Say, clicks: Path, learner: list[str], make: Callable[..., Any]
) -> None:
    options = [*learner, *OPTIONS]
    told = say("learn", "clicks.vw", *options, "--save", "m", "--certify", "c.json", "--json")
    assert told.code == 0, told.err
    run: nv.Run = nv.play(make(transforms=STEPS), nv.read("clicks.vw"))
    assert json.loads(told.out)["mistakes"] == run.mistakes
    saved = nv.Run.load("m")
    assert saved.learner.parameters == run.learner.parameters
    verdict = json.loads(say("verify", "c.json", "clicks.vw", "--json").out)
    assert verdict["verified"]
    predicted = say("predict", "m", "clicks.vw").out.split()
    expected = [str(run.predict_one(x)) for b in nv.read("clicks.vw").blocks() for x in b.rows.rows]
    assert predicted == expected
    inspected = say("inspect", "m", "--top", "30").out
    assert "user^bob^ad^shoes" in inspected
    assert "transforms=[Scale(), Cross('user', 'ad'), Normalize()]" in inspected


@by_default_and_by_name
def test_a_resumed_model_keeps_its_transforms(
    say: Say, clicks: Path, learner: list[str], make: Callable[..., Any]
) -> None:
    lines = Path("clicks.vw").read_text().splitlines(keepends=True)
    Path("one.vw").write_text("".join(lines[:20]))
    Path("two.vw").write_text("".join(lines[20:]))
    assert say("learn", "one.vw", *learner, *OPTIONS, "--save", "m").code == 0
    assert say("learn", "two.vw", "--resume", "m", "--save", "m").code == 0
    resumed = nv.Run.load("m")
    whole: nv.Run = nv.play(make(transforms=STEPS), nv.read("clicks.vw"))
    assert resumed.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
    refused = say("learn", "two.vw", "--resume", "m", "--scale")
    assert refused.code == 2
    assert "--scale: expected none with --resume" in refused.err


@pytest.mark.parametrize(
    "learner", ["averaged", "voted", "multiclass", "adaptive-gradient", "blend", "minnow --eta 0.1"]
)
def test_every_linear_learner_takes_them(say: Say, clicks: Path, learner: str) -> None:
    named = ["--learner", *learner.split(), *OPTIONS]
    told = say("learn", "clicks.vw", *named, "--save", "m", "--certify", "c.json")
    assert told.code == 0, told.err
    assert say("verify", "c.json", "clicks.vw").code == 0
    assert say("certify", "m", "clicks.vw", "--output", "d.json").code == 0


def test_presence_is_a_transform_of_rows_and_a_way_to_read_text(say: Say, clicks: Path) -> None:
    assert say("learn", "clicks.vw", "--presence", "--save", "m", "--certify", "c.json").code == 0
    steps: Any = nv.Run.load("m").learner
    assert steps.transforms.plain == [{"name": "presence"}]
    assert say("verify", "c.json", "clicks.vw").code == 0
    assert "transforms" in json.loads(Path("c.json").read_text())
    run = nv.play(nv.Blend(transforms=[nv.Presence()]), nv.read("clicks.vw"))
    assert nv.Run.load("m").mistakes == run.mistakes
    Path("t.txt").write_text("spam\tbuy buy buy\nham\tsee you\nspam\tbuy now now\nham\tyou see\n")
    text = ["--format", "text", "--presence", "--words", "2", "--positive", "spam"]
    assert say("learn", "t.txt", *text, "--save", "t", "--certify", "t.json").code == 0
    words: Any = nv.Run.load("t").learner
    assert words.transforms is None  # the words themselves were counted once
    assert "see you" in words.hypothesis().weights()
    reading = nv.Run.load("t").reading
    assert reading is not None
    assert (reading["presence"], reading["words"]) == (True, 2)
    assert say("predict", "t", "t.txt", "--format", "text").code == 0
    assert say("verify", "t.json", "t.txt").code == 0  # as the remark says
    assert say("verify", "t.json", "t.txt", "--format", "text").code == 1  # other rows


REFUSED: list[tuple[list[str], str]] = [
    (["--cross", "user"], "--cross: expected two groups"),
    (["--cross", "user,"], "--cross: expected two groups"),
    (["--cross", "3-1,2"], "--cross: expected two groups"),
    (["--cross-bits", "4"], "--cross-bits: expected --cross with it"),
    (["--cross", "user,ad", "--cross-bits", "31"], "--cross-bits: expected a whole number"),
    (["--cross", "0,1"], "expected numbered features"),
    (["--scale", "--learner", "modified", "--sigma", "0.1"], "--scale: expected no such option"),
    (["--presence", "--learner", "ellipsoid"], "--presence: expected no such option"),
    (["--cross", "user,ad", "--hash-bits", "8"], "no cross of names with hashing"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: " ".join(case[0]))
def test_what_cannot_be_transformed_is_refused(say: Say, clicks: Path, case: Any) -> None:
    options, reason = case
    told = say("learn", "clicks.vw", *options)
    assert told.code != 0
    assert re.search(reason, told.err), told.err


def test_pairs_are_hashed_on_request(say: Say, clicks: Path) -> None:
    told = say("learn", "clicks.vw", "--cross", "user,ad", "--cross-bits", "1", "--save", "m")
    assert told.code == 0, told.err
    run = nv.play(nv.Blend(transforms=[nv.Cross("user", "ad", bits=1)]), nv.read("clicks.vw"))
    saved: Any = nv.Run.load("m").learner
    assert nv.Run.load("m").mistakes == run.mistakes
    assert saved.dimension <= 6 + 2  # three users, two ads, the age; two places for six pairs


def test_a_group_without_features_is_remarked_upon(say: Say, clicks: Path) -> None:
    told = say("learn", "clicks.vw", "--cross", "user,add")
    assert told.code == 0
    assert "remark: no feature is in the group 'add'" in told.err
    assert "no feature is in" not in say("learn", "clicks.vw", "--cross", "user,ad").err


def test_columns_of_a_numeric_table_are_crossed_by_name(say: Say, clicks: Path) -> None:
    rows = [f"{a},{b},{c},{'yes' if a * b > 0 else 'no'}" for a in (1, -2, 3) for b in (2, -1)
            for c in (5, 7)]  # fmt: skip
    Path("t.csv").write_text("\n".join(["age,hours,size,label", *rows * 3]) + "\n")
    options = ["--cross", "age,hours", "--positive", "yes"]
    told = say("learn", "t.csv", *options, "--save", "m", "--certify", "c.json")
    assert told.code == 0, told.err
    certificate = nv.Certificate.load("c.json")
    assert certificate.content["transforms"][0]["groups"] == [[[0, 1]], [[1, 2]]]
    assert say("verify", "c.json", "t.csv").code == 0
    numbered = nv.play(nv.Blend(transforms=[nv.Cross(0, 1)]), nv.read("t.csv", positive="yes"))
    assert nv.Run.load("m").mistakes == numbered.mistakes
    assert "age^hours" in say("inspect", "m", "--top", "30").out
    assert say("predict", "m", "t.csv").code == 0
    assert say("learn", "t.csv", "--resume", "m", "--save", "m2").code == 0
    twice = nv.play(
        nv.Blend(transforms=[nv.Cross(0, 1)]), nv.read("t.csv", positive="yes"), passes=2
    )
    assert nv.Run.load("m2").mistakes == twice.mistakes
    h = nv.Run.load("m").hypothesis()
    h.save("h")
    assert nv.Hypothesis.load("h").predict([[1.0, 2.0, 5.0]]).tolist() == ["yes"]
    missing = say("learn", "t.csv", "--cross", "age,weight", "--positive", "yes")
    assert missing.code == 3
    assert "expected columns of 'weight', got none among age, hours, size" in missing.err
