"""The options of a run: weights of classes and rounds, and when it decides on +1."""

import argparse


def run_options(verb: argparse.ArgumentParser) -> None:
    """Add what ``learn`` asks of a run, besides its learner."""
    group = verb.add_argument_group("weights and decisions")
    group.add_argument(
        "--class-weight",
        metavar="LABEL=W",
        action="append",
        default=[],
        help="scale the updates of this label's rounds",
    )
    group.add_argument(
        "--max-weight",
        type=float,
        metavar="W",
        help="the largest weight of a round, for learners with a loss",
    )
    decision_options(group)


def decision_options(group: argparse._ActionsContainer) -> None:
    """Add when the positive label is given out."""
    group.add_argument(
        "--threshold",
        type=float,
        metavar="P",
        help="give the positive label if its probability is at least P",
    )
    group.add_argument(
        "--cost",
        metavar="fp=A,fn=B",
        help="what a false positive and a false negative cost: sets --threshold to A/(A+B)",
    )


def cluster_options(verb: argparse.ArgumentParser) -> None:
    """Add shards, and where they are played."""
    group = verb.add_argument_group("shards")
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play the files in shards: on Ray at this address, on Ray on this machine (local), or "
        "in this process (none)",
    )
    group.add_argument("--shards", type=int, metavar="P", help="how many shards there are")
    group.add_argument(
        "--epochs",
        type=int,
        default=1,
        metavar="N",
        help="how often every shard plays its rows (default: 1); with --resume FOLDER, each epoch "
        "is kept there, and the next command goes on after the last one",
    )


def keyed_options(verb: argparse.ArgumentParser) -> None:
    """Add one run for every key."""
    group = verb.add_argument_group("many streams")
    group.add_argument(
        "--by",
        metavar="COLUMN",
        help="play one run for every key in this column, such as a customer; --save names a "
        "folder for the runs, and the same command goes on if it was interrupted; --cluster plays "
        "on Ray",
    )
    group.add_argument(
        "--table",
        dest="key_table",
        metavar="FILE",
        help="write a line for every key: .parquet or .csv",
    )
    group.add_argument(
        "--partitions",
        type=int,
        metavar="N",
        help="how many archives the keys are divided into (default: 16)",
    )
    group.add_argument(
        "--readings",
        type=int,
        metavar="N",
        help="how often the files are read, with a share of the keys in memory each time "
        "(default: 1, on Ray one for each worker)",
    )


def stdio_option(verb: argparse.ArgumentParser) -> None:
    """Add the conversation on standard input and output."""
    group = verb.add_argument_group("late labels")
    group.add_argument(
        "--stdio",
        action="store_true",
        help="answer JSON lines on standard input, without INPUT: ask, tell, learn, predict, "
        "forget, save, status",
    )
