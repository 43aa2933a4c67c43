"""The options of the verbs that read files, and the kinds of values that options take."""

import argparse
import math

from novikoff.cli.run_options import (
    cluster_options,
    decision_options,
    keyed_options,
    run_options,
    stdio_option,
)

LEARNERS = {
    "blend": "Blend",
    "perceptron": "Perceptron",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "multiclass": "MulticlassPerceptron",
    "modified": "ModifiedPerceptron",
    "minnow": "Minnow",
    "balanced-minnow": "BalancedMinnow",
    "ellipsoid": "EllipsoidHalving",
    "centroid": "CentroidHalving",
    "adaptive-gradient": "AdaptiveGradient",
    "normalized-gradient": "NormalizedGradient",
    "gradient-descent": "GradientDescent",
    "coin-betting": "CoinBetting",
    "arow": "Arow",
    "online-newton": "OnlineNewton",
    "base-rate": "BaseRate",
    "forward-regression": "ForwardRegression",
}
DEFAULT_LEARNER = "blend"
"""What ``learn`` uses without ``--learner``."""
FORMATS = (
    "auto",
    "svmlight",
    "vw",
    "csv",
    "jsonl",
    "text",
    "parquet",
    "arrow",
    "conll",
    "conllu",
    "log",
)
INPUT = "files or patterns; - is standard input"
_DELTA = "the probability with which the error bound may fail (default: 0.05)"
_PRESENCE = "count each word at most once per text"
COLUMNS = "the columns of a token, as for tag"


def count(text: str) -> int:
    """Take a whole number of at least 1."""
    if not (text.strip().isdecimal() and (found := int(text)) >= 1):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text}")
    return found


def seconds(text: str) -> float:
    """Take a length of time."""
    if not 0 <= (found := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds, 0 or more, got {text}")
    return found


def share(text: str) -> float:
    """Take a number between 0 and 1."""
    if not 0 < (found := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text}")
    return found


def constant(text: str) -> float | str:
    """Take the value of a constant feature, or auto."""
    return text if text == "auto" else float(text)


def reading_options(
    verb: argparse.ArgumentParser, declared: bool = True, presence: str = _PRESENCE
) -> None:
    """Add files and how they are read; to predict, rows may have any label or none."""
    group = verb.add_argument_group("reading")
    group.add_argument("input", metavar="INPUT", nargs="+", help=INPUT)
    group.add_argument(
        "--format",
        choices=FORMATS,
        default="auto",
        help="the format of the files (default: found from name and content)",
    )
    group.add_argument(
        "--label",
        metavar="COLUMN",
        help="the column or JSON member that holds the label (default: label)",
    )
    group.add_argument("--positive", metavar="LABEL", help="the label that counts as +1")
    if declared:
        group.add_argument(
            "--labels",
            metavar="A,B",
            help="all labels, so that any other is refused; or open, which lets new ones in",
        )
    group.add_argument(
        "--weight", metavar="COLUMN", help="the column that holds the weights of rounds"
    )
    _feature_options(group, presence)
    group.add_argument("--zero-based", action="store_true", help="count svmlight indices from 0")
    group.add_argument(
        "--on-bad",
        choices=("stop", "skip"),
        help="what to do with a line that cannot be used (default: stop)",
    )
    group.add_argument(
        "--first", type=count, metavar="N", help="read only the first N rows (default: all)"
    )
    group.add_argument(
        "--threads", type=int, metavar="N", help="threads that parse files (default: one per core)"
    )


def _feature_options(group: argparse._ArgumentGroup, presence: str) -> None:
    group.add_argument("--text", metavar="MEMBER", help="the JSON member that holds text")
    group.add_argument(
        "--words", type=int, metavar="N", help="use runs of up to N words as features (default: 1)"
    )
    group.add_argument("--characters", metavar="A-B", help="also use runs of A to B characters")
    group.add_argument("--presence", action="store_true", help=presence)
    group.add_argument(
        "--delimiter", metavar="C", help="the character between the cells of a CSV file"
    )
    group.add_argument(
        "--categorical",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column that holds text, even if it looks like numbers or dates",
    )
    group.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column or JSON member to leave out",
    )
    group.add_argument(
        "--missing",
        choices=("refuse", "zero", "feature"),
        metavar="WAY",
        help="what to do with missing values of a table: refuse them (default), take them as zero, "
        "or give each column a feature for them (feature)",
    )


