"""Learners: each predicts, is told the answer, and updates."""

from novikoff.learners.experts.bandits import Exp3, Exp3IX, Exp3P, Ticket
from novikoff.learners.experts.experts import Hedge, RandomizedWeightedMajority
from novikoff.learners.experts.regret_learner import RegretLearner
from novikoff.learners.experts.weighted_majority import WeightedMajority
from novikoff.learners.feature_learner import FeatureLearner
from novikoff.learners.finite.elimination import Elimination
from novikoff.learners.finite.halving import (
    Consistent,
    FiniteLearner,
    Halving,
    IteratedHalving,
    StandardOptimal,
)
from novikoff.learners.finite.member import Member
from novikoff.learners.hypothesis import Hypothesis
from novikoff.learners.kernel.budget import Budget
from novikoff.learners.kernel.expansion import KernelExpansion, KernelVote
from novikoff.learners.kernel.kernel_classes import (
    MulticlassKernelPerceptron,
    OneVsRestKernelPerceptron,
)
from novikoff.learners.kernel.kernel_learner import KernelLearner
from novikoff.learners.kernel.kernel_perceptron import KernelPerceptron
from novikoff.learners.learner import Learner, Slice
from novikoff.learners.linear.averaged import AveragedPerceptron
from novikoff.learners.linear.centroid import CentroidHalving
from novikoff.learners.linear.core_learner import CoreLearner
from novikoff.learners.linear.cutting import CuttingLearner
from novikoff.learners.linear.ellipsoid import EllipsoidHalving
from novikoff.learners.linear.halfspace import Halfspace
from novikoff.learners.linear.minnow import BalancedMinnow, Minnow
from novikoff.learners.linear.mixed_classes import MixedMulticlassPerceptron
from novikoff.learners.linear.mixed_perceptron import MixedPerceptron
from novikoff.learners.linear.mixing import MixingLearner
from novikoff.learners.linear.modified import ModifiedPerceptron
from novikoff.learners.linear.multiclass import Multiclass
from novikoff.learners.linear.multiclass_perceptron import MulticlassPerceptron
from novikoff.learners.linear.perceptron import Perceptron
from novikoff.learners.linear.vote import Vote
from novikoff.learners.linear.voted import VotedPerceptron
from novikoff.learners.losses.adaptive_gradient import AdaptiveGradient
from novikoff.learners.losses.arow import Arow
from novikoff.learners.losses.base_rate import BaseRate
from novikoff.learners.losses.blend import Blend
from novikoff.learners.losses.blend_hypothesis import BlendHypothesis
from novikoff.learners.losses.class_blend import ClassBlend
from novikoff.learners.losses.class_hypothesis import ClassBlendHypothesis
from novikoff.learners.losses.class_mixture_hypothesis import ClassMixtureHypothesis
from novikoff.learners.losses.coin_betting import CoinBetting
from novikoff.learners.losses.forward_regression import ForwardRegression
from novikoff.learners.losses.frozen_class_mixture import FrozenClassMixture
from novikoff.learners.losses.frozen_mixture import FrozenMixture
from novikoff.learners.losses.gradient_descent import GradientDescent
from novikoff.learners.losses.gradient_descent_hypothesis import (
    DescentHypothesis,
    LogisticDescentHypothesis,
)
from novikoff.learners.losses.logistic_hypothesis import LogisticHypothesis
from novikoff.learners.losses.logistic_learner import LogisticLearner
from novikoff.learners.losses.mixture import Mixture
from novikoff.learners.losses.mixture_hypothesis import MixtureHypothesis
from novikoff.learners.losses.normalized_gradient import NormalizedGradient
from novikoff.learners.losses.online_newton import OnlineNewton
from novikoff.learners.losses.program_hypothesis import ProgramHypothesis
from novikoff.learners.losses.regression_hypothesis import RegressionHypothesis
from novikoff.learners.losses.snapshots_hypothesis import SnapshotsHypothesis
from novikoff.learners.protocols import (
    BlockLearner,
    QuickLearner,
    SurveyingLearner,
    plays_blocks,
)
from novikoff.learners.structured.chain import Chain
from novikoff.learners.structured.mixed_structured import MixedStructuredPerceptron
from novikoff.learners.structured.structured_hypothesis import Tree, Weighted
from novikoff.learners.structured.structured_perceptron import StructuredPerceptron

__all__ = [
    "AdaptiveGradient",
    "Arow",
    "AveragedPerceptron",
    "BalancedMinnow",
    "BaseRate",
    "Blend",
    "BlendHypothesis",
    "BlockLearner",
    "Budget",
    "CentroidHalving",
    "Chain",
    "ClassBlend",
    "ClassBlendHypothesis",
    "ClassMixtureHypothesis",
    "CoinBetting",
    "Consistent",
    "CoreLearner",
    "CuttingLearner",
    "DescentHypothesis",
    "Elimination",
    "EllipsoidHalving",
    "Exp3",
    "Exp3IX",
    "Exp3P",
    "FeatureLearner",
    "FiniteLearner",
    "ForwardRegression",
    "FrozenClassMixture",
    "FrozenMixture",
    "GradientDescent",
    "Halfspace",
    "Halving",
    "Hedge",
    "Hypothesis",
    "IteratedHalving",
    "KernelExpansion",
    "KernelLearner",
    "KernelPerceptron",
    "KernelVote",
    "Learner",
    "LogisticDescentHypothesis",
    "LogisticHypothesis",
    "LogisticLearner",
    "Member",
    "Minnow",
    "MixedMulticlassPerceptron",
    "MixedPerceptron",
    "MixedStructuredPerceptron",
    "MixingLearner",
    "Mixture",
    "MixtureHypothesis",
    "ModifiedPerceptron",
    "Multiclass",
    "MulticlassKernelPerceptron",
    "MulticlassPerceptron",
    "NormalizedGradient",
    "OneVsRestKernelPerceptron",
    "OnlineNewton",
    "Perceptron",
    "ProgramHypothesis",
    "QuickLearner",
    "RandomizedWeightedMajority",
    "RegressionHypothesis",
    "RegretLearner",
    "Slice",
    "SnapshotsHypothesis",
    "StandardOptimal",
    "StructuredPerceptron",
    "SurveyingLearner",
    "Ticket",
    "Tree",
    "Vote",
    "VotedPerceptron",
    "Weighted",
    "WeightedMajority",
    "plays_blocks",
]
