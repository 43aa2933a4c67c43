"""Playing streams: a learner plays what a stream gives, pass by pass, and its ledger counts.

A stream gives blocks. The protocol encodes a block, plays its slices with the learner, tallies
them in the ledger, and makes everything agree with the rounds played.
"""

import warnings
from typing import TYPE_CHECKING, Any, Generic, Self

from novikoff import _core
from novikoff.errors import InputError, NovikoffError, parameter
from novikoff.interrupts import heard, look, waiting
from novikoff.learners.frame_columns import lacking
from novikoff.learners.learner import Kind
from novikoff.learners.protocols import fits_labels, scales_loss
from novikoff.playing.ledger import Ledger
from novikoff.playing.options import refuse_ignored
from novikoff.playing.passes import (
    Course,
    checked_passes,
    not_replayable,
    reporting,
    with_kept,
)
from novikoff.playing.progress import Report, as_progress
from novikoff.playing.protocol import L_co, RoundProtocol, protocol_of
from novikoff.playing.saved_run import Reading
from novikoff.streams import LabelMap, Stream
from novikoff.streams.blocks.block import Block
from novikoff.streams.blocks.named import NamedBlock
from novikoff.streams.files.headers import Table, check_columns
from novikoff.streams.files.words import Texts, texts_of
from novikoff.streams.first_rows import FirstRows, looked_at
from novikoff.streams.labels.binary_labels import StrangerError
from novikoff.streams.labels.declared import (
    Declared,
    StrayError,
    alike,
    checked_declaration,
    kept_advice,
)
from novikoff.streams.labels.found_labels import every_label, found_labels
from novikoff.streams.labels.label_order import LabelOrder
from novikoff.streams.labels.largest_weight import largest_weight
from novikoff.streams.stream import Looked
from novikoff.types import Label

if TYPE_CHECKING:  # most runs ask nothing
    from novikoff.playing.asks import Asks