def learn_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``learn``."""
    reading_options(verb, presence=f"{_PRESENCE}; in other files, take all values but 0 as 1")
    _learner_group(verb.add_argument_group("learner"))
    run_options(verb)
    keyed_options(verb)
    cluster_options(verb)
    stdio_option(verb)
    _playing_group(verb.add_argument_group("playing"))
    _model_group(verb.add_argument_group("models"))
    _receipt_group(verb.add_argument_group("receipts"))


def _transform_options(group: argparse._ArgumentGroup) -> None:
    """Add what becomes part of the model; --presence is among the options for text."""
    group.add_argument(
        "--scale",
        action="store_true",
        default=None,
        help="divide each feature by a power of two, from its largest value so far",
    )
    group.add_argument(
        "--cross",
        metavar="A,B",
        action="append",
        help="add the products of two groups of features: namespaces or columns by name, or "
        "numbers from 0, as in 0-3,5",
    )
    group.add_argument(
        "--cross-bits",
        type=int,
        metavar="N",
        help="hash the pairs of --cross to 2^N features (default: each is one)",
    )
    group.add_argument(
        "--normalize", action="store_true", default=None, help="divide each row by its norm"
    )


def _learner_group(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--learner",
        choices=LEARNERS,
        metavar="KIND",
        help=f"one of {', '.join(LEARNERS)} (default: {DEFAULT_LEARNER})",
    )
    group.add_argument(
        "--compare",
        metavar="KINDS",
        help="play several learners, separated by commas, in one pass, and compare them",
    )
    group.add_argument(
        "--bias",
        type=constant,
        metavar="V",
        help="add a constant feature of this value; auto: of the size of a typical value",
    )
    group.add_argument(
        "--ties",
        choices=("positive", "mistake"),
        help="what a score of exactly 0 counts as (default: positive)",
    )
    group.add_argument(
        "--averaged",
        action="store_true",
        default=None,
        help="make the model of multiclass the mean of its weights",
    )
    group.add_argument("--eta", type=float, help="the learning rate of a minnow")
    group.add_argument(
        "--rate",
        type=float,
        help="the rate of adaptive-gradient and normalized-gradient (default: 1), and of "
        "gradient-descent",
    )
    group.add_argument(
        "--loss",
        choices=("logistic", "hinge", "squared", "absolute"),
        help="the loss of gradient-descent (default: logistic)",
    )
    group.add_argument(
        "--ridge",
        type=float,
        help="the ridge λ of forward-regression, in the unit of x² (default: 1)",
    )
    group.add_argument(
        "--keep",
        type=float,
        help="the share of its counts that base-rate keeps from round to round (default: 1)",
    )
    group.add_argument(
        "--freeze",
        choices=("last", "snapshots"),
        help="what a blend predicts with once saved: its last state, or the mean of 16 states "
        "drawn over the rounds (default: last)",
    )
    group.add_argument("--sigma", type=float, help="the σ of the modified perceptron")
    group.add_argument(
        "--max-voters",
        type=int,
        metavar="N",
        help="how many voters the voted perceptron keeps (default: all)",
    )
    group.add_argument(
        "--seed", type=int, metavar="N", help="seeds the draws of modified, centroid and snapshots"
    )
    group.add_argument(
        "--hash-bits", type=int, metavar="N", help="hash feature names to 2^N features"
    )
    _transform_options(group)
    group.add_argument(
        "--dimension",
        type=int,
        metavar="D",
        help="how many features sparse rows have, for ellipsoid and centroid",
    )


def _playing_group(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--passes",
        type=count,
        default=1,
        metavar="N",
        help="how often to play the input (default: 1)",
    )
    group.add_argument(
        "--until-clean", action="store_true", help="play until a pass has no mistake"
    )
    group.add_argument(
        "--max-passes",
        type=count,
        metavar="N",
        help="give up --until-clean after N passes (default: 1000)",
    )
    group.add_argument("--progress", action="store_true", help="draw a progress bar on stderr")


def _model_group(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--save",
        metavar="MODEL",
        help="write the model (with receipts also without this option: mail.model in the current "
        "folder for data/mail.svm)",
    )
    group.add_argument(
        "--save-every",
        type=seconds,
        metavar="SECONDS",
        help="also write it while it learns, this often",
    )
    group.add_argument(
        "--resume",
        metavar="MODEL",
        help="go on with a saved model: with new files, or where it stopped",
    )


def _receipt_group(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--digest", action="store_true", help="compute the digest of the data")
    group.add_argument("--bounds", action="store_true", help="show what the theorems allow")
    group.add_argument(
        "--certify",
        nargs="?",
        const="",
        metavar="CERT",
        help="write a certificate, a .json file (default: for data/mail.svm, mail.certificate.json "
        "in the current folder)",
    )
    group.add_argument(
        "--theorem", metavar="ID", help="certify this theorem, not the smallest bound"
    )
    chain_option(group)
    group.add_argument("--report", metavar="PAGE", help="draw a report (.html, .svg or .png)")
    group.add_argument(
        "--baselines",
        action="store_true",
        help="also look for the best single feature, in hindsight; reads the data again",
    )
    group.add_argument(
        "--held-out",
        metavar="PART",
        help="do not learn from the last rows, and test the model on them: last:20%%, last:5000; "
        "with --cluster, mix the models of the shards over them, or over the rows of a file",
    )
    group.add_argument("--delta", type=share, default=0.05, help=_DELTA)


def chain_option(verb: argparse._ActionsContainer) -> None:
    """Add what lets another certificate go on from this one."""
    verb.add_argument(
        "--chain",
        action="store_true",
        help="say in the certificate how the run ended, so that another can go on from there",
    )


def predict_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``predict``."""
    verb.add_argument("model", metavar="MODEL", help="a file that learn --save wrote")
    reading_options(verb, declared=False)
    verb.add_argument(
        "--by", metavar="COLUMN", help="predict each row with the run of its key; MODEL is a folder"
    )
    verb.add_argument("--scores", action="store_true", help="write scores instead of labels")
    verb.add_argument(
        "--probabilities",
        action="store_true",
        help="write CSV: the prediction, then the probability of each label",
    )
    decision_options(verb)
    verb.add_argument("--output", metavar="FILE", help="where to write them (default: stdout)")
    verb.add_argument("--delta", type=share, default=0.05, help=_DELTA)


def cache_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``cache``."""
    reading_options(verb)
    verb.add_argument("--output", metavar="CACHE", required=True, help="the Arrow file to write")


def export_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``export``."""
    reading_options(verb)
    verb.add_argument(
        "--output", metavar="FILE", required=True, help="the file to write: svmlight, or sentences"
    )
    verb.add_argument(
        "--hash-bits", type=int, metavar="N", help="hash feature names, as learn does"
    )
    verb.add_argument("--templates", metavar="SET", help="the templates of sentences, as for tag")
    verb.add_argument("--columns", metavar="A,B", help=COLUMNS)
