"""Reranks: recorded candidates on the same road as fetched ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairlead.engine.ask_trigger import supply, trigger_in, trigger_of
from fairlead.engine.asked import Asked, of_ids
from fairlead.engine.asked_again import chosen, left_out, run_in, taken
from fairlead.engine.candidates import Candidates
from fairlead.engine.engine import lines_of
from fairlead.engine.inputs import inputs_of
from fairlead.engine.live import whole_lists
from fairlead.engine.manifest import manifest
from fairlead.engine.mitigate import MadeLists, Rules, mitigated
from fairlead.engine.mitigations import mitigation_of
from fairlead.engine.recorded import Bench, labelled_bench, warnings_of
from fairlead.engine.scores import evidence_of_saved, manifest_in
from fairlead.engine.targets import COUNTED, is_stated
from fairlead.engine.treatments import PLAIN, Treatment
from fairlead.errors import UsageError
from fairlead.measuring.score import Settings, score_variants
from fairlead.protocols import Progress, Reranker, registry
from fairlead.rerankers.bounds import violations
from fairlead.results.rerank import RerankResult
from fairlead.results.score import ScoreResult
from fairlead.store.saved_run import place_of
from fairlead.trigger.decision import Decision
from fairlead.types import Ranking, Sets
from fairlead.types.evidence import Evidence, Labelled
from fairlead.types.ragged import Array, locate
from fairlead.types.saved import SavedRun
from fairlead.words.counts import agreeing, part_of


@dataclass(frozen=True, eq=False)
class Recorded:
    """Candidates that somebody ranked before.

    Attributes:
        asked: The queries.
        measuring: The lists as metrics see them.
        attribute: What is mitigated.
        labels: What rerankers see of it.
        chosen_from: What rerankers choose from.
    """

    asked: Asked
    measuring: Evidence
    attribute: str
    labels: Labelled
    chosen_from: Candidates

    @property
    def pool(self) -> Sets | None:
        """What chance draws from."""
        return self.measuring.pool

    def plain(self, treatment: Treatment | None = None) -> Ranking:
        """The recorded lists."""
        return self.measuring.ranking

    def candidates(self, treatment: Treatment) -> tuple[Candidates, Labelled | None]:
        """What was recorded, with its labels."""
        return self.chosen_from, self.labels

    def evidence(self, ranking: Ranking) -> Evidence:
        """Lists as metrics see them."""
        return self.measuring.with_ranking(ranking)


def reranked(plan: Any, progress: Progress | None = None) -> RerankResult:
    """A recorded run, mitigated."""
    if plan.k < 1:
        raise UsageError(f"k got {plan.k}.", "Show at least one item.")
    reranker = reranker_in(plan.mitigate)
    place = place_of(plan.run)
    if place is not None:
        return _reranked_again(plan, run_in(plan, place), reranker)
    bench = labelled_bench(plan, progress, ranked=True)
    lists = lists_of(plan, bench, reranker, plan.k)
    result = result_of(lists, reranker, plan.k)
    notes = [*warnings_of(bench), *notes_of(lists, plan.k, plan.trigger), *result.notes]
    return replace(result, items=bench.items, manifest=manifest_in("rerank", plan, bench, notes))


def scored_variants(
    plan: Any, mitigate: Sequence[Any], k: int, metrics: Sequence[Any], progress: Progress | None
) -> ScoreResult:
    """A recorded run, measured plain and after each reranker: all variants share the null of the
    plain candidates, and are paired with plain.
    """
    bench = labelled_bench(plan, progress)
    variants, notes = {PLAIN: bench.evidence}, warnings_of(bench)
    for one in mitigate:
        reranker = reranker_in(one)
        lists = lists_of(plan, bench, reranker, k)
        variants[str(reranker)] = bench.evidence.with_ranking(lists.shown[str(reranker)])
        notes += lists.notes
    settings = Settings(plan.null, plan.unknown, plan.interval, None, plan.seed, plan.detect)
    result = score_variants(variants, metrics, settings=settings, progress=progress)
    about = manifest_in("score", plan, bench, notes, result)
    about["plan"] |= {"mitigate": [str(reranker_in(one)) for one in mitigate], "k": k}
    return replace(result, manifest=about)


def lists_of(plan: Any, bench: Bench, reranker: Reranker, k: int) -> MadeLists:
    """The lists of a recorded run, plain and mitigated."""
    if len(bench.evidence.attributes) != 1:
        names = ", ".join(bench.evidence.attributes)
        raise UsageError(
            f"Mitigation works on one attribute, the labels have {names}.",
            "Choose one with --attribute.",
        )
    attribute, labels = next(iter(bench.evidence.attributes.items()))
    asked = of_ids(bench.run.queries)
    road = Recorded(asked, bench.evidence, attribute, labels, whole_lists(bench.run.ranking))
    # A query that is left out stays in the run, as it is: nothing that was recorded is lost.
    lines = tuple(
        bench.leave_out.query(query) if query in bench.untouched else None
        for query in bench.run.queries
    )
    rules = Rules(
        k=k,
        seed=plan.seed,
        unknown=plan.unknown,
        trigger=trigger_in(plan),
        lines=lines,
        stated=is_stated(plan.target),
    )
    return mitigated(road, [Treatment(str(reranker), reranker, labels=attribute)], rules)


def _reranked_again(plan: Any, run: SavedRun, reranker: Reranker) -> RerankResult:
    """A saved run, mitigated: the same candidates, labels, target and background as when it was
    made, but for what the plan asks otherwise.
    """
    plain = next(iter(evidence_of_saved(run).values()))
    attribute, labels = _mitigating(plan, run, plain)
    # A run without a mitigation has no candidates of its own: its plain lists are all there is.
    ranking = plain.ranking
    if run.candidates is not None:
        ranking = run.candidates
    candidates = replace(whole_lists(ranking), background=run.background)
    asked = replace(of_ids(run.queries, run.words), silent=run.silent)
    before = run.manifest.get("plan", {})
    trigger, lines = None, tuple[str | None, ...]()
    if chosen(plan, before, "trigger"):
        trigger = trigger_of(chosen(plan, before, "leave"))
    if plan.leave_out is not None:
        # A query that is left out stays in the run, as it is; items lose their labels alone.
        out, gone, _ = left_out(run, plan)
        lines = lines_of(asked, out)
        labels = _unlabelled(labels, candidates.ranking, gone)
    rules = Rules(
        k=plan.k,
        seed=chosen(plan, before, "seed"),
        unknown=chosen(plan, before, "unknown"),
        trigger=trigger,
        lines=lines,
        # By its name: a benchmark may state a target that no plan says.
        stated=labels.target.name not in COUNTED,
    )
    road = Recorded(asked, plain, attribute, labels, candidates)
    lists = mitigated(road, [Treatment(str(reranker), reranker, labels=attribute)], rules)
    result = result_of(lists, reranker, plan.k)
    notes = [*notes_of(lists, plan.k, trigger is not None), *result.notes]
    about = manifest(
        "rerank",
        taken(plan, run),
        plain,
        warnings=notes,
        inputs=inputs_of(plan),
        mitigate={"attribute": attribute, "labels": labels.groups.source, "k": plan.k},
    )
    return replace(result, items=run.items, manifest={**about, "made_by": dict(run.manifest)})


def _unlabelled(labels: Labelled, ranking: Ranking, gone: Array) -> Labelled:
    """Labels without those of items that are left out."""
    at = gone
    if labels.aligned:
        at = gone[ranking.rows]
    return replace(labels, groups=labels.groups.without(at))


def _mitigating(plan: Any, run: SavedRun, plain: Evidence) -> tuple[str, Labelled]:
    """What rerankers see of a saved run: what they saw then or, of another attribute, what metrics
    saw.
    """
    asked = plan.attribute or ()
    if len(asked) > 1:
        raise UsageError("Mitigation works on one attribute.", "Choose one with --attribute.")
    if run.mitigate is not None and (not asked or asked[0] == run.mitigate[0]):
        return run.mitigate
    if not asked and len(plain.attributes) != 1:
        names = ", ".join(plain.attributes)
        raise UsageError(
            f"Mitigation works on one attribute, the saved run has {names}.",
            "Choose one with --attribute.",
        )
    name = next(iter(asked or plain.attributes))
    return name, plain.on(name).attribute


def result_of(lists: MadeLists, reranker: Reranker, k: int) -> RerankResult:
    """What was mitigated, and what the new order promises and breaks."""
    evidence, ranking = lists.evidence, lists.shown[str(reranker)]
    assert evidence is not None
    left = np.zeros(len(evidence), np.bool_)
    left[lists.left] = True
    # Of lists that stay as they are no target was asked, so none is out of their reach.
    treated = evidence
    if left.any():
        treated = evidence.select(np.flatnonzero(~left))
    notes, groups = list[str](), evidence.attribute.groups
    if len(groups.names) == 1:
        notes.append(f"'{groups.attribute}' has one group only: there is nothing to balance.")
    if reranker.uses_target:
        notes += out_of_reach(treated, k)
    broken = sum(
        bool(len(prefixes)) and not kept
        for prefixes, kept in zip(violations(evidence.with_ranking(ranking)), left, strict=True)
    )
    # Only some rerankers bound every prefix: that others fall below is no fault of theirs.
    if broken and reranker.bounds_prefixes:
        notes.append(
            f"{part_of(broken, len(evidence), 'query')} {agreeing(broken, 'has', 'have')} a "
            f"prefix below floor(n t): supply ran out, or {reranker} does not bound it."
        )
    return RerankResult(
        ranking,
        evidence.queries,
        str(reranker),
        _moved(lists.plain, ranking, k),
        broken,
        tuple(notes),
        decisions=lists.decisions,
    )


def notes_of(lists: MadeLists, k: int, trigger: bool) -> list[str]:
    """What a reader must know of lists that are short, and of queries that nobody can read."""
    notes, lengths = [*lists.notes], lists.plain.lengths
    short = int((lengths < k).sum())
    if short:
        notes.append(
            f"{part_of(short, len(lengths), 'query')} {agreeing(short, 'has', 'have')} fewer than "
            f"k = {k} candidates; "
            f"{agreeing(short, 'it keeps what it has', 'they keep what they have')}."
        )
    silent = [one for one in lists.decisions if one.rule == "no-words"]
    if trigger and silent:
        notes.append(_unread(silent, len(lengths)))
    return notes


def out_of_reach(evidence: Evidence, k: int) -> list[str]:
    """A note where candidates cannot fill the places the target asks for, to a whole item: in how
    many queries, and how far at best.
    """
    lengths, names = evidence.ranking.lengths, evidence.labels.names
    available, wanted = supply(evidence, k)
    lacking = np.maximum(wanted - available, 0.0)
    # Targets ask for parts of an item, which nobody can show; less than a whole one is no lack.
    out = np.flatnonzero(lacking.max(1, initial=0.0) >= 1 - 1e-9)
    if not len(out):
        return []
    worst = int(out[lacking[out].sum(1).argmax()])
    group = int(lacking[worst].argmax())
    met = 1 - lacking[worst].sum() / min(int(lengths[worst]), k)
    return [
        f"In {part_of(len(out), len(evidence), 'query')} the candidates cannot meet the target at "
        f"k = {k}. Furthest off is '{evidence.queries[worst]}': it has "
        f"{available[worst, group]:.3g} of the {wanted[worst, group]:.3g} '{names[group]}' items "
        f"asked for, so that at best {100 * met:.0f} % of the list is as the target asks."
    ]


def reranker_in(mitigate: Any) -> Reranker:
    """The reranker of a text form or an object; what acts on vectors is refused."""
    if not isinstance(mitigate, str):
        return mitigation_of(mitigate).reranker or mitigate
    reranker: Reranker = registry.make("reranker", mitigate)
    return reranker


def _unread(silent: Sequence[Decision], count: int) -> str:
    """That the trigger cannot read some query ids."""
    are = agreeing(len(silent), "is", "are")
    lists = agreeing(len(silent), "its list is", "their lists are")
    return (
        f"{part_of(len(silent), count, 'query id')} {are} no text (e.g. '{silent[0].query}'), so "
        f"the trigger cannot tell what was asked: {lists} mitigated. Name the queries to leave "
        "alone with --leave, or use their texts as ids."
    )


def _moved(plain: Ranking, new: Ranking, k: int) -> float:
    """Share of new entries that were not among the plain first k."""
    if not len(new.rows):
        return 0.0
    entries: Array = locate(plain.offsets, plain.rows, new.offsets, new.rows)
    places = entries - plain.offsets[:-1][new.query_of]
    return float(np.mean((entries < 0) | (places >= k)))
