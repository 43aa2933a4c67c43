"""The ledger: what a run did."""

from collections.abc import Callable, Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff import _core
from novikoff.html_tables import fact_table
from novikoff.learners.learner import Parameters
from novikoff.playing.followed import Calibration, confusion_by_label
from novikoff.playing.labelled_measures import LabelledMeasures
from novikoff.playing.measures import Measure, Sheet, missing
from novikoff.playing.saved_run import SavedRun, is_of_ledger
from novikoff.saving import contents
from novikoff.types import Arrays, FloatArray, IntArray, Label

_RECENT = 1000


def in_words(rounds: int, mistakes: int, abstentions: int = 0) -> str:
    """Return what a run did in one line; it always names abstentions, which are not mistakes.

    >>> in_words(4000, 156)
    '156 mistakes in 4,000 rounds (3.90%)'
    >>> in_words(18159, 1, 18158)
    '1 mistake in 18,159 rounds (0.01%), 18,158 abstentions: 1 mistake in 1 prediction (100.00%)'
    """
    made = counted(mistakes, "mistake")
    shown = f"{made} in {counted(rounds, 'round')} ({mistakes / max(rounds, 1):.2%})"
    if not abstentions:
        return shown
    shown += f", {counted(abstentions, 'abstention')}: "
    if abstentions == rounds:
        return shown + "no prediction at all"
    predictions = rounds - abstentions
    return shown + f"{made} in {counted(predictions, 'prediction')} ({mistakes / predictions:.2%})"


