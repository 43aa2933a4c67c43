"""One file per family: its theorems, its learners, their parameters, its form of data."""
