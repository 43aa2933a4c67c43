"""The log of the learning service: its records, its segments, and the stream that plays it."""

from novikoff.extras import require_extra

for _package in ("msgspec", "google_crc32c"):
    require_extra(_package, "the log of a service")
