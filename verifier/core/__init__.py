"""What every certificate takes: its form, its data, exact arithmetic, the check of a run."""
