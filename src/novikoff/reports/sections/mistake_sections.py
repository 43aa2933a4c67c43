"""Mistakes: over time, below what the theorems allow, and by label."""

from novikoff.reports import figures
from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import figure, folded, own, section, table, terms
from novikoff.reports.page_words import allowed, count, number, percent, text
from novikoff.theory import named
from novikoff.types import Label

_ROWS = 12  # rows of a table behind a figure
_LABELS = 64  # rows of the table by label
_WORST = 8  # pairs of labels that are named


def errors(facts: Facts) -> str:
    """Return the share of wrong rounds over time, next to the baselines."""
    over, known, ledger = facts.errors, facts.baseline, facts.ledger
    caption = (
        "How often the predictions were wrong: in all rounds so far, and in the last "
        f"{over.window:,} before each round. Without learning: always guessing "
        f"{own(repr(known.label), 48)} is wrong on {percent(known.error_rate)}"
    )
    if known.last_label is not None:
        caption += f", repeating the last label on {percent(known.last_label)}"
    if (stump := known.best_feature) is not None:
        name = stump.feature if isinstance(stump.feature, str) else f"feature {stump.feature}"
        caption += (
            f", looking only at whether {own(name, 48)} is above {number(stump.threshold, 4)} on "
            f"{percent(stump.error_rate)}, in hindsight"
        )
    caption += "."
    if (error := facts.error) is not None:
        caption += (
            f" The thin line: with probability {percent(1 - error.delta)}, at every round at once, "
            "the hypotheses that played so far err on average on at most that share of new rows."
        )
    described = (
        f"wrong on {percent(ledger.error_rate)} of all rounds, on "
        f"{percent(float(over.recent[-1]))} of the last {over.window:,}"
    )
    if ledger.abstentions:
        described += f", silent on {percent(ledger.abstentions / ledger.rounds)} of all rounds"
    body = figure(figures.error_over_time(facts), "errors", described, caption)
    meanings = {
        "sliding window": "The error among the most recent rounds alone. If it rises, the data "
        "change faster than the learner follows.",
    }
    if known.best_feature is not None:
        meanings["best single feature"] = (
            "The rule that guesses one label if a feature is above its mean and another if not, "
            "for the feature on which that errs least in hindsight."
        )
    return section("Errors over time", body + terms(meanings))


def mistakes(facts: Facts) -> str:
    """Return the mistakes below what the theorems allow, with the band of errors to come."""
    ledger, error = facts.ledger, facts.error
    caption = "Mistakes so far, round by round; both axes are logarithmic."
    if facts.drawn:
        caption += " Lines: what each theorem allows for the whole run."
        if facts.certificate and facts.certificate.theorem in {b.theorem for b in facts.drawn}:
            caption += " The solid one is certified."
    left_out = [b for b in facts.counted if b.observed is not None and b not in facts.drawn]
    if left_out:
        named_out = ", ".join(f"{b.theorem} ({allowed(b.value)})" for b in left_out)
        caption += f" Outside the picture: {text(named_out, 400)}."
    if error is not None:
        caption += (
            f" Band: with probability at least {1 - error.delta:g} (δ = {error.delta:g}), at every "
            "round at once, the errors err(h<sub>1</sub>) + … + err(h<sub>t</sub>) of the "
            "hypotheses that played, on examples not yet seen, add up to no more than its upper "
            f"edge; their mean is now at most {allowed(error.value, 4)}."
        )
    described = f"{count(ledger.mistakes, 'mistake')} in {count(ledger.rounds, 'round')}"
    if ledger.abstentions:
        described += f", {count(ledger.abstentions, 'abstention')}"
        caption += " A round without a prediction is not a mistake."
    described += "".join(f"; {b.theorem} allows {allowed(b.value)}" for b in facts.drawn)
    body = figure(figures.mistakes(facts), "mistakes", described, caption, _checkpoints(facts))
    return section("Mistakes", body)


