"""Plans: what each verb is asked to do, frozen and checked before anything happens."""

from collections.abc import Mapping
from importlib import import_module

from novikoff.cli.plans.plan import Plan

_HOMES = {
    "learn": "learn_plan:LearnPlan",
    "predict": "predict_plan:PredictPlan",
    "test": "fresh_plan:FreshPlan",
    "tag": "tag_plan:TagPlan",
    "certify": "receipt_plans:CertifyPlan",
    "verify": "receipt_plans:VerifyPlan",
    "margin": "receipt_plans:MarginPlan",
    "report": "receipt_plans:ReportPlan",
    "simulate": "game_plans:SimulatePlan",
    "game": "game_plans:GamePlan",
    "theorems": "listing_plans:TheoremsPlan",
    "check": "listing_plans:CheckPlan",
    "inspect": "listing_plans:InspectPlan",
    "completion": "listing_plans:CompletionPlan",
    "cache": "file_plans:CachePlan",
    "export": "file_plans:ExportPlan",
    "serve": "serve_plan:ServePlan",
    "log": "serve_plan:LogPlan",
    "demo": "story_plans:DemoPlan",
    "bench": "story_plans:BenchPlan",
}


def plan_of(options: Mapping[str, object]) -> Plan:
    """Return the plan of a command line, in which no option contradicts another."""
    module, _, name = _HOMES[str(options["verb"])].partition(":")
    kind: type[Plan] = getattr(import_module(f"{__name__}.{module}"), name)
    return kind.of(options)
