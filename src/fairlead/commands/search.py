"""``search``: a collection asked in words or by picture, plain and mitigated side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fairlead.commands.functions import as_function
from fairlead.engine import plan as fields
from fairlead.engine.pictures import thumbnail
from fairlead.engine.searches import LiveSearch, built, refuse_empty
from fairlead.errors import UsageError
from fairlead.protocols import Progress
from fairlead.report.sheet import blocks, sheet
from fairlead.results.search import SearchResult
from fairlead.store.atomic import atomic
from fairlead.store.queries import read_queries
from fairlead.types.saved import SavedRun


class _Question(fields.Plan):
    """What is asked, and of which model."""

    text: Annotated[
        fields.Several[str],
        Field(
            default=(),
            description="A query in words; several are answered one by one.",
            examples=["a photo of a nurse"],
        ),
        fields.Cli(argument=True),
    ]
    image: Annotated[
        fields.Several[fields.Path],
        Field(
            default=(),
            description="Ask with a picture; may be given several times.",
            examples=["portrait.jpg"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]
    model: fields.Encoding
    index: fields.Indexing


class SearchPlan(fields.SearchedLabels, _Question):
    """Search a collection, and see the mitigated list beside the plain one.

    One text is one query. Candidates are fetched for each group, so that nobody is missing from
    them.

    >>> import fairlead
    >>> found = fairlead.search("a photo of a nurse", mitigate="pbm", attribute="gender", k=4)
    >>> [variant.name for variant in found.results[0].variants]
    ['plain', 'pbm']
    """

    positional = ("*text",)

    queries: Annotated[
        fields.Data | None,
        Field(
            default=None,
            description="A file of queries: a table with query, text or image, or .txt.",
            examples=["queries.csv"],
        ),
        fields.Cli(metavar="FILE", file=True),
    ]

    metric: fields.Metrics
    k: Annotated[
        int,
        Field(default=10, ge=1, description="How many items to show.", examples=[20]),
        fields.Cli(flags=("-k",), metavar="N"),
    ]
    depth: fields.Depth
    limit: fields.Limit
    side: fields.Side
    null: fields.Null
    unknown: fields.Unknown
    interval: fields.Interval
    trigger: fields.Trigger
    leave: fields.Leave
    leave_out: fields.LeaveOut
    seed: fields.Seed
    trust: fields.Trust


def run(plan: SearchPlan, progress: Progress | None = None) -> SearchResult:
    """The answers to the queries of a plan."""
    return answered(plan, progress)[0]


def answered(
    plan: SearchPlan, progress: Progress | None = None, *, saved: bool = False
) -> tuple[SearchResult, SavedRun | None]:
    """The answers to the queries of a plan and, where they are to be saved, all that is needed to
    measure and mitigate them again.
    """
    if plan.queries is not None and (plan.text or plan.image):
        raise UsageError("Queries were given, and a file of queries.", "Give one of the two.")
    if plan.queries is None and not plan.text and not plan.image:
        raise UsageError(
            "Nothing is asked.", "Give a text, a picture with --image, or a file with --queries."
        )
    refuse_empty(plan.text)
    # Opened after what was asked is known to make sense: opening may embed a whole collection.
    searcher = Searcher(plan, progress, saved=saved)
    if plan.queries is None:
        return searcher.answered(plan.text, plan.image, None)
    asked = read_queries(plan.queries, progress=progress)
    # Pictures that only some queries have are no second way of asking.
    if asked.texts is not None and asked.images is not None and all(asked.images):
        raise UsageError(
            "The queries have both a text and a picture.", "Leave out one of the two columns."
        )
    if asked.texts:
        return searcher.answered(asked.texts, (), asked.ids)
    return searcher.answered((), asked.images or (), asked.ids)


search = as_function("search", SearchPlan, run)


class Searcher(LiveSearch):
    """A collection that is opened once and asked any number of times, from several threads too."""

    @classmethod
    def of(
        cls, plan: SearchPlan | None = None, progress: Progress | None = None, **choices: Any
    ) -> Searcher:
        """Everything a plan names, or the choices of one; all unknown names are told together.

        >>> opened = Searcher.of(collection="phantom(seeds=2)", mitigate="pbm", k=4,
        ...                      attribute="gender")
        >>> [answer.query for answer in opened.search(["a photo of a nurse", "a judge"]).results]
        ['a photo of a nurse', 'a judge']
        """
        if plan is not None and choices:
            raise UsageError("A plan was given, and choices beside it.", "Give one of the two.")
        if plan is None:
            plan = SearchPlan.of(**choices)
        return cls(plan, progress)


def build_index(
    collection: Any,
    *,
    recall: int | None = None,
    attribute: str | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> dict[str, Any]:
    """Build an index of a collection and keep it where the next search finds it.

    ``recall`` compares its first ones with exact search.
    """
    # The plan of a search, so that what is built is what the next search looks for.
    plan = SearchPlan.of(collection=collection, attribute=attribute, **choices)
    # Fetching by groups is asked for by naming them; a collection may have labels besides.
    labelled = attribute is not None or plan.groups is not None
    return built(plan, recall, labelled=labelled, progress=progress)


SHEETS = (".png", ".jpg", ".jpeg", ".webp")
_TERMINAL_PIXELS = 48


@contextmanager
def sheet_place(path: str | Path | None) -> Iterator[Callable[[SearchResult], None]]:
    """A function that writes the contact sheet of a result; its place is checked on entering, None
    writes nothing.
    """
    if path is None:
        yield lambda found: None
        return
    if Path(path).suffix.lower() not in SHEETS:
        raise UsageError(
            f"A contact sheet cannot be written to '{path}'.",
            f"Give a file that ends in {', '.join(SHEETS)}.",
        )
    # Entered before the search: a place that cannot be written is told before the work, not after.
    with atomic(path) as file:
        yield lambda found: sheet(found, thumbnail).save(file)


def small_pictures(wanted: bool | None) -> Callable[[str], Any] | None:
    """Draws a picture in a terminal, where that can show colours or the user wants it."""
    # rich is loaded where something is drawn, not in a service that calls search.
    from fairlead.report.terminal import plain_console

    console = plain_console()
    # Blocks of colour are the picture: in fewer colours, or in a file, they would be noise.
    if wanted is False or (
        wanted is None and not (console.is_terminal and console.color_system == "truecolor")
    ):
        return None

    def small(reference: str) -> Any:
        picture = thumbnail(reference, _TERMINAL_PIXELS)
        if picture is None:
            return None
        return blocks(picture)

    return small
