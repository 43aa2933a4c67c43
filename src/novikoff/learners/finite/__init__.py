"""Learners of finite classes and their hypotheses."""