def counted(count: int, word: str) -> str:
    """Return a number of things: 1 line, 2 lines."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


class Ledger:
    """The record of what a run did: counts, measures, and the rounds of the mistakes.

    It only ever grows. Every run has the counts. Which measures it has depends on its learner
    (``measures``); asking for another one raises a ``MeasureError``, so ``hasattr(ledger,
    "regret")`` tells.

    A learner with a loss has ``loss``, the sum of weight · loss over the rounds, and
    ``mean_loss``. ``regret`` is the learner's loss minus that of the best in hindsight, in units of
    the losses' span.
    ``expected_regret`` has Σ p_t·l_t in place of the learner's loss: the expectation over its
    draws. A bandit's probabilities depend on its draws, so one run does not know it: ``simulate``
    takes the mean over many. ``pseudo_regret`` has means in place of losses: the sum of the means
    of what was chosen, minus the least sum of means. Losses that are not drawn are their own means.

    >>> import novikoff as nv
    >>> ledger = nv.play(nv.Perceptron(), [((1, 2), -1), ((3, 1), 1), ((1, 3), -1)]).ledger
    >>> ledger.rounds, ledger.mistakes, ledger.mistake_rounds.tolist()
    (3, 2, [1, 2])
    >>> ledger.mistakes_by_label
    {-1: 1, 1: 1}
    """

    checkpoints: Any
    """(rounds, mistakes up to each, …) on a geometric grid that ends with the last round."""
    loss: float
    """The sum of the learner's own losses, each times the weight of its round."""
    mean_loss: float
    """The learner's own loss per round."""
    drift: float
    """What the rounding of floats can have added to the loss of real labels (``vaw``)."""
    largest_label: float
    """Y = max |y_t| of real labels."""
    mean_label: float
    """The mean of real labels."""
    baseline_loss: float
    """Σ (y_t − mean)²: the squared loss of always guessing the mean, known in hindsight."""
    labels_above: float
    """Σ max(y_t, 0) of real labels."""
    labels_below: float
    """Σ max(−y_t, 0) of real labels."""
    squared_labels: float
    """Σ y_t² of real labels, each square rounded."""
    squares_above: float
    """What rounding took from these squares: Σ max(y_t² − fl(y_t²), 0)."""
    squares_below: float
    """What rounding added to these squares: Σ max(fl(y_t²) − y_t², 0)."""
    stability: float
    """½ Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i}, a term of the bound on the loss (``ftrl-diag``); with real
    labels Σ_t y_t² x_t·A_t⁻¹x_t (``vaw-tight``)."""
    stability_quarter: float
    """The same of Blend's member ``AdaptiveGradient(0.25)`` (``fixed-share``)."""
    stability_one: float
    """The same of Blend's member ``AdaptiveGradient(1)``."""
    stability_four: float
    """The same of Blend's member ``AdaptiveGradient(4)``."""
    longest: float
    """The number of features in the longest row, the constant one included (many classes)."""
    cuts: float
    """Rounds in which Blend cut a term that its theorem about many classes leaves whole."""
    radius: float
    """R = max‖x_t‖, with the constant feature and a relative error below 1e-12."""
    radius_inf: float
    """max‖x_t‖_∞, with the constant feature."""
    mistake_energy: float
    """S_I = Σ‖x_t‖² over the mistakes, with a relative error below 1e-12."""
    weight_norm: float
    """The learner's current ‖w‖; a copied or pickled ledger has no learner and keeps the value."""
    weighted: bool
    """Whether weights other than 1 were possible (``max_weight``) or scaled an update."""
    second_steps: int
    """Rounds whose float score was too close to a tie to trust; a loaded run may trust others."""
    exact_steps: int
    """Those of them that only exact arithmetic could decide."""
    label_changes: int
    """In how many rounds the label differs from the one before."""
    calibration: Calibration
    """The rounds by the probability given before y was known, for learners that give one."""
    served: int
    """How many rounds began with an ask: their labels came later."""
    served_mistakes: int
    """How many of the predictions served for them were wrong; no theorem is about these."""
    served_loss: float
    """The sum of weight · −ln of the probability served for the label that came."""
    decided_errors: int
    """How many rounds the run's threshold decides wrongly; mistakes are the learner's own."""
    false_positives: int
    """Rounds with the negative label for which the threshold decides on the positive one."""
    false_negatives: int
    """Rounds with the positive label for which the threshold decides on the negative one."""
    size: int
    """The number of experts or arms in the first round: the regret compares with these."""
    full_information: bool
    """Whether the learner sees all losses."""
    losses: FloatArray
    """The sum of the losses of each expert or arm."""
    mean_losses: FloatArray
    """The sum of the mean losses of each expert or arm."""
    best: int
    """The number of the best expert or arm in hindsight."""
    best_loss: float
    """The losses of the best in hindsight."""
    regret: float
    """The learner's own loss minus that of the best in hindsight."""
    pseudo_regret: float
    """The sum of the means of what was chosen, minus the least sum of means."""
    expected_loss: float
    """Σ p_t·l_t, if the learner sees all losses."""
    expected_regret: float
    """Σ p_t·l_t minus the loss of the best in hindsight, if the learner sees all losses."""

    passes: int = 0
    """The largest number of passes over one stream."""
    labels: tuple[Label, ...] = ()
    """The user's labels, (that of −1, that of +1), or one for each class."""
    digest: str | None = None
    """SHA-256 of the data, if you asked for it: per round the label (int8 −1/+1, or u32
    class id), the number of nonzeros (u32), and each (u64 index, f64 value) ascending,
    little-endian, the constant feature left out."""

    def __init__(
        self,
        learner: str,
        parameters: Parameters,
        began_fresh: bool | None,
        sheet: Sheet | None = None,
    ) -> None:
        self._sheet: Sheet = LabelledMeasures() if sheet is None else sheet
        self.tally: _core.Tally | _core.RegretTally = self._sheet.tally
        """The counts in the core, to which the round loop adds."""
        self.learner = learner
        self.parameters = parameters
        self.began_fresh = began_fresh
        """Whether the learner had seen nothing before the run; None if that cannot be known."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            sheet = self.__dict__.get("_sheet")
            if sheet is None or name.startswith("_"):
                raise AttributeError(name)
            if name not in sheet.declared:
                raise missing(name, self.learner, sheet.declared)
            return sheet.value(name)

    def __repr__(self) -> str:
        return f"Ledger({self.learner}: {self._sheet.words})"

    def _repr_html_(self) -> str:
        return fact_table(f"Ledger of {self.learner}: {self.headline}", self.facts)

    @property
    def facts(self) -> list[tuple[str, object]]:
        """What a notebook shows of the ledger, line by line."""
        found: list[tuple[str, object]] = [("rounds", self.rounds)]
        if self.judges and "regret" not in self.measures:
            found += [("mistakes", self.mistakes), ("error rate", f"{self.error_rate:.2%}")]
        for name in ("mean_loss", "regret", "expected_regret"):
            if self.rounds and name in self.measures:
                found.append((name.replace("_", " "), getattr(self, name)))
        shown = [str(label) for label in self.labels[:6]] + ["…"] * (len(self.labels) > 6)
        found += [("labels", ", ".join(shown))] if shown else []
        return found + ([("digest", self.digest)] if self.digest else [])

    @property
    def measures(self) -> Mapping[str, Measure]:
        """What the run has besides its counts: each measure's name, type and combination."""
        return self._sheet.declared

    @property
    def headline(self) -> str:
        """What the run did, in one line for people."""
        if not self._sheet.judges:
            return f"mean loss {self.mean_loss:.4g} in {counted(self.rounds, 'round')}"
        return in_words(self.rounds, self.mistakes, self.abstentions)

    @property
    def rounds(self) -> int:
        """How many rounds were played, over all passes."""
        return self.tally.rounds

    @property
    def judges(self) -> bool:
        """Whether a prediction is right or wrong; False if labels are real numbers."""
        return self._sheet.judges

    def _require_judged(self, name: str) -> None:
        """Refuse a count of mistakes of a run that makes none, because its labels are numbers."""
        if not self._sheet.judges:
            raise missing(name, self.learner, self.measures)

    @property
    def mistakes(self) -> int:
        """How many of the rounds were mistakes."""
        self._require_judged("mistakes")
        return self._sheet.mistakes

    @property
    def abstentions(self) -> int:
        """How many rounds got no prediction; these are not mistakes."""
        return self._sheet.abstentions

    @property
    def mistake_rounds(self) -> IntArray:
        """The rounds of the mistakes, counted from 1."""
        self._require_judged("mistake_rounds")
        return self._sheet.mistake_rounds

    @property
    def error_rate(self) -> float:
        """Mistakes per round, counting abstentions as rounds; 0 before the first round."""
        return self.mistakes / self.rounds if self.rounds else 0.0

    @property
    def predictions(self) -> int:
        """How many rounds got a prediction: all but the abstentions."""
        return self.rounds - self.abstentions

    @property
    def prediction_error_rate(self) -> float:
        """Mistakes per prediction, without abstentions; 0 before the first prediction."""
        return self.mistakes / self.predictions if self.predictions else 0.0

    @property
    def recent_error_rate(self) -> float:
        """Mistakes per round over the last 1,000 rounds."""
        recent = min(self.rounds, _RECENT)
        since = int(np.searchsorted(self.mistake_rounds, self.rounds - recent, side="right"))
        return (self.mistakes - since) / recent if recent else 0.0

    @property
    def rounds_by_label(self) -> dict[Label, int]:
        """How many rounds had each label."""
        return self._by_label("rounds_by_label")

    @property
    def mistakes_by_label(self) -> dict[Label, int]:
        """How many mistakes were made on each label."""
        return self._by_label("mistakes_by_label")

    @property
    def confusion(self) -> dict[Label, dict[Label, int]]:
        """How often each label was taken for which other, if there are at most 64 labels."""
        if "confusion" not in self.measures:
            raise missing("confusion", self.learner, self.measures)
        counts: IntArray = np.asarray(self._sheet.value("confusion"))
        return confusion_by_label(counts, self.labels)

    def _by_label(self, name: str) -> dict[Label, int]:
        """Leave out labels that were declared but never met."""
        if name not in self.measures:
            raise missing(name, self.learner, self.measures)
        counts: list[int] = np.asarray(self._sheet.value(name)).tolist()
        return dict(zip(self.labels, chain(counts, repeat(0)), strict=False))

    def state(self) -> tuple[SavedRun, Arrays]:
        """Return all of it as plain data and arrays."""
        metadata: SavedRun = {
            "learner": self.learner,
            "parameters": self.parameters,
            "began_fresh": self.began_fresh,
            "passes": self.passes,
            "labels": list(self.labels),
            "digest": self.digest,
        }
        return metadata | self._sheet.fixed, self._sheet.state()

    def restore(self, metadata: SavedRun, arrays: Arrays) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        like = self._sheet.state()
        contents.check_arrays(arrays, like)
        contents.check_known("array", filter(is_of_ledger, arrays), like)
        self._sheet.restore(arrays)
        self.began_fresh, self.labels = metadata["began_fresh"], tuple(metadata["labels"])
        self.passes = metadata.get("passes", int(self.rounds > 0))
        self.digest = metadata.get("digest")

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (*self.state(), self._sheet.blank)


def _restored(metadata: SavedRun, arrays: Arrays, blank: Callable[[], Sheet]) -> Ledger:
    """Return a copied or pickled ledger, which has the measures of its run but no learner."""
    found = Ledger(metadata["learner"], metadata["parameters"], metadata["began_fresh"], blank())
    found.restore(metadata, arrays)
    return found
