"""How good our learners are beside their neighbours: ``python -m reproductions.quality``.

One pass over each set, raw scales, nobody tuned, everybody on the same rows in the same order
(quality_sets.py). *Progressive*: each round is predicted before it is learned. *Held out*: learned
from the first four fifths, frozen, and judged on the last fifth.
"""

import argparse
import json
import shlex
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from reproductions import quality_learners as ours
from reproductions import quality_peers as peers
from reproductions import quality_sets as sets
from reproductions.quality_cache import Cache
from reproductions.quality_goals import Found, Results, goals
from reproductions.quality_measures import judged
from reproductions.quality_tables import page
from reproductions.sets import data_folder

GROUPS = {"chosen": sets.CHOSEN, "fresh": sets.FRESH, "many": sets.MANY}
QUICK = 2000  # rows of each set


class Plan(NamedTuple):
    """What to measure, and where."""

    names: list[str]
    learners: list[str]
    peers: bool
    rows: int | None
    cache: Cache
    folder: Path
    as_json: bool


def planned(arguments: list[str]) -> Plan:
    """Read the command line."""
    parser = argparse.ArgumentParser("python -m reproductions.quality", description=__doc__)
    parser.add_argument("--sets", default="chosen,fresh,many", help="names, or chosen, fresh, many")
    parser.add_argument("--learners", default=",".join(ours.USUAL), help="ours, by name")
    parser.add_argument("--no-peers", action="store_true", help="only our learners")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} rounds of each")
    parser.add_argument("--cache", type=Path, help="folder of the neighbours' predictions")
    parser.add_argument("--data", type=Path, help="folder of the sets (default NOVIKOFF_DATA)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    chosen = parser.parse_args(arguments)
    names = [n for part in chosen.sets.split(",") for n in GROUPS.get(part, {part: None})]
    learners = chosen.learners.split(",")
    for option, known, given in (
        ("--sets", [*GROUPS, *sets.SOURCES], names),
        ("--learners", [*(ours.TWO | ours.MANY)], learners),
    ):
        if unknown := sorted(set(given) - set(known)):
            parser.error(
                f"{option}: expected some of {', '.join(known)}, got {', '.join(unknown)}."
            )
    folder = chosen.data or data_folder()
    if not folder.is_dir():
        parser.error(f"{folder}: expected the folder of the sets, got none. Set NOVIKOFF_DATA.")
    rows = QUICK if chosen.quick else None
    cache = Cache(chosen.cache or Path(tempfile.gettempdir()) / "novikoff-quality")
    return Plan(names, learners, not chosen.no_peers, rows, cache, folder, bool(chosen.json))


def measured(plan: Plan, name: str) -> Found:
    """Let everybody play one set."""
    rounds, many = sets.load(name, plan.folder, plan.rows), name in sets.MANY
    cut = len(rounds.y) * 4 // 5
    rows, columns = rounds.X.shape
    found = Found(rows, columns, int(rounds.y.max()) + 1 if many else 2, {}, {})

    def note(who: str, played: peers.Played) -> None:
        if played.progressive is not None:
            found.progressive[who] = judged(played.progressive, rounds.y)
        found.held_out[who] = judged(played.held_out, rounds.y[cut:])

    makers = ours.MANY if many else ours.TWO
    for who in plan.learners:
        if who in makers:
            note(who, ours.play(makers[who], rounds, cut, many=many))
    for who, peer in (peers.MANY if many else peers.TWO).items() if plan.peers else ():
        if peers.plays(who, rounds):
            note(who, plan.cache.played((name, who), peer, rounds, cut))
    return found


def main(arguments: list[str]) -> None:
    """Measure, and print tables or JSON."""
    plan, results = planned(arguments), Results()
    for name in plan.names:
        print(name, file=sys.stderr, flush=True)
        results[name] = measured(plan, name)
    command = shlex.join(["python", "-m", "reproductions.quality", *arguments])
    date, versions = datetime.now(UTC).date().isoformat(), peers.versions()
    checked = goals(results, plan.learners[0])
    if plan.as_json:
        made = {
            "date": date,
            "command": command,
            "versions": versions,
            "sets": {name: found.plain() for name, found in results.items()},
            "goals": [goal._asdict() for goal in checked],
        }
        print(json.dumps(made))
    else:
        names = ", ".join(f"{package} {number}" for package, number in versions.items())
        print(page(results, checked, f"{date}: `{command}` ({names})"))


if __name__ == "__main__":
    main(sys.argv[1:])
