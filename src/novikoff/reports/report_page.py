"""The page: one HTML file that needs nothing else."""

from pathlib import Path

from novikoff.reports.canvas import COLOURS, PAPER
from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import folded, section
from novikoff.reports.page_words import text
from novikoff.reports.sections.certificate_section import certificate
from novikoff.reports.sections.headline import headline, remarks
from novikoff.reports.sections.loss_sections import calibration, losses
from novikoff.reports.sections.mistake_sections import by_label, errors, margins, mistakes
from novikoff.reports.sections.theorem_sections import assumptions, bounds, theorems
from novikoff.reports.sections.weights_section import weights

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def details(facts: Facts) -> str:
    """Return what only some readers want, folded: the comparator's margins, the statements."""
    compared = margins(facts) if facts.compared else ""
    folds = folded("The comparator, row by row", compared) if compared else ""
    return section("The theorems in detail", folds + folded("What they say", theorems(facts)))


def page(facts: Facts) -> str:
    """Return the page: what was learned, what is promised, how to check it, and the details."""
    light = "".join(f"--{role}: {colour}; " for role, colour in COLOURS.items())
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    parts = [headline(facts)]
    for made, part in (
        (remarks, facts.remarks),
        (errors, facts.ledger),
        (by_label, facts.ledger.mistakes),
        (losses, facts.losses),
        (calibration, facts.bins),
        (weights, facts.weights),
        (mistakes, facts.counted),
        (bounds, facts.bounds),
        (assumptions, facts.error or facts.bounds or facts.promised),
        (certificate, facts.certificate),
        (details, facts.bounds),
    ):
        parts += [made(facts)] if part else []
    body = "".join(parts).replace(" %", "\u00a0%")  # no line begins with the sign
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
{body}</main>
</body>
</html>
"""
