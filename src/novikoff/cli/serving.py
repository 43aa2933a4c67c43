"""``novikoff serve`` and ``log``."""

import os
import sys

from novikoff.cli.answers import answer, print_json
from novikoff.cli.escapes import visible
from novikoff.cli.plans.serve_plan import LogPlan, ServePlan
from novikoff.errors import InputError


def serve(plan: ServePlan) -> int:
    """Serve a model until SIGTERM or Ctrl-C."""
    from novikoff.service.server import serve as run
    from novikoff.service.tokens import new_tokens

    if plan.create:
        _create(plan)
    if not os.path.exists(plan.token_file):
        tokens = new_tokens(plan.token_file)
        if plan.json:
            print_json({"tokens": tokens})
        else:
            for access, token in tokens.items():
                print(f"{access} token: {token}")
            print(f"They are shown only now; {visible(plan.token_file)} holds their hashes.")
        sys.stdout.flush()
    run(plan.settings)
    return 0


def _create(plan: ServePlan) -> None:
    """Write a new model, unless the log has begun; never replace one."""
    from novikoff.streams.files.formats import is_log

    if plan.model is None or is_log(plan.log):
        return
    if os.path.exists(plan.model):
        raise InputError(
            f"{plan.model}: expected no file yet with --create, got one. Serve it without "
            "--create, or name another."
        )
    plan.created().save(plan.model)


def log(plan: LogPlan) -> int:
    """Write the rounds of a log in another format."""
    from novikoff.cli.log_export import exported

    rounds = exported(plan.folder, plan.output)
    size = os.path.getsize(plan.output)
    found = {"output": plan.output, "rounds": rounds, "bytes": size, "remarks": []}
    answer(plan.json, found, lambda: print(f"{visible(plan.output)}: {rounds:,} rounds"))
    return 0
