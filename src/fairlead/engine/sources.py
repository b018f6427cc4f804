"""Sources: the text forms of a plan become objects, all of their faults told together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from fairlead.engine.mitigations import Mitigation, mitigation_of
from fairlead.errors import FairleadError, UsageError, together
from fairlead.protocols import registry

T = TypeVar("T")


@dataclass
class Faults:
    """Collects what is wrong with the parts of a plan, so that it is told all at once."""

    errors: list[FairleadError] = field(default_factory=list)

    def of(self, make: Callable[..., T], *what: Any) -> T | None:
        """What ``make`` gives, or None where it refuses."""
        try:
            return make(*what)
        except FairleadError as error:
            self.errors.append(error)
            return None

    def tell(self) -> None:
        """Raise what was collected, if anything was."""
        if self.errors:
            raise together(self.errors)


def mitigations_of(texts: Sequence[Any], faults: Faults) -> tuple[Mitigation, ...]:
    """The mitigations by their text form or as objects, each once."""
    read = partial(mitigation_of, own_labels=True)
    parts = [faults.of(read, text) for text in texts]
    return tuple(dict.fromkeys(part for part in parts if part is not None))


def metrics_of(
    texts: Sequence[Any], faults: Faults, *, judged: bool, how: str = "Give them with --qrels."
) -> tuple[Any, ...]:
    """The metrics by their text form or as objects, each once.

    Args:
        texts: Text forms or metrics.
        faults: Collects what cannot be made.
        judged: Whether relevance is known.
        how: What to do where it is not, and a metric asks for it.
    """
    parts = [faults.of(registry.make, "metric", text) for text in texts]
    metrics = tuple(dict.fromkeys(part for part in parts if part is not None))
    lacking = [str(metric) for metric in metrics if "relevant" in metric.needs]
    if lacking and not judged:
        message = f"{', '.join(lacking)} needs relevance judgements."
        faults.errors.append(UsageError(message, how))
    return metrics
