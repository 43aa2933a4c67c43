"""The command line: ``novikoff VERB``. Exit 0 fine, 1 refused, 2 usage, 3 bad input."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from novikoff.errors import NovikoffError
from novikoff.registry import theorems
from novikoff.verifier import BadData, read_csv, read_svmlight
from novikoff.verifier import verify as verify_text

FINE, REFUSED, BAD_INPUT = 0, 1, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb."""
    parser = _parser()
    options = parser.parse_args(arguments)
    verb: Callable[[argparse.Namespace], int] = options.verb
    try:
        return verb(options)
    except (BadData, NovikoffError, OSError) as error:
        print(f"novikoff: {error}", file=sys.stderr)
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("novikoff", description="Learning with a receipt.")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    listing = verbs.add_parser("theorems", help="list the theorems and what they say")
    listing.set_defaults(verb=_theorems)
    verifying = verbs.add_parser("verify", help="verify a certificate on its data")
    verifying.add_argument("certificate", metavar="CERT")
    verifying.add_argument("data", metavar="INPUT", help="svmlight, or CSV with a header")
    verifying.add_argument("--label", default="label", help="the label's column in a CSV file")
    verifying.set_defaults(verb=_verify)
    checking = verbs.add_parser("check", help="check a learner, ours or anybody's")
    checking.add_argument("target", metavar="TARGET", help="module:Class, e.g. novikoff:Perceptron")
    checking.add_argument("--arguments", type=_json, default={}, help="as a JSON object")
    checking.add_argument("--seed", type=int, default=0)
    checking.add_argument("--save", metavar="FOLDER", help="write the streams that violate a check")
    checking.set_defaults(verb=_check)
    for verb in (listing, verifying, checking):
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _json(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("an object")
    return found


def _theorems(options: argparse.Namespace) -> int:
    if options.json:
        listed = [{k: v for k, v in asdict(t).items() if k != "formula"} for t in theorems()]
        print(json.dumps({"theorems": listed}, ensure_ascii=False))
        return FINE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("id", "statement", "kind", "citation", show_lines=True)
    for theorem in theorems():
        table.add_row(theorem.id, escape(theorem.statement), theorem.kind, theorem.citation)
    Console().print(table)
    return FINE


def _check(options: argparse.Namespace) -> int:
    from novikoff.conformance import check

    sys.path.insert(0, str(Path.cwd()))  # as python -m does: the class may be the user's own
    report = check(options.target, options.arguments, options.seed)
    if options.save:
        report.save(options.save)
    print(json.dumps(report.to_json(), ensure_ascii=False) if options.json else report)
    return REFUSED if report.violated else FINE


def _verify(options: argparse.Namespace) -> int:
    text = Path(options.certificate).read_bytes()

    def rows() -> Any:
        if options.data.endswith(".csv"):
            return read_csv(options.data, options.label)
        return read_svmlight(options.data)

    with open(options.data, encoding="utf-8"):
        pass  # a file that is not there is no verdict, whatever the certificate
    verdict = verify_text(text, rows)
    if options.json:
        print(json.dumps(verdict._asdict(), ensure_ascii=False))
    elif verdict.verified and verdict.bound is not None:
        print(f"{verdict.reason}: {verdict.theorem}, {verdict.observed} ≤ {verdict.bound:.6g}")
    elif verdict.verified:
        print(f"{verdict.reason}: {verdict.theorem}")
    else:
        print(f"refused: {verdict.reason}")
    return FINE if verdict.verified else REFUSED
