"""Learners for losses, which give probabilities, and what they learn."""
