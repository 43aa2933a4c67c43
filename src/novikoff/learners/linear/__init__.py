"""Linear learners and their hypotheses."""
