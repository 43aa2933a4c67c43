"""Theorems: what they allow, what they say, and what is assumed."""

from collections.abc import Mapping

from novikoff.receipts.remarks import about_bounds, shown_below
from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import code, fact_list, section, terms
from novikoff.reports.page_words import allowed, formula, number, text
from novikoff.theory import Bound, Theorem, named
from novikoff.theory.theorem import KINDS


def bounds(facts: Facts) -> str:
    """Return a table of the bounds."""
    lines = "\n".join(
        _line(bound, facts.ledger.rounds, facts.ledger.parameters) for bound in facts.bounds
    )
    body = f"""{_in_words(facts)}<div class="scroll"><table class="bounds">
<thead><tr><th>theorem</th><th>allows</th><th>observed</th><th>gap</th><th>kind</th></tr></thead>
<tbody>
{lines}
</tbody></table></div>
<p class="note">A bound is rounded upward. The gap is the most that another comparator could
still gain; – if that is not known.</p>
{_least(facts)}"""
    meanings = {
        "allows": "No run of this learner on these rounds can exceed it: the theorem is proved, "
        "and its hypotheses were checked.",
        "kind": "<em>always</em>: for every sequence of rounds; <em>expected</em>: on average over "
        "draws; <em>probable</em>: with the probability that it states.",
        "comparator": "The fixed weights that a theorem compares the run with. Any weights give a "
        "bound; good ones give a small bound.",
    }
    return section("What the theorems allow", body + terms(meanings))


def _in_words(facts: Facts) -> str:
    """Return what the smallest bound says, for people who read no formulas."""
    told = [bound for bound in facts.bounds if bound.observed is not None]
    if not told:
        return ""
    best = min(told, key=lambda bound: bound.value)
    theorem, seen = named(best.theorem), observed(best.theorem, best.observed or 0)
    begun = {"loss": "The losses of all rounds add up to", "mistakes": "The run made"}
    if theorem.of not in begun:
        return ""
    what = begun[theorem.of]
    unit = " mistakes" * (theorem.of == "mistakes")
    return (
        f"<p>{what} <strong>{seen}</strong>{unit}. <code>{text(best.theorem)}</code> allows "
        f"<strong>{allowed(best.value)}</strong>: that much is proved about this learner on these "
        f"rounds.</p>\n"
    )


def _least(facts: Facts) -> str:
    """Return what no fixed weights can do better than, if a bound says so."""
    found = next((bound for bound in facts.bounds if bound.least), None)
    if found is None or found.least is None:
        return ""
    return (
        "<p>For comparison: no fixed weights u, even if chosen in hindsight, have a loss plus "
        "a penalty for their size, L(u) + ½ Σ λ u², below "
        f"<strong>{text(shown_below(found.least))}</strong>, with the "
        f"penalty of <code>{text(found.theorem)}</code>. A run can be below it, because its "
        "weights change.</p>\n"
    )


def _line(bound: Bound, rounds: int, parameters: Mapping[str, object]) -> str:
    seen = "–" if bound.observed is None else observed(bound.theorem, bound.observed)
    gap = "–" if bound.gap is None else allowed(bound.gap, 3)
    gap = "&lt; 0.001" if bound.gap and bound.gap < 0.001 else gap
    empty = " <small>says nothing</small>" * bool(
        about_bounds([(bound.theorem, bound.value)], rounds, parameters)
    )
    return (
        f'<tr><th scope="row"><a href="#theorem-{text(bound.theorem)}">{text(bound.theorem)}</a>'
        f'{empty}</th><td><data value="{bound.value!r}">{allowed(bound.value)}</data></td>'
        f"<td>{seen}</td><td>{gap}</td><td>{text(named(bound.theorem).kind)}</td></tr>"
    )


def observed(theorem: str, value: float) -> str:
    """Return a count as it is, and a loss with a few digits."""
    return number(value, 8) if named(theorem).of == "loss" else f"{value:,}"


def theorems(facts: Facts) -> str:
    """Return the statement of every theorem that is used."""
    ledger = facts.ledger
    checked = ["the learner had seen nothing before"] * bool(ledger.began_fresh)
    checked += ["every update has weight 1"] * (not ledger.weighted)
    note = f'<p class="note">Checked for each of them: {", ".join(checked)}.</p>\n'
    told = dict.fromkeys(bound.theorem for bound in facts.bounds)
    statements = "".join(_statement(named(id)) for id in told)
    return statements + note * bool(checked)


def _statement(theorem: Theorem) -> str:
    rows = {
        "source": f"{text(theorem.citation)}; {text(KINDS[theorem.kind])}",
        "is about": ", ".join(text(name) for name in theorem.learners),
        "measured": ", ".join(code(name) for name in theorem.needs),
        "assumes": "; ".join(text(words, 200) for words in theorem.assumptions),
    }
    return f"""<article id="theorem-{text(theorem.id)}">
<h3>{text(theorem.id)}</h3>
<p class="statement">{formula(theorem.statement)}</p>
{fact_list(rows)}</article>
"""


def assumptions(facts: Facts) -> str:
    """Return what is assumed that nobody can check, in words."""
    lines = []
    if facts.error is not None:
        what = " and that ".join(facts.error.assumes)
        lines.append(f"The bound on the error to come assumes that {text(what, 400)}.")
    if facts.promised is not None:
        lines.append(
            "The bound on the saved model's error assumes that the rows of the test and the rows "
            "to come are independent draws from one distribution, and that the model was fixed "
            "before they were seen."
        )
    for theorem in dict.fromkeys(bound.theorem for bound in facts.bounds):
        if named(theorem).assumptions:
            what = text("; ".join(named(theorem).assumptions), 400)
            lines.append(f"<code>{text(theorem)}</code> assumes: {what}.")
    always = [b.theorem for b in facts.bounds if not named(b.theorem).assumptions]
    if always:
        names = " and ".join(f"<code>{text(name)}</code>" for name in dict.fromkeys(always))
        names = names.replace(" and ", ", ", names.count(" and ") - 1)
        verb = "holds" if len(set(always)) == 1 else "hold"
        lines.append(f"{names} {verb} for every sequence of rounds: nothing is assumed.")
    items = "".join(f"<li>{line}</li>\n" for line in lines)
    return section("What is assumed", f'<ul class="plain">\n{items}</ul>\n')
