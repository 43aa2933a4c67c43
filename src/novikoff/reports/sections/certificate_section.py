"""The certificate, and the commands that check it."""

from novikoff.receipts.certificates import Certificate
from novikoff.reports.facts import Facts
from novikoff.reports.page_parts import DIGEST, code, fact_list, folded, section
from novikoff.reports.page_words import allowed, formula, text
from novikoff.reports.sections.theorem_sections import observed
from novikoff.theory import named
from novikoff.theory.batch_theorems import ABOUT_MEAN_ERROR


def certificate(facts: Facts) -> str:
    """Return what the certificate says, and how to check it."""
    found = facts.certificate
    assert found is not None
    rows = {"theorem": f"<strong>{text(found.theorem)}</strong>"}
    if found.bound is not None:
        exact = f'<data value="{found.bound!r}">{allowed(found.bound)}</data>'
        rows["says"] = _did(found) + exact
    assumptions = found.content["assumptions"]
    if assumptions:
        rows["assumed"] = "; ".join(text(words, 200) for words in assumptions)
    rows["certificate"] = f"{code(found.content['sha256'])} <small>SHA-256 of its content</small>"
    rows["data"] = f"{code(found.content['data']['digest'])} {DIGEST}"
    statement = f'<p class="statement">{formula(found.content["statement"])}</p>\n'
    stated = folded("What the theorem says", statement)
    return section("Certificate", fact_list(rows) + _checked(facts) + stated)


def _did(found: Certificate) -> str:
    """Return what the run did, in words that end before what the theorem allows."""
    if found.theorem in ABOUT_MEAN_ERROR:
        return "the mean error is at most "
    if found.observed is None:
        return ""
    seen = observed(found.theorem, found.observed)
    did = {
        "loss": f"the losses of all rounds add up to {seen}; the theorem allows at most ",
        "mistakes": f"the run made {seen} mistakes; the theorem allows at most ",
    }
    return did.get(named(found.theorem).of, f"{seen} ≤ ")


def _checked(facts: Facts) -> str:
    """Return how to check the certificate: with commands, or in Python."""
    how = facts.checking
    assert how is not None
    file = text(how.certificate, 1000)
    words = (
        "<p>Anybody who has the certificate and the data can check it, in exact arithmetic and "
        "without trusting this page"
    )
    if not how.saved:
        words += f'. Save it first: <code>certificate.save("{file}")</code>'
    if how.verify is None:
        return f"""{words}. The data were not in a file: check it in Python, where
<code>stream</code> holds the rows and labels that were played, such as
<code>nv.stream(X, y)</code>.</p>
<pre>nv.verify(nv.Certificate.load("{file}"), stream)</pre>
"""
    if how.alone:
        words += (
            ". The last command does not trust this library either: <code>verifier.py</code>, a "
            "copy of <code>novikoff.verifier.__file__</code>, needs nothing but Python"
        )
    if len(how.alone) > 1:
        words += "; <code>novikoff export</code> writes the rows in the form that it reads"
    lines = "\n".join(text(command, 100_000) for command in (how.verify, *how.alone))
    return f"{words}.</p>\n<pre>{lines}</pre>\n"
