"""Bundles: the saved states of many runs as the arrays of one file, sealed once.

Runs of one learner have the same arrays with other numbers, and nearly the same metadata. A bundle
has every distinct text of metadata once, and for each array the numbers of all runs, one run after
another. So a run costs its own numbers, not a file.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from novikoff.errors import InputError
from novikoff.playing.run import Run
from novikoff.saving import storage
from novikoff.saving.contents import check_known
from novikoff.types import AnyArray, Arrays, Plain

_KIND = "Runs"
_SHAPE = "shape of "
Form = tuple[tuple[str, str, int], ...]
"""The arrays of a run: the name, type and number of dimensions of each."""


class Bundle:
    """Some runs, in one file in memory, which are taken out one by one."""

    def __init__(self, metadata: Mapping[str, Plain], arrays: Arrays) -> None:
        check_known("field", metadata, ("texts", "forms"))
        texts, forms = metadata["texts"], metadata["forms"]
        assert isinstance(texts, list)
        assert isinstance(forms, list)
        self._texts = [str(text) for text in texts]
        self._parts = [_Part.of(number, form, arrays) for number, form in enumerate(forms)]
        self._of_text, self._of_form = (_numbers(arrays[n]) for n in ("text", "form"))
        if len(self._of_text) != len(self._of_form):
            raise ValueError("a text and a form for each run")
        met = [0] * len(self._parts)
        self._places: list[int] = []
        for form in self._of_form:
            self._places.append(met[form])
            met[form] += 1
        parts = (f"{k}.{name}" for k, part in enumerate(self._parts) for name in part.names)
        check_known("array", arrays, {"text", "form", *parts})

    def __len__(self) -> int:
        return len(self._of_text)

    def run(self, number: int) -> Run:
        """Return the run with this number."""
        part = self._parts[self._of_form[number]]
        metadata = json.loads(self._texts[self._of_text[number]])
        return Run.from_contents(metadata, part.arrays(self._places[number]))


class _Part(NamedTuple):
    """The runs of a bundle that have arrays of the same names and types."""

    joined: dict[str, AnyArray]
    shapes: dict[str, AnyArray]
    ends: dict[str, list[int]]

    @classmethod
    def of(cls, number: int, form: object, arrays: Arrays) -> "_Part":
        joined, shapes, ends = {}, {}, {}
        for name, kind, dimensions in form if isinstance(form, list) else ():
            array, shape = arrays[f"{number}.{name}"], arrays[f"{number}.{_SHAPE}{name}"]
            sound = shape.dtype == np.int64 and shape.ndim == 2 and shape.shape[1] == dimensions
            if array.dtype != np.dtype(kind) or array.ndim != 1 or not sound or (shape < 0).any():
                raise ValueError(f"an array {name!r} of another form")
            sizes = [int(np.prod(row, dtype=np.float64)) for row in shape]
            ends[name] = np.cumsum([0, *sizes]).tolist()
            if ends[name][-1] != len(array):
                raise ValueError(f"an array {name!r} of another size")
            joined[name], shapes[name] = array, shape
        return cls(joined, shapes, ends)

    @property
    def names(self) -> Iterator[str]:
        """What its arrays are called, without its number."""
        for name in self.ends:
            yield from (name, f"{_SHAPE}{name}")

    def arrays(self, place: int) -> Arrays:
        """Return the arrays of one run."""
        return {
            name: self.joined[name][ends[place] : ends[place + 1]].reshape(self.shapes[name][place])
            for name, ends in self.ends.items()
        }


def bundled(runs: Iterable[Run]) -> bytes:
    """Return the file of some runs."""
    texts: dict[str, int] = {}
    forms: dict[Form, int] = {}
    of_text, of_form, held = [], [], list[list[Arrays]]()
    for run in runs:
        metadata, arrays = run.contents()
        text = json.dumps(metadata, allow_nan=False, default=storage.plain_value)
        form = tuple((name, array.dtype.str, array.ndim) for name, array in arrays.items())
        of_text.append(texts.setdefault(text, len(texts)))
        of_form.append(forms.setdefault(form, len(forms)))
        if of_form[-1] == len(held):
            held.append([])
        held[of_form[-1]].append(arrays)
    found: Arrays = {"text": np.array(of_text, np.int32), "form": np.array(of_form, np.int32)}
    for number, (form, states) in enumerate(zip(forms, held, strict=True)):
        for name, _, dimensions in form:
            own = [arrays[name] for arrays in states]
            found[f"{number}.{name}"] = np.concatenate([array.reshape(-1) for array in own])
            shapes = np.array([array.shape for array in own], np.int64)
            found[f"{number}.{_SHAPE}{name}"] = shapes.reshape(len(own), dimensions)
    return storage.packed(_KIND, {"texts": [*texts], "forms": [*forms]}, found)


def unbundled(data: bytes, name: str) -> Bundle:
    """Read the file of some runs, which anybody may have written; ``name`` is for errors."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        try:
            _, metadata, arrays = storage.read(path, (_KIND,))
            with storage.intact(path):
                return Bundle(metadata, arrays)
        except InputError as error:
            raise InputError(str(error).replace(path, name)) from None


def _numbers(array: AnyArray) -> list[int]:
    if array.dtype != np.int32 or array.ndim != 1 or (array < 0).any():
        raise ValueError("a number for each run")
    found: list[int] = array.tolist()
    return found
