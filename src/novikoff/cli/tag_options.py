"""The options of ``novikoff tag``."""

import argparse

from novikoff.cli.file_options import INPUT, count
from novikoff.cli.run_options import cluster_options


def tag_options(verb: argparse.ArgumentParser) -> None:
    """Add the options of ``tag``."""
    verb.add_argument(
        "model", metavar="MODEL", help="a file that tag --learn wrote, or with --learn writes"
    )
    verb.add_argument("input", metavar="INPUT", nargs="+", help=INPUT)
    verb.add_argument("--learn", action="store_true", help="learn MODEL from INPUT")
    verb.add_argument(
        "--format",
        choices=("auto", "conll", "conllu"),
        default="auto",
        help="the format of the files (default: found by itself)",
    )
    verb.add_argument(
        "--label",
        metavar="COLUMN",
        help="the column of the tags: its number from 0 (default: the last), or in "
        "conllu its name (default: upos)",
    )
    verb.add_argument(
        "--columns", metavar="A,B", help="the columns of a token (default: all others, or form)"
    )
    verb.add_argument(
        "--on-bad",
        choices=("stop", "skip"),
        default="stop",
        help="what to do with a sentence that cannot be used (default: stop)",
    )
    _tag_groups(verb)


def _tag_groups(verb: argparse.ArgumentParser) -> None:
    group = verb.add_argument_group("learning")
    group.add_argument(
        "--templates",
        default="tagging",
        metavar="SET",
        help="chunking, tagging, entities, or your own templates (default: tagging)",
    )
    group.add_argument(
        "--passes",
        type=count,
        metavar="N",
        help="stop after N passes, or after one without a mistake (default: 10)",
    )
    group.add_argument(
        "--held-out", metavar="FILE", help="keep the pass that does best on this file"
    )
    group.add_argument(
        "--last", action="store_true", help="keep the last weights instead of the average"
    )
    group.add_argument("--certify", metavar="CERT", help="write a certificate of the run")
    cluster_options(verb)
    verb.add_argument(
        "--resume", metavar="FOLDER", help="with --cluster, keep each epoch there, and go on"
    )
    group = verb.add_argument_group("tagging")
    group.add_argument(
        "--output", metavar="FILE", help="where to write the columns (default: stdout)"
    )
    group.add_argument(
        "--best", type=count, metavar="K", help="write a column for each of the K best outputs"
    )
