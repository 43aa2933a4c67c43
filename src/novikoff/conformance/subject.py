"""A kind of learner: how to make it, and what it claims to be."""

import importlib
import random
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from novikoff.conformance.players import PLAIN, PROTOCOLS, Form, Player
from novikoff.errors import parameter
from novikoff.learners import Learner
from novikoff.theory.theorem import REGISTRY

PERCEPTRON = "perceptron"


class Subject:
    """A kind of learner, by its name and arguments, and what it claims to be."""

    def __init__(self, target: str | type, arguments: Mapping[str, object] | None = None) -> None:
        self.kind = found(target) if isinstance(target, str) else target
        self.target = f"{self.kind.__module__}:{self.kind.__qualname__}"
        if isinstance(target, str):
            self.target = target
        self.arguments = dict(arguments or {})
        learner = self.make()
        offered = [p for p, names in PROTOCOLS if all(hasattr(learner, n) for n in names)]
        if not offered:
            wanted = ", ".join(f"{a} and {b}" for _, (a, b) in PROTOCOLS)
            raise parameter("target", f"a learner with one of: {wanted}", self.kind)
        self.protocol = offered[0]

    @property
    def version(self) -> str:
        """The version of the package that the learner comes from."""
        package = importlib.import_module(self.kind.__module__.split(".")[0])
        return str(getattr(package, "__version__", ""))

    def make(self) -> Any:
        """Return a learner that has seen nothing."""
        try:
            return self.kind(**self.arguments)
        except TypeError as error:
            expected = f"those of {self.target} ({error})"
            raise parameter("arguments", expected, self.arguments) from None

    def player(self, form: Form = PLAIN) -> Player:
        """Return a new learner that sees rounds in this form."""
        return self.protocol(self.make(), form)

    def claims(self, theorem: str) -> bool:
        """Whether the class, by its name or a base's, is one of those the theorem is about.

        A name that this library does not know claims the perceptron's theorems if it says
        perceptron but does not mention an average or a vote, which have no online theorems.
        """
        names = [kind.__name__ for kind in self.kind.__mro__]
        about = REGISTRY[theorem].families
        for name in names:
            family = Learner.kinds[name].family if name in Learner.kinds else ""
            if family:
                return family in about
        said = " ".join(names).lower()
        other = any(word in said for word in ("averag", "vot"))
        return PERCEPTRON in about and PERCEPTRON in said and not other

    def says(self, words: str) -> bool:
        """Whether the class's name or documentation begins with these words, in any spelling."""
        text = self.kind.__name__ + " " + (self.kind.__doc__ or "").strip().split("\n")[0]
        return words in "".join(c for c in text.lower() if c.isalpha())

    @cached_property
    def intercept(self) -> float:
        """The constant feature; 0 if learning at x = 0 does not change the score there."""
        player, origin = self.player(), np.zeros(2)
        for y, rounds in ((-1, 2), (1, 8), (-1, 32), (1, 128)):  # more, so that averages follow
            for _ in range(rounds):
                player.learn(player.show(origin), y)
            if player.predict(player.show(origin)) != y:
                return 0.0
        bias = getattr(player.learner, "bias", None)
        return float(bias) if isinstance(bias, (int, float)) else 1.0


def found(target: str) -> type:
    """Return the class with this name, ``module:Class`` or ``module.Class``."""
    module, _, name = target.partition(":") if ":" in target else target.rpartition(".")
    try:
        kind = importlib.import_module(module)
        for part in name.split("."):
            kind = getattr(kind, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise parameter("target", f"module:Class that can be imported ({error})", target) from None
    if not isinstance(kind, type):
        raise parameter("target", "the name of a class", target)
    return kind


@contextmanager
def quietly(seed: int) -> Iterator[None]:
    """Set the global random sources for a while, and silence the warnings of learners."""
    kept, numpys = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(kept)
        np.random.set_state(numpys)
