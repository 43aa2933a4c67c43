"""The protocols of experts and arms: choose one, then see the losses of all, or only its own."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.errors import InputError
from novikoff.interrupts import listening, look
from novikoff.learners.experts.regret_learner import RegretLearner
from novikoff.learners.experts.round_players import LabelTaker, RoundPlayer
from novikoff.learners.learner import Kind
from novikoff.playing.agreement import check_learner, check_passes, check_regret, check_stated
from novikoff.playing.ledger import Ledger
from novikoff.playing.options import no_prediction
from novikoff.playing.progress import Progress, Report
from novikoff.playing.regret_measures import RegretMeasures
from novikoff.playing.saved_run import SavedRun
from novikoff.saving import storage
from novikoff.streams import BinaryLabels, LabelMap, Stream, one_row
from novikoff.streams.environments import Environment, as_environment
from novikoff.streams.labels.declared import Declared
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.streams.skipping import Skipping
from novikoff.streams.stream import Rounds
from novikoff.types import AnyArray, Arrays, Label


class Losses(NamedTuple):
    """The rounds of an environment from some round on."""

    environment: Environment
    start: int


class RegretRounds:
    """Rounds of experts or arms: losses from an environment, or rows of advice with outcomes.

    An environment is one of ``Replay``, ``Stochastic``, ``switching`` and ``lower_bound``; a
    matrix of losses is replayed. Learners with experts also play labelled streams: rows of
    advice, −1 or +1 for each expert, and outcomes; with a pool of learners, any rows.
    """

    saved_as = "RegretRun"
    rereads = False
    in_hand = None
    """Each piece is tallied as a whole."""

    def __init__(
        self, learner: RegretLearner, *, positive: Label | None = None, size: int | None = None
    ) -> None:
        self.learner = learner
        self.kind: Kind = learner.protocol
        self.labels: LabelMap = BinaryLabels(positive, ())
        """The map between the user's outcomes and −1 and +1."""
        self.class_weights: dict[Label, float] = {}
        self.max_weight: float | None = None
        self.threshold: float | None = None
        self._sheet = RegretMeasures(
            learner.size if size is None else size, learner.full_information
        )
        self.ledger = Ledger(
            type(learner).__name__, learner.parameters, learner.rounds == 0, self._sheet
        )
        self.passes = 0
        self.digested = False

    def stream_of(self, source: object) -> Stream:
        """Return an environment or a labelled stream; a matrix of losses is replayed."""
        return as_environment(source)

    def adopt(self, source: Stream) -> None:
        """Refuse what the learner cannot play; take over what a stream says about its labels."""
        self.learner.require_ready()
        if isinstance(source, Environment):
            self.learner.check_environment(source)
            return
        if not isinstance(self.learner, LabelTaker):
            raise InputError(
                f"{source.name}: expected losses for a bandit, got labelled rounds. "
                "Pass an environment or a matrix of losses."
            )
        if source.positive is not None and self.ledger.rounds == 0:
            self.labels = BinaryLabels(source.positive, ())
        if source.declared:
            self.declare(source.declared)

    @property
    def keeps_labels(self) -> bool:
        """Whether it can never take another outcome."""
        return self.labels.positive is None

    def declare(self, labels: Declared) -> None:
        """Allow only these labels from now on, or any label."""
        self._keep(self.labels.declared(labels))

    def _keep(self, labels: LabelMap) -> None:
        self.labels, self.ledger.labels = labels, labels.known

    def prepare(self, source: Stream) -> None:
        """Do nothing: a stream needs no preparation."""

    def clean_up(self) -> None:
        """Do nothing."""

    def name_columns(self, names: tuple[str, ...]) -> None:
        """Do nothing: experts and arms have numbers."""

    def blocks(self, source: Stream, played: int) -> Iterator[Losses | Rounds]:
        """Yield the rounds of a source that were not played yet."""
        if isinstance(source, Environment):
            return iter([Losses(source, played)])
        return iter((Skipping(source, played) if played else source).blocks())

    def play_block(self, rounds: Losses | Rounds, report: Report | None, order: LabelOrder) -> None:
        """Play an environment, or a block of labelled rounds, from checkpoint to checkpoint."""
        if isinstance(rounds, Losses):
            source, start = rounds
            means = source if source.random else None
            player = self.learner.player(source, self.ledger.rounds + 1 - start)
            self._play_pieces(player, start, means, report)
        else:
            self._play_labelled(Rounds(*rounds), report)

    def _play_labelled(self, rounds: Rounds, report: Report | None) -> None:
        rows, y, *_ = rounds
        before, began = self.labels, self.ledger.rounds
        labels = before.copy()
        codes: AnyArray = np.ascontiguousarray(labels.encode(y, began + 1), np.int8)
        self._keep(labels)
        assert isinstance(self.learner, LabelTaker)
        try:
            self._play_pieces(self.learner.label_player(rows, codes), 0, None, report)
        finally:
            done = self.ledger.rounds - began
            if done < len(codes):  # refused or interrupted: keep only the labels that were played
                labels = before.copy()
                labels.encode(y[:done], began + 1)
                self._keep(labels)

    def _play_pieces(
        self,
        player: RoundPlayer,
        start: int,
        drawn: Environment | None,
        report: Report | None,
    ) -> None:
        """Play rounds from checkpoint to checkpoint, up to a refused one; tally each piece.

        ``drawn`` is the environment if it draws its losses, which then have means.
        """
        learner, sheet, tally, rounds = self.learner, self._sheet, self._sheet.tally, player.rounds
        before = learner.known_losses(tally)
        while start < rounds:
            stop = min(rounds, start + sheet.left_to_checkpoint())
            done = player.play(start, stop, tally)
            if done > start:
                after = learner.known_losses(tally)
                means = drawn.mean_losses(start, done) if drawn else None
                sheet.add(after - before, means, learner.probabilities())
                before = after
                self.ledger.passes = max(self.ledger.passes, self.passes)
            if done < stop:
                player.refuse(done, tally.rounds + 1)
                return
            start = stop
            look()
            if report is not None:
                with listening():
                    report(Progress(tally.rounds, sheet.mistakes, None))

    def end_pass(self, source: Stream) -> None:
        """Do nothing: labels stay open, and there is no digest."""

    def learn(self, run: _core.Rounds, x: object, y: Label, weight: float) -> Label | None:
        """Play one round of advice and its outcome; return the prediction."""
        if not isinstance(self.learner, LabelTaker):
            raise no_prediction("learn", self.learner)
        if weight != 1:
            raise InputError(
                f"weights: expected none with {self.ledger.learner}, whose updates are not scaled, "
                "got some. Leave them out."
            )
        prediction = self.learner.predict(x)
        self._play_labelled(Rounds(one_row(x), [y]), None)
        return self.labels.decode_one(prediction)

    def settle(self, midway: bool) -> None:
        """Do nothing: each piece is tallied as a whole."""

    def forget(self, run: _core.Rounds) -> None:
        """Do nothing: no round goes straight to the core."""

    def state(self) -> SavedRun:
        """Return what a saved run remembers besides its ledger and its learner."""
        return {"labels": list(self.labels.known)}

    def check_labels(self) -> None:
        """Refuse labels that a file cannot hold."""
        storage.plain_labels(self.labels.known)

    @classmethod
    def restored(cls, metadata: SavedRun, arrays: Arrays, learner: RegretLearner) -> "RegretRounds":
        """Return the protocol of a saved run, with its ledger."""
        size = metadata["size"]
        if size > learner.size or len(arrays["ledger.arm_losses"]) > learner.size:
            raise ValueError("as many losses as experts or arms")
        found = cls(learner, size=size)
        found.labels = BinaryLabels(None, tuple(metadata["labels"]))
        found.ledger.restore(metadata, arrays)
        check_stated(metadata, found._sheet.fixed | found.state())
        check_learner(found.ledger.rounds, metadata["began_fresh"], learner.rounds)
        check_passes(found.ledger.rounds, metadata)
        check_regret(arrays, learner, learner.known_losses(found._sheet.tally))
        return found
