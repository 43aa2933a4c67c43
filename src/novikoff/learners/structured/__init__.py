"""Structured learners and their hypotheses."""
