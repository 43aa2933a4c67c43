"""Kernel learners and their hypotheses."""
