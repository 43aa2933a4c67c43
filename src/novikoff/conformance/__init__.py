"""Property checks for any learner: contracts, and what the theorems promise.

``check("module:Class")`` plays generated, adversarial and bundled streams with a learner that has
predict and update, predict_one and learn_one, or predict and partial_fit.
"""

from novikoff.conformance.report import Report, Row, check, replay

__all__ = ["Report", "Row", "check", "replay"]
