"""``demo``: the product in one command."""

from __future__ import annotations

from fairlead.commands import audit
from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.protocols import Progress
from fairlead.results.audit import Audit

_METRICS = ("AbsBias@20", "NDKL@20", "nDCG@20")


class DemoPlan(fields.Plan):
    """Audit the phantom, a small image search of known bias, plain and mitigated.

    Everything it needs ships with fairlead. The bias was put in on purpose: an example, not
    evidence about any real search.
    """


def run(plan: DemoPlan, progress: Progress | None = None) -> Audit:
    """The audit of the phantom."""
    # Labels of which one in ten is wrong: with true ones pbm leaves nothing at all, which nobody
    # should expect of labels of their own.
    asked = audit.AuditPlan.of(
        model=fields.BIASED,
        benchmark="phantom(seeds=8)",
        attribute="gender",
        metric=_METRICS,
        mitigate="pbm",
        mitigate_groups="noisy(accuracy=0.9)",
    )
    return audit.run(asked, progress)


demo = as_function("demo", DemoPlan, run)
