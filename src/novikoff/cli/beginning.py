"""Ctrl-C before a verb begins, or after it ends: the command stops without a message.

A traceback from a half imported module helps nobody. While the command starts and while it ends,
SIGINT therefore does what it does to any program, and the shell sees 130. If another program
imports this package, its handlers stay as they are.
"""

import _signal  # type: ignore[import-not-found]
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# ``python -m`` has no other name while it looks for the module.
_command = os.path.basename("".join(sys.argv[:1])).partition(".")[0] in ("novikoff", "-m")
_quiet = _command and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
if _quiet:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


@contextmanager
def heard() -> Iterator[None]:
    """Hear Ctrl-C as a KeyboardInterrupt in here."""
    if not _quiet:
        yield
        return
    try:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        yield
    finally:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
