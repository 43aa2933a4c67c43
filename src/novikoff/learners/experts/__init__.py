"""Learners with experts and with arms."""
