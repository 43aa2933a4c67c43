"""``novikoff simulate``: learners with experts or arms, in environments, over many seeds."""

from novikoff.cli.answers import answer
from novikoff.cli.escapes import as_line
from novikoff.cli.plans.game_plans import SimulatePlan
from novikoff.games.simulation import EXPECTATION, Simulation
from novikoff.games.simulation import simulate as simulated
from novikoff.learners import (
    Exp3,
    Exp3IX,
    Exp3P,
    Hedge,
    RandomizedWeightedMajority,
    RegretLearner,
    WeightedMajority,
)
from novikoff.playing.ledger import counted
from novikoff.receipts.remarks import shown_places
from novikoff.reports.regret_figures import draw
from novikoff.streams.environments import (
    Environment,
    Replay,
    Stochastic,
    lower_bound,
    switching,
)
from novikoff.theory import named

LEVELS = (0.05, 0.5, 0.95, 1.0)


def simulate(plan: SimulatePlan) -> int:
    """Play learner × environment × seeds, and show quantiles of regret next to the bound."""
    found = []
    for name in plan.environment:
        environment = _environment(name, plan)
        for kind in plan.learner:
            learner = _learner(kind, environment, plan)
            found.append(
                simulated(
                    learner,
                    environment,
                    seeds=plan.seeds,
                    threads=plan.threads,
                    delta=plan.delta,
                )
            )
    if plan.plot:
        draw(found, plan.plot)
    plain = {"simulations": [_plain(one, plan) for one in found]}
    answer(plan.json, plain, lambda: _show(found, plan.delta), _remarks(found))
    return 0


def _remarks(found: list[Simulation]) -> list[str]:
    """Say which runs exceed a bound that is only about the expectation."""
    return [
        f"{one.learner} in {one.environment}: {one.runs_above:,} of "
        f"{counted(len(one.regret), 'run')} exceed the bound {shown_places(one.bounds[-1], 1)}, "
        f"as they may: {one.bound.theorem} bounds the expectation, and the mean {one.measure} is "
        f"{one.compared:.1f}."
        for one in found
        if one.runs_above and one.bounds_on == EXPECTATION
    ]


def _environment(name: str, plan: SimulatePlan) -> Environment:
    arms, rounds = plan.arms, plan.rounds
    if name == "stochastic":
        means = [0.5] * arms
        means[-1] = 0.4
        return Stochastic(means, rounds)
    if name == "switching":
        return switching(arms, rounds)
    if name == "lower-bound":
        return lower_bound(arms, rounds)
    return Replay(name)


def _learner(kind: str, environment: Environment, plan: SimulatePlan) -> RegretLearner:
    size, horizon = environment.columns, None if plan.anytime else environment.rounds
    if kind == "weighted-majority":
        return WeightedMajority(size, plan.beta)
    if kind == "randomized":
        return RandomizedWeightedMajority(size, plan.beta)
    if kind == "hedge":
        return Hedge(size, horizon=horizon)
    if kind == "exp3p":
        return Exp3P(size, plan.delta, horizon)
    return {"exp3": Exp3, "exp3ix": Exp3IX}[kind](size, horizon)


def _plain(found: Simulation, plan: SimulatePlan) -> dict[str, object]:
    return {
        "learner": found.learner,
        "environment": found.environment,
        "rounds": int(found.rounds[-1]),
        "seeds": len(found.regret),
        "theorem": found.bound.theorem,
        "bound": float(found.bounds[-1]),
        "bounds_on": found.bounds_on,
        "measure": found.measure,
        "compared": found.compared,
        "runs_above": found.runs_above,
        "delta": plan.delta,
        "expected_regret": found.expected_regret,
        "pseudo_regret": found.pseudo_regret,
        "quantiles": dict(zip(map(str, LEVELS), found.quantiles(LEVELS).tolist(), strict=True)),
    }


def _show(found: list[Simulation], delta: float) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    names = ("mean", "pseudo", "median", f"{LEVELS[2]:.0%}", "worst", "bound")
    table = Table("environment", "learner", *names, "on")
    for column in table.columns[2:8]:
        column.justify = "right"
    short = {"expected": "mean", "probable": f"{1 - delta:.4g} of runs", "always": "every run"}
    for one in found:
        _, *quantiles = one.quantiles(LEVELS)
        numbers = [one.expected_regret, one.pseudo_regret, *quantiles]
        cells = [f"{number:.1f}" for number in numbers] + [shown_places(one.bounds[-1], 1)]
        on = short[named(one.bound.theorem).kind]
        table.add_row(escape(as_line(one.environment)), one.learner, *cells, on)
    Console().print(table)
    one = found[0]
    print(f"regret over {len(one.regret)} seeds, {one.rounds[-1]} rounds")
    for line in dict.fromkeys(_compared(one, delta) for one in found):
        print(line)


def _compared(one: Simulation, delta: float) -> str:
    """Say what the bound of a theorem is to be compared with."""
    if one.bounds_on == EXPECTATION:
        column = "pseudo" if one.measure == "pseudo-regret" else "mean"
        return (
            f"{one.bound.theorem} bounds the expected {one.measure}: compare it with the mean over "
            f"seeds (column {column}), not with the worst run"
        )
    if named(one.bound.theorem).kind == "probable":
        return (
            f"{one.bound.theorem} bounds the regret of each run with probability {1 - delta:g}: "
            f"about {delta:g} of the runs may exceed it"
        )
    return f"{one.bound.theorem} bounds the regret of every run"
