"""``novikoff completion SHELL``: words to complete, taken from the parser itself."""

import argparse
from typing import NamedTuple

from novikoff.cli.answers import print_json
from novikoff.cli.parser import build
from novikoff.cli.plans.listing_plans import CompletionPlan


class Words(NamedTuple):
    """What may follow a verb."""

    options: list[str]
    values: dict[str, list[str]]
    """What may follow an option, if it is one of a few words."""
    arguments: list[str]


def completion(plan: CompletionPlan) -> int:
    """Print the script that the shell evaluates."""
    script = _SHELLS[plan.shell](words())
    if plan.json:
        print_json({"shell": plan.shell, "script": script})
    else:
        print(script, end="")
    return 0


def words() -> dict[str, Words]:
    """Return the words of every verb."""
    found: dict[str, Words] = {}
    for action in build()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, parser in action.choices.items():
                found[verb] = _words_of(parser._actions)
    return found


def _words_of(actions: list[argparse.Action]) -> Words:
    options = [name for action in actions for name in action.option_strings]
    chosen = [(action, list(action.choices)) for action in actions if action.choices]
    values = {name: words for action, words in chosen for name in action.option_strings}
    arguments = [word for action, words in chosen if not action.option_strings for word in words]
    return Words(options, values, arguments)


def _bash(found: dict[str, Words]) -> str:
    cases = "".join(
        f"    {verb}) options='{' '.join(words.options)}'\n"
        f"      arguments='{' '.join(words.arguments)}' ;;\n"
        for verb, words in found.items()
    )
    values = "".join(
        f"    {verb}:{name})\n"
        f"      COMPREPLY=($(compgen -W '{' '.join(choices)}' -- \"$current\"))\n"
        "      return ;;\n"
        for verb, words in found.items()
        for name, choices in words.values.items()
    )
    return f"""_novikoff() {{
  local options arguments current=${{COMP_WORDS[COMP_CWORD]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(found)} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}}:${{COMP_WORDS[COMP_CWORD-1]}} in
{values}  esac
  case ${{COMP_WORDS[1]}} in
{cases}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$arguments" -- "$current"))
       [ -n "$arguments" ] || compopt -o default ;;
  esac
}}
complete -F _novikoff novikoff
"""


def _zsh(found: dict[str, Words]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(found)}"


def _fish(found: dict[str, Words]) -> str:
    lines = ["complete -c novikoff -n __fish_use_subcommand -a '" + " ".join(found) + "'"]
    for verb, words in found.items():
        seen = f"complete -c novikoff -n '__fish_seen_subcommand_from {verb}'"
        for name in words.options:
            if name.startswith("--"):
                values = words.values.get(name)
                after = f" -x -a '{' '.join(values)}'" if values else ""
                lines.append(f"{seen} -l {name[2:]}{after}")
        if words.arguments:
            lines.append(f"{seen} -a '{' '.join(words.arguments)}'")
    return "\n".join(lines) + "\n"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
