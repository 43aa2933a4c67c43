"""The page: one HTML file that needs nothing else."""

from pathlib import Path

from novikoff.receipts.remarks import about_bounds
from novikoff.reports import figures
from novikoff.reports.canvas import COLOURS, NARROW, PAPER, WIDE, Drawing, inline
from novikoff.reports.facts import Facts, Weights
from novikoff.reports.page_words import allowed, count, formula, number, text
from novikoff.streams.transforms.transforms import readable
from novikoff.theory import Bound, Theorem, named
from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR
from novikoff.theory.theorem import KINDS

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LABELS = 12  # shown, if there are many
_ROWS = 12  # rows of the table behind the first figure


def page(facts: Facts) -> str:
    """Return the page: headline, remarks, figures, bounds and theorems, weights, certificate."""
    light = "".join(f"--{role}: {colour}; " for role, colour in COLOURS.items())
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    parts = [_headline(facts)]
    for section, part in (
        (_remarks, facts.remarks),
        (_mistakes, facts.ledger),
        (_margins, facts.compared),
        (_bounds, facts.bounds),
        (_theorems, facts.bounds),
        (_weights, facts.weights),
        (_certificate, facts.certificate),
    ):
        parts += [section(facts)] if part else []
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(facts.title, 120)}</title>
<style>
:root {{ --paper: {PAPER}; {light}}}
{style}</style>
</head>
<body>
<main>
{"".join(parts)}</main>
</body>
</html>
"""


def _headline(facts: Facts) -> str:
    ledger = facts.ledger
    numbers = [
        ("rounds", f"{ledger.rounds:,}"),
        ("mistakes", f"{ledger.mistakes:,}"),
        ("error rate", f"{100 * ledger.error_rate:.3g} %"),
    ]
    if hasattr(ledger, "mean_loss"):
        numbers.append(("mean loss", f"{ledger.mean_loss:.4g}"))
    if ledger.abstentions:
        numbers[2] = ("abstentions", f"{ledger.abstentions:,}")
        numbers += [
            ("error per round", f"{100 * ledger.error_rate:.3g} %"),
            ("error per prediction", f"{100 * ledger.prediction_error_rate:.3g} %"),
        ]
    big = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in numbers)
    given = readable(ledger.parameters)
    parameters = ", ".join(f"{name} = {value!r}" for name, value in given.items())
    shown = "".join(f"<li>{_own(label, 40)}</li>" for label in ledger.labels[:_LABELS])
    more = len(ledger.labels) - _LABELS
    shown += f"<li>and {more:,} more</li>" * (more > 0)
    rows = {
        "learner": f"{text(ledger.learner)} <small>{text(parameters, 200)}</small>",
        "labels": f'<ul class="labels">{shown}</ul>' * bool(shown),
        "radius": f"{number(ledger.radius)} <small>R = max‖x‖</small>",
    }
    if ledger.passes > 1:
        rows["passes"] = str(ledger.passes)
    if ledger.abstentions:
        without = count(ledger.abstentions, "round")
        predicted = count(ledger.predictions, "prediction")
        rows["abstentions"] = (
            f"{without} without a prediction: {count(ledger.mistakes, 'mistake')} in {predicted}"
        )
    if facts.digest is not None:
        rows["data"] = f"{_code(facts.digest)} <small>SHA-256</small>"
    return f"""<header>
<p class="kind">Receipt of a run</p>
<h1>{_own(facts.title, 200)}</h1>
<dl class="numbers">{big}</dl>
{_facts(rows)}</header>
"""


def _remarks(facts: Facts) -> str:
    lines = "".join(f"<li>{_own(remark, 2000)}</li>\n" for remark in facts.remarks)
    return f"""<section class="remarks">
<h2>Remarks</h2>
<ul>
{lines}</ul>
</section>
"""


def _mistakes(facts: Facts) -> str:
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
            f"edge; their mean is now at most {allowed(error.value, 4)}. It assumes that "
            f"{text(' and that '.join(error.assumes), 300)}."
        )
    described = f"{count(ledger.mistakes, 'mistake')} in {count(ledger.rounds, 'round')}"
    if ledger.abstentions:
        described += f", {count(ledger.abstentions, 'abstention')}"
        caption += " A round without a prediction is not a mistake."
    described += "".join(f"; {b.theorem} allows {allowed(b.value)}" for b in facts.drawn)
    return f"""<section>
