"""Chains of certificates: the receipts of day after day, each from where the last one ended."""

from collections.abc import Sequence

from novikoff import verifier
from novikoff.errors import parameter
from novikoff.playing.run import Run
from novikoff.receipts.certificates import Certificate, loaded, model_of
from novikoff.receipts.family import reread
from novikoff.receipts.rereading import Rereading, readable
from novikoff.saving.storage import PathLike
from novikoff.verifier import Linked

__all__ = ["Linked", "verify_chain"]


def verify_chain(
    certificates: Sequence[Certificate],
    streams: Sequence[object] = (),
    start: Run | PathLike | None = None,
) -> Linked:
    """Verify that certificates follow each other: each run begins where the last one ended.

    Without ``streams``, the data of each, it says nothing about whether the certificates are true:
    they are ``linked``, and ``verified`` is None. With them all runs are played again, one after
    the other. ``start`` is the model that the first one went on from, if it did. What was observed
    adds up, and so do the bounds.

    >>> import novikoff as nv
    >>> days = [nv.stream([[1.0, 0.0], [0.0, 1.0]] * 3, [-1, 1] * 3) for _ in range(2)]
    >>> run = nv.play(nv.AdaptiveGradient(), days[0])
    >>> first, start = nv.certify(run), run.continued()
    >>> second = nv.certify(start.play(days[1]))
    >>> nv.verify_chain([first, second], days).verified
    True
    >>> found = nv.verify_chain([first, second])
    >>> found.linked, found.verified
    (True, None)
    >>> nv.verify_chain([first, first]).reason
    'certificate 2: its run began anew'
    """
    for one in certificates:
        if not isinstance(one, Certificate):
            raise parameter("certificates", "Certificates", one, "Load them: Certificate.load.")
    return judged_chain([one.text for one in certificates], streams, start)


def judged_chain(
    texts: Sequence[bytes], streams: Sequence[object] = (), start: Run | PathLike | None = None
) -> Linked:
    """Return the verdict on a chain of certificates, whatever their texts are."""
    begin = None if start is None else loaded(start)
    rows = [_rows(text, stream) for text, stream in zip(texts, streams, strict=False)]
    if begin is not None and rows and isinstance(rows[0], Rereading):
        rows[0].before = begin.learner.known_features
    for one, before in zip(rows[1:], rows, strict=False):
        if isinstance(one, Rereading) and isinstance(before, Rereading):
            one.follows = before
    with readable():
        return verifier.verify_chain(texts, rows, model_of(begin))


def _rows(text: bytes, stream: object) -> verifier.Rows:
    """Return the rounds as a certificate's learner takes them."""
    try:
        learner = verifier.read_certificate(text)["learner"]
    except (verifier.Refused, ValueError, RecursionError):
        learner = None  # refused, whatever the rows are
    return reread(stream, learner)
