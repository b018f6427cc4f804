"""Assembly of what a searcher sees first: the drawings and captions of an audit's queries, for its
page.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import numpy as np

from fairlead.engine import study as auditing
from fairlead.phantom.references import is_drawing, pixels
from fairlead.report.strips import Strip, StripItem, StripLine
from fairlead.results.audit import Audit
from fairlead.results.score import PerQuery, ScoreResult
from fairlead.types import Groups, Study
from fairlead.types.ragged import Array


def strips(found: Audit, *, queries: int = 3, shown: int = 10, size: int = 96) -> list[Strip]:
    """What the most biased queries find first, in every variant; none where there is nothing to
    draw.
    """
    study = found.study
    attribute = next(iter((*study.roles, *study.collection.groups)), None)
    asked, kept = study.queries, study.collection
    drawn = asked.images if study.modality == "image-to-text" else kept.images
    if attribute is None or drawn is None or not all(is_drawing(image) for image in drawn):
        return []
    names, group_of = _labels(study, attribute)
    finds_captions = study.modality == "image-to-text"

    def line(variant: str, query: int) -> StripLine:
        rows = auditing.head(found.rankings[variant], query, shown)
        groups = [group_of(query, int(row)) for row in rows]
        if finds_captions:
            texts = kept.texts or kept.ids
            return StripLine(
                variant,
                tuple(StripItem("", g, texts[row]) for row, g in zip(rows, groups, strict=True)),
            )
        pictures = pixels([drawn[row] for row in rows], size)
        # Roles are of trials, in which one candidate is chosen: the first.
        winner = ""
        if attribute in study.roles and groups and groups[0] is not None:
            winner = names[groups[0]]
        return StripLine(
            variant,
            tuple(StripItem(_picture(p), g) for p, g in zip(pictures, groups, strict=True)),
            winner,
        )

    def query(number: int) -> Strip:
        picture = ""
        if finds_captions:
            picture = _picture(pixels([drawn[number]], 2 * size)[0])
        return Strip(
            (asked.texts or asked.ids)[number],
            attribute,
            names,
            tuple(line(v, number) for v in found.rankings),
            picture,
            _said(study, number),
        )

    return [query(q) for q in _worst(found, attribute, queries)]


def _labels(
    study: Study, attribute: str
) -> tuple[tuple[str, ...], Callable[[int, int], int | None]]:
    """The groups, and the group of an item for a query; None is unknown."""
    if attribute not in study.roles:
        groups = study.collection.groups[attribute]
        return groups.names, lambda query, row: _group(groups, row)
    roles, candidates = study.roles[attribute], study.queries.candidates
    assert candidates is not None
    fixed = candidates

    def group(query: int, row: int) -> int | None:
        return _group(roles, int(fixed.offsets[query] + np.flatnonzero(fixed.of(query) == row)[0]))

    return roles.names, group


def _worst(found: Audit, attribute: str, count: int) -> list[int]:
    """The queries farthest from chance, one of each value of the finest tag the study splits by."""
    study, order = found.study, most_biased(found.result, attribute)
    if not study.by:
        return order[:count]
    told = study.queries.tags[study.by[-1]]
    # Walked from the end, so that of each value its worst query is what is left.
    first = {told[query]: query for query in reversed(order)}
    return [query for query in order if first[told[query]] == query][:count]


def most_biased(result: ScoreResult, attribute: str) -> list[int]:
    """The queries by how far the plain ranking lies from chance, by the first measure of the
    attribute, worst first.
    """
    part = next(
        (v for v in result.values if v.attribute == attribute and v.null_mean is not None), None
    )
    if part is None:
        return []
    direction = next(
        row.direction
        for row in result.rows
        if (row.metric, row.attribute) == (part.metric, part.attribute)
    )
    excess = _excess(part)
    worse = {"lower": excess, "higher": -excess, "either": np.abs(excess)}[direction]
    return [int(q) for q in np.argsort(-worse, kind="stable") if not np.isnan(worse[q])]


def _excess(part: PerQuery) -> Array:
    """(queries,) values over chance; the values themselves where single queries have no chance
    level (trials of roles).
    """
    assert part.null_mean is not None
    if np.isnan(part.null_mean).all():
        return part.value
    # An infinite value would sort as the worst of all; it is left out instead.
    return np.where(np.isfinite(part.value), part.value - part.null_mean, np.nan)


def _group(groups: Groups, row: int) -> int | None:
    """The group of an item; of soft labels the most probable one, where it is likelier than not."""
    if groups.codes is not None:
        code = int(groups.codes[row])
        if code < 0:
            return None
        return code
    assert groups.soft is not None
    best = int(groups.soft[row].argmax())
    if not groups.soft[row, best] > 0.5:
        return None
    return best


def _said(study: Study, query: int) -> str:
    """The tags of a query in words, where the study splits by them and the query does not say."""
    if not study.by:
        return ""
    told = {tag: values[query] for tag, values in study.queries.tags.items()}
    said = ""
    if study.queries.texts is not None:
        said = study.queries.texts[query]
    return ", ".join(
        f"{tag.replace('_', ' ')} {value}" for tag, value in told.items() if value != said
    )


def _picture(drawing: Array) -> str:
    """A picture as a ``data:`` address."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(drawing).save(file, "JPEG", quality=88, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
