"""``novikoff simulate``: learners with experts or arms, in environments, over many seeds."""

import argparse
from pathlib import Path
from typing import Any

from novikoff.cli.escapes import as_line
from novikoff.cli.options import print_json
from novikoff.cli.parser import UsageError
from novikoff.extras import extra
from novikoff.learners import (
    Exp3,
    Exp3IX,
    Exp3P,
    Hedge,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from novikoff.reports.regret import draw
from novikoff.simulation import Simulation
from novikoff.simulation import simulate as simulated
from novikoff.streams.environments import (
    Environment,
    Replay,
    Stochastic,
    lower_bound,
    switching,
)

LEVELS = (0.05, 0.5, 0.95, 1.0)
PICTURES = (".svg", ".png", ".pdf")


def simulate(options: argparse.Namespace) -> int:
    """Play learner × environment × seeds, and show quantiles of regret beside the bound."""
    if options.plot and Path(options.plot).suffix not in PICTURES:
        raise UsageError(f"--plot: expected one of {', '.join(PICTURES)}, got {options.plot}.")
    if options.plot:
        extra("matplotlib", "--plot")
    found = []
    for name in options.environment:
        environment = _environment(name, options)
        for kind in options.learner:
            learner = _learner(kind, environment, options)
            found.append(
                simulated(
                    learner,
                    environment,
                    seeds=options.seeds,
                    threads=options.threads,
                    delta=options.delta,
                )
            )
    if options.plot:
        draw(found, options.plot)
    if options.json:
        print_json({"simulations": [_plain(one, options) for one in found]})
    else:
        _show(found)
    return 0


def _environment(name: str, options: argparse.Namespace) -> Environment:
    arms, rounds = options.arms, options.rounds
    if name == "stochastic":
        means = [0.5] * arms
        means[-1] = 0.4
        return Stochastic(means, rounds)
    if name == "switching":
        return switching(arms, rounds)
    if name == "lower-bound":
        return lower_bound(arms, rounds)
    if not Path(name).suffix:
        raise UsageError(
            f"--environment: expected stochastic, switching, lower-bound or a file of losses, got "
            f"{name}."
        )
    return Replay(name)


def _learner(kind: str, environment: Environment, options: argparse.Namespace) -> Any:
    size, horizon = environment.columns, None if options.anytime else environment.rounds
    if kind == "weighted-majority":
        return WeightedMajority(size, options.beta)
    if kind == "randomized":
        return RandomizedWeightedMajority(size, options.beta)
    if kind == "hedge":
        return Hedge(size, horizon=horizon)
    if kind == "exp3p":
        return Exp3P(size, options.delta, horizon)
    return {"exp3": Exp3, "exp3ix": Exp3IX}[kind](size, horizon)


def _plain(found: Simulation, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "learner": found.learner,
        "environment": found.environment,
        "rounds": int(found.rounds[-1]),
        "seeds": len(found.regret),
        "theorem": found.bound.theorem,
        "bound": float(found.bounds[-1]),
        "delta": options.delta,
        "expected_regret": found.expected_regret,
        "pseudo_regret": found.pseudo_regret,
        "quantiles": dict(zip(map(str, LEVELS), found.quantiles(LEVELS).tolist(), strict=True)),
    }


def _show(found: list[Simulation]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    names = ("5 %", "median", "95 %", "worst", "bound")
    table = Table("environment", "learner", "mean", *names, "theorem")
    for column in table.columns[2:8]:
        column.justify = "right"
    for one in found:
        numbers = [one.expected_regret, *one.quantiles(LEVELS), one.bounds[-1]]
        shown = [f"{number:.1f}" for number in numbers]
        table.add_row(escape(as_line(one.environment)), one.learner, *shown, one.bound.theorem)
    Console().print(table)
    one = found[0]
    print(f"regret over {len(one.regret)} seeds, {one.rounds[-1]} rounds")
