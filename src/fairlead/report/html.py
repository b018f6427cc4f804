"""Pages from their templates, in one place: whatever an id or a query holds is only shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead.words.visible import visible


def as_html(template: str, minus: Callable[[str], str], /, **values: Any) -> str:
    """A page of ``report/templates``.

    Args:
        template: Its name.
        minus: How its numbers get their minus signs.
        values: What it shows.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    room = Environment(
        loader=PackageLoader("fairlead.report"),
        # Ids, queries and names come from the files of others.
        autoescape=True,
        # A name that is misspelt in the template fails here instead of printing nothing.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    room.filters["minus"] = minus
    return visible(room.get_template(template).render(**values))
