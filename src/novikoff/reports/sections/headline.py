"""The headline: how good, compared with what, how sure; then the run's facts and remarks."""

import math

from novikoff.receipts.baselines import has_log_loss, unbeaten
from novikoff.receipts.fresh_testing import FreshTest
from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import DIGEST, code, fact_list, own, terms
from novikoff.reports.page_words import allowed, count, number, percent, percent_allowed, text
from novikoff.streams.transforms.transforms import readable

_LABELS = 12  # shown, if there are many
_DRAWN = (
    "The run changed its hypothesis, the rule that it predicts with, from round to round. The "
    "bound is about one of them that is drawn at random, and not about the last one, which is "
    "what the saved model holds. Test the saved model on rows that it has not seen "
    "(<code>novikoff test</code>) for a bound on its own error."
)


def headline(facts: Facts) -> str:
    """Return the header of the page."""
    lines = "".join(f"<li{kind}>{line}</li>\n" for line, kind in _sentences(facts))
    return f"""<header>
<p class="kind">Receipt of a run</p>
<h1>{own(facts.heading, 200)}</h1>
<ul class="headline">
{lines}</ul>
{_numbers(facts)}{_about(facts)}{terms(_meanings(facts))}</header>
"""


def remarks(facts: Facts) -> str:
    """Return why the numbers mean less than they seem to."""
    lines = "".join(f"<li>{own(remark, 2000)}</li>\n" for remark in facts.remarks)
    return f"""<section class="remarks">
<h2>Remarks</h2>
<ul>
{lines}</ul>
</section>
"""


def _sentences(facts: Facts) -> list[tuple[str, str]]:
    """Return the headline's sentences, each with its class: how good, compared with what."""
    ledger, known = facts.ledger, facts.baseline
    silent = ledger.abstentions / ledger.rounds
    wrong = f"wrong on <strong>{percent(ledger.error_rate)}</strong> of {ledger.rounds:,} rounds"
    wrong += f", silent on {percent(silent)}" * bool(silent)
    label = own(repr(known.label), 48)
    guess = f"always guessing {label} is wrong on {percent(known.error_rate)}"
    found = [(line, "") for line in (wrong, *_decided(facts), guess)]
    better = unbeaten(ledger, known)
    if better:
        found.insert(0, ("<strong>This run does not beat its baseline.</strong>", ' class="bad"'))
    if known.last_label is not None and (better or known.last_label < known.error_rate):
        found.append((f"repeating the last label is wrong on {percent(known.last_label)}", ""))
    return found + [(line, "") for line in (*_bounded(facts), *_certified(facts))]


def _certified(facts: Facts) -> list[str]:
    """Return how anybody can check the run, if it has a certificate."""
    how = facts.checking
    if facts.certificate is None or how is None or how.verify is None:
        return []
    return [f"anybody who has the data can check it: <code>{text(how.verify, 400)}</code>"]


def _decided(facts: Facts) -> list[str]:
    """Return how often decisions by the run's threshold were wrong, if it has one."""
    if facts.threshold is None:
        return []
    ledger = facts.ledger
    return [
        f"decisions by the threshold {facts.threshold:g} are wrong on "
        f"<strong>{percent(ledger.decided_errors / ledger.rounds)}</strong>: "
        f"{count(ledger.false_positives, 'false positive')} and "
        f"{count(ledger.false_negatives, 'false negative')}; all other numbers are about the "
        "learner's own predictions"
    ]


def _bounded(facts: Facts) -> list[str]:
    """Return what is promised about new rows: of the saved model, or else of the run."""
    tested, error = facts.promised, facts.error
    if tested is not None:
        return [
            f"the model as saved: at most <strong>{percent_allowed(tested.error_bound)}</strong> "
            f"wrong on new rows, with probability {percent(1 - tested.delta)}, if rows are "
            "independent"
        ]
    if error is not None and error.value < 1:
        return [
            "a hypothesis drawn at random from the run: at most "
            f"<strong>{percent_allowed(error.value)}</strong> wrong on new rows, with probability "
            f"{percent(1 - error.delta)}, if rows are independent"
        ]
    return []