<h2>Mistakes</h2>
{_figure(figures.mistakes(facts), "mistakes", described, caption, _checkpoints(facts))}</section>
"""


def _checkpoints(facts: Facts) -> str:
    """Return the curve as a table, for readers who cannot see pictures."""
    rounds, made, *_ = facts.ledger.checkpoints
    edges = {} if facts.error is None else {t: value for t, _, value in facts.error.along}
    head = "<th>round</th><th>mistakes</th>" + "<th>mean error at most</th>" * bool(edges)
    step = max(1, -(-len(rounds) // _ROWS))
    lines = []
    for t, m in list(zip(rounds.tolist(), made.tolist(), strict=True))[::-1][::step][::-1]:
        cells = [f"{t:,}", f"{m:,}"] + ([allowed(edges[t], 4)] if edges else [])
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"""<details><summary>The same in numbers</summary>
<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>
{chr(10).join(lines)}
</tbody></table></div></details>
"""


def _margins(facts: Facts) -> str:
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
    return f"""<section>
<h2>Margins of the comparator</h2>
{_figure(figures.margins(bound), "margins", described, caption)}</section>
"""


def _figure(draw: Drawing, name: str, described: str, caption: str, more: str = "") -> str:
    pictures = "\n".join(inline(draw, form, name, described) for form in (WIDE, NARROW))
    return (
        f'<figure id="{name}">\n{pictures}\n<figcaption>{caption}</figcaption>\n{more}</figure>\n'
    )


def _bounds(facts: Facts) -> str:
    lines = "\n".join(_line(bound, facts.ledger.rounds) for bound in facts.bounds)
    return f"""<section>
<h2>What the theorems allow</h2>
<div class="scroll"><table class="bounds">
<thead><tr><th>theorem</th><th>allows</th><th>observed</th><th>gap</th><th>kind</th></tr></thead>
<tbody>
{lines}
</tbody></table></div>
<p class="note">A bound is rounded upward. The gap is the most that another comparator could
still gain; – if that is not known.</p>
</section>
"""


def _line(bound: Bound, rounds: int) -> str:
    observed = "–" if bound.observed is None else _observed(bound.theorem, bound.observed)
    gap = "–" if bound.gap is None else allowed(bound.gap, 3)
    gap = "&lt; 0.001" if bound.gap and bound.gap < 0.001 else gap
    empty = " <small>says nothing</small>" * bool(
        about_bounds([(bound.theorem, bound.value)], rounds)
    )
    return (
        f'<tr><th scope="row"><a href="#theorem-{text(bound.theorem)}">{text(bound.theorem)}</a>'
        f'{empty}</th><td><data value="{bound.value!r}">{allowed(bound.value)}</data></td>'
        f"<td>{observed}</td><td>{gap}</td><td>{text(named(bound.theorem).kind)}</td></tr>"
    )


def _observed(theorem: str, value: float) -> str:
    """Return a count as it is, and a loss with a few digits."""
    return number(value, 8) if named(theorem).of == "loss" else f"{value:,}"


def _theorems(facts: Facts) -> str:
    ledger = facts.ledger
    checked = ["the learner had seen nothing before"] * bool(ledger.began_fresh)
    checked += ["every update has weight 1"] * (not ledger.weighted)
    note = f'<p class="note">Checked for each of them: {", ".join(checked)}.</p>\n'
    told = dict.fromkeys(bound.theorem for bound in facts.bounds)
    statements = "".join(_statement(named(id)) for id in told)
    return f"""<section>
<h2>What they say</h2>
{statements}{note * bool(checked)}</section>
"""


def _statement(theorem: Theorem) -> str:
    rows = {
        "source": f"{text(theorem.citation)}; {text(KINDS[theorem.kind])}",
        "is about": ", ".join(text(name) for name in theorem.learners),
        "measured": ", ".join(_code(name) for name in theorem.needs),
        "assumes": "; ".join(text(words, 200) for words in theorem.assumptions),
    }
    return f"""<article id="theorem-{text(theorem.id)}">
<h3>{text(theorem.id)}</h3>
<p class="statement">{formula(theorem.statement)}</p>
{_facts(rows)}</article>
"""


def _weights(facts: Facts) -> str:
    lists = "".join(_bars(weights, facts.ledger.labels) for weights in facts.weights)
    more = f'<p class="note">And {count(facts.more_classes, "class", "classes")} more.</p>\n'
    several = " several" * (facts.weights[0].label is not None)
    return f"""<section>
