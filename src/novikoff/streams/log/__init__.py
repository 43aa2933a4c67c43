"""The log of the learning service: its records, its segments, and the stream that plays it."""
