"""Which view belongs to which result: the one table, for terminals and for notebooks."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import Any

from fairlead.words.visible import visible

_VIEWS = {
    "Audit": "terminal:audit_view",
    "CheckResult": "files:check_view",
    "DataCheck": "files:data_check_view",
    "Decisions": "decisions:decisions_view",
    "Doctor": "doctor:doctor_view",
    "Evaluated": "decisions:evaluated_view",
    "FrontierResult": "frontier_view:frontier_view",
    "LabelQuality": "label_quality:label_quality_view",
    "RerankResult": "files:rerank_text",
    "ScoreResult": "terminal:score_view",
    "SearchResult": "answer_view:search_view",
}
_PAGES = {"Audit": "notebook:audit_html", "ScoreResult": "notebook:score_html"}
"""Results that a notebook shows as a table of its own; the others stand there as text."""


def view(result: Any) -> Any:
    """What a terminal shows of a result: a rich view, or text."""
    return _named(_VIEWS[type(result).__name__])(result)


def text(result: Any) -> str:
    """The result as text."""
    from fairlead.report.terminal import as_text

    drawn = view(result)
    if isinstance(drawn, str):
        return visible(drawn)
    return as_text(drawn)


def html(result: Any) -> str:
    """The result as a notebook shows it."""
    page = _PAGES.get(type(result).__name__)
    if page is None:
        return f"<pre>{escape(text(result))}</pre>"
    return visible(_named(page)(result))


def _named(place: str) -> Any:
    # Places are named, not imported: rich and the studies load when a result is looked at.
    module, _, name = place.partition(":")
    return getattr(import_module(f"fairlead.report.{module}"), name)
