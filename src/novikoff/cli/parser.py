"""What the command line understands. Nothing here needs NumPy: ``--help`` is quick."""

import argparse
import json
import math
from typing import Any

LEARNERS = {
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "multiclass": "MulticlassPerceptron",
    "modified": "ModifiedPerceptron",
    "minnow": "Minnow",
    "balanced-minnow": "BalancedMinnow",
    "ellipsoid": "EllipsoidHalving",
    "centroid": "CentroidHalving",
}
REGRET_LEARNERS = ("weighted-majority", "randomized", "hedge", "exp3", "exp3p", "exp3ix")
FORMATS = ("auto", "svmlight", "vw", "csv", "jsonl", "text", "parquet", "arrow", "conll", "conllu")

_EXAMPLES = """examples:
  novikoff learn mail.svm --certify --report out.html
  novikoff learn sms.txt --positive spam --words 2 --save sms.model
  novikoff predict sms.model new.txt > labels.txt
  novikoff verify mail.certificate.json mail.svm
exit: 0 fine, 1 refused, 2 usage, 3 bad input, 130 interrupted
"""

Verbs = Any


class UsageError(Exception):
    """Options that do not go together."""


def build() -> argparse.ArgumentParser:
    """Return the whole parser."""
    parser = argparse.ArgumentParser(
        "novikoff",
        description="Learning from streams, with a receipt.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(metavar="VERB", dest="verb")
    _learn(_verb(verbs, "learn", "learn from a file: a model, and what the theorems allow"))
    _predict(_verb(verbs, "predict", "predict the labels of a file with a model"))
    _tag(_verb(verbs, "tag", "tag the sentences of a file with a model, or learn one from it"))
    _certify(_verb(verbs, "certify", "write the certificate of a model's run"))
    _verify(_verb(verbs, "verify", "verify a certificate on its data"))
    _margin(_verb(verbs, "margin", "say whether a file is linearly separable, and how widely"))
    _simulate(_verb(verbs, "simulate", "play experts and bandits: regret beside its bound"))
    _verb(verbs, "theorems", "list the theorems and what they say")
    _check(_verb(verbs, "check", "check a learner, ours or anybody's"))
    _game(_verb(verbs, "game", "the dimensions of a finite class, and a learner's worst case"))
    _report(_verb(verbs, "report", "draw the report of a model's run"))
    _inspect(_verb(verbs, "inspect", "show what a model has learned"))
    _cache(_verb(verbs, "cache", "write a file as a cache, which is read many times faster"))
    _export(
        _verb(
            verbs,
            "export",
            "write rows as svmlight, sentences as lines, for the stand-alone verifier",
        )
    )
    _demo(_verb(verbs, "demo", "the whole story on data that comes along"))
    _verb(verbs, "bench", "measure this machine, against scikit-learn where it is installed")
    _completion(_verb(verbs, "completion", "print what makes a shell complete words"))
    for name, verb in verbs.choices.items():
        verb.usage = _usage(name, verb)
    return parser


def _usage(name: str, verb: argparse.ArgumentParser) -> str:
    """Return a usage that leaves the options to the list below it."""
    required = [f" {a.option_strings[0]} {a.metavar}" for a in verb._actions if a.required
                and a.option_strings]  # fmt: skip
    words = [a.metavar or a.dest for a in verb._actions if not a.option_strings]
    many = ["..."] if words[-1:] == ["INPUT"] else []
    return " ".join(["novikoff", name, *map(str, words), *many]) + "".join(required) + " [options]"


def _verb(verbs: Verbs, name: str, text: str) -> argparse.ArgumentParser:
    found: argparse.ArgumentParser = verbs.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    found.add_argument("--json", action="store_true", help="print one JSON object")
    return found


def _count(text: str) -> int:
    if not (text.strip().isdecimal() and (found := int(text)) >= 1):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text}")
    return found


