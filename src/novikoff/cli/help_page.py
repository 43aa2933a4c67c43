"""The command line as a page of the documentation: the help of every verb."""

import argparse

from novikoff.cli.parser import build

_HEAD = """# Command line

Every verb and option of the command `novikoff`, for looking things up. This is what
`novikoff --help` and `novikoff VERB --help` say; `make docs` writes the page from the parser. [The
tutorial](tutorial.md) and [from raw text to a certificate](story.md) show the verbs at work.
"""
_WIDTH = 96


def page() -> str:
    """Return the page in Markdown."""
    parser = build()
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    parts = [_HEAD, _block(parser)]
    for verb, sub in actions[0].choices.items():
        parts += [f"\n## {verb}\n", _block(sub)]
    return "".join(parts)


def _block(parser: argparse.ArgumentParser) -> str:
    parser.formatter_class = _wide
    return f"\n```text\n{parser.format_help().rstrip()}\n```\n"


def _wide(prog: str) -> argparse.HelpFormatter:
    """Write help as wide as the page, whatever terminal it is written from."""
    return argparse.RawDescriptionHelpFormatter(prog, width=_WIDTH)
