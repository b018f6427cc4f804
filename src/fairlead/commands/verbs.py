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
        goes_on: Whether a run that was stopped goes on where it was when it is started again.
    """

    name: str
    module: str
    plan_name: str
    about: str
    python: str
    goes_on: bool = False

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
        # Brings pydantic, which the table alone does not need: the command line lists verbs from
        # it.
        from fairlead.commands.functions import as_function

        return as_function(self.python.rpartition(".")[2], self.plan, self.run)

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its plan."""
        return self.plan.model_json_schema()

    def _loaded(self) -> Any:
        return import_module(f"fairlead.commands.{self.module}")


# In the order of the help. Written as text, so that --help loads no verb.
# A new verb is one row here and one module; tests hold every plan to its description.
_ROWS = (
    (
        "score",
        "score:ScorePlan",
        "Measure a saved ranking: chance level, interval, correction for many looks.",
    ),
    ("rerank", "rerank:RerankPlan", "Mitigate a saved ranking and write the new one."),
    ("check", "check:CheckPlan", "Validate files and report how much is labelled."),
    (
        "list",
        "listing:ListPlan",
        "List what there is: metrics, mitigations, encoders and more; or all about one.",
    ),
    (
        "embed",
        "embed:EmbedPlan",
        "Embed a collection of images; a run that was killed goes on, new images are appended.",
    ),
    (
        "remove",
        "remove:RemovePlan",
        "Remove items from an embedded collection for good, from its indexes too.",
    ),
    (
        "search",
        "search:SearchPlan",
        "Search a collection, and see the mitigated list beside the plain one.",
    ),
    (
        "trigger",
        "trigger:TriggerPlan",
        "Decide whether the list of a query may be diversified, and say why.",
    ),
    ("index", "index:IndexPlan", "Build an index of a collection and keep it."),
    (
        "annotate collection",
        "annotate:AnnotatePlan",
        "Label a collection; the word may be left out: annotate COLLECTION --with SPEC.",
    ),
    (
        "annotate evaluate",
        "annotate_evaluate:EvaluatePlan",
        "Hold an annotator against known labels, cell by cell.",
    ),
    (
        "annotate compare",
        "annotate_compare:ComparePlan",
        "Compare labellers with people, query by query; reads what face services answered.",
    ),
    (
        "annotate neutral",
        "annotate_neutral:NeutralPlan",
        "Rewrite captions without words that name a gender.",
    ),
    ("annotate human task", "human_task:TaskPlan", "Make a task, or change it."),
    (
        "annotate human plan",
        "human_plan:WorkPlan",
        "What to label next, and what it will cost.",
    ),
    (
        "annotate human import",
        "human_import:ImportPlan",
        "Read answers: a table, Label Studio, MTurk.",
    ),
    (
        "annotate human export",
        "human_export:ExportPlan",
        "Write answers, or the labels made of them.",
    ),
    (
        "annotate human status",
        "human_status:StatusPlan",
        "Progress, agreement, cost, who disagrees.",
    ),
    (
        "annotate human forget",
        "human_forget:ForgetPlan",
        "Forget answers for good: of a rater, about an item, or too old.",
    ),
    ("audit", "audit:AuditPlan", "Audit a model on a benchmark, plain and mitigated."),
    ("replay", "replay:ReplayPlan", "Run the audit of a saved folder again, from its manifest."),
    (
        "frontier",
        "frontier:FrontierPlan",
        "What each mitigation costs in relevance at each level of bias.",
    ),
    (
        "calibrate",
        "calibrate:CalibratePlan",
        "Hold every metric and reranker against a bias of known dose.",
    ),
    (
        "simulate labels",
        "simulate_labels:LabelTrialsPlan",
        "Lists balanced on predicted labels: how far off they are, and what corrects that.",
    ),
    (
        "simulate labeller",
        "simulate_labeller:LabelQualityPlan",
        "What the quality of labels does to mitigated lists.",
    ),
    ("train phantom", "train_phantom:PhantomPlan", "Train the phantom again."),
    ("train lite", "train_lite:LitePlan", "Train the heads of lite again."),
    (
        "train attribute",
        "train_attribute:AttributePlan",
        "Train a classifier of an attribute, for the annotator mlp:FILE.",
    ),
    (
        "train mitigated",
        "train_mitigated:MitigatedPlan",
        "Train a model on with a mitigation on weights.",
    ),
    (
        "train projection",
        "train_projection:ProjectionPlan",
        "Fit a projection, a mitigation on vectors, for --mitigate fitted:FILE.",
    ),
    (
        "reproduce",
        "reproduce:ReproducePlan",
        "Compute the published numbers of the four source papers, live.",
    ),
    (
        "demo",
        "demo:DemoPlan",
        "Audit and mitigate a small image search of known bias: the product in one command.",
    ),
    (
        "doctor",
        "doctor:DoctorPlan",
        "Say what is installed, what is kept, and what could leave this machine.",
    ),
)
GROUPS = {
    "annotate": "Say which group items appear to belong to; labels that people give.",
    "annotate human": "Labels that people give: tasks, plans, answers, agreement, cost.",
    "simulate": "Simulate with known truth: how far off numbers are when labels are wrong.",
    "train": (
        "Train an attribute's classifier, a projection or a mitigated encoder; the phantom and "
        "lite again."
    ),
}
"""Words that several verbs share, and what they do together."""
# Where the first word would be a namespace beside a function (annotate), or the word means
# something else in Python (list).
_NAMES_IN_PYTHON = {
    "annotate collection": "annotate",
    "annotate evaluate": "evaluate_annotator",
    "annotate compare": "compare_labellers",
    "annotate neutral": "neutralise",
    "annotate human task": "human.task",
    "annotate human plan": "human.plan",
    "annotate human import": "human.import_answers",
    "annotate human export": "human.export_answers",
    "annotate human status": "human.status",
    "annotate human forget": "human.forget",
    "list": "entries",
    "trigger": "decide",
}
"""Verbs whose name in Python is not that on the command line."""
_GO_ON = ("annotate collection", "embed", "index", "search")
"""Verbs that keep the vectors they have made so far."""


def _verb(name: str, place: str, about: str) -> Verb:
    module, _, plan = place.partition(":")
    # Spaces are namespaces: 'train lite' is fairlead.train.lite.
    python = _NAMES_IN_PYTHON.get(name, name.replace(" ", "."))
    return Verb(name, module, plan, about, python, goes_on=name in _GO_ON)


VERBS = {name: _verb(name, place, about) for name, place, about in _ROWS}
"""Every verb, by its name on the command line."""


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of every verb's plan."""
    return {name: verb.schema() for name, verb in VERBS.items()}
