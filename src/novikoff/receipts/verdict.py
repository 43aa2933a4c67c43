"""A verdict: what the verifier says about a certificate."""

from novikoff import verifier
from novikoff.html_tables import fact_table


class Verdict(verifier.Verdict):
    """What ``verify`` returns: whether a certificate is true, and if not, why."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        facts = [("observed", self.observed), ("allowed", self.bound), ("reason", self.reason)]
        title = "Verified" if self.verified else "Refused"
        return fact_table(f"{title}: {self.theorem or 'no theorem'}", facts)
