"""Assembly of the trigger: queries, a list of queries to leave alone and an encoder by name become
decisions, or an evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.errors import UsageError
from fairlead.protocols import Progress, registry
from fairlead.results.decisions import Decisions, Evaluated
from fairlead.store.leave_out import entries, read_lines
from fairlead.trigger import Decision, Leave, Trigger
from fairlead.trigger.evaluation import Half, evaluate, labelled
from fairlead.trigger.geometry import Geometry

__all__ = ["decide", "decide_ids", "evaluated", "is_text", "leaving", "read_lines", "trigger"]

_NO_WORDS = "no-words"


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
    return _body(plan, progress)


decide = as_function("decide", TriggerPlan, run)


def _body(plan: TriggerPlan, progress: Progress | None = None) -> Decisions:
    lines = () if plan.file is None else read_lines(plan.file)
    queries = (*plan.query, *(line for line in lines if line.strip()))
    attributes, groups = plan.attribute, plan.groups
    if not queries or not attributes:
        raise UsageError("Nothing is asked.", "Give a query, and an attribute such as gender.")
    made = trigger(plan.leave, plan.model)
    columns = [made(queries, name, groups) for name in attributes]
    return Decisions(tuple(decision for row in zip(*columns, strict=True) for decision in row))


def decide_ids(
    ids: Sequence[str], attribute: str, groups: Sequence[str] = (), *, leave: Any = None
) -> tuple[Decision, ...]:
    """Decide on the queries of a run, whose ids are read as what was asked.

    Ids that are plainly no text, such as numbers and hashes, say nothing of what was asked: they
        are ``unsure`` for want of words, unless
    they are on the list to leave alone.

    >>> [d.rule for d in decide_ids(["female_CEO", "nurse", "q17"], "gender")]
    ['explicit', 'neutral', 'no-words']
    """
    made = trigger(leave)
    read = [
        at for at, text in enumerate(ids) if is_text(text) or made.leave.match(text) is not None
    ]
    told = dict(zip(read, made([_spaced(ids[at]) for at in read], attribute, groups), strict=True))
    return tuple(
        replace(told[at], query=text) if at in told else Decision.by(_NO_WORDS, text, attribute)
        for at, text in enumerate(ids)
    )


def is_text(name: str) -> bool:
    """Whether an id may be the words of a query: not without letters, nor one word of ASCII that is
    a single letter or has a digit in it.

    >>> [is_text(name) for name in ("nurse", "female-ceo", "top 10 doctors", "q", "q1", "301", "9f86d081", "看護師2")]
    [True, True, True, False, False, False, False, True]
    """
    if not any(c.isalpha() for c in name):
        return False
    one_word = name.isascii() and len(name.split()) == 1
    return not (one_word and (len(name.strip()) == 1 or any(c.isdigit() for c in name)))


def _spaced(name: str) -> str:
    """An id with spaces between its words."""
    return name if len(name.split()) > 1 else name.replace("_", " ")


def evaluated(*, half: str = "test", leave: Any = None, model: Any = None) -> Evaluated:
    """Hold the trigger against its labelled queries: both sets together and each alone, and how
    many queries a second it decides.
    """
    made = trigger(leave, model)
    which = None if half == "all" else cast(Half, half)
    cases = labelled(which)
    parts = {
        part: tuple(c for c in cases if c.part == part)
        for part in dict.fromkeys(c.part for c in cases)
    }
    found = {part: evaluate(made, own) for part, own in {"both": cases, **parts}.items()}
    return Evaluated(half, found, _speed())


def trigger(leave: Any = None, model: Any = None) -> Trigger:
    """A trigger with a list of queries to leave alone and the second opinion of an encoder."""
    encoder = registry.make("encoder", model) if isinstance(model, str) else model
    return Trigger(leaving(leave), None if encoder is None else Geometry(encoder))


def leaving(leave: Any) -> Leave:
    """Queries to leave alone, from a file or a list."""
    if leave is None or isinstance(leave, Leave):
        return leave or Leave()
    if isinstance(leave, (str, Path)):
        return _queries(read_lines(leave))
    lines = tuple(leave) if isinstance(leave, Iterable) else (None,)
    if not all(isinstance(line, str) for line in lines):
        raise UsageError("Queries to leave alone must be a file or a list of texts.")
    return _queries(lines)


def _queries(lines: Iterable[str]) -> Leave:
    """The queries of a list; one that also names items (``item:``) may be given as it is."""
    return Leave(tuple(text for kind, text in entries(lines, "query") if kind == "query"))


def _speed(repeats: int = 3) -> float:
    """Queries that the rules alone decide in a second of one core, each seen for the first time."""
    texts = [case.query for case in labelled()]
    fresh, least = Trigger(), float("inf")
    for number in range(repeats):
        asked = [f"{text} {number}" for text in texts]
        start = time.process_time()
        fresh(asked, "gender")
        least = min(least, time.process_time() - start)
    return len(texts) / least
