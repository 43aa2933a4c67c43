"""Losses over time next to their bound, and calibration of the probabilities."""

from collections.abc import Sequence

from novikoff.receipts.baselines import has_log_loss
from novikoff.receipts.calibration import CalibrationBin
from novikoff.reports import loss_figures
from novikoff.reports.facts import Facts
from novikoff.reports.measured import LossOverTime
from novikoff.reports.page_parts import figure, folded, own, section, table, terms
from novikoff.reports.page_words import allowed, amount, number, percent, text

_ROWS = 12  # rows of the table behind the figure


def losses(facts: Facts) -> str:
    """Return the loss over time: the run's own, that of fixed weights, and the bound."""
    over = facts.losses
    assert over is not None
    last = int(over.rounds[-1])
    caption = "The mean loss of the rounds so far."
    if over.frequencies is not None:
        caption += (
            f" Dashes: giving each label its frequency costs {number(over.frequencies, 4)}, in "
            "hindsight."
        )
    if over.bound is not None:
        caption += (
            f" The diamond: what <code>{text(over.bound.theorem)}</code> allows at the end, "
            f"{allowed(over.bound.value)}/{last:,}."
        )
    described = f"a mean loss of {number(float(over.own[-1]) / last, 4)} at the end"
    body = figure(
        loss_figures.loss_over_time(over), "losses", described, caption, _in_numbers(over)
    )
    if over.compared is not None and over.bound is not None:
        body += _regret(over)
    return section("Loss over time", body + terms(_meanings(facts, over)))


def _regret(over: LossOverTime) -> str:
    assert over.compared is not None
    assert over.bound is not None
    most = over.bound.value - float(over.compared[-1])
    end = float(over.own[-1] - over.compared[-1])
    caption = (
        "The regret: the run's loss so far minus that of the fixed weights u, which were chosen in "
        f"hindsight. At the end it is {amount(end)}, and "
        f"<code>{text(over.bound.theorem)}</code> allows {allowed(most, 4)}."
    )
    described = f"regret {amount(end)} at the end, {allowed(most, 4)} allowed"
    return figure(loss_figures.regret(over), "regret", described, caption)


def _in_numbers(over: LossOverTime) -> str:
    compared = over.compared
    head = ["round", "loss", *([] if compared is None else ["loss of u", "regret"])]
    step = max(1, -(-len(over.rounds) // _ROWS))
    rows: list[list[str]] = []
    for k in range(len(over.rounds) - 1, -1, -step):
        own = float(over.own[k])
        cells = [f"{int(over.rounds[k]):,}", amount(own)]
        if compared is not None:
            cells += [amount(float(compared[k])), amount(own - float(compared[k]))]
        rows.insert(0, cells)
    return folded("The same in numbers", table(head, rows))


def _meanings(facts: Facts, over: LossOverTime) -> dict[str, str]:
    kind = text(facts.ledger.parameters.get("loss", "logistic"))
    log = has_log_loss(facts.ledger)
    what = "−ln of the probability that it gave to that label" if log else f"the {kind} loss"
    found = {
        "loss": f"What a prediction costs once the label is known: here {what}, times the weight "
        "of the round.",
    }
    if over.frequencies is not None:
        found["label frequencies"] = (
            "What always giving each label its share of the rounds costs: the entropy of the "
            "labels."
        )
    if over.compared is not None:
        found["fixed weights u"] = (
            "One weight per feature, the same in all rounds, found in hindsight so that the bound "
            "is nearly as small as possible."
        )
        found["regret"] = (
            "By how much the run's loss exceeds that of the fixed weights. The theorem bounds it "
            "whatever the data are."
        )
    return found


def calibration(facts: Facts) -> str:
    """Return how often what was given a probability came true."""
    many = len(facts.ledger.labels) > 2
    positive = f"of {own(facts.ledger.labels[-1], 40)}" if facts.ledger.labels else "of +1"
    whose = "of the label that was predicted" if many else positive
    when = "as played, before each label was known"
    body = _calibrated(facts.bins, "calibration", f"{whose}, {when}", _sure(facts.delta))
    loss = None if facts.tested is None else facts.tested.loss
    if facts.tested is not None and loss is not None:
        new = facts.promised is not None
        seen = "the model had not seen" if new else "are not all new to the model"
        where = f"{whose}, on rows that {seen}"
        sure = (
            f"With probability {percent(1 - facts.tested.delta)} all intervals are right at once, "
            f"if rows are independent{'' if new else ' and new to the model: these are not'}."
        )
        body += "<h3>Of the model as saved</h3>\n"
        body += _calibrated(loss.bins, "tested", where, sure)
    meanings = {
        "calibration": "Whether probabilities mean what they say: of what is given 80 %, about "
        "80 % should come true. Then the dots lie on the dashed line.",
        "interval": "Where the true mean chance of these rounds lies. If an interval misses the "
        "dashed line, luck does not explain it.",
    }
    return section("Calibration", body + terms(meanings))


def _sure(delta: float) -> str:
    return (
        f"With probability {percent(1 - delta)} all intervals are right at once, whatever the data "
        "are: each is about the mean chance of the label in the rounds of its dot, given all that "
        "came before them."
    )


def _calibrated(bins: Sequence[CalibrationBin], name: str, whose: str, sure: str) -> str:
    rounds = sum(one.rows for one in bins)
    gap = sum(abs(one.rows * one.mean - one.happened) for one in bins) / rounds
    caption = (
        f"The probability {whose}, in bins of equal width, and how often that label came. On "
        f"average the two differ by {percent(gap)}. Larger dots have more rounds. {sure}"
    )
    described = f"{len(bins)} bins; probability and share differ by {percent(gap)} on average"
    rows = [
        [
            percent(one.mean),
            f"{one.rows:,}",
            percent(one.happened / one.rows),
            " to ".join(map(percent, one.interval)),
        ]
        for one in bins
    ]
    numbers = folded(
        "The same in numbers", table(["probability", "rounds", "came true", "interval"], rows)
    )
    return figure(loss_figures.calibration(bins), name, described, caption, numbers)
