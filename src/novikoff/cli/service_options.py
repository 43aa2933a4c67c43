"""The options of ``serve`` and ``log``: the service and its log."""

import argparse

from novikoff.cli.file_options import DEFAULT_LEARNER, LEARNERS, count


def serve_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``serve``."""
    verb.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="a file that learn --save wrote, or --create; none with --follow",
    )
    verb.add_argument(
        "--log", required=True, metavar="DIR", help="the folder of the log, made if there is none"
    )
    verb.add_argument(
        "--token-file", required=True, metavar="F", help="the tokens; made and shown if missing"
    )
    verb.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1)")
    verb.add_argument(
        "--port", type=int, default=8080, metavar="N", help="where to listen (default: 8080)"
    )
    group = verb.add_argument_group("a new model")
    group.add_argument(
        "--create", action="store_true", help="begin with a model that knows nothing"
    )
    group.add_argument(
        "--learner",
        choices=LEARNERS,
        metavar="KIND",
        help=f"one of {', '.join(LEARNERS)} (default: {DEFAULT_LEARNER})",
    )
    group.add_argument("--labels", metavar="A,B", help="all labels")
    group.add_argument(
        "--max-weight", type=float, metavar="W", help="the largest weight that an example may have"
    )
    group = verb.add_argument_group("the log")
    group.add_argument(
        "--snapshot-every",
        type=count,
        default=100_000,
        metavar="N",
        help="take a snapshot after N records (default: 100000)",
    )
    group.add_argument(
        "--drop-old", action="store_true", help="drop segments older than the snapshots"
    )
    group = verb.add_argument_group("a follower")
    group.add_argument(
        "--follow", metavar="URL", help="copy the log of this service, and only answer reads"
    )
    group.add_argument(
        "--leader-token-file", metavar="F", help="a file with a token that may read from it"
    )
    group = verb.add_argument_group("messages")
    group.add_argument(
        "--from",
        dest="source",
        metavar="kafka://HOST:PORT/TOPIC",
        help="learn the messages of this topic, each once; ?group=NAME tells the brokers how far",
    )
    group.add_argument(
        "--source-config", metavar="F", help="lines of name=value for librdkafka: TLS, passwords"
    )
    group.add_argument(
        "--on-bad-message",
        choices=("stop", "skip"),
        default="stop",
        help="at a message that is no example: read no more, or count and report it"
        " (default: stop)",
    )
    group.add_argument(
        "--on-lost-messages",
        choices=("stop", "skip"),
        default="stop",
        help="if the topic has dropped messages before they were read (default: stop)",
    )
    group = verb.add_argument_group("the alarm")
    group.add_argument(
        "--alarm-window",
        type=count,
        default=1000,
        metavar="N",
        help="compare every N rounds with the rounds before them (default: 1000)",
    )
    group.add_argument(
        "--false-alarms",
        type=float,
        default=0.01,
        metavar="P",
        help="the probability of ever raising a false alarm; 0 turns it off (default: 0.01)",
    )
    group = verb.add_argument_group("limits")
    for option, usual, text in _LIMITS:
        group.add_argument(
            option, type=count, default=usual, metavar="N", help=f"{text} (default: {usual})"
        )


_LIMITS = (
    ("--max-body", 2**20, "bytes of a request"),
    ("--max-batch", 1000, "examples of a request"),
    ("--max-features", 10_000, "features of an example"),
    ("--max-names", 2**22, "features that the model may come to know"),
    ("--max-pending", 100_000, "asks without a label"),
    ("--expire-after", 604_800, "seconds after which an ask is dropped"),
)


def log_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``log``."""
    verb.add_argument("action", metavar="export", choices=("export",))
    verb.add_argument("folder", metavar="DIR", help="the folder of the log")
    verb.add_argument("output", metavar="OUT", help="a .svm, .jsonl or .parquet file to write")
