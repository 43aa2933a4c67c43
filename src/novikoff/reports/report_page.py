"""The page: one HTML file that needs nothing else."""

from pathlib import Path

from novikoff.reports.canvas import COLOURS, PAPER
from novikoff.reports.facts import Facts
from novikoff.reports.page_words import text
from novikoff.reports.sections.certificate_section import certificate
from novikoff.reports.sections.headline import headline, remarks
from novikoff.reports.sections.loss_sections import calibration, losses
from novikoff.reports.sections.mistake_sections import by_label, errors, margins, mistakes
from novikoff.reports.sections.theorem_sections import assumptions, bounds, theorems
from novikoff.reports.sections.weights_section import weights

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(facts: Facts) -> str:
    """Return the page: headline, remarks, figures, bounds and theorems, weights, certificate."""
    light = "".join(f"--{role}: {colour}; " for role, colour in COLOURS.items())
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    parts = [headline(facts)]
    for section, part in (
        (remarks, facts.remarks),
        (errors, facts.ledger),
        (losses, facts.losses),
        (calibration, facts.bins),
        (by_label, facts.ledger.mistakes),
        (mistakes, facts.counted),
        (margins, facts.compared),
        (bounds, facts.bounds),
        (theorems, facts.bounds),
        (weights, facts.weights),
        (assumptions, facts.error or facts.bounds or facts.tested),
        (certificate, facts.certificate),
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