def _seconds(text: str) -> float:
    if not 0 <= (found := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds, 0 or more, got {text}")
    return found


def _share(text: str) -> float:
    if not 0 < (found := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text}")
    return found


def _reading(verb: argparse.ArgumentParser, declared: bool = True) -> None:
    """Add a file and how it is read; to predict, a row may have any label or none."""
    group = verb.add_argument_group("reading")
    group.add_argument("input", metavar="INPUT", nargs="+", help="files, patterns, - for stdin")
    group.add_argument("--format", choices=FORMATS, default="auto", help="of the files (auto)")
    group.add_argument("--label", metavar="COLUMN", help="the label's column or member (label)")
    group.add_argument("--positive", metavar="LABEL", help="the label that counts as +1")
    if declared:
        group.add_argument("--labels", metavar="A,B",
                           help="those there are: any other is refused; or open")  # fmt: skip
    group.add_argument("--weight", metavar="COLUMN", help="the column of weights")
    group.add_argument("--text", metavar="MEMBER", help="the member of JSON lines that is text")
    group.add_argument("--words", type=int, metavar="N", help="runs of up to N words (1)")
    group.add_argument("--characters", metavar="A-B", help="runs of A to B characters, too")
    group.add_argument("--presence", action="store_true", help="count a word once a text")
    group.add_argument("--delimiter", metavar="C", help="between the cells of a CSV file")
    group.add_argument("--categorical", metavar="COLUMN", action="append", default=[],
                       help="a CSV column of text, whatever its first row looks like")  # fmt: skip
    group.add_argument("--ignore", metavar="COLUMN", action="append", default=[],
                       help="a column or member that is no feature")  # fmt: skip
    group.add_argument("--zero-based", action="store_true", help="svmlight indices begin at 0")
    group.add_argument("--on-bad", choices=("stop", "skip"), default="stop",
                       help="what to do with a line that is no round (stop)")  # fmt: skip
    group.add_argument("--threads", type=int, metavar="N", help="that parse (one a core)")


def _learn(verb: argparse.ArgumentParser) -> None:
    _reading(verb)
    group = verb.add_argument_group("learner")
    group.add_argument("--learner", choices=LEARNERS, metavar="KIND",
                       help=f"{', '.join(LEARNERS)} (perceptron)")  # fmt: skip
    group.add_argument("--bias", type=float, help="the value of a constant feature")
    group.add_argument("--ties", choices=("positive", "mistake"), help="what a score of 0 is")
    group.add_argument("--eta", type=float, help="the rate of a minnow")
    group.add_argument("--sigma", type=float, help="of the modified perceptron")
    group.add_argument("--max-voters", type=int, help="of the voted perceptron")
    group.add_argument("--hash-bits", type=int, metavar="N", help="hash names to 2^N features")
    group.add_argument("--seed", type=int, help="of the modified perceptron and the centroid")
    group.add_argument("--dimension", type=int, metavar="D",
                       help="features of sparse rows, for ellipsoid and centroid")  # fmt: skip
    group = verb.add_argument_group("playing")
    group.add_argument("--passes", type=_count, default=1, metavar="N", help="over the input (1)")
    group.add_argument("--until-clean", action="store_true", help="until a pass has no mistake")
    group.add_argument("--max-passes", type=_count, metavar="N",
                       help="at most so many until then (1000)")  # fmt: skip
    group.add_argument("--progress", action="store_true", help="draw a bar on stderr")
    group = verb.add_argument_group("models")
    group.add_argument("--save", metavar="MODEL", help="write the run (with receipts: INPUT.model)")
    group.add_argument("--save-every", type=_seconds, metavar="SECONDS", help="and while it runs")
    group.add_argument("--resume", metavar="MODEL",
                       help="go on with a saved run: in new files, or what is left")  # fmt: skip
    group = verb.add_argument_group("receipts")
    group.add_argument("--digest", action="store_true", help="compute the digest of the data")
    group.add_argument("--bounds", action="store_true", help="say what the theorems allow")
    group.add_argument("--certify", nargs="?", const="", metavar="CERT",
                       help="write the certificate (INPUT.certificate.json)")  # fmt: skip
    group.add_argument("--theorem", metavar="ID", help="to certify, not the least bound")
    group.add_argument("--report", metavar="PAGE", help="draw the report (.html, .svg, .png)")
    group.add_argument("--delta", type=_share, default=0.05, help="of the error bound (0.05)")


def _predict(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL")
    _reading(verb, declared=False)
    verb.add_argument("--scores", action="store_true", help="scores instead of labels")
    verb.add_argument("--output", metavar="FILE", help="where to write them (stdout)")
    verb.add_argument("--delta", type=_share, default=0.05, help="of the error bound (0.05)")


def _tag(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL")
    verb.add_argument("input", metavar="INPUT", nargs="+", help="files, patterns, - for stdin")
    verb.add_argument("--learn", action="store_true", help="write MODEL, learned from INPUT")
    verb.add_argument("--format", choices=("auto", "conll", "conllu"), default="auto",
                      help="of the files (auto)")  # fmt: skip
    verb.add_argument("--label", metavar="COLUMN",
                      help="of the tags: a number from 0 (the last), or a name (upos)")  # fmt: skip
    verb.add_argument("--columns", metavar="A,B", help="of a token (all others, or form)")
    verb.add_argument("--on-bad", choices=("stop", "skip"), default="stop",
                      help="what to do with a sentence that is none (stop)")  # fmt: skip
    group = verb.add_argument_group("learning")
    group.add_argument("--templates", default="tagging", metavar="SET",
                       help="chunking, tagging, entities, or templates (tagging)")  # fmt: skip
    group.add_argument("--passes", type=_count, default=10, metavar="N",
                       help="at most, until one has no mistake (10)")  # fmt: skip
    group.add_argument("--held-out", metavar="FILE", help="keep the pass that does best on it")
    group.add_argument("--last", action="store_true", help="the last weights, not the average")
    group.add_argument("--certify", metavar="CERT", help="write the certificate of the run")
    group = verb.add_argument_group("tagging")
    group.add_argument("--output", metavar="FILE", help="where to write the columns (stdout)")
    group.add_argument("--best", type=_count, metavar="K", help="a column for each of K outputs")


def _certify(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL", help="as learn --save wrote it")
    _reading(verb)
    verb.add_argument("--theorem", metavar="ID", help="instead of the least bound's")
    verb.add_argument("--output", metavar="CERT", help="(INPUT.certificate.json)")


def _verify(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("certificate", metavar="CERT")
    _reading(verb)
    verb.add_argument("--columns", metavar="A,B", help="of a token, as tag has them")


def _margin(verb: argparse.ArgumentParser) -> None:
    _reading(verb)
    verb.add_argument("--bias", type=float, help="the value of a constant feature")
    verb.add_argument("--certify", metavar="CERT", help="write the certificate of the answer")


def _simulate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--learner", nargs="+", choices=REGRET_LEARNERS, metavar="KIND",
                      default=["exp3", "exp3p", "exp3ix"],
                      help=f"{', '.join(REGRET_LEARNERS)} (the last three)")  # fmt: skip
    verb.add_argument("--environment", nargs="+", metavar="NAME",
                      default=["stochastic", "switching", "lower-bound"],
                      help="stochastic, switching, lower-bound (all), or a .csv or .npy file of "
                      "losses")  # fmt: skip
    verb.add_argument("--arms", type=_count, default=10, metavar="K", help="or experts (10)")
    verb.add_argument("--rounds", type=_count, default=10_000, metavar="T", help="(10000)")
    verb.add_argument("--seeds", type=_count, default=200, metavar="N", help="0 to N − 1 (200)")
    verb.add_argument("--anytime", action="store_true", help="as if the rounds were not known")
    verb.add_argument("--beta", type=_share, default=0.9, help="of the majorities (0.9)")
    verb.add_argument("--delta", type=_share, default=0.05, help="of the probable bounds (0.05)")
    verb.add_argument("--threads", type=_count, metavar="N", help="that play (one a core)")
    verb.add_argument("--plot", metavar="FILE", help="draw it (.svg, .png, .pdf)")


def _check(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("target", metavar="TARGET", help="module:Class, e.g. novikoff:Perceptron")
    verb.add_argument("--arguments", type=_object, default={}, help="as a JSON object")
    verb.add_argument("--seed", type=int, default=0)
    verb.add_argument("--save", metavar="FOLDER", help="write the streams that violate a check")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text}")
    return found


def _game(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("klass", metavar="CLASS",
                      help="conjunctions:3, disjunctions:4:monotone, decision_lists:3, parities:3, "
                      "thresholds:16, singletons:8, halfspaces:2, or a CSV file of ±1")  # fmt: skip
    verb.add_argument("--learner", choices=("halving", "consistent", "soa"),
                      help="soa is the optimal one (halving)")  # fmt: skip
    verb.add_argument("--tree", metavar="FILE.svg", help="draw the tree that proves the dimension")
    verb.add_argument("--play", choices=("adversary", "learner"), metavar="SIDE",
                      help="play round by round: be the adversary, or the learner")  # fmt: skip


def _report(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL", help="as learn --save wrote it")
    _reading(verb)
    verb.add_argument("--certificate", metavar="CERT", help="to show and how to verify it")
    verb.add_argument("--output", metavar="PAGE", help=".html, .svg or .png (MODEL.html)")


def _inspect(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("model", metavar="MODEL")
    verb.add_argument("--top", type=int, default=20, metavar="N", help="features to show (20)")


def _cache(verb: argparse.ArgumentParser) -> None:
    _reading(verb)
    verb.add_argument("--output", metavar="CACHE", required=True, help="an Arrow file")


def _export(verb: argparse.ArgumentParser) -> None:
    _reading(verb)
    verb.add_argument("--output", metavar="FILE", required=True, help="svmlight, or sentences")
    verb.add_argument("--hash-bits", type=int, metavar="N", help="hash names, as learn does")
    verb.add_argument("--templates", metavar="SET", help="of sentences' features, as tag has them")
    verb.add_argument("--columns", metavar="A,B", help="of a token, as tag has them")


def _demo(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--folder", default="novikoff-demo", help="where its files go")


def _completion(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("shell", choices=("bash", "zsh", "fish"))
