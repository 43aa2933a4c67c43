"""Transforms: what a model does to a row before its learner sees it."""

from novikoff.streams.transforms.cross import Cross
from novikoff.streams.transforms.transform import Normalize, Presence, Scale, Transform
from novikoff.streams.transforms.transforms import Transforms, as_transforms

__all__ = [
    "Cross",
    "Normalize",
    "Presence",
    "Scale",
    "Transform",
    "Transforms",
    "as_transforms",
]
