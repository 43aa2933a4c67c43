"""Learning from a stream, one example at a time, with a receipt for every run.

>>> import novikoff as nv
>>> stream = nv.stream([[1.0, 100], [1, -300], [2, 200]] * 9, ["yes", "no", "yes"] * 9)
>>> run = nv.play(nv.Blend(), stream)  # predict, be told, learn
>>> run.mistakes, run.ledger.rounds, run.predict_one([1, -300])
(1, 27, 'no')
>>> certificate = nv.certify(run)  # what was lost, what is allowed, and why
>>> nv.verify(certificate, stream).verified
True

``nv.read`` streams files, ``nv.report`` writes a page about a run, and ``help(nv.Blend)`` explains
the default learner.
"""

from importlib import import_module
from sys import modules

__version__ = "0.2.0"

# What is public, by the module that holds it. The same in __init__.pyi, for type checkers.
_NAMES = {
    "games.adversaries": "DisjunctionAdversary LittlestoneAdversary OrthonormalAdversary",
    "receipts.certificate_chains": "Linked verify_chain",
    "receipts.certificates": "Certificate Verdict verify",
    "classes": "FiniteClass GridHalfspaces LittlestoneTree conjunctions decision_lists "
    "disjunctions grid_halfspaces halfspaces littlestone_dimension littlestone_tree parities "
    "shattered_set singletons thresholds vc_dimension",
    "comparators": "Comparator Margin best_weights margin",
    "receipts.calibration": "calibration_error",
    "receipts.comparison": "Comparison compare",
    "receipts.conversion": "controlled_testing error_bound expected_loss leave_one_out "
    "random_stopping",
    "receipts.error_alarm": "ErrorAlarm error_alarm",
    "receipts.fresh_testing": "FreshTest test",
    "errors": "BusyError HypothesisError InputError MeasureError NovikoffError ParameterError "
    "UnrealizableError VerificationError",
    "games.worst_case": "worst_case",
    "kernels": "IllegalKernelError Kernel check_kernel linear polynomial rbf",
    "learners": "AdaptiveGradient Arow AveragedPerceptron BalancedMinnow BaseRate Blend "
    "BlendHypothesis Budget CentroidHalving Chain ClassBlend ClassBlendHypothesis "
    "ClassMixtureHypothesis CoinBetting Consistent DescentHypothesis Elimination "
    "EllipsoidHalving Exp3 Exp3IX Exp3P ForwardRegression FrozenClassMixture FrozenMixture "
    "GradientDescent Halfspace Halving "
    "Hedge Hypothesis "
    "IteratedHalving KernelExpansion KernelPerceptron KernelVote Learner "
    "LogisticDescentHypothesis LogisticHypothesis Member Minnow Mixture MixtureHypothesis "
    "ModifiedPerceptron "
    "Multiclass MulticlassKernelPerceptron MulticlassPerceptron NormalizedGradient "
    "OneVsRestKernelPerceptron OnlineNewton Perceptron ProgramHypothesis "
    "RandomizedWeightedMajority RegressionHypothesis RegretLearner SnapshotsHypothesis "
    "StandardOptimal StructuredPerceptron Ticket Tree Vote VotedPerceptron WeightedMajority",
    "games.played_worst_case": "WorstCase",
    "playing.asks": "Ask",
    "playing.ledger": "Ledger",
    "playing.play": "play",
    "playing.run": "Run",
    "playing.progress": "Progress",
    "receipts.predictions": "certify_predictions",
    "receipts.receipt": "bounds certify",
    "theory": "Bound Theorem theorems",
    "reports": "report",
    "receipts.selection": "best_pass",
    "games.simulation": "Simulation simulate",
    "streams": "Cross FileStream Hashing Normalize Presence Scale Stream Transform Words cache "
    "read stream",
    "streams.environments": "Environment Replay Stochastic lower_bound switching",
    "structures": "Chains Classes Problem Trees span_scores",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = [*sorted(_HOMES)]  # noqa: PLE0604 — they are strings


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for, so that ``novikoff --help`` needs no NumPy."""
    if name == "_core":
        return _import_core()
    if name not in _HOMES:
        from novikoff.deprecations import replaced
        from novikoff.other_names import OF_PACKAGE, hint

        instead = replaced(name)
        if instead is None:
            text = f"module {__name__!r} has no attribute {name!r}{hint(name, OF_PACKAGE)}"
            raise AttributeError(text, name=name, obj=modules[__name__])  # so that Python can guess
        return __getattr__(instead)
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def _import_core() -> object:
    """Import the compiled core, or say that there is none."""
    try:
        return import_module(f"{__name__}._core")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}._core":
            raise
    from novikoff.missing_core import missing_core

    raise missing_core(__path__[0])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"import_module", "modules"})
