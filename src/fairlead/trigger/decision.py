"""A decision: what may happen to a query's list on one attribute.

It has a reason for people, a rule for programs, and the words that were seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Choice = Literal["diversify", "leave", "unsure"]
Said = tuple[str, tuple[str, ...]]
"""A rule, and the words it saw."""

RULES: Mapping[str, tuple[Choice, str, str]] = {
    "listed": ("leave", "list", "is on the list of queries to leave alone"),
    "empty": ("leave", "nothing", "asks for nothing"),
    "no-words": ("unsure", "nothing", "has no word to judge by"),
    "picture": ("unsure", "nothing", "is a picture: there are no words to judge by"),
    "off": ("diversify", "nothing", "was not judged: the trigger is off"),
    "name": ("leave", "named", "names a person"),
    "one-person": ("leave", "named", "speaks of one particular person"),
    "maybe-name": ("unsure", "named", "may name a person or a place"),
    "past": ("leave", "historical", "is about people of the past, who were who they were"),
    "past-today": ("unsure", "historical", "brings the past into the present"),
    "explicit": ("leave", "explicit", "says which group it asks for"),
    "trait": ("leave", "explicit", "names a trait that goes with one group"),
    "place": ("leave", "explicit", "names a place, and who lives there is not ours to choose"),
    "group-named": ("leave", "explicit", "names one of the groups"),
    "place-visited": ("unsure", "explicit", "names a place, but people who may only visit it"),
    "hint": ("unsure", "explicit", "has a word that often goes with one group"),
    "both-named": ("diversify", "neutral", "names all groups"),
    "range-asked": ("diversify", "neutral", "asks for a range"),
    "neutral": ("diversify", "neutral", "asks for people and says nothing of their {attribute}"),
    "no-person": ("leave", "non-person", "asks for no person"),
    "nobody": ("leave", "non-person", "asks for nobody in the picture"),
    "maybe-person": ("unsure", "non-person", "may or may not show people"),
    "depiction": ("unsure", "non-person", "asks for a likeness, not for people"),
    "guess": (
        "unsure",
        "non-person",
        "may ask for people, which is only a guess by how a word ends",
    ),
    "unknown": ("unsure", "non-person", "has no word that the rules know"),
    "model-no-person": (
        "leave",
        "non-person",
        "has no word that the rules know, and to the model it is a thing",
    ),
    "model-person": (
        "diversify",
        "neutral",
        "has no word that the rules know, and to the model it is a person",
    ),
    "model-gendered": (
        "unsure",
        "explicit",
        "is more gendered to the model than the most stereotyped work",
    ),
    "too-few": ("leave", "pool", "has too few candidates of a group for an honest choice"),
    "one-group": ("leave", "pool", "has candidates of one group only"),
    "unlabelled": ("leave", "pool", "has no candidate whose group is known"),
    "excluding": (
        "leave",
        "pool",
        "would be answered without a group that could be shown, which is no balance",
    ),
    "other-attribute": (
        "unsure",
        "nothing",
        "was asked about an attribute that the rules have no words for",
    ),
}
"""By rule: the decision it takes, its family, and what it says of the query, which may name the
attribute.
"""

# Words that a reason shows, and letters of each; the evidence has all
_SHOWN, _LONG = 5, 60
FAMILIES = ("explicit", "named", "historical", "non-person", "neutral")


@dataclass(frozen=True)
class Decision:
    """What may become of the list of one query on one attribute.

    Attributes:
        query: As it was asked.
        attribute: What would be diversified.
        decision: ``diversify``, ``leave``, or ``unsure``.
        reason: A short sentence for people.
        rule: Which rule decided, a key of ``RULES``.
        evidence: The words that matched, as they were written.
    """

    query: str
    attribute: str
    decision: Choice
    reason: str
    rule: str
    evidence: tuple[str, ...] = ()

    @classmethod
    def by(
        cls, rule: str, query: str, attribute: str, evidence: tuple[str, ...] = (), more: str = ""
    ) -> Decision:
        """The decision a rule takes; ``more`` is added to its sentence."""
        choice, _, says = RULES[rule]
        # a word may match twice, and is shown once
        unique = tuple(dict.fromkeys(evidence))
        words = ", ".join(_short(word) for word in unique[:_SHOWN])
        if len(unique) > _SHOWN:
            words += ", …"
        reason = f"The query {says.format(attribute=attribute)}"
        if words:
            reason += f": {words}"
        if more:
            reason += f" ({more})"
        return cls(query, attribute, choice, f"{reason}.", rule, unique)

    @property
    def family(self) -> str:
        """What kind of query the rule sees."""
        return RULES[self.rule][1]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "query": self.query,
            "attribute": self.attribute,
            "decision": self.decision,
            "reason": self.reason,
            "rule": self.rule,
            "evidence": list(self.evidence),
        }


def _short(word: str) -> str:
    if len(word) <= _LONG:
        return word
    return f"{word[:_LONG]}…"
