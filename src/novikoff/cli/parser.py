"""What the command line understands. Nothing here needs NumPy, so ``--help`` is quick."""

import argparse
import json
from collections.abc import Sequence

from novikoff.cli.file_options import (
    DEFAULT_LEARNER,
    LEARNERS,
    cache_options,
    count,
    export_options,
    learn_options,
    predict_options,
    share,
)
from novikoff.cli.receipt_options import (
    certify_options,
    margin_options,
    report_options,
    test_options,
    verify_options,
)
from novikoff.cli.service_options import log_options, serve_options
from novikoff.cli.tag_options import tag_options

__all__ = ["DEFAULT_LEARNER", "LEARNERS", "REGRET_LEARNERS", "UsageError", "build", "parsed"]

REGRET_LEARNERS = ("weighted-majority", "randomized", "hedge", "exp3", "exp3p", "exp3ix")

_EXAMPLES = """examples:
  novikoff learn mail.svm --certify --report out.html
  novikoff learn sms.txt --positive spam --words 2 --save sms.model
  novikoff predict sms.model new.txt > labels.txt
  novikoff verify mail.certificate.json mail.svm
exit: 0 fine, 1 refused, 2 usage, 3 bad input, 4 linked but not verified, 130 interrupted
"""


class UsageError(Exception):
    """Options that contradict each other."""


def build(arguments: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of some arguments, or the whole one.

    If they begin with a verb, the parser knows no other one, and if they name none, verbs have no
    options. ``certify`` takes no MODEL if the arguments name predictions.
    """
    parser = argparse.ArgumentParser(
        "novikoff",
        description="Learn from streams of examples, with a receipt for every run.",
        epilog=_EXAMPLES,
        formatter_class=_narrow,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument(
        "--verbose", action="store_true", help="with --version: print what a bug report needs"
    )
    parser.add_argument(
        "--json", action="store_true", dest="version_json", help="with --version: print it as JSON"
    )
    verbs = parser.add_subparsers(metavar="VERB", dest="verb")
    named = any(word.partition("=")[0] == "--predictions" for word in arguments or ())
    begun = arguments[0] if arguments else None
    for name, (text, add_options) in _VERBS.items():
        if begun in _VERBS and name != begun:
            continue
        verb = verbs.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            formatter_class=_narrow,
        )
        if arguments is not None and name not in arguments:
            continue
        verb.add_argument("--json", action="store_true", help="print one JSON object, not text")
        if not (name == "certify" and named):
            add_options(verb)
        else:
            certify_options(verb, model=False)
        if name == "learn" and "--stdio" in (arguments or ()):
            _from_standard_input(verb)
        verb.usage = _usage(name, verb)
        verb.formatter_class = argparse.HelpFormatter
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _narrow(prog: str) -> argparse.HelpFormatter:
    """Format what argparse looks at while options are added; the terminal's width does not matter.

    To ask for the width takes longer than all the rest: it imports all kinds of compression.
    """
    return argparse.HelpFormatter(prog, width=80)


def parsed(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; if a word is strange, say what was probably meant, and exit."""
    if words and not words[0].startswith("-") and words[0] not in _VERBS:
        from novikoff.cli.strange_words import nearest

        if near := nearest(words[0], _VERBS):
            parser.error(f"expected a verb, got {words[0]!r}. Did you mean {near}?")
    options, strange = parser.parse_known_args(words)
    if strange:
        from novikoff.cli.strange_words import advice

        verbs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
        verb = verbs.choices.get(options.verb, parser)
        known = [name for action in verb._actions for name in action.option_strings]
        remedy = advice(strange, known, options.verb) or f"See {verb.prog} --help."
        verb.error(f"expected its options, got {' '.join(strange)}. {remedy}")
    return options


def _from_standard_input(verb: argparse.ArgumentParser) -> None:
    """Let INPUT be left out: it can only be standard input."""
    for action in verb._actions:
        if action.dest == "input":
            action.nargs, action.default, action.required = "*", ["-"], False


def _usage(name: str, verb: argparse.ArgumentParser) -> str:
    """Return a usage line that leaves the options to the list below it."""
    required = [
        f" {a.option_strings[0]} {a.metavar}"
        for a in verb._actions
        if a.required and a.option_strings
    ]
    words = [a.metavar or a.dest for a in verb._actions if not a.option_strings]
    many = ["..."] if words[-1:] == ["INPUT"] else []
    return " ".join(["novikoff", name, *map(str, words), *many]) + "".join(required) + " [options]"


def _simulate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--learner",
        nargs="+",
        choices=REGRET_LEARNERS,
        metavar="KIND",
        default=["exp3", "exp3p", "exp3ix"],
        help=f"some of {', '.join(REGRET_LEARNERS)} (default: the last three)",
    )
    verb.add_argument(
        "--environment",
        nargs="+",
        metavar="NAME",
        default=["stochastic", "switching", "lower-bound"],
        help="stochastic, switching, lower-bound (default: these three), or a .csv or "
        ".npy file of losses",
    )
    _count_of(verb, "--arms", "K", 10, "how many arms or experts (default: 10)")
    _count_of(verb, "--rounds", "T", 10_000, "how many rounds (default: 10000)")
    _count_of(verb, "--seeds", "N", 200, "play seeds 0 to N − 1 (default: 200)")
    verb.add_argument(
        "--anytime", action="store_true", help="do not tell learners how many rounds there are"
    )
    verb.add_argument(
        "--beta", type=share, default=0.9, help="the β of the majorities (default: 0.9)"
    )
    verb.add_argument(
        "--delta",
        type=share,
        default=0.05,
        help="the probability with which a probable bound may fail (default: 0.05)",
    )
    verb.add_argument(
        "--threads", type=count, metavar="N", help="threads that play (default: one per core)"
    )
    verb.add_argument("--plot", metavar="FILE", help="draw a picture (.svg, .png or .pdf)")


