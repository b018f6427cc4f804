"""The contracts, all in one place. Parameters live in the constructor, data in the call; batch is the only path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from fairlead.evidence import Evidence, Lists
from fairlead.ragged import Array
from fairlead.types import Collection, Embeddings, Groups, Queries, Ranking, Sets

if TYPE_CHECKING:
    from fairlead.projections.reference import Reference

Role = Literal["query", "item"]
Direction = Literal["lower", "higher", "either"]
"""Which way is better; ``either`` marks signed metrics, whose two sides are both worse."""


class Encoder(Protocol):
    """Turns texts and images into vectors whose inner product is the score; some models encode queries and items differently.

    Images are Pillow images, arrays, or references it can draw itself.
    """

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on: weights, preprocessing, parameters. Equal fingerprints give equal vectors."""
        ...

    def texts(self, texts: Sequence[str], role: Role) -> Embeddings: ...
    def images(self, images: Sequence[Any], role: Role) -> Embeddings: ...


@runtime_checkable
class Preparing(Encoder, Protocol):
    """An encoder whose work on one image (decode, resize, normalise) can be done ahead, on other threads.

    ``images(x, role)`` equals ``prepared([prepare(i) for i in x], role)``. ``batch`` is how many it likes at once. It may have
    ``begin(images, role)`` too, which starts what ``prepared`` does on a device of its own, and gives a function that waits for it.
    """

    @property
    def batch(self) -> int: ...
    def prepare(self, image: Any) -> Any: ...
    def prepared(self, images: Sequence[Any], role: Role) -> Embeddings: ...


class Index(Protocol):
    """Turns query vectors into a ranking of rows, by (-score, row); rows are numbered in the order they were added.

    ``groups`` label the rows that are added, one per attribute; rows added without labels of an attribute are unknown.
    ``per_group`` names an attribute: the union of the best ``depth`` of each of its groups, unknown being a group of its own and
    what the attribute does not apply to left out. Vectors with offsets (late interaction) score by MaxSim.
    """

    def __len__(self) -> int: ...
    def add(self, embeddings: Embeddings, groups: Mapping[str, Groups] | None = None) -> None: ...
    def search(self, queries: Embeddings, depth: int, per_group: str | None = None) -> Ranking: ...
    def scores(self, queries: Embeddings, rows: Array) -> Ranking: ...


@runtime_checkable
class KeptIndex(Index, Protocol):
    """An index that outlives the process: in a folder, or on a server at its own address.

    ``open`` attaches to what is kept for an owner (collection, model and labels) and says how many rows that is, 0 where there is
    nothing yet; it refuses what is kept for another owner. ``keep`` makes what was added last.
    """

    def open(self, place: Path, owner: str) -> int: ...
    def keep(self, place: Path, owner: str) -> None: ...


@runtime_checkable
class Reranker(Protocol):
    """Turns evidence on one attribute into a new order of at most ``k`` of its candidates.

    Randomness comes from ``hash(seed, query id, spec)``: batch = one by one = any sharding.
    """

    name: ClassVar[str]

    def __call__(self, evidence: Evidence, k: int, seed: int) -> Ranking: ...


@runtime_checkable
class Metric(Protocol):
    """Turns evidence into a numerator and a denominator per query; undefined is NaN.

    ``aggregate`` says how queries add up: ``mean`` of the ratios, or ``pooled`` (sum over sum).
    """

    name: ClassVar[str]
    direction: ClassVar[Direction]
    range: ClassVar[tuple[float, float]]
    needs: ClassVar[frozenset[str]]

    @property
    def aggregate(self) -> Literal["mean", "pooled"]: ...
    def __call__(self, evidence: Evidence) -> tuple[Array, Array]: ...


class GroupMetric(Metric, Protocol):
    """A metric of group labels. It is computed on rectangular lists, so that nulls can be drawn without evidence.

    ``shape`` is ``set`` where only the counts within the cut-off matter, ``order`` where the order does too.
    """

    epsilon_dominated: ClassVar[bool]

    @property
    def shape(self) -> Literal["set", "order", "roles"]: ...
    @property
    def k(self) -> int | None: ...
    def measure(self, lists: Lists) -> tuple[Array, Array]: ...


class Annotator(Protocol):
    """Says which group items appear to belong to, with a source.

    ``needs`` names what it looks at: ``labels`` or ``captions`` of the collection, an ``encoder``, or ``pictures``, which it opens with
    ``encoder.open`` (see ``Sight``). ``attributes`` is what it can label of a collection; asked for anything else it raises UsageError
    that says so. The order of the items does not matter.
    """

    needs: ClassVar[frozenset[str]]

    def attributes(self, collection: Collection) -> tuple[str, ...]: ...
    def __call__(self, collection: Collection, attribute: str, encoder: Encoder | None = None) -> Groups: ...


@runtime_checkable
class QueryAnnotator(Annotator, Protocol):
    """An annotator whose labels may depend on the query: one for each candidate of each query, in their order."""

    def of_candidates(
        self, collection: Collection, attribute: str, queries: Queries, candidates: Sets, encoder: Encoder | None = None
    ) -> Groups: ...


class Sight(Encoder, Protocol):
    """What annotators are handed: an encoder that takes the references of a collection for images, and opens them."""

    def open(self, reference: str) -> Any: ...


class Projection(Protocol):
    """A mitigation on vectors. ``needs`` names what it is fitted on (``items``, ``prompts``, ``pairs``) and asked with (``wordings``)."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]]

    def fit(self, reference: Reference) -> Projected: ...
    def restore(self, arrays: Mapping[str, Array]) -> Projected: ...


class Projected(Protocol):
    """A fitted projection. Called with queries, it gives queries for the items as they are stored: no index is built anew.

    ``variants`` (queries, groups, dimensions) are vectors of the queries worded for each group, for those who need ``wordings``.
    """

    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def dimensions(self) -> int: ...
    def __call__(self, queries: Embeddings, variants: Array | None = None) -> Embeddings: ...
    def arrays(self) -> dict[str, Array]: ...


class Probe(Protocol):
    """Rewrites queries in ways that should not change who is shown."""

    def __call__(self, queries: Queries) -> Queries: ...


class Runner(Protocol):
    """Maps a task over parts: local processes or a cluster, the same task code."""

    def map(self, task: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]: ...


class Progress(Protocol):
    """What long work reports to: a label, how far, out of how much."""

    def __call__(self, label: str, done: int, total: int) -> None: ...
