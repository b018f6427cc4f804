"""Circularity: a model that both ranks and labels is a witness about itself.

The report must say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fairlead.errors import FairleadError
from fairlead.protocols.spec import parse


def circular(
    source: str,
    *,
    ranked_by: str,
    fingerprint: str = "",
    what: str = "labels",
    hint: str = "--label-sample says how far off these are.",
) -> str | None:
    """A warning where the labels come from the model that ranked, else None.

    ``source`` is compared with the ranking model by its spec and by its fingerprint. ``what`` says
    which labels these are, ``hint`` how to learn how far off they are.

    >>> clip = "open_clip:ViT-B-32/openai"
    >>> circular(f"zeroshot_embedding(model={clip})", ranked_by=clip) is None
    False
    >>> circular("mlp(model=lite)", ranked_by=clip) is None
    True
    """
    if not any(_names(source, text) for text in (*_forms(ranked_by), fingerprint) if text):
        return None
    return (
        f"The {what} come from '{source}', and the same model ranked ({ranked_by}): what it "
        "cannot see it neither ranks nor labels. "
        f"Labels of people, or of another model, say more; {hint}"
    )


def circularities(measuring: Iterable[str], mitigating: Iterable[str], encoder: Any) -> list[str]:
    """A warning for each source of labels that is the encoder that ranked.

    Labels that measure and labels that mitigate are both looked at.
    """
    warnings = dict[str, str | None]()
    for what, sources in (("labels", measuring), ("labels that mitigate", mitigating)):
        for source in sources:
            hint = "'fairlead annotate evaluate' says how far off these are."
            # Labels that measure come first: of one source for both, that is the graver warning.
            warnings.setdefault(
                source,
                circular(
                    source,
                    ranked_by=str(encoder),
                    fingerprint=encoder.fingerprint,
                    what=what,
                    hint=hint,
                ),
            )
    return [warning for warning in warnings.values() if warning is not None]


def _forms(ranked_by: str) -> Iterable[str]:
    """The ways to name a model: as given, and by name and address without parameters."""
    yield ranked_by
    try:
        # An object has a text form that need not be a spec.
        spec = parse(ranked_by)
    except FairleadError:
        return
    if spec.address:
        yield f"{spec.name}:{spec.address}"
    else:
        yield spec.name


def _names(source: str, text: str) -> bool:
    """Whether a source names a model, as a word of its own.

    A part of another name or address does not count.
    """
    # What may follow is punctuation of a spec; '/' and ':' would make it another address, and
    # 'lite' is no part of 'lite_tower'.
    return re.search(rf"(?<![\w:/.\-]){re.escape(text)}(?![\w/\-]|[:.]\S)", source) is not None
