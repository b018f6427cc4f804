"""Mitigation as a call: what a search engine asks for every query it answers.

A ``Mitigator`` is made once, from what does not change between queries, and then called with the
candidates of one query. It goes the way of ``rerank``, and gives the same list, but reads no file
and keeps nothing: a call costs little more than the reranker itself.

Content never raises: where there is nothing to balance, the list is the plain one, and the answer
says why. Input that is no list of candidates raises ``UsageError`` or ``DataError``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

from fairlead.engine.cut_short import decision_on_cut, ordered
from fairlead.engine.exclusion import NEXT_TO_NOTHING, refuse, refuse_one_group
from fairlead.engine.given_lists import CandidateList, LabelReader, evidence_of
from fairlead.engine.leaving import leaving
from fairlead.engine.overruling import within
from fairlead.errors import UsageError, unknown_name
from fairlead.protocols import Reranker, registry
from fairlead.results.mitigated import MitigatedList
from fairlead.statistics import targets
from fairlead.statistics.targets import UnknownPolicy
from fairlead.trigger.decision import Decision
from fairlead.trigger.leaving import Leave
from fairlead.types.evidence import Evidence, Target
from fairlead.types.ragged import Array

_POOL = "pool"


@dataclass(frozen=True, eq=False)
class Mitigator:
    """Mitigates the lists of a search engine, one call a query; make it with ``of``.

    Attributes:
        reranker: What gives the new order.
        labels: Reads the labels of a list.
        target: The shares that lists are held to; None for the mix of each list's candidates.
        k: How many items a list shows.
        unknown: What becomes of items whose group is not known.
        trigger: Whether queries that must not be diversified are left as they are.
        leave: Queries to leave alone.
        seed: Seed of every random choice.
    """

    reranker: Reranker
    labels: LabelReader
    target: Target | None
    k: int
    unknown: UnknownPolicy = "ignore"
    trigger: bool = True
    leave: Leave = field(default_factory=Leave)
    seed: int = 0

    @classmethod
    def of(
        cls,
        reranker: str | Reranker,
        *,
        attribute: str,
        groups: Sequence[str],
        k: int,
        target: str | Mapping[str, float] | Target = "uniform",
        unknown: UnknownPolicy = "ignore",
        trigger: bool = True,
        leave: Any = None,
        seed: int = 0,
    ) -> Mitigator:
        """Make a mitigator.

        Args:
            reranker: A reranker or its text form, such as ``levelled(price=0.3)``.
            attribute: What is balanced, such as ``gender``.
            groups: The names of its groups; hard codes and the columns of soft labels count by
                this order.
            k: How many items a list shows.
            target: ``uniform``, ``pool`` (the mix of the list's own candidates), or a share for
                each group.
            unknown: Items without a group: ``ignore``, ``own-group`` or ``spread``.
            trigger: Whether queries that must not be diversified are left as they are.
            leave: Queries to leave alone: a file, or a list of queries and patterns.
            seed: Seed of every random choice.

        Raises:
            UsageError: For a choice that is none.

        >>> groups = ("female", "male")
        >>> mitigator = Mitigator.of("detgreedy", attribute="gender", groups=groups, k=4)
        >>> scores = [0.9, 0.8, 0.7, 0.6, 0.5]
        >>> shown = mitigator("abcde", scores, ["male", "male", "male", "female", "female"])
        >>> shown.ids
        ('a', 'd', 'b', 'e')
        >>> mitigator("abcde", scores, ["male"] * 5).reason
        'The query has candidates of one group only: male.'
        """
        if k < 1:
            raise UsageError(f"k got {k}.", "Show at least one item.")
        if unknown not in get_args(UnknownPolicy):
            raise unknown_name("policy for unknown labels", unknown, get_args(UnknownPolicy))
        labels = LabelReader.of(attribute, groups)
        if unknown == "own-group" and "unknown" in labels.names:
            raise UsageError(
                f"'{attribute}' has a group called 'unknown', and own-group makes another.",
                "Rename the group, or choose another policy.",
            )
        made = registry.make("reranker", reranker)
        refuse_one_group(made)
        stated = _target(target, labels)
        return cls(made, labels, stated, k, unknown, trigger, leaving(leave), seed)

    def __call__(
        self,
        ids: Sequence[Any],
        scores: Any,
        shares: Any,
        *,
        query: str = "",
        background: float | None = None,
    ) -> MitigatedList:
        """Mitigate the list of one query.

        Args:
            ids: (n,) ids of the candidates, in any order.
            scores: (n,) their scores, higher is better; equal ones stand in an order that is drawn
                from the seed, the query and the ids.
            shares: The labels of the candidates: (n,) whole numbers, the place of the group in
                ``groups``, -1 for unknown, -2 for not applicable; (n, groups) soft shares; a name
                for each, None for unknown; ``{group: share}`` for each; ``{id: one of these}``; or
                ``Groups``.
            query: What was asked. Without it the trigger has nothing to read, and the list is
                mitigated whatever was asked.
            background: Mean score of the collection for this query, which ``levelled`` reads.

        Raises:
            UsageError: For another number of scores or labels than ids, or an unknown group.
            DataError: For a score that is not finite, or shares that are none.
        """
        groups = self.labels.read(ids, shares)
        one = CandidateList.of(ids, scores, groups, query, background, self.seed)
        return self._answers([one])[0]

    def many(
        self,
        ids: Sequence[Sequence[Any]],
        scores: Sequence[Any],
        shares: Sequence[Any],
        *,
        queries: Sequence[str] | None = None,
        backgrounds: Sequence[float] | None = None,
    ) -> tuple[MitigatedList, ...]:
        """Mitigate the lists of several queries: the same lists as one by one, and faster.

        The arguments are those of a call, one of each for every list.
        """
        texts: Sequence[str] = [""] * len(ids)
        means: Sequence[float | None] = [None] * len(ids)
        if queries is not None:
            texts = queries
        if backgrounds is not None:
            means = backgrounds
        if not len(ids) == len(scores) == len(shares) == len(texts) == len(means):
            raise UsageError(
                f"There are ids of {len(ids)} lists, scores of {len(scores)}, labels of "
                f"{len(shares)}, {len(texts)} queries and {len(means)} backgrounds.",
                "Give one of each for every list.",
            )
        lists = [
            CandidateList.of(name, score, self.labels.read(name, share), text, mean, self.seed)
            for name, score, share, text, mean in zip(
                ids, scores, shares, texts, means, strict=True
            )
        ]
        answers: dict[int, MitigatedList] = {}
        for places in self._batches(lists):
            batch = self._answers([lists[at] for at in places])
            answers |= dict(zip(places, batch, strict=True))
        return tuple(answers[at] for at in range(len(lists)))

    def _batches(self, lists: Sequence[CandidateList]) -> list[list[int]]:
        """Which lists can be looked at together: those of like labels and knowledge.

        What unknown labels count for depends on the candidates of the one list, so that lists are
        then looked at one by one.
        """
        if self.unknown != "ignore":
            return [[at] for at in range(len(lists))]
        kinds: dict[tuple[bool, bool], list[int]] = {}
        for at, one in enumerate(lists):
            kinds.setdefault((one.groups.hard, one.background is None), []).append(at)
        return list(kinds.values())

    def _answers(self, lists: Sequence[CandidateList]) -> list[MitigatedList]:
        """The answers for lists of like labels and knowledge."""
        # How much is unknown is counted in the order of the input, as a run's is.
        plain = evidence_of(lists, self.target, aligned=self.unknown == "ignore")
        evidence = targets.with_unknown(plain, self.unknown)
        decisions = self._held([self._decision(one.query) for one in lists], plain, evidence)
        ranking = evidence.ranking
        # Where every list stays there is nothing to compute, and the call is that much quicker.
        if any(one.decision != "leave" for one in decisions):
            ranking, cuts = ordered(self.reranker, evidence, self.k, self.seed)
            decisions = list(decisions)
            for cut in cuts:
                if decisions[cut.query].decision != "leave":
                    told = decision_on_cut(decisions[cut.query], self._name, cut)
                    decisions[cut.query] = told
        answers, first = [], 0
        bounds = ranking.offsets.tolist()
        for number, (one, decision) in enumerate(zip(lists, decisions, strict=True)):
            order = one.order[: self.k]
            places, changed = order.tolist(), False
            if decision.decision != "leave":
                # Rows count through all lists; an answer counts from its own first candidate.
                order = ranking.rows[bounds[number] : bounds[number + 1]]
                if first:
                    order = order - first
                plain_places, places = places, order.tolist()
                changed = places != plain_places
            answers.append(MitigatedList(order, one.named(places), decision, changed, self._name))
            first += len(one)
        return answers

    @cached_property
    def _name(self) -> str:
        return str(self.reranker)

    @cached_property
    def _least(self) -> float:
        """The smallest share that the target states; 1 where it states none."""
        if self.target is None:
            return 1.0
        return float(self.target.shares.min())

    @cached_property
    def _unread(self) -> Decision:
        """The decision where no query is given."""
        rule = "off"
        if self.trigger:
            rule = "no-words"
        return Decision.by(rule, "", self.labels.attribute)

    def _held(
        self, decisions: Sequence[Decision], plain: Evidence, evidence: Evidence
    ) -> Sequence[Decision]:
        """The decisions, held against the candidates and the target."""
        decisions = within(decisions, evidence, self.k)
        if self._least >= NEXT_TO_NOTHING:
            return decisions
        return [
            self._not_excluding(decision, supply)
            for decision, supply in zip(decisions, plain.supply, strict=True)
        ]

    def _not_excluding(self, decision: Decision, supply: Array) -> Decision:
        """The decision, where the target would leave out a group that could be shown."""
        if decision.decision == "leave" or self.target is None:
            return decision
        groups, asked = self.labels.nobody, (decision.query,)
        # What ends a command is an answer here: content never raises.
        try:
            refuse(groups, self.target.shares, supply[None], asked, self.reranker)
        except UsageError as error:
            return replace(Decision.by("excluding", *asked, groups.attribute), reason=error.message)
        return decision

    def _decision(self, query: str) -> Decision:
        """What the trigger says of a query, which is read as a query id of a run is."""
        attribute, names = self.labels.attribute, self.labels.names
        if not query:
            return self._unread
        if not self.trigger:
            return Decision.by("off", query, attribute)
        # The rules and their words are loaded only where there is something to read.
        from fairlead.engine.ask_trigger import decide
        from fairlead.engine.asked import of_ids
        from fairlead.trigger import Trigger

        return decide(of_ids([query]), attribute, names, Trigger(self.leave))[0]


def _target(target: Any, labels: LabelReader) -> Target | None:
    """The target in the order of the labels' names; None for the mix of each list's candidates."""
    if isinstance(target, Target):
        return labels.ordered(target)
    if isinstance(target, Mapping):
        shares = {("*", str(group)): share for group, share in target.items()}
        return targets.given(labels.nobody, (), shares, name="given")
    if target == "uniform":
        return targets.uniform(labels.nobody)
    # Counted list by list, when the candidates are there.
    if target == _POOL:
        return None
    raise UsageError(
        f"The target got {target!r}.", "Accepted: uniform, pool, {group: share} or a Target."
    )
