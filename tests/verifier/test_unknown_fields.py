"""A field that this version does not know: the refusal names the part that has it."""

import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import javascript
import novikoff as nv
from claims import rows_of, true_claim
from golden.recipes import RECIPES, signs
from novikoff import verifier
from novikoff.receipts.family import reread
from oracle import sealed_text
from predicted_claims import ALL, claimed

Place = tuple[str | int, ...]
RUNS = [name for name, recipe in RECIPES.items() if recipe.certified]
OTHERS = ("separable", "not separable", "steps", "resumed")
ROWS = b"1 1:1\n-1 1:-1\n1 1:2 2:1\n"
NO_OTHERS = "; this version knows no others"


class Claim:
    """A true certificate, and what it is verified on."""

    def __init__(self, content: dict[str, Any], rows: Any, **given: Any) -> None:
        self.content, self.rows, self.given = content, rows, given
        assert self.reason(content).startswith("verified")

    def reason(self, content: dict[str, Any]) -> str:
        """Return what the verifier says of a content."""
        return verifier.verify(sealed_text(content), self.rows, **self.given).reason


def of_run(run: Any, data: Any, theorem: str | None = None, start: Any = None) -> Claim:
    """Certify a run; its remarks are those that there can be."""
    certificate = nv.certify(run, data, theorem=theorem, start=start)
    content = certificate.content | {"remarks": {"reading": {}, "model": {}}}
    rows = reread(data, content["learner"], run.start)
    begin = None if start is None else verifier.read_model(str(start))
    return Claim(content, rows, begin=begin)


@cache
def claim(name: str, folder: Path) -> Claim:
    """Return a true certificate of some kind."""
    if name in RECIPES:
        recipe, start = RECIPES[name], folder / name
        run = recipe.played()
        run.save(start)
        content = nv.certify(run, theorem=recipe.theorem).content
        data = reread(recipe.data(), content["learner"], run.start)
        begin = verifier.read_model(str(start)) if recipe.started else None
        return Claim(content | {"remarks": {"reading": {}, "model": {}}}, data, begin=begin)
    if name in ALL:
        certificate, stream, predictions = claimed(name)
        source = [(f"prediction {k}", one) for k, one in enumerate(predictions, 1)]
        return Claim(certificate.content, rows_of(stream), predictions=lambda: iter(source))
    if name in ("separable", "not separable"):
        certificate, stream = true_claim(name)
        return Claim(certificate.content, rows_of(stream))
    if name == "steps":
        cross = nv.Cross(0, [1, 2], bits=4)
        steps = [nv.Presence(), nv.Scale(), nv.Normalize(), cross]
        run = nv.play(nv.Perceptron(hashing=nv.Hashing(4), transforms=steps), signs())
        return of_run(run, signs())
    return chain(folder)[1]


@cache
def chain(folder: Path) -> tuple[Claim, Claim]:
    """Return two certificates of which the second goes on where the first ended."""
    start = folder / "first"
    first = nv.play(nv.AdaptiveGradient(), signs())
    first.save(start)
    second = nv.Run.load(start)
    second.play(signs())
    return of_run(first, signs()), of_run(second, signs(), start=start)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the models that runs begin from."""
    return tmp_path_factory.mktemp("models")


def objects(value: Any, path: Place = ()) -> Iterator[Place]:
    """Yield where there are objects; those in remarks may have any fields."""
    if path[:1] == ("remarks",) and len(path) > 1:
        return
    if isinstance(value, dict):
        yield path
        for key, one in value.items():
            yield from objects(one, (*path, key))
    elif isinstance(value, list):
        for k, one in enumerate(value):
            yield from objects(one, (*path, k))


def with_another(content: dict[str, Any], path: Place) -> dict[str, Any]:
    """Return a content with one more field at a place."""
    changed = copy.deepcopy(content)
    place: Any = changed
    for key in path:
        place = place[key]
    place["foo"] = 1
    return changed


def names(content: dict[str, Any], path: Place) -> str:
    """Return the pattern of a reason that names the part at a place."""
    if not path:
        return "its fields are not assumptions, .*"
    if path[:2] == ("learner", "parameters"):
        return f"its {path[-1]} (are|is) not .*"
    place = content["transforms"][path[1]]["name"] if path[0] == "transforms" else path[-1]
    return f"its {place} must have (the fields .*|no fields){NO_OTHERS}"


@pytest.mark.parametrize("name", [*RUNS, *ALL, *OTHERS])
def test_a_refusal_names_the_part_with_another_field(name: str, folder: Path) -> None:
    one = claim(name, folder)
    found = [*objects(one.content)]
    assert {"data", "evidence"} <= {path[0] for path in found if path}
    for path in found:
        reason = one.reason(with_another(one.content, path))
        assert re.fullmatch(names(one.content, path), reason), path


def test_every_learner_theorem_and_part_is_among_them(folder: Path) -> None:
    contents = [claim(name, folder).content for name in [*RUNS, *ALL, *OTHERS]]
    learners = {(content["learner"] or {}).get("name") for content in contents}
    assert {"VotedPerceptron", *verifier.LEARNERS} - learners == set()
    assert {content["format"] for content in contents} == {verifier.FORMAT, verifier.FLOAT_FORMAT}
    about = {content["theorem"] for content in contents}
    assert {*verifier.CLAIMS, *verifier.PREDICTION_CLAIMS} <= about
    parts = {path[0] for content in contents for path in objects(content) if path}
    assert parts == {"data", "evidence", "learner", "mistakes", "remarks", "start", "transforms"}


def test_the_verifier_in_javascript_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_bytes(ROWS)
    content = nv.certify(nv.play(nv.Perceptron(), nv.read(tmp_path / "d.svm")), theorem="hinge")
    parts = [path for path in objects(content.content) if path and path[0] != "remarks"]
    changed = [sealed_text(with_another(content.content, path)) for path in parts]
    for path, (code, text) in zip(
        parts, javascript.judged([(one, ROWS) for one in changed]), strict=True
    ):
        part = path[-1] if path[-1] != "parameters" else "learner"
        assert code == 1
        assert re.fullmatch(f"refused: its {part} must have the fields .*{NO_OTHERS}", text)


def test_both_verifiers_know_the_same_remarks(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_bytes(ROWS)
    run = nv.play(nv.Perceptron(), nv.read(tmp_path / "d.svm"))
    content = nv.certify(run, theorem="hinge").content
    for name in (*verifier.REMARKS, "foo"):
        text = sealed_text(content | {"remarks": {name: {}}})
        verified = verifier.verify(text, reread(run.stream, content["learner"])).verified
        assert verified is (name != "foo")
        assert javascript.judged([(text, ROWS)])[0][0] == (not verified)


@pytest.mark.parametrize("data", [False, True])
def test_a_chain_names_the_certificate_and_the_part(data: bool, folder: Path) -> None:
    """Also if no data are given, and nothing is played."""
    links = chain(folder)
    rows = [one.rows for one in links] if data else []
    for k, one in enumerate(links):
        for path in objects(one.content):
            texts = [sealed_text(link.content) for link in links]
            texts[k] = sealed_text(with_another(one.content, path))
            found = verifier.verify_chain(texts, rows)
            assert (found.verified, found.linked) == (False, False)
            reason = f"certificate {k + 1}: {names(one.content, path)}"
            assert re.fullmatch(reason, found.reason), path
    assert verifier.verify_chain([sealed_text(one.content) for one in links], rows).linked
