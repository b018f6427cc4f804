"""Assembly of the trigger: queries, a list of queries to leave alone and an encoder by name become
decisions, or an evaluation.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, cast

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.ask_trigger import trigger_of
from fairlead.errors import UsageError
from fairlead.protocols import Progress
from fairlead.results.decisions import Decisions, Evaluated
from fairlead.store.leave_out import read_lines
from fairlead.trigger import Trigger
from fairlead.trigger.evaluation import Half, evaluate, labelled


class TriggerPlan(fields.Plan):
    """Decide whether the list of a query may be diversified, and say why.

    A query that names a gender, a person, the past or no person at all is left alone; where the
    words do not tell, it is unsure.

    >>> import fairlead
    >>> [one.decision for one in fairlead.decide("female CEO", "nurse").decisions]
    ['leave', 'diversify']
    """

    positional = ("*query",)

    query: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="A query; several are decided one by one.",
            examples=["female CEO"],
        ),
        fields.Cli(argument=True),
    ]
    file: Annotated[
        fields.Path | None,
        Field(
            default=None,
            description="Read more queries from a text file, one per line.",
            examples=["queries.txt"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    attribute: Annotated[
        fields.Several[str],
        Field(
            default=("gender",),
            description="What would be diversified: gender, skin, age, gender*skin, or your own.",
            examples=["skin"],
        ),
        fields.Cli(metavar="NAME"),
    ]
    groups: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="A group of an attribute of your own; its name counts as a word.",
            examples=["blond"],
        ),
        fields.Cli(flags=("--group",), metavar="NAME"),
    ]
    leave: fields.Leave
    model: Annotated[
        fields.EncoderSpec | None,
        Field(
            default=None,
            description="Encoder for a second opinion on words that no rule knows, e.g. lite.",
            examples=["lite"],
        ),
        fields.Cli(metavar="SPEC", kinds=("encoder",)),
    ]


def run(plan: TriggerPlan, progress: Progress | None = None) -> Decisions:
    """A decision on each query and attribute."""
    queries = list(plan.query)
    if plan.file is not None:
        queries += [line for line in read_lines(plan.file) if line.strip()]
    attributes, groups = plan.attribute, plan.groups
    if not queries or not attributes:
        raise UsageError("Nothing is asked.", "Give a query, and an attribute such as gender.")
    made = trigger_of(plan.leave, plan.model)
    # Query by query in the answer, as they were asked, though the trigger takes one attribute at a
    # time.
    columns = [made(queries, name, groups) for name in attributes]
    return Decisions(tuple(decision for row in zip(*columns, strict=True) for decision in row))


decide = as_function("decide", TriggerPlan, run)


def evaluated(*, half: str = "test", leave: Any = None, model: Any = None) -> Evaluated:
    """Hold the trigger against its labelled queries: both sets together and each alone, and how
    many queries a second it decides.
    """
    made = trigger_of(leave, model)
    which: Half | None = None
    if half != "all":
        which = cast(Half, half)
    cases = labelled(which)
    parts = {
        part: tuple(c for c in cases if c.part == part)
        for part in dict.fromkeys(c.part for c in cases)
    }
    found = {part: evaluate(made, own) for part, own in {"both": cases, **parts}.items()}
    return Evaluated(half, found, _speed())


def _speed(repeats: int = 3) -> float:
    """Queries that the rules alone decide in a second of one core, each seen for the first time."""
    texts = [case.query for case in labelled()]
    fresh, least = Trigger(), float("inf")
    for number in range(repeats):
        # What was looked up once is kept, so every repeat needs texts that are new.
        asked = [f"{text} {number}" for text in texts]
        # The least of some repeats, in time of the processor: what other programs take is not its
        # speed.
        start = time.process_time()
        fresh(asked, "gender")
        least = min(least, time.process_time() - start)
    return len(texts) / least
