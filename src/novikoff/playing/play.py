"""``nv.play``: a learner plays a whole stream."""

from novikoff.errors import NovikoffError
from novikoff.playing.passes import with_lost
from novikoff.playing.progress import Report
from novikoff.playing.protocol import L
from novikoff.playing.run import Run
from novikoff.streams import Stream
from novikoff.streams.labels.declared import Declared, checked_declaration
from novikoff.streams.labels.label_maps import plain


def play(  # noqa: PLR0913 — what a run and its play take, each by its name
    learner: L,
    stream: object,
    *,
    passes: int = 1,
    until_clean: bool = False,
    max_passes: int | None = None,
    progress: bool | Report | None = None,
    digest: bool = False,
    labels: Declared = (),
) -> Run[L]:
    """Let a learner predict every label of a stream and learn from it; return the run.

    The stream is ``nv.read(…)``, ``nv.stream(…)`` or any iterable of (x, y). It is played
    ``passes`` times, or ``until_clean``: until a pass has no mistake, at most ``max_passes`` times.
    ``labels`` and ``digest`` are those of ``Run``. A learner with experts or arms takes only
    ``progress``.

    >>> import novikoff as nv
    >>> run = nv.play(nv.Blend(), nv.stream([[1.0, 100], [1, -300], [2, 200]], [1, -1, 1]))
    >>> run.mistakes, run.ledger.rounds
    (1, 3)
    """
    labels = checked_declaration(labels)
    positive = plain(stream.positive) if labels and isinstance(stream, Stream) else None
    run = Run(learner, positive=positive, labels=labels, digest=digest)
    try:
        return run.play(
            stream, passes=passes, until_clean=until_clean, max_passes=max_passes, progress=progress
        )
    except NovikoffError as error:
        with_lost(error, run.ledger.rounds)
        raise