<h2>What weighs most</h2>
<div class="weights{several}">
{lists}</div>
{more * bool(facts.more_classes)}</section>
"""


def _bars(weights: Weights, labels: tuple[object, ...]) -> str:
    most = max(abs(value) for _, value in weights.features)
    lines = []
    for feature, value in weights.features:
        name = f"feature {feature}" if isinstance(feature, int) else feature
        side = "plus" if value > 0 else "minus"
        share = 50 * abs(value) / most if most > 0 else 0
        lines.append(
            f'<li><span class="name">{_own(name, 48)}</span><span class="track"><span '
            f'class="{side}" style="width: {share:.2f}%"></span></span>'
            f'<span class="value">{number(value, 4)}</span></li>'
        )
    if weights.label is not None:
        head = f"<h3><small>class</small> {_own(weights.label, 40)}</h3>\n"
    elif len(labels) == 2:
        left, right = (_own(label, 32) for label in labels)
        head = f'<p class="sides"><span>← {left}</span><span>{right} →</span></p>\n'
    else:
        head = ""
    constant = f'<p class="note">The constant feature weighs {number(weights.constant or 0)}.</p>\n'
    return (
        f'<div>{head}<ol class="bars">\n{chr(10).join(lines)}\n</ol>\n'
        f"{constant * (weights.constant is not None)}</div>\n"
    )


def _certificate(facts: Facts) -> str:
    certificate = facts.certificate
    assert certificate is not None
    rows = {"theorem": f"<strong>{text(certificate.theorem)}</strong>"}
    if certificate.bound is not None:
        seen = certificate.observed
        observed = "" if seen is None else f"{_observed(certificate.theorem, seen)} ≤ "
        if certificate.theorem in ABOUT_MEAN_ERROR:
            observed = "mean error ≤ "
        exact = f'<data value="{certificate.bound!r}">{allowed(certificate.bound)}</data>'
        rows["says"] = observed + exact
    rows["statement"] = formula(certificate.content["statement"])
    assumptions = certificate.content["assumptions"]
    if assumptions:
        rows["assumed"] = "; ".join(text(words, 200) for words in assumptions)
    rows["certificate"] = f"{_code(certificate.content['sha256'])} <small>SHA-256</small>"
    rows["data"] = f"{_code(certificate.content['data']['digest'])} <small>SHA-256</small>"
    return f"""<section>
<h2>Certificate</h2>
{_facts(rows)}{_checked(facts)}</section>
"""


def _checked(facts: Facts) -> str:
    """Return how to check the certificate: with commands, or in Python."""
    how = facts.checking
    assert how is not None
    file = text(how.certificate, 1000)
    words = (
        "<p>Whoever has the certificate and the data can check it, in exact arithmetic and without "
        "trusting this page"
    )
    if not how.saved:
        words += f'. Save it first: <code>certificate.save("{file}")</code>'
    if how.verify is None:
        return f"""{words}. The data were not in a file: check it in Python, where
<code>stream</code> holds the rows and labels that were played, such as
<code>nv.stream(X, y)</code>.</p>
<pre>nv.verify(nv.Certificate.load("{file}"), stream)</pre>
"""
    if how.alone:
        words += (
            ". The last command does not trust this library either: <code>verifier.py</code>, a "
            "copy of <code>novikoff.verifier.__file__</code>, needs nothing but Python"
        )
    if len(how.alone) > 1:
        words += "; <code>novikoff export</code> writes the rows in the form that it reads"
    lines = "\n".join(text(command, 100_000) for command in (how.verify, *how.alone))
    return f"{words}.</p>\n<pre>{lines}</pre>\n"


def _facts(rows: dict[str, str]) -> str:
    kept = ((name, value) for name, value in rows.items() if value)
    lines = "".join(f"<dt>{name}</dt><dd>{value}</dd>\n" for name, value in kept)
    return f'<dl class="facts">\n{lines}</dl>\n'


def _own(value: object, limit: int) -> str:
    """Return the user's words, which may run in either direction."""
    return f"<bdi>{text(value, limit)}</bdi>"


def _code(value: object) -> str:
    return f"<code>{text(value, 100)}</code>"
