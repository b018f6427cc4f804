"""What a field of a plan may hold: types of values, and how their text form is read.

A value that is read by somebody else later is not checked here: who reads it says what is wrong.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, SkipValidation, WithJsonSchema

from fairlead.protocols import Annotator, Encoder, Index, Metric, Projection, Reranker
from fairlead.types import Groups, Ranking
from fairlead.types.evidence import Target

Item = TypeVar("Item")


def several(value: Any) -> Any:
    """A tuple of the values; a single one is one of its own."""
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,)


def _some(value: Any) -> Any:
    # A repeatable option that nobody gave comes from the command line as ().
    if not value and not hasattr(value, "__fspath__"):
        return None
    return several(value)


def _pairs(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    pairs = {}
    for text in several(value):
        name, equals, path = str(text).partition("=")
        if not equals:
            raise ValueError("write NAME=FILE, e.g. occupation1=labels.csv")
        pairs[name] = path
    return pairs


_AS_TEXT = WithJsonSchema({"type": "string"})
"""In JSON, objects are named by their text form."""

Several = Annotated[tuple[Item, ...], BeforeValidator(several)]
"""One value or several."""
Some = Annotated[tuple[Item, ...] | None, BeforeValidator(_some)]
"""One value or several; None, the default, where there is none."""
Path = Annotated[str | pathlib.Path, SkipValidation, _AS_TEXT]
Pairs = Annotated[dict[str, Path], BeforeValidator(_pairs)]
"""Files by name; on the command line NAME=FILE."""
Data = Annotated[str | os.PathLike[str] | Mapping[Any, Any] | object, SkipValidation, _AS_TEXT]
"""A file, a mapping, a data frame. It is read by ``store``, which says what is wrong with it."""
Lines = Annotated[str | os.PathLike[str] | Sequence[str] | object, SkipValidation, _AS_TEXT]
"""A text file, or a list of its lines."""
Run = Annotated[
    str | os.PathLike[str] | Mapping[str, Mapping[str, float]] | Ranking | object,
    SkipValidation,
    _AS_TEXT,
]
Labels = Annotated[
    str | os.PathLike[str] | Mapping[str, Any] | Groups | Annotator | object,
    SkipValidation,
    _AS_TEXT,
]
"""Labels of items: a file, a mapping, a data frame, ``Groups``, an annotator or its spec."""
Stated = Annotated[
    str | os.PathLike[str] | Mapping[str, float] | Mapping[str, Any] | Target,
    SkipValidation,
    _AS_TEXT,
]
"""``uniform``, ``pool`` or ``relevant``, a file, or given shares."""
EncoderSpec = Annotated[str | Encoder, SkipValidation, _AS_TEXT]
IndexSpec = Annotated[str | Index, SkipValidation, _AS_TEXT]
MetricSpec = Annotated[str | Metric, SkipValidation, _AS_TEXT]
AnnotatorSpec = Annotated[str | Annotator, SkipValidation, _AS_TEXT]
RerankerSpec = Annotated[str | Reranker, SkipValidation, _AS_TEXT]
ProjectionSpec = Annotated[str | Projection, SkipValidation, _AS_TEXT]
MitigationSpec = Annotated[str | Reranker | Projection, SkipValidation, _AS_TEXT]
BenchmarkSpec = Annotated[str | object, SkipValidation, _AS_TEXT]
TrainingSpec = Annotated[str | object, SkipValidation, _AS_TEXT]
