"""``novikoff completion SHELL``: words to complete, taken from the parser itself."""

import argparse

from novikoff.cli.parser import build


def completion(options: argparse.Namespace) -> int:
    """Print what the shell is to evaluate."""
    print(_SHELLS[options.shell](words()), end="")
    return 0


def words() -> dict[str, list[str]]:
    """Return the options of every verb."""
    found: dict[str, list[str]] = {}
    for action in build()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, parser in action.choices.items():
                found[verb] = [name for one in parser._actions for name in one.option_strings]
    return found


def _bash(found: dict[str, list[str]]) -> str:
    cases = "".join(f"    {v}) words='{' '.join(names)}' ;;\n" for v, names in found.items())
    return f"""_novikoff() {{
  local words current=${{COMP_WORDS[COMP_CWORD]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(found)} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) compopt -o default ;;
  esac
}}
complete -F _novikoff novikoff
"""


def _zsh(found: dict[str, list[str]]) -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash(found)}"


def _fish(found: dict[str, list[str]]) -> str:
    lines = ["complete -c novikoff -n __fish_use_subcommand -a '" + " ".join(found) + "'"]
    for verb, names in found.items():
        lines += [
            f"complete -c novikoff -n '__fish_seen_subcommand_from {verb}' -l {name[2:]}"
            for name in names
            if name.startswith("--")
        ]
    return "\n".join(lines) + "\n"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
