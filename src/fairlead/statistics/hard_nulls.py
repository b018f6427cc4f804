"""Nulls of hard labels, solved once for every distinct question.

They depend only on a list's length, the counts its labels are drawn from and the target. A null is
exact where only counts matter and the outcomes are few enough, else it is a sample. Many are solved
at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, cast

import numpy as np

from fairlead.errors import DataError
from fairlead.protocols import KnownChance
from fairlead.statistics import sequences
from fairlead.statistics.distributions import Distribution
from fairlead.types.evidence import Evidence, Lists
from fairlead.types.ragged import Array, within

Kind = Literal["order", "gallery", "target"]
# How many cells (lists x positions) are drawn and measured at a time
_CELLS = 1 << 18
# Probabilities written at a time; probabilities of outcomes in all; probabilities of counts for
# exact means in all
_WEIGHT_CELLS, _EXACT_CELLS, _MEAN_CELLS = 1 << 22, 200_000_000, 400_000_000


@dataclass(frozen=True, eq=False)
class Keys:
    """Distinct questions to one null of one metric.

    Attributes:
        metric: The metric.
        kind: The null.
        names: The groups.
        seed: Seed of every stream.
        sizes: (keys,) length of the lists.
        counts: (keys, groups + 2) what the labels are drawn from; under ``target`` only what is
            missing counts.
        targets: (keys, groups).
    """

    metric: Any
    kind: Kind
    names: tuple[str, ...]
    seed: int
    sizes: Array
    counts: Array
    targets: Array

    @classmethod
    def of(
        cls, metric: Any, view: Evidence, kind: Kind, shown: Array, seed: int
    ) -> tuple[Keys, Array]:
        """The keys of lists of ``shown`` items, and (queries,) which one each query has.

        It is -1 for empty lists and missing targets.
        """
        targets = asked_targets(metric, view, kind)
        queries = np.flatnonzero(shown > 0)
        counts = _counts(view, kind, shown)
        if kind != "target" and (counts.sum(1) < shown).any():
            raise DataError(
                "A list is longer than the pool its chance level is drawn from.",
                "Give the whole collection, or another null.",
            )
        asked = queries[~np.isnan(targets[queries]).any(1)]
        of = np.full(len(view), -1)
        first, of[asked] = _distinct(np.column_stack([shown, counts]), targets, asked)
        names = view.labels.names
        keys = cls(metric, kind, names, seed, shown[first], counts[first], targets[first])
        return keys, of

    def __len__(self) -> int:
        return len(self.sizes)

    def solve(self, draws: int) -> list[Distribution]:
        """The null distribution of each key; sampled ones start with ``draws`` values."""
        solved = dict(self._exact()) if self.metric.shape == "set" else {}
        rest = np.array([key for key in range(len(self)) if key not in solved], np.int64)
        centres = self._means(rest)
        whole = self.counts[rest].sum(1) == self.sizes[rest]
        # keys of one length are drawn together; whole pools take a faster way than parts of them
        for part in _alike(self.sizes[rest], whole):
            step = max(1, _CELLS // (draws * int(self.sizes[rest[part[0]]])))
            for batch in _batches(part, step):
                keys = rest[batch]
                samples = self.sample(keys, draws)
                for key, sample, mean in zip(keys.tolist(), samples, centres[batch], strict=True):
                    centre = None if np.isnan(mean) else float(mean)
                    solved[key] = Distribution.grown(_More(self, key), sample, centre)
        return [solved[key] for key in range(len(self))]

    def sample(self, keys: Array, draws: int, turn: int = 0) -> Array:
        """(keys, draws) values of keys of one size; another turn gives other draws.

        As long as a key's draws fit into one slice, its values do not depend on the other keys.
        """
        rngs = [self._stream(key, turn) for key in keys]
        step = max(1, _CELLS // (len(keys) * int(self.sizes[keys[0]])))
        parts = [
            self._some(keys, rngs, min(step, draws - start)) for start in range(0, draws, step)
        ]
        if parts:
            return np.concatenate(parts, axis=1)
        return np.empty((len(keys), 0))

    def _some(self, keys: Array, rngs: list[np.random.Generator], draws: int) -> Array:
        size = int(self.sizes[keys[0]])
        if self.kind == "target":
            streams = zip(keys, rngs, strict=True)
            codes = np.stack(
                [
                    sequences.independent(self.targets[k], self.counts[k, -2:], size, draws, rng)
                    for k, rng in streams
                ]
            )
        else:
            codes = sequences.drawn(self.counts[keys], size, draws, rngs)
        targets = np.repeat(self.targets[keys], draws, axis=0)
        return self._measure(codes.reshape(-1, size), targets).reshape(len(keys), draws)

    def _measure(self, codes: Array, targets: Array) -> Array:
        """(lists,) values of hard codes (lists, size), NaN where there is nothing to measure."""
        lists = Lists(
            np.arange(len(codes)),
            np.full(len(codes), codes.shape[1]),
            targets,
            self.names,
            codes=codes,
        )
        numerator, denominator = self.metric.measure(lists)
        return numerator / denominator

    def _exact(self) -> Iterator[tuple[int, Distribution]]:
        """All counts vectors with their probabilities.

        Keys whose counts do not bind share the vectors and their values.
        """
        most = min(sequences.MOST_OUTCOMES, _EXACT_CELLS // max(len(self), 1))
        binding = np.minimum(self.counts, self.sizes[:, None])
        columns = [self.sizes, binding]
        if self.kind == "target":
            columns.append(self.targets)
        for part in _alike(*columns):
            outcomes = self._outcomes(int(part[0]), most)
            if outcomes is None:
                continue
            vectors, codes = outcomes
            for batch in _batches(part, max(1, _WEIGHT_CELLS // codes.size)):
                weights = self._weights(vectors, batch)
                alike = _alike(self.targets[batch])
                targets = self.targets[batch][[members[0] for members in alike]]
                values = self._measure(
                    np.tile(codes, (len(alike), 1)), np.repeat(targets, len(vectors), axis=0)
                )
                for members, row in zip(alike, values.reshape(len(alike), -1), strict=True):
                    solutions = Distribution.exacts(row, weights[members])
                    yield from zip(batch[members].tolist(), solutions, strict=True)

    def _outcomes(self, key: int, most: int) -> tuple[Array, Array] | None:
        """The counts vectors a key can have, and (vectors, size) codes of a list with these counts.

        None where they are more than ``most``.
        """
        size = int(self.sizes[key])
        counts = self.counts[key]
        if self.kind == "target":
            # only what is missing is fixed: any group of the target may take the other places
            missing = counts[-2:]
            known = size - int(missing.sum())
            limits = np.where(self.targets[key] > 0, known, 0)
            vectors = sequences.outcomes(limits, known, most)
        else:
            vectors = sequences.outcomes(counts, size, most)
        if vectors is None:
            return None
        whole = vectors
        if self.kind == "target":
            whole = np.hstack([vectors, np.tile(missing, (len(vectors), 1))])
        palette = np.tile(sequences.palette(len(self.names)), len(vectors))
        return vectors, np.repeat(palette, whole.ravel()).reshape(len(vectors), size)

    def _weights(self, vectors: Array, keys: Array) -> Array:
        """(keys, vectors) probabilities of counts vectors that these keys share."""
        if self.kind != "target":
            return sequences.hypergeometric_weights(vectors, self.counts[keys])
        weights = sequences.multinomial_weights(vectors, self.targets[keys[0]])
        return np.broadcast_to(weights, (len(keys), len(vectors)))

    def _means(self, keys: Array) -> Array:
        """(keys,) exact means, where the metric has a formula and nothing is unknown.

        Elsewhere they are NaN. The formula gives the mean at every length, so keys with the same
        pool and target share it.
        """
        means = np.full(len(keys), np.nan)
        known = np.flatnonzero(self.counts[keys][:, -2:].sum(1) == 0)
        if not isinstance(self.metric, KnownChance) or not len(known):
            return means
        columns = [self.targets[keys[known]]]
        if self.kind != "target":
            columns.append(self.counts[keys[known]])
        pools = _alike(*columns)
        longest = np.array([int(self.sizes[keys[known[pool]]].max()) for pool in pools])
        # the shortest lists come first: exact means cost the square of the length
        affordable = np.cumsum(np.sort(longest**2)) <= _MEAN_CELLS
        for part in _alike(longest):
            size = int(longest[part[0]])
            heads = keys[known[[pools[p][0] for p in part]]]
            if not affordable[np.searchsorted(np.sort(longest), size, side="right") - 1]:
                continue
            expected = partial(self._expected, keys=heads, size=size)
            levels = self.metric.null_mean(expected, size, self.targets[heads])
            if levels is None:
                return means
            for level, pool in zip(levels, (known[pools[p]] for p in part), strict=True):
                means[pool] = level[self.sizes[keys[pool]] - 1]
        return means

    def _expected(self, functions: Array, keys: Array, size: int) -> Array:
        """(functions, keys, groups, size) mean of f(count of a group) among the first items."""
        if self.kind == "target":
            shares, where = np.unique(self.targets[keys], return_inverse=True)
            return sequences.binomial_means(functions, shares, size)[
                :, where.reshape(len(keys), -1)
            ]
        counts = self.counts[keys][:, :-2]
        pairs = np.stack(
            [counts, np.broadcast_to(counts.sum(1, keepdims=True), counts.shape)], -1
        ).reshape(-1, 2)
        pools, where = np.unique(pairs, axis=0, return_inverse=True)
        return sequences.hypergeometric_means(functions, pools[:, 0], pools[:, 1], size)[
            :, where.reshape(counts.shape)
        ]

    @cached_property
    def _base(self) -> Any:
        question = repr((self.seed, str(self.metric), self.kind)).encode()
        return hashlib.blake2b(question, digest_size=16)

    def _stream(self, key: int, turn: int) -> np.random.Generator:
        """A generator that depends on the question alone.

        So the same list has the same null in any batch.
        """
        digest = self._base.copy()
        digest.update(np.array([turn, self.sizes[key]], np.int64).tobytes())
        digest.update(self.counts[key].astype(np.int64).tobytes())
        digest.update(self.targets[key].tobytes())
        return np.random.default_rng(int.from_bytes(digest.digest(), "little"))


@dataclass(slots=True)
class _More:
    """Draws more values of one key."""

    keys: Keys
    key: int
    turn: int = 0

    def __call__(self, draws: int) -> Array:
        self.turn += 1
        values: Array = self.keys.sample(np.array([self.key]), draws, self.turn)[0]
        return values

    def alike(self, draws: int) -> tuple[int, int, int, bool, bool]:
        """Keys with the same answer can be drawn and measured together."""
        size = int(self.keys.sizes[self.key])
        counts = self.keys.counts[self.key]
        return draws, self.turn, size, bool(counts.sum() == size), bool(counts[-2:].any())


def extend_together(wanted: Sequence[tuple[Distribution, int]]) -> None:
    """Grow samples to at least so many values each, as ``Distribution.extend`` does.

    Questions of the same kind are drawn in one go.
    """
    batches: dict[Any, list[Distribution]] = {}
    for distribution, draws in wanted:
        more = draws - len(distribution.values)
        sampler = distribution.sampler
        if sampler is None or more <= 0:
            continue
        if isinstance(sampler, _More):
            batches.setdefault((id(sampler.keys), *sampler.alike(more)), []).append(distribution)
        else:
            distribution.extend(draws)
    for (_, draws, _, size, *_), batch in batches.items():
        step = max(1, _CELLS // (draws * size))
        for start in range(0, len(batch), step):
            _extend_batch(batch[start : start + step], draws)


def _extend_batch(batch: Sequence[Distribution], draws: int) -> None:
    """So many more values for each of some distributions whose keys are alike."""
    samplers = [cast(_More, distribution.sampler) for distribution in batch]
    for sampler in samplers:
        sampler.turn += 1
    keys = np.array([sampler.key for sampler in samplers])
    values = samplers[0].keys.sample(keys, draws, samplers[0].turn)
    for distribution, more in zip(batch, values, strict=True):
        distribution.add(more)


def asked_targets(metric: Any, view: Evidence, kind: Kind) -> Array:
    """(queries, groups) the targets.

    A query without one gets even shares where neither the metric nor the null looks at them.
    """
    targets = view.attribute.target.rows(np.arange(len(view)))
    if "target" in metric.needs or kind == "target":
        return targets
    return np.where(np.isnan(targets), 1 / targets.shape[1], targets)


def _counts(view: Evidence, kind: Kind, shown: Array) -> Array:
    """(queries, groups + 2) counts the labels of each query are drawn from.

    Under ``target`` they count what is missing within the cut-off.
    """
    labels = view.labels
    groups = len(view.labels.names)
    assert labels.codes is not None
    if kind == "gallery" and view.pool is not None and not view.attribute.aligned:
        codes = view.attribute.groups.codes
        assert codes is not None
        owner = np.repeat(np.arange(len(view.pool)), np.diff(view.pool.offsets))
        counts = _table(owner, codes[view.pool.rows], len(view.pool), groups)
        # one pool may serve all queries
        return np.broadcast_to(counts, (len(view), groups + 2))
    query_of = view.ranking.query_of
    if kind == "target":
        inside = within(view.ranking.offsets) < shown[query_of]
        counts = _table(query_of[inside], labels.codes[inside], len(view), groups)
        counts[:, :-2] = 0
        return counts
    return _table(query_of, labels.codes, len(view), groups)


def _table(owner: Array, codes: Array, queries: int, groups: int) -> Array:
    cells = owner * (groups + 2) + np.where(codes >= 0, codes, groups - 1 - codes)
    return np.bincount(cells, minlength=queries * (groups + 2)).reshape(queries, groups + 2)


def _distinct(numbers: Array, targets: Array, asked: Array) -> tuple[Array, Array]:
    """The first query of each distinct key among those asked, and (asked,) the key of each."""
    if not len(asked):
        return asked, asked
    _, first, key_of = np.unique(
        _as_bytes(numbers[asked], targets[asked]), return_index=True, return_inverse=True
    )
    return asked[first], key_of


def _alike(*columns: Array) -> list[Array]:
    """Entry numbers of equal rows, together."""
    if not len(columns[0]):
        return []
    _, of = np.unique(_as_bytes(*columns), return_inverse=True)
    order = np.argsort(of, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(of[order])) + 1)


def _batches(entries: Array, size: int) -> Iterator[Array]:
    """The entries, a few at a time."""
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


def _as_bytes(*columns: Array) -> Array:
    """(rows,) one opaque value for each row of the columns: equal where all of them are."""
    parts = []
    for column in columns:
        flat = np.ascontiguousarray(column.reshape(len(column), -1))
        parts.append(flat.view(np.uint8).reshape(len(column), -1))
    rows = np.ascontiguousarray(np.hstack(parts))
    return rows.view(np.dtype((np.void, rows.shape[1])))[:, 0]
