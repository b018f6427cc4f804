"""The one table of verbs. A verb is a plan and a function from plan to result, in a module of its
own; nothing of it is imported before it is used.

From the table are made: the options of the command line, the Python functions, the JSON schemas,
the reference pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.engine.plan import Plan


@dataclass(frozen=True)
class Verb:
    """One verb.

    Attributes:
        name: As it is written on the command line.
        module: Its module under ``fairlead.commands``, which has the plan and ``run``.
        plan_name: The class of its plan.
        about: What it does, on one line.
        python: Its name under ``fairlead``; a dot parts a namespace from a function.
    """

    name: str
    module: str
    plan_name: str
    about: str
    python: str

    @property
    def plan(self) -> type[Plan]:
        """What it can be asked."""
        plan: type[Plan] = getattr(self._loaded(), self.plan_name)
        return plan

    @property
    def run(self) -> Callable[..., Any]:
        """What it does with a plan."""
        run: Callable[..., Any] = self._loaded().run
        return run

    @property
    def function(self) -> Callable[..., Any]:
        """What Python users call."""
        from fairlead.commands.functions import as_function

        return as_function(self.python.rpartition(".")[2], self.plan, self.run)

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its plan."""
        return self.plan.model_json_schema()

    def _loaded(self) -> Any:
        return import_module(f"fairlead.commands.{self.module}")


_ROWS = (
    (
        "score",
        "score:ScorePlan",
        "Measure a saved ranking: chance level, interval, correction for many looks.",
    ),
    ("rerank", "rerank:RerankPlan", "Mitigate a saved ranking and write the new one."),
    ("check", "check:CheckPlan", "Validate files and report how much is labelled."),
    (
        "search",
        "search:SearchPlan",
        "Search a collection, and see the mitigated list beside the plain one.",
    ),
    ("audit", "audit:AuditPlan", "Audit a model on a benchmark, plain and mitigated."),
    ("replay", "replay:ReplayPlan", "Run the audit of a saved folder again, from its manifest."),
    (
        "frontier",
        "frontier:FrontierPlan",
        "What each mitigation costs in relevance at each level of bias.",
    ),
    (
        "reproduce",
        "reproduce:ReproducePlan",
        "Compute the published numbers of the four source papers, live.",
    ),
)
_NAMES_IN_PYTHON: dict[str, str] = {}
"""Verbs whose name in Python is not that on the command line."""


def _verb(name: str, place: str, about: str) -> Verb:
    module, _, plan = place.partition(":")
    python = _NAMES_IN_PYTHON.get(name, name.replace(" ", "."))
    return Verb(name, module, plan, about, python)


VERBS = {name: _verb(name, place, about) for name, place, about in _ROWS}
"""Every verb, by its name on the command line."""


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of every verb's plan."""
    return {name: verb.schema() for name, verb in VERBS.items()}