def _checkpoints(facts: Facts) -> str:
    """Return the curve as a table, for readers who cannot see pictures."""
    rounds, made, *_ = facts.ledger.checkpoints
    edges = {} if facts.error is None else {t: value for t, _, value in facts.error.along}
    head = ["round", "mistakes", *(["mean error at most"] if edges else [])]
    step = max(1, -(-len(rounds) // _ROWS))
    rows = []
    for t, m in list(zip(rounds.tolist(), made.tolist(), strict=True))[::-1][::step][::-1]:
        rows.append([f"{t:,}", f"{m:,}", *([allowed(edges[t], 4)] if edges else [])])
    return folded("The same in numbers", table(head, rows))


def margins(facts: Facts) -> str:
    """Return how the comparator does on the rows."""
    bound = facts.compared
    assert bound is not None
    assert bound.margins is not None
    found = bound.margins
    caption = (
        f"What the comparator w of <code>{text(bound.theorem)}</code> makes of each row of one "
        "pass: y w·x. It is wrong left of 0"
    )
    caption += ", and pays hinge loss left of 1." if named(bound.theorem).pays_hinge else "."
    for outside, side, edge in (
        (found.below, "first", f"below {number(found.low)}"),
        (found.above, "last", f"above {number(found.high)}"),
    ):
        if outside:
            caption += f" The {side} bar includes {count(outside, 'row')} {edge}."
    described = (
        f"{count(sum(found.counts), 'row')}, y w·x mostly from {number(found.low)} to "
        f"{number(found.high)}"
    )
    body = figure(figures.margins(bound), "margins", described, caption)
    meanings = {
        "comparator": "The fixed weights that the theorem compares the run with. They were chosen "
        "in hindsight, so that the bound is nearly as small as possible.",
        "y w·x": "The comparator's score of a row, counted as positive if it points to the label "
        "that came.",
    }
    return section("Margins of the comparator", body + terms(meanings))


def by_label(facts: Facts) -> str:
    """Return how often each label was wrong, and for many labels which was taken for which."""
    made, rounds = facts.ledger.mistakes_by_label, facts.ledger.rounds_by_label
    met = [label for label, n in rounds.items() if n]
    rows = [
        [
            own(label, 40),
            f"{rounds[label]:,}",
            f"{made[label]:,}",
            _share(made[label], rounds[label]),
        ]
        for label in met[:_LABELS]
    ]
    body = table(["label", "rounds", "wrong", "share wrong"], rows, "by-label")
    more = len(met) - _LABELS
    body += f'<p class="note">And {more:,} labels more.</p>\n' * (more > 0)
    if len(met) > 2 and hasattr(facts.ledger, "confusion"):
        body += _confusion(facts.ledger.confusion, met, rounds)
    return section("Errors by label", body)


def _share(wrong: int, rounds: int) -> str:
    share = wrong / rounds
    meter = f'<span class="meter"><span style="width: {100 * share:.1f}%"></span></span>'
    return f'{meter}<span class="share">{percent(share)}</span>'


def _confusion(
    found: dict[Label, dict[Label, int]], labels: list[Label], rounds: dict[Label, int]
) -> str:
    pairs = [(n, y, z) for y, row in found.items() for z, n in row.items()]
    worst = sorted(pairs, key=lambda pair: -pair[0])[:_WORST]
    said = ", ".join(f"{own(y, 24)} taken for {own(z, 24)} ({n:,})" for n, y, z in worst)
    most = max(n / rounds[y] for n, y, _ in pairs)
    rows = []
    for y in labels:
        wrong = found.get(y, {})
        cells = [_cell(wrong.get(z, 0), rounds[y], most) if z != y else "·" for z in labels]
        rows.append([own(y, 24), *cells])
    grid = table(["label ╲ taken for", *(own(label, 24) for label in labels)], rows, "confusion")
    return (
        f'<p class="note">The most frequent mistakes: {said}.</p>\n'
        f"{folded('Which label was taken for which', grid)}"
    )


def _cell(wrong: int, rounds: int, most: float) -> str:
    if not wrong:
        return ""
    part = f"{30 * wrong / rounds / most:.0f}%"  # so faint that the number stays readable
    shade = f"background: color-mix(in srgb, var(--wrong) {part}, transparent)"
    return f'<span style="{shade}">{wrong:,}</span>'
