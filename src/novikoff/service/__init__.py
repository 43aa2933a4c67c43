"""The learning service: a run behind HTTP, with a log from which it can always be rebuilt."""