class StreamPlayer(_core.Rounds, Generic[L_co]):
    """A learner with its ledger and the streams it plays: what every run is."""

    stream: Stream | None = None
    """The stream played last."""
    streams: int = 0
    """How many streams were played."""
    converged: bool | None = None
    """Whether ``until_clean`` ended with a pass without a mistake; None if not asked."""
    columns: tuple[str, ...] | None = None
    """The names of the numbered features in the header of the file learned from."""
    table: Table | None = None
    """The columns of the CSV file learned from; other files are read with the same columns."""
    first_rows: FirstRows = FirstRows()
    """What looks like a mistake in the first rows."""
    path: str | None = None
    """The file that it was loaded from."""
    start: Self | None = None
    """The run that this one goes on from, with a ledger of its own; None for a new learner."""
    _asks: "Asks | None" = None
    _course: Course | None = None  # that of the play, until it has ended
    _unfinished: Reading | None = None
    _reading: Reading | None = None
    _texts: Texts | None = None

    def __init__(
        self, learner: L_co, protocol: RoundProtocol, options: dict[str, object] | None = None
    ) -> None:
        super().__init__()  # the fast path of a round with a dict: see Run._learn
        self.learner = learner
        self._protocol = protocol
        self._options = {} if options is None else options
        self._kind = protocol.kind
        self.order = LabelOrder()
        """How the labels of its last pass follow one another."""
        self.files: Reading = {}
        """Which files the command line plays, and how, for ``unfinished``."""
        self._alone = _core.Alone()  # refuses a play inside a play

    @property
    def reading(self) -> Reading | None:
        """How files were read: text, and all that the command line read.

        Later files are read the same way.
        """
        return self._reading

    @reading.setter
    def reading(self, reading: Reading | None) -> None:
        self._reading, self._texts = reading, texts_of(reading)

    @property
    def texts(self) -> Texts | None:
        """How texts become rows, if the run has learned from texts."""
        return self._texts

    def _row(self, x: object) -> object:
        """Return the words of a text, if the run has learned from words; any other x as it is."""
        return x if self._texts is None else self._texts.row(x)

    @property
    def protocol(self) -> Kind:
        """Which rounds it plays: "labelled" ones, or those of "experts" or "arms"."""
        return self._kind

    @property
    def ledger(self) -> Ledger:
        """What the run did."""
        protocol = self._protocol
        if protocol.in_hand is not None:
            self._settle()
        return protocol.ledger

    @property
    def mistakes(self) -> int:
        """How many mistakes were made so far."""
        return self.ledger.mistakes

    @property
    def regret(self) -> float:
        """The learner's own loss minus that of the best expert or arm in hindsight."""
        return self.ledger.regret

    @property
    def unfinished(self) -> Reading | None:
        """Where a play was interrupted, and in which files, if the command line played them."""
        course = self._course
        return self._unfinished if course is None else self.files | course.plain

    @unfinished.setter
    def unfinished(self, found: Reading | None) -> None:
        self._course, self._unfinished = None, found

    @property
    def environment(self) -> Stream | None:
        """What was played last: an environment, or a labelled stream."""
        return self.stream

    @property
    def labels(self) -> LabelMap:
        """The map between the user's labels and the learner's."""
        protocol = self._protocol
        if protocol.in_hand is not None:
            self._settle()
        return protocol.labels

    @property
    def class_weights(self) -> dict[Label, float]:
        """The weight of each label's updates."""
        return self._protocol.class_weights

    @property
    def max_weight(self) -> float | None:
        """The largest weight that a round may have, if it is declared."""
        return self._protocol.max_weight

    @property
    def threshold(self) -> float | None:
        """Predict the positive label from this probability upwards; None for ½."""
        return self._protocol.threshold

    def declare(self, labels: Declared) -> Self:
        """Allow only these labels, which include those met so far; "open" allows new ones."""
        labels = checked_declaration(labels)
        refuse_ignored(self._kind, self._protocol.ledger.learner, {"labels": labels})
        with waiting(), self._alone:
            self._protocol.forget(self)
            self._protocol.declare(labels)
        return self

    def _settle(self) -> None:
        """Make everything agree with the rounds played, after an exception."""
        if self._protocol.in_hand is not None and not self._alone.taken:
            self._protocol.settle(midway=False)

    def play(
        self,
        stream: object,
        *,
        passes: int = 1,
        until_clean: bool = False,
        max_passes: int | None = None,
        progress: bool | Report | None = None,
    ) -> Self:
        """Play a stream: ``passes`` times, or until a pass makes no mistake.

        ``until_clean`` is the batch perceptron: it ends with the first clean pass (``converged`` is
        true) or after ``max_passes``, 1,000 by default. ``progress`` is True for a bar, or a
        function that gets a ``Progress`` now and then. Ctrl-C stops between two slices of rounds.
        Rounds before a refused one, or before Ctrl-C, stay played, and the run can ``go_on``.
        """
        protocol = self._protocol
        if self._kind != "labelled":
            given = {"passes": passes, "until_clean": until_clean, "max_passes": max_passes}
            refuse_ignored(self._kind, protocol.ledger.learner, given)
        course = checked_passes(passes, until_clean, max_passes)
        if until_clean and not protocol.ledger.judges:
            what = "False, because a prediction of a real label is never just right"
            raise parameter("until_clean", what, until_clean)
        source = self._playable(stream, course.passes)
        self._settle()
        if began := protocol.ledger.tally.rounds:  # which the user's code, just run, may have added
            course = course._replace(rounds=began)
        if fits_labels(self.learner) or scales_loss(self.learner):
            try:
                return self._play_fitted(source, course, progress)
            except StrayError as error:  # it may also come from a look at the stream
                if source.positive is not None:  # which the run then has not taken over yet
                    raise
                raise self._judged(error, began, source.closes) from None
        return self._play_course(source, course, progress)

    def _play_fitted(self, source: Stream, course: Course, progress: bool | Report | None) -> Self:
        """Play a stream after a look at it: at its labels, and at its largest weight."""
        source = Looked(source) if source.replayable else source
        looks = self._may_fit(source)
        if looks:
            self._fit(found_labels(source, two=not source.skips))  # or a third would be skipped
        elif isinstance(source.declared, tuple) and self._begins(source):
            self._fit(source.declared)
        self._fit_weight(source)
        try:
            return self._play_course(source, course, progress)
        except StrangerError as error:
            if not looks:
                raise
            error.__traceback__ = None  # whose frames hold the error: garbage with the run in it
        self._fit(every_label(source))  # two labels were not all
        self._fit_weight(source)
        return self._play_course(source, course, progress)

    def _may_fit(self, source: Stream) -> bool:
        """Say whether the learner asks for all labels, and only a look at the stream tells."""
        return not source.declared and source.replayable and self._begins(source)

    @property
    def _is_new(self) -> bool:
        """Whether it has neither played nor been asked anything, so that it may begin otherwise."""
        ledger, asks = self._protocol.ledger, self._asks
        return ledger.rounds == 0 and ledger.began_fresh is True and not (asks and asks.begun)

    def _begins(self, source: Stream) -> bool:
        """Say whether the learner asks for all labels, and knows none yet."""
        mine = self._protocol.labels
        if not (fits_labels(self.learner) and self._is_new):
            return False
        return source.positive is None and mine.positive is None and not mine.known

    def _fit(self, labels: tuple[Label, ...]) -> None:
        """Begin again with the learner for these labels, which are all."""
        learner: Any = self.learner
        if not labels:
            return
        with waiting():  # a signal between two of these would leave half of each
            if learner.rounds:
                learner.restore(learner.fresh().state())
            self.learner = learner.for_labels(len(labels))
            self._options["labels"] = labels
            self._protocol = protocol_of(self.learner, self._options)
            self.stream, self.unfinished = None, None

    def _fit_weight(self, source: Stream) -> None:
        """Declare the largest weight of a stream, if the learner needs it and nobody has."""
        if not (self._is_new and source.replayable and scales_loss(self.learner)):
            return
        if self._options.get("max_weight") is not None:
            return
        if allowed := self._protocol.labels.allowed:
            source.admit(allowed)  # before its first block is read, and kept
        most = largest_weight(source)
        if most is not None:
            by_class = max([1.0, *self.class_weights.values()])
            labels = self._protocol.labels
            with waiting():
                self._options["max_weight"] = most * by_class
                self._protocol = protocol_of(self.learner, self._options)
                self._protocol.labels = labels

    def go_on(self, stream: object, *, progress: bool | Report | None = None) -> Self:
        """Play the rest of an interrupted play, including all passes still to come.

        ``stream`` is the interrupted stream from its first round on; rounds already played are
        skipped. The run ends as if nothing had interrupted it, if it learned no other round since.
        """
        course = Course.interrupted(self.unfinished, self.ledger)
        source = self._playable(stream, course.passes)
        return self._play_course(source, course, progress, goes_on=True)

    def _playable(self, stream: object, passes: int) -> Stream:
        """Return the stream, if it can be played that often."""
        source = self._protocol.stream_of(stream)
        if not source.replayable and (passes > 1 or self._protocol.rereads):
            raise not_replayable(source)
        return source

    def _play_course(
        self,
        source: Stream,
        course: Course,
        progress: bool | Report | None,
        goes_on: bool = False,
    ) -> Self:
        with waiting(), self._alone:
            if not goes_on:  # only now: a refused play leaves the course of the one around it
                self._course = self._unfinished = None
            if progress is None:
                self._play_alone(source, course, None)
            else:
                with as_progress(progress) as report:
                    self._play_alone(source, course, report)
        return self

    def _play_alone(self, source: Stream, course: Course, report: Report | None) -> None:
        protocol, again = self._protocol, (self._course or self._unfinished) is not None
        tally = protocol.ledger.tally
        began = tally.rounds
        protocol.forget(self)
        course = self._adopt(source, course)
        try:
            protocol.prepare(source)
            self._play_passes(source, course, report)
        except (StrangerError, StrayError) as error:
            raise with_kept(self._judged(error, began, source.closes), tally.rounds) from None
        except NovikoffError as error:
            with_kept(error, tally.rounds)
            raise
        finally:
            protocol.clean_up()
            self.streams += tally.rounds > began and not again

    def _learn_row(self, x: object, y: Label, weight: float, before: int) -> Label | None:
        """Play one round after those ``before``, and say what is wrong with it."""
        x = self._row(x)
        if before == 0 and isinstance(x, dict):
            self._look_at(NamedBlock([x]))
        try:
            return self._protocol.learn(self, x, y, weight)
        except (StrangerError, StrayError) as error:
            raise self._judged(error, before, in_file=False) from None
        finally:
            if self._texts is not None:
                self.slow_down()  # the next dict may hold a text, too

    def _judged(self, error: InputError, began: int, in_file: bool) -> InputError:
        """Return an error about a label, with advice that helps a run which keeps its labels."""
        if not self._protocol.keeps_labels or not (began or isinstance(error, StrayError)):
            return error
        return error.advising(kept_advice(bool(began), in_file))

    def _adopt(self, source: Stream, course: Course) -> Course:
        """Take over the stream and its labels; return how often it was played, including now."""
        protocol = self._protocol
        source = source.itself
        protocol.adopt(source)
        if protocol.ledger.tally.rounds:
            if self.table is not None:
                source.read_like(self.table)
            source.number_like(self.columns)
            source.word_like(self.texts)
        before = self.stream
        if before is None or source.origin is not before.origin:
            protocol.passes, protocol.digested = course.over - 1, course.over > 1
        elif self.unfinished is None:
            course = course._replace(over=protocol.passes + 1)
        self.stream = source
        return course

    def _play_passes(self, source: Stream, course: Course, report: Report | None) -> None:
        ledger = self._protocol.ledger
        report = None if report is None else reporting(report, source, course)
        self.converged = None
        while True:
            self._course = course
            look()  # an empty stream has no slices
            self._play_pass(source, course, report)
            if course.number > 1 and ledger.rounds == course.rounds and source.rounds != 0:
                raise not_replayable(source)
            if course.until_clean:
                self.converged = course.clean(ledger)
            if self.converged or course.number == course.passes:
                break
            course = course.next(ledger)
        self._course = self._unfinished = None
        if self._protocol.labels.others:
            self._look_for_positive(source)

    def _play_pass(self, source: Stream, course: Course, report: Report | None) -> None:
        """Play the blocks of a stream, from the first round that this pass has not played."""
        protocol = self._protocol
        protocol.passes, self.order = course.over, LabelOrder()
        tally = protocol.ledger.tally
        blocks = protocol.blocks(source, tally.rounds - course.rounds)
        looked = course.over > 1
        for rounds in heard(blocks):
            if not looked and tally.rounds:
                self._look_for_columns(rounds[0])
            looked = True
            self._name_columns(source)
            if tally.rounds == 0 and self._kind == "labelled" and rounds[0].named:
                self._look_at(rounds[0])
            protocol.play_block(rounds, report, self.order)
        protocol.end_pass(source)

    def _look_for_positive(self, source: Stream) -> None:
        """Warn if no row of a whole file has the positive label; the command line refuses that.

        Arrays may be a part of the data: for them, only if a label is the positive one but for case
        and blanks.
        """
        labels = self._protocol.labels
        if labels.positive is None or "input" in (self.reading or {}):
            return
        if not (source.closes or source.itself.whole):
            return
        like = alike(labels.positive, labels.others)
        few = not source.closes or len(labels.others) < 2
        if (like or not few) and not self._has_met(labels.positive):
            told = f"positive: no row of {source.name} has the label {labels.positive!r}{like}. "
            what = "file does" if source.closes else "labels are written"
            warnings.warn(f"{told}Write it as the {what}.", UserWarning, stacklevel=2)

    def _has_met(self, label: Label) -> bool:
        """Say whether this run, or one that it goes on from, has played a round with this label."""
        run: StreamPlayer[L_co] | None = self
        while run is not None:
            if run.ledger.rounds_by_label.get(label):
                return True
            run = run.start
        return False

    def _look_for_columns(self, rows: object) -> None:
        """Warn if a frame lacks columns that the learner has learned from."""
        if isinstance(rows, NamedBlock) and rows.framed:
            told = None if self.texts is not None else lacking(self.learner, rows)
            if told is not None:
                warnings.warn(f"play: {told}", UserWarning, stacklevel=2)

    def _look_at(self, rows: Block) -> None:
        """Look at the first named rows; warn of what seems odd, unless the command line does so."""
        if self.texts is not None:
            return
        whole = rows.rows if type(rows) is NamedBlock else (rows.row(t) for t in range(len(rows)))
        self.first_rows = looked_at(whole)
        for told in self.first_rows.warnings if self.reading is None else ():
            warnings.warn(told, UserWarning, stacklevel=2)

    def _name_columns(self, source: Stream) -> None:
        """Keep the names of the numbered features; another file must use the same names."""
        names, first = source.feature_names, self._protocol.ledger.tally.rounds == 0
        if first:
            self.table = source.table
            if source.texts is not None and self._reading is None:
                label = getattr(source.itself, "label", None)
                self.reading = source.texts.plain | {"label": label}
        if names is None:
            return
        self._protocol.name_columns(names)
        if first:
            self.columns = names
        elif self.columns is not None:
            check_columns(self.columns, names, source.name)
            self.columns = names
