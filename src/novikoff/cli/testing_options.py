"""The options of ``novikoff test``."""

import argparse

from novikoff.cli.file_options import reading_options, share
from novikoff.cli.run_options import decision_options


def test_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``test``."""
    verb.add_argument("model", metavar="MODEL", help="a file that learn --save wrote")
    reading_options(verb, declared=False)
    decision_options(verb)
    verb.add_argument(
        "--delta",
        type=share,
        default=0.05,
        help="the probability with which each bound may fail (default: 0.05)",
    )
    verb.add_argument(
        "--certify",
        nargs="?",
        const="",
        metavar="CERT",
        help="write certificates of the bounds, and the predictions that they are about "
        "(default: INPUT.test.json)",
    )
    verb.add_argument(
        "--report",
        metavar="PAGE",
        help="draw a report about the model's run and this test (.html, .svg or .png)",
    )
    verb.add_argument(
        "--clip",
        type=share,
        default=1e-6,
        metavar="E",
        help="take probabilities below E as E, and above 1 − E as that (default: 1e-06)",
    )