def _count_of(
    verb: argparse.ArgumentParser, option: str, letter: str, usual: int, text: str
) -> None:
    verb.add_argument(option, type=count, default=usual, metavar=letter, help=text)


def _check(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("target", metavar="TARGET", help="module:Class, e.g. novikoff:Perceptron")
    verb.add_argument(
        "--arguments", type=_object, default={}, help="its arguments, as a JSON object"
    )
    verb.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seeds the streams (default: 0)"
    )
    verb.add_argument("--save", metavar="FOLDER", help="write the streams on which a check fails")


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text:.60}")
    return found


def _game(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "klass",
        metavar="CLASS",
        help="conjunctions:3, disjunctions:4:monotone, decision_lists:3, parities:3, "
        "thresholds:16, singletons:8, halfspaces:2, or a CSV file of ±1",
    )
    verb.add_argument(
        "--learner",
        choices=("halving", "consistent", "soa"),
        help="soa is the standard optimal algorithm (default: halving)",
    )
    verb.add_argument("--tree", metavar="FILE.svg", help="draw the tree that proves the dimension")
    verb.add_argument(
        "--play",
        choices=("adversary", "learner"),
        metavar="SIDE",
        help="play it yourself, as the adversary or as the learner",
    )


def _inspect(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL", help="a file that learn --save wrote")
    verb.add_argument(
        "--top",
        type=int,
        default=20,
        metavar="N",
        help="how many features to show, those that move scores most first (default: 20)",
    )


def _demo(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--folder",
        default="novikoff-demo",
        help="where to write its files (default: novikoff-demo)",
    )


def _completion(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("shell", choices=("bash", "zsh", "fish"))


def _none(verb: argparse.ArgumentParser) -> None:
    """Add nothing."""


_VERBS = {
    "learn": ("learn a model from files, and show what the theorems allow", learn_options),
    "predict": ("predict the labels of a file with a model", predict_options),
    "test": ("test a model on new rows: its error, its loss and their bounds", test_options),
    "tag": ("tag the sentences of a file with a model, or learn one from it", tag_options),
    "certify": ("write a certificate of a model's run, or of predictions", certify_options),
    "verify": ("verify a certificate on its data", verify_options),
    "margin": ("say whether rows are linearly separable, and by what margin", margin_options),
    "simulate": ("play experts or bandits, and compare regret with its bound", _simulate),
    "theorems": ("list the theorems with their statements", _none),
    "check": ("test a learner, ours or yours, against contracts and theorems", _check),
    "game": ("show what is known about a finite class, or play it", _game),
    "report": ("draw a report about a model's run", report_options),
    "inspect": ("show what a model has learned", _inspect),
    "cache": ("convert files to a cache, which loads many times faster", cache_options),
    "export": ("convert files to the text that the stand-alone verifier reads", export_options),
    "serve": ("serve a model that learns, over HTTP, with a log on disk", serve_options),
    "log": ("convert the log of a service to svmlight, JSON lines or Parquet", log_options),
    "demo": ("run the whole story on example data", _demo),
    "bench": ("measure the speed here, next to scikit-learn if it is installed", _none),
    "completion": ("print the script that lets your shell complete words", _completion),
}
