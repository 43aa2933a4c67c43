"""Learners for finite classes and their hypotheses."""
