"""Assembly of mitigations: ``pbm`` acts on the ranking, ``leace`` on the vectors, ``leace+pbm`` on
both, one after the other.

A projection changes queries and ranks anew over the stored index; a reranker then reorders what was
found. One mechanism serves audits, searches and frontiers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fairlead.engine.projections import Saved, made
from fairlead.errors import UsageError, unknown_name
from fairlead.protocols import Projection, Reranker, registry
from fairlead.protocols.spec import parse


@dataclass(frozen=True)
class Mitigation:
    """What the text form of a mitigation names: a projection (or a file of one), a reranker, or
    both.

    Attributes:
        projection: Changes the vectors.
        reranker: Changes the order.
        groups: Who labels the items for it, an annotator or a file, where that is not who labels
            them for the others.
    """

    projection: Any = None
    reranker: Reranker | None = None
    groups: str | None = None

    def __str__(self) -> str:
        own = (self.projection, self.reranker)
        text = "+".join(str(part) for part in own if part is not None)
        if self.groups is None:
            return text
        return f"{text}{_LABELS}{_quoted(self.groups)}]"


def mitigation_of(text: Any, *, own_labels: bool = False) -> Mitigation:
    """The mitigation of a text form ``projection+reranker``, or of one of the two; objects are
    passed through. ``[groups=SPEC]`` at its end is refused unless the caller reads ``own_labels``.

    >>> found = mitigation_of("mi_clip(share=0.5)+pbm(theta=0.8)")
    >>> str(found.projection), str(found.reranker)
    ('mi_clip(share=0.5)', 'pbm(theta=0.8)')
    >>> str(mitigation_of("pbm[groups=zeroshot_prompt]", own_labels=True))
    'pbm[groups=zeroshot_prompt]'
    """
    if isinstance(text, Mitigation):
        return text
    if not isinstance(text, str):
        if isinstance(text, (Projection, Saved)):
            return Mitigation(text)
        return Mitigation(reranker=text)
    found: dict[str, Any] = {"groups": split_groups(text)[1]}
    if found["groups"] is not None and not own_labels:
        raise UsageError(
            f"'{text}' names labels of its own, and all mitigations see the same here.",
            "Name the labels with --mitigate-groups, or with --groups.",
        )
    for part in parts(text):
        kind, value = _part(part)
        if kind in found:
            hint = "Write projection+reranker: the vectors are changed first, then the ranking."
            raise UsageError(f"'{text}' names two {kind}s.", hint)
        if kind == "projection" and "reranker" in found:
            raise UsageError(
                f"'{text}' names a projection behind a reranker.",
                f"Vectors come first: {part}+{found['reranker']}.",
            )
        found[kind] = value
    return Mitigation(found.get("projection"), found.get("reranker"), found["groups"])


_LABELS = "[groups="


def split_groups(text: str) -> tuple[str, str | None]:
    """The text of a mitigation, and who labels the items for it alone.

    >>> split_groups('leace+pbm[groups="my labels [1].csv"]')
    ('leace+pbm', 'my labels [1].csv')

    Raises:
        UsageError: For brackets that do not end the text, or hold something else.
    """
    # Brackets and signs in quotes belong to the name of a file, as in fitted:"a [1]+b.npz".
    start, quoted = -1, False
    for at, sign in enumerate(text):
        quoted ^= sign == '"' and text[at - 1 : at] != "\\"
        if sign == "[" and not quoted:
            start = at
            break
    if start < 0:
        return text, None
    lead, rest = text[:start].rstrip(), text[start:].rstrip()
    value = rest.removeprefix(_LABELS).removesuffix("]").strip()
    if not (lead and rest.startswith(_LABELS) and rest.endswith("]") and value):
        raise UsageError(
            f"'{text}' has brackets that name no labels.",
            "Write MITIGATION[groups=SPEC], e.g. pbm[groups=zeroshot_prompt].",
        )
    return lead, _unquoted(text, value)


def _quoted(source: str) -> str:
    """A source of labels as it stands in brackets: quoted where they could not hold it bare."""
    if not _needs_quotes(source):
        return source
    return json.dumps(source, ensure_ascii=False)


def _needs_quotes(source: str) -> bool:
    return source != source.strip() or source.startswith('"') or not source or "]" in source


def _unquoted(text: str, value: str) -> str:
    """A source of labels as it was written; in quotes it is a JSON string."""
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError as error:
        raise UsageError(f"'{text}': {value} is no text in quotes.", "End the quotes.") from error


def parts(text: str) -> list[str]:
    """The parts of a text between ``+`` signs, but for those in brackets or quotes; without the
    labels it names.

    >>> parts('fitted:"a+b.npz"+pbm(theta=1)[groups=mlp:a+b.npz]')
    ['fitted:"a+b.npz"', 'pbm(theta=1)']
    """
    text, _ = split_groups(text)
    found, depth, quoted = [""], 0, False
    for at, sign in enumerate(text):
        quoted ^= sign == '"' and text[at - 1 : at] != "\\"
        if not quoted:
            depth += (sign == "(") - (sign == ")")
        if sign == "+" and not quoted and depth <= 0:
            found.append("")
        else:
            found[-1] += sign
    return [part.strip() for part in found]


def _part(text: str) -> tuple[str, Any]:
    """One part of a mitigation, and of which kind it is."""
    # Projections first: no name is one of both, and ``fitted`` is in no registry.
    name = parse(text).name
    if name == Saved.name or name in registry.entries("projection"):
        return "projection", made(text)
    if name not in registry.entries("reranker"):
        known = (*registry.entries("reranker"), *registry.entries("projection"), Saved.name)
        raise unknown_name("reranker or projection", name, known)
    return "reranker", registry.make("reranker", text)
