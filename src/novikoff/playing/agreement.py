"""Agreement: what a saved run states twice, it must state alike, for its bounds rest on it.

Anybody may have written the file. Each check raises a ValueError that says what disagrees.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from novikoff.playing.followed import CONFUSED_LABELS
from novikoff.playing.saved_run import SavedRun
from novikoff.types import AnyArray, Arrays, FloatArray

if TYPE_CHECKING:  # most runs have no experts
    from novikoff.learners.experts.regret_learner import RegretLearner
    from novikoff.learners.protocols import BlockLearner

_SLACK = 1 + 1e-9  # for what was rounded a few times
_ROUNDED = 2.0**-52  # for each term of a sum besides
_LOST = 1e-279  # of a square that underflows


def require(agrees: bool, what: str) -> None:
    """Refuse a saved run in which something disagrees."""
    if not agrees:
        raise ValueError(what)


def check_tally(tally: Arrays, judges: bool) -> None:
    """Refuse the state of a tally whose counts disagree; without ``judges`` it has no mistakes.

    Rounds whose labels are whole outputs, such as tags, are not counted by label.
    """
    rounds, abstentions, second, exact, weighted = tally["counts"].tolist()
    mistakes = len(tally["mistake_rounds"])
    by_label, wrong = tally["rounds_by_label"].tolist(), tally["mistakes_by_label"].tolist()
    if by_label:
        _require_sum("rounds", rounds, by_label)
        _require_sum("mistakes", mistakes, wrong)
    most = all(m <= n for m, n in zip(wrong, by_label, strict=True))
    require(most, "more mistakes on a label than rounds with it")
    require(judges or not mistakes, "mistakes of predictions that are never right or wrong")
    require(mistakes + abstentions <= rounds, "more mistakes and abstentions than rounds")
    require(exact <= second, "more exact steps than second steps")
    require(weighted in (0, 1), "weights that are neither there nor missing")
    _check_energy(tally["measures"], mistakes)
    _check_changes(tally["label_changes"], rounds, by_label)
    _check_confusion(tally["confusion"], mistakes, wrong)


def _require_sum(what: str, count: int, by_label: list[int]) -> None:
    found = sum(by_label)
    require(found == count, f"{count:,} {what}, and {found:,} of them by label")


def _check_energy(measures: FloatArray, mistakes: int) -> None:
    """Refuse Σ‖x_t‖² over M mistakes beyond M · max‖x_t‖²."""
    radius2, extreme, _, energy = measures
    with np.errstate(over="ignore", invalid="ignore"):  # ∞ stands for a square that overflowed
        most = np.float64(mistakes) * (max(radius2, extreme * extreme) + _LOST)
        most *= _SLACK + mistakes * _ROUNDED
    sound = energy <= most if mistakes else energy == 0
    require(bool(sound), f"a mistake energy beyond that of {mistakes:,} of the longest rows")


def _check_changes(changes: AnyArray, rounds: int, by_label: list[int]) -> None:
    """Refuse changes of labels between fewer rounds, and a last label that no round had."""
    followed, count, last = changes.tolist()
    require(count <= max(followed - 1, 0), "more changes of the label than rounds after the first")
    if last:
        met = followed > 0 and last <= len(by_label) and by_label[last - 1] > 0
        require(met, "a last label that no round had")


def _check_confusion(confusion: AnyArray, mistakes: int, wrong: list[int]) -> None:
    """Refuse a label that was confused with itself, or more often than it was mistaken."""
    if not len(confusion):
        return
    table = confusion.reshape(CONFUSED_LABELS, CONFUSED_LABELS)
    require(not table.diagonal().any(), "a label that was taken for itself")
    counted = (wrong + [0] * CONFUSED_LABELS)[:CONFUSED_LABELS]
    most = (table.sum(axis=1) <= counted).all()
    require(bool(most), f"other confusions of labels than {mistakes:,} mistakes by label")


def check_calibration(tally: Arrays, learner: "BlockLearner") -> None:
    """Refuse probabilities that came true more or less often than the labels say.

    A probability is that of the positive label; with many classes, that of the predicted one.
    """
    in_bins, came = tally["calibration_rounds"], tally["calibration_came"]
    rounds = int(tally["counts"][0])
    if not rounds or int(in_bins.sum()) != rounds:
        return  # an earlier version played rounds without counting these
    right = rounds - len(tally["mistake_rounds"])
    positive = sum(tally["rounds_by_label"].tolist()[1:])
    stated, found = right if learner.multiclass else positive, int(came.sum())
    require(found == stated, f"{found:,} probabilities that came true, and {stated:,} such labels")
    sums, bins = tally["calibration_sums"], len(in_bins)
    least = in_bins * (np.arange(bins) / bins)
    slack = _SLACK + rounds * _ROUNDED
    within = (least <= sums * slack) & (sums <= (least + in_bins / bins) * slack)
    require(bool(within.all()), "sums of probabilities that are not in their bins")


def check_losses(losses: Mapping[int, float], rounds: int, loss: float) -> None:
    """Refuse losses at checkpoints that fall, or that the sum of all does not reach."""
    along = [*losses.values(), loss]
    rising = all(a <= b * _SLACK for a, b in pairwise(along))
    require(rising, "losses that fall from one checkpoint to the next")
    last = losses.get(rounds, loss)
    require(loss <= last * _SLACK, "another loss at the last checkpoint than in all")


def check_decided(wrong: tuple[int, int], by_label: list[int]) -> None:
    """Refuse more errors of decisions on a label than rounds with it."""
    negatives, positives = [*by_label, 0, 0][:2]
    sound = wrong[0] <= negatives and wrong[1] <= positives
    require(sound, "more errors of decisions on a label than rounds with it")


def check_learner(rounds: int, began_fresh: bool | None, learner_rounds: int) -> None:
    """Refuse a ledger of rounds that its learner has not played; it may have played others."""
    told = f"{rounds:,} rounds, and {learner_rounds:,} of the learner"
    require(rounds <= learner_rounds, told)
    require(began_fresh is not False or rounds < learner_rounds, f"{told}, which was not fresh")


def check_passes(rounds: int, metadata: SavedRun) -> None:
    """Refuse passes, or streams, without rounds."""
    require(rounds > 0 or not metadata["passes"], "passes without a round")
    streams = metadata.get("streams", 0)
    require(streams <= rounds, f"{streams:,} streams with {rounds:,} rounds")


def check_stated(metadata: SavedRun, restored: Mapping[str, object]) -> None:
    """Refuse fields of which another value is restored, because others contradict them."""
    for name, value in restored.items():
        stated = metadata.get(name, value)
        same = repr(stated) == repr(value)
        require(same, f"{stated!r:.40} for {name!r} instead of {value!r:.40}")


def check_codes(by_label: list[int], named: int) -> None:
    """Refuse rounds with labels that have no name; of two without names only +1 was met."""
    used = max((k + 1 for k, count in enumerate(by_label) if count), default=0)
    require(used <= named, f"rounds with {used:,} labels, {named:,} of them named")


def check_regret(arrays: Arrays, learner: "RegretLearner", known: FloatArray) -> None:
    """Refuse a ledger of experts or arms whose sums disagree with its last checkpoint or learner.

    ``known`` are the losses of each one, as the learner or its tally knows them.
    """
    rounds, losses = int(arrays["ledger.rounds"][0]), arrays["ledger.losses"]
    wrong, points = arrays["ledger.mistake_rounds"], arrays["ledger.checkpoints"]
    ascending = (np.diff(wrong, prepend=0) > 0).all() and (wrong <= rounds).all()
    require(bool(ascending), "mistakes in other rounds than those played, or out of order")
    require(bool((np.diff(points[:, 0], prepend=0) > 0).all()), "a checkpoint twice")
    require((len(points) > 0) == (rounds > 0), "checkpoints without rounds, or none")
    if learner.rounds == rounds:
        slack = 1e-9 + rounds * _ROUNDED
        same = np.allclose(known[: len(losses)], losses, rtol=slack, atol=slack)
        require(same, "other losses than the learner's")
    if not rounds:
        sums = (arrays[f"ledger.{name}"] for name in ("sums", "losses", "mean_losses"))
        require(not any(array.any() for array in sums), "losses without a round")
        return
    loss, expected, pseudo = arrays["ledger.sums"].tolist()
    best, least = losses.min(), arrays["ledger.mean_losses"].min()
    full = learner.full_information
    stated = [rounds, loss, loss - best, expected - best if full else np.nan, pseudo - least]
    same = np.allclose(points[-1], stated, rtol=1e-9, atol=1e-9, equal_nan=True)
    require(same, "a last checkpoint that is not the run at its last round")
