"""The options of the verbs about receipts: certify, verify, test, margin and report."""

import argparse

from novikoff.cli.file_options import COLUMNS, chain_option, reading_options, share
from novikoff.cli.run_options import decision_options


def certify_options(verb: argparse.ArgumentParser, model: bool = True) -> None:
    """Add the options of ``certify``; predictions come without a model."""
    if model:
        verb.add_argument(
            "model", metavar="MODEL", help="a file that learn --save wrote; none with --predictions"
        )
    reading_options(verb)
    verb.add_argument(
        "--theorem", metavar="ID", help="certify this theorem, not the smallest bound"
    )
    verb.add_argument(
        "--output",
        metavar="CERT",
        help="where to write it (default: for data/mail.svm, "
        "mail.certificate.json in the current folder)",
    )
    chain_option(verb)
    verb.add_argument("--start", metavar="MODEL", help="certify the rounds since this model alone")
    group = _prediction_options(verb, "certify predictions of any program, one line per row")
    group.add_argument(
        "--loss",
        choices=("logistic", "squared"),
        help="of probabilities, or of numbers for labels that are numbers (default: logistic)",
    )
    group.add_argument(
        "--scores", action="store_true", help="they are s for the probability 1/(1 + e^-s)"
    )
    group.add_argument(
        "--clip", type=float, metavar="E", help="move probabilities into E to 1 - E first"
    )
    group.add_argument(
        "--penalty",
        type=float,
        metavar="L",
        help="compare with fixed weights that pay half of L max(x_i)^2 u_i^2 (default: 0.01)",
    )


def _prediction_options(verb: argparse.ArgumentParser, text: str) -> argparse._ArgumentGroup:
    group = verb.add_argument_group("predictions")
    group.add_argument("--predictions", metavar="FILE", help=text)
    group.add_argument(
        "--predictions-column",
        metavar="COLUMN",
        help="the column that holds them, if FILE is CSV",
    )
    return group


def verify_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``verify``."""
    verb.add_argument("certificate", metavar="CERT", help="the certificate, a JSON file")
    reading_options(verb)
    verb.add_argument("--columns", metavar="A,B", help=COLUMNS)
    _prediction_options(verb, "the predictions that the certificate is about")
    verb.add_argument(
        "--start", metavar="MODEL", help="the model that the run went on from, if it did"
    )
    verb.add_argument(
        "--chain",
        action="store_true",
        help="verify that certificates, given in place of INPUT, follow each other",
    )
    verb.add_argument(
        "--data", nargs="+", metavar="FILE", default=(), help="the data of a chain, one file each"
    )


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
        "(default: for data/mail.svm, mail.test.json in the current folder)",
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


def margin_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``margin``."""
    reading_options(verb)
    verb.add_argument("--bias", type=float, help="add a constant feature of this value")
    verb.add_argument("--certify", metavar="CERT", help="write a certificate of the answer")


def report_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``report``."""
    verb.add_argument("model", metavar="MODEL", help="a file that learn --save wrote")
    reading_options(verb)
    verb.add_argument(
        "--certificate", metavar="CERT", help="show this certificate and how to verify it"
    )
    verb.add_argument(
        "--output", metavar="PAGE", help="a .html, .svg or .png file (default: MODEL.html)"
    )
