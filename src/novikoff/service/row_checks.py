"""Row checks: whatever the learner or a limit would refuse, found before anything is written."""

import sys
from collections.abc import Iterable
from typing import cast

from novikoff import _core
from novikoff.errors import NovikoffError
from novikoff.learners.feature_learner import transforms_of
from novikoff.learners.native_learner import is_native
from novikoff.learners.protocols import room_of
from novikoff.service.limits import LARGEST_ID, Limits
from novikoff.service.refusals import Refusal, TooLarge
from novikoff.service.replica import Replica
from novikoff.streams.blocks.block import ArrayBlock
from novikoff.streams.log.records import AskId, Features, ServedLabel

_LEAST, _MOST = 2.0**-960, sys.float_info.max
_SAFE = 2.0**-900, 2.0**1000  # of rows that transforms make, whose factors may still change


class RowChecks:
    """Checks rows against the limits of a service and the learner of its replica."""

    def __init__(self, replica: Replica, limits: Limits) -> None:
        self._replica, self._limits = replica, limits
        learner = replica.run.learner
        self._quick = is_native(learner) and not transforms_of(learner)
        self._class_weights = replica.run.class_weights
        self._transformed = bool(transforms_of(learner))
        self._quick &= replica.features is not None and not replica.features.bits
        room = room_of(learner)
        self.most_names = limits.names if room is None else min(limits.names, room)
        """How many features the model may come to know."""

    def check_texts(self, rows: Iterable[Features]) -> None:
        """Refuse texts of a request whose runs would take far more memory than the request."""
        texts = self._replica.run.texts
        if texts is None:
            return
        held = [row.get(texts.name) for row in rows]
        characters = sum([len(text) for text in held if isinstance(text, str)])
        most = 2 * self._limits.body // texts.words.kinds
        if characters > most:
            raise TooLarge(
                where="features",
                expected=f"texts of at most {most:,} characters in a request",
                got=f"{characters:,}",
                remedy="Send fewer texts at once, or shorter ones.",
            )

    def read(self, row: Features) -> Features:
        """Return the words of a text, if the model has learned from words; other rows as they are.

        The log then holds what the run learns from.
        """
        texts = self._replica.run.texts
        if texts is None:
            return row
        try:
            return cast("Features", texts.features(row))
        except NovikoffError as error:
            raise error.moved("features") from None

    def check(self, row: Features) -> None:
        """Refuse features that the learner would refuse, or that are too many or too long."""
        self.check_size(row)
        replica = self._replica
        known = replica.features
        if self._quick and known and known.sound(row):
            return  # as its predict would say, for a fraction of the time
        with replica.lock:
            try:
                replica.run.predict_one(row)  # as the learner does: it says what is wrong
            except NovikoffError as error:
                raise error.moved("features") from None

    def check_size(self, row: Features) -> None:
        """Refuse features that are too many or too long."""
        limits = self._limits
        if len(row) > limits.features:
            raise TooLarge(
                where="features",
                expected=f"at most {limits.features:,}",
                got=f"{len(row):,}",
                remedy="Send fewer features per example.",
            )
        most = limits.name
        for name, value in row.items():
            if len(name) > most or (type(value) is str and len(value) > most):
                self.check_name("features", max(name, str(value), key=len))

    def check_name(self, where: str, text: str) -> None:
        """Refuse a name, an id or a key that is too long."""
        if len(text) > self._limits.name:
            raise TooLarge(
                where=where,
                expected=f"at most {self._limits.name:,} characters",
                got=f"{len(text):,}",
                remedy="Shorten it.",
            )

    def check_key(self, key: str) -> None:
        """Refuse a key that is empty: whoever sends it for every example would count it once."""
        self.check_name("key", key)
        if not key:
            raise Refusal(
                where="key",
                expected="a text of its own",
                got="an empty one",
                remedy="Leave it out.",
            )

    def check_id(self, id: AskId | None) -> None:
        """Refuse an id that is too long or too large; ours go on after the largest number."""
        if isinstance(id, str):
            self.check_name("id", id)
        elif id is not None and abs(id) > LARGEST_ID:
            raise Refusal(
                where="id",
                expected=f"a text, or a whole number up to {LARGEST_ID:,}",
                got="one beyond",
                remedy="Send it as a text.",
            )

    def check_scaled(self, row: Features, label: ServedLabel, weight: float) -> None:
        """Refuse a weight that cannot scale the row within the range of float64.

        Learners whose loss it scales take every weight that is allowed.
        """
        scale = weight * self._class_weights.get(label, 1.0)
        known = self._replica.features
        if scale in (0.0, 1.0) or self._replica.scales_loss or known is None:
            return
        low, high = _SAFE if self._transformed else (_LEAST, _MOST)
        constant = getattr(self._replica.run.learner, "bias", None) or 1.0
        values = [*self._values(row, known), constant]
        for value in values:
            if not low <= abs(scale * value) <= high:
                raise Refusal(
                    where="weight",
                    expected="one that can scale every value within the range of float64",
                    got=f"{scale:g} for a value of {value:g}",
                    remedy="Rescale the features.",
                )

    def _values(self, row: Features, known: _core.Features) -> list[float]:
        """Return the values of a row as the learner sees them, without its zeros."""
        found: list[float] = known.encode([row], 0, 1, False)[2].tolist()
        learner = self._replica.run.learner
        if self._transformed and is_native(learner):
            made = learner.made(learner.fitting(learner.block_of(row)))
            found += made.entries().values.tolist() if isinstance(made, ArrayBlock) else []
        return found

    def new_names(self, row: Features) -> set[str]:
        """Return the names of a row that the model does not know, as it would come to know them."""
        known = self._replica.features
        if known is None or known.bits:
            return set()
        _, places, _ = known.encode([row], 0, 1, False)
        if not any(place >= len(known) for place in places.tolist()):
            return set()
        return {
            f"{name}={value}" if isinstance(value, str) else name
            for name, value in row.items()
            if any(place >= len(known) for place in known.encode([{name: value}], 0, 1, False)[1])
        }