def _numbers(facts: Facts) -> str:
    ledger = facts.ledger
    numbers = [
        ("rounds", f"{ledger.rounds:,}"),
        ("mistakes", f"{ledger.mistakes:,}"),
        ("error rate", percent(ledger.error_rate)),
    ]
    if hasattr(ledger, "mean_loss"):
        name = "weighted loss per round" if ledger.weighted else "mean loss"
        numbers.append((name, f"{ledger.mean_loss:.4g}"))
    if ledger.abstentions:
        numbers[2] = ("abstentions", f"{ledger.abstentions:,}")
        numbers += [
            ("error per round", percent(ledger.error_rate)),
            ("error per prediction", percent(ledger.prediction_error_rate)),
        ]
    big = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in numbers)
    return f'<dl class="numbers">{big}</dl>\n'


def _about(facts: Facts) -> str:
    ledger = facts.ledger
    given = readable(ledger.parameters)
    parameters = ", ".join(
        f"{name} = {value!r}" for name, value in given.items() if value is not None
    )
    shown = "".join(f"<li>{own(label, 40)}</li>" for label in ledger.labels[:_LABELS])
    more = len(ledger.labels) - _LABELS
    shown += f"<li>and {more:,} more</li>" * (more > 0)
    rows = {
        "learner": f"{text(ledger.learner)} <small>{text(parameters, 200)}</small>",
        "labels": f'<ul class="labels">{shown}</ul>' * bool(shown),
        "radius": f"{number(ledger.radius)} <small>the length of the longest row, max‖x‖</small>",
    }
    if ledger.passes > 1:
        rows["passes"] = str(ledger.passes)
    if ledger.abstentions:
        without = count(ledger.abstentions, "round")
        predicted = count(ledger.predictions, "prediction")
        rows["abstentions"] = (
            f"{without} without a prediction: {count(ledger.mistakes, 'mistake')} in {predicted}"
        )
    if facts.tested is not None:
        rows["tested"] = _tested(facts.tested, new=facts.promised is not None)
    if facts.digest is not None:
        rows["data"] = f"{code(facts.digest)} {DIGEST}"
    return fact_list(rows)


def _tested(tested: FreshTest, new: bool) -> str:
    """Return what a test found; what it promises, if its rows were new to the model."""
    seen = "the model had not seen" if new else "are not all new to the model"
    found = f"{count(tested.errors, 'error')} on {count(tested.rows, 'row')} that {seen}"
    if tested.loss is None:
        return found
    most = (
        f", at most {allowed(tested.loss.bound, 4)} on new rows with probability "
        f"{percent(1 - tested.delta)}"
    )
    return f"{found}; mean loss {number(tested.loss.mean, 4)}{most * new}"


def _meanings(facts: Facts) -> dict[str, str]:
    found = {
        "round": "The learner sees a row and predicts its label, and only then is shown the label. "
        "So every prediction is about a row that it had not learned from.",
        "mistake": "A round whose prediction was not the label that came.",
        "baseline": "What one gets without learning: always guessing the most frequent label, or "
        "repeating the label of the round before.",
    }
    if has_log_loss(facts.ledger) and not facts.ledger.weighted:
        labels = max(2, len(facts.ledger.labels))
        found["mean loss"] = (
            "For learners with probabilities: the mean of −ln of the probability that was given to "
            "the label that came. 0 is perfect; giving every label the same probability costs "
            f"ln {labels} ≈ {math.log(labels):.3f}."
        )
    if facts.promised is None and facts.error is not None:
        found["drawn at random"] = _DRAWN
    if facts.ledger.abstentions:
        found["abstention"] = "A round in which the learner predicted nothing; not a mistake."
    return found
