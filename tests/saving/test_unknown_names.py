"""What a later version may add to a saved file is refused by name, wherever it stands.

To ignore it would be to play or predict otherwise than the version that wrote it, and to save the
file again would drop it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from test_tampering import Change, put, resign

import novikoff as nv
from commands import Call
from golden.recipes import RECIPES, Recipe
from novikoff.saving import storage
from novikoff.saving.versions import LIBRARY

LATER, NEW = "0.12.0", "later"
ADVICE = f"novikoff {LATER} wrote it. Update novikoff, which is {LIBRARY} here."
OWN_NAMES = ("named", "shapes")
"""Objects whose names are the user's: any name may stand in them."""


def _asked() -> nv.Run[Any]:
    run = nv.Run(nv.Blend(), positive="a", labels=("b", "a"), class_weights={"a": 2.0})
    run.learn({"x": 1.0, "colour": "red"}, "a")
    for x in ({"x": 2.0}, {"y": 1.0, "x": 3.0}):
        run.ask(x)
    run.tell(1, "b")
    return run


def _read(folder: Path) -> nv.Run[Any]:
    (folder / "rows.csv").write_text("label,size,colour\nyes,1,red\nno,2,green\nyes,3,red\n")
    data = nv.read(folder / "rows.csv", label="label", categorical=["colour"])
    return nv.Run(nv.Perceptron(), positive="yes", digest=True).play(data)


def _texts(folder: Path) -> nv.Run[Any]:
    (folder / "texts.jsonl").write_text('{"text": "win now", "label": "spam"}\n' * 3)
    run = nv.Run(nv.Perceptron(), positive="spam")
    return run.play(nv.read(folder / "texts.jsonl", label="label", text="text"))


def _played(recipe: Recipe) -> Callable[[Path], Any]:
    return lambda _: recipe.played()


def _learned(recipe: Recipe) -> Callable[[Path], Any]:
    return lambda _: recipe.played().hypothesis()


SAVED: dict[str, tuple[Callable[[Path], Any], Any]] = {}
for _name, _recipe in RECIPES.items():
    SAVED[f"{_name}.run"] = _played(_recipe), nv.Run
    if _recipe.rows is not None:
        SAVED[f"{_name}.hypothesis"] = _learned(_recipe), nv.Hypothesis
SAVED |= {
    "learner": (lambda _: RECIPES["averaged"].played().learner, nv.Learner),
    "experts": (lambda _: RECIPES["hedge"].played().learner, nv.RegretLearner),
    "asks": (lambda _: _asked(), nv.Run),
    "a table": (_read, nv.Run),
    "texts": (_texts, nv.Run),
    "what learned from texts": (lambda folder: _texts(folder).hypothesis(), nv.Hypothesis),
}


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in plain data whose names are the library's."""
    if isinstance(value, dict):
        yield value
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in parts:
        if isinstance(part, (dict, list)) and name not in OWN_NAMES:
            yield from objects(part)


def put_field(place: int) -> Change:
    """Put an unknown field into one of the objects."""

    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        [*objects(metadata)][place][NEW] = {"abstain_below": 0.9}

    return change


def put_array(name: str) -> Change:
    """Add an array."""
    return lambda _, arrays: arrays.update({name: np.ones(1)})


def places(path: Path) -> tuple[int, list[str]]:
    """Return how many objects a file's metadata have, and the names of an unknown array in each
    of its parts."""
    found: list[Any] = []
    resign(path, lambda metadata, arrays: found.extend((metadata, arrays)))
    metadata, arrays = found
    parts = {name[: name.rfind(".") + 1] for name in arrays}
    return len([*objects(metadata)]), [part + NEW for part in sorted(parts | {""})]


def written_later(path: Path, header: dict[str, str] | None = None) -> None:
    """Write a file again as a later version might, sealed."""
    with safe_open(path, framework="numpy") as file:
        about = {**file.metadata(), "writer": LATER, **(header or {})}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(arrays, path, about | {"sha256": storage.seal(about, arrays)})


def refusal(base: Any, path: Path) -> str:
    with pytest.raises(nv.InputError) as caught:
        base.load(path)
    return str(caught.value)


@pytest.mark.parametrize("name", SAVED)
def test_an_unknown_field_is_refused_in_every_object(name: str, tmp_path: Path) -> None:
    make, base = SAVED[name]
    make(tmp_path).save(tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    count, _ = places(tmp_path / "m")
    for place in range(count):
        (tmp_path / "m").write_bytes(data)

        resign(tmp_path / "m", put_field(place))
        written_later(tmp_path / "m")
        said = refusal(base, tmp_path / "m")
        assert said.endswith(ADVICE), place
        assert NEW in said.removesuffix(ADVICE), said


@pytest.mark.parametrize("name", SAVED)
def test_an_unknown_array_is_refused_in_every_part(name: str, tmp_path: Path) -> None:
    make, base = SAVED[name]
    made = make(tmp_path)
    made.save(tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    for array in places(tmp_path / "m")[1]:
        (tmp_path / "m").write_bytes(data)
        resign(tmp_path / "m", put_array(array))
        written_later(tmp_path / "m")
        said = refusal(base, tmp_path / "m")
        assert f"got something else (an unknown array {array!r}). {ADVICE}" in said or (
            f"an unknown array {NEW!r}). {ADVICE}" in said
        )


@pytest.mark.parametrize("name", ["perceptron.run", "hedge.run", "averaged.hypothesis", "learner"])
@pytest.mark.parametrize("format", ["novikoff/1", "novikoff/2"])
def test_an_unknown_entry_of_the_header_is_refused(name: str, format: str, tmp_path: Path) -> None:
    """The seal covers the entries that this version knows; another one could say anything."""
    make, base = SAVED[name]
    make(tmp_path).save(tmp_path / "m")
    written_later(tmp_path / "m", {"format": format, "units": "metres"})
    assert f"(an unknown entry of the header 'units'). {ADVICE}" in refusal(base, tmp_path / "m")


def test_a_field_of_runs_with_experts_is_unknown_to_labelled_ones(tmp_path: Path) -> None:
    for name, field in (("perceptron.run", "size"), ("hedge.run", "threshold")):
        SAVED[name][0](tmp_path).save(tmp_path / "m")
        resign(tmp_path / "m", put(field, 1))
        said = refusal(nv.Run, tmp_path / "m")
        assert f"(an unknown field {field!r}). novikoff {LIBRARY} wrote it. Take another" in said


def test_a_run_that_was_interrupted_is_read_with_every_field_of_its_course(
    tmp_path: Path,
) -> None:
    """And with no other."""
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError):
        run.play([([1.0], 1), ([1.0, 2.0], 1)], passes=2)
    run.learn([2.0], -1)
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").unfinished == run.unfinished
    resign(tmp_path / "m", lambda metadata, _: metadata["unfinished"].update({NEW: 1}))
    assert f"(an unknown field {NEW!r})" in refusal(nv.Run, tmp_path / "m")


def test_the_command_line_says_so_too(call: Call) -> None:
    nv.play(nv.Perceptron(), nv.stream([[1.0], [-1.0]], [1, -1])).save("m")
    resign(Path("m"), lambda metadata, _: metadata.update({"decision": {"abstain_below": 0.9}}))
    written_later(Path("m"))
    Path("a.svm").write_text("1 1:1\n-1 2:1\n")
    for command in ("inspect m", "predict m a.svm", "learn a.svm --resume m --save n"):
        found = call(command)
        assert found.code == 3, command
        assert f"(an unknown field 'decision'). {ADVICE}" in found.err, command
