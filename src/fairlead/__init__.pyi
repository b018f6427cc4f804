"""fairlead: audit, red-team and mitigate social, language and cultural bias in text-image
retrieval.

Everything public is importable from here and loaded when first used: ``import fairlead`` itself
loads nothing heavy."""

# Written by docs/stub.py from the table of verbs. Do not edit: change a plan and run it again.

import collections.abc
import fairlead.commands.annotate
import fairlead.commands.human_plan
import fairlead.commands.human_status
import fairlead.commands.train_attribute
import fairlead.commands.train_lite
import fairlead.commands.train_mitigated
import fairlead.commands.train_phantom
import fairlead.engine.human.answers
import fairlead.engine.kept.removal
import fairlead.engine.projections
import fairlead.protocols.annotator
import fairlead.protocols.encoder
import fairlead.protocols.index
import fairlead.protocols.metric
import fairlead.protocols.projection
import fairlead.protocols.reranker
import fairlead.protocols.runner
import fairlead.results.audit
import fairlead.results.check
import fairlead.results.data_check
import fairlead.results.decisions
import fairlead.results.doctor
import fairlead.results.embed
import fairlead.results.frontier
import fairlead.results.label_quality
import fairlead.results.rerank
import fairlead.results.score
import fairlead.results.search
import fairlead.studies.annotation
import fairlead.studies.calibration
import fairlead.studies.label_trials
import fairlead.studies.labellers
import fairlead.studies.ledger.rows
import fairlead.types.answers
import fairlead.types.evidence
import fairlead.types.groups
import fairlead.types.ranking
import os
import pathlib
import typing

from fairlead.engine.mitigator import (
    Mitigator as Mitigator,
)
from fairlead.results.mitigated import (
    MitigatedList as MitigatedList,
)
from fairlead.commands.search import (
    Searcher as Searcher,
)
from fairlead.errors import (
    BackendError as BackendError,
    DataError as DataError,
    FairleadError as FairleadError,
    MissingExtra as MissingExtra,
    UsageError as UsageError,
)
from fairlead.protocols import (
    Annotator as Annotator,
    Benchmark as Benchmark,
    Encoder as Encoder,
    Index as Index,
    Metric as Metric,
    Probe as Probe,
    Projection as Projection,
    Reranker as Reranker,
    Runner as Runner,
    Training as Training,
)
from fairlead.protocols.registry import (
    make as make,
)
from fairlead.protocols.spec import (
    Spec as Spec,
    parse as parse,
)
from fairlead.results.audit import (
    Audit as Audit,
)
from fairlead.results.check import (
    CheckResult as CheckResult,
)
from fairlead.results.decisions import (
    Decisions as Decisions,
)
from fairlead.results.frontier import (
    FrontierResult as FrontierResult,
)
from fairlead.results.rerank import (
    RerankResult as RerankResult,
)
from fairlead.results.score import (
    PairedRow as PairedRow,
    PerQuery as PerQuery,
    Row as Row,
    ScoreResult as ScoreResult,
)
from fairlead.results.search import (
    SearchResult as SearchResult,
)
from fairlead.statistics.power import (
    queries_needed as queries_needed,
    visible_difference as visible_difference,
)
from fairlead.trigger.decision import (
    Decision as Decision,
)
from fairlead.types import (
    Collection as Collection,
    Embeddings as Embeddings,
    Groups as Groups,
    Queries as Queries,
    Ranking as Ranking,
    Relevant as Relevant,
    Sets as Sets,
    cross as cross,
)
from fairlead.types.evidence import (
    Evidence as Evidence,
    Labelled as Labelled,
    Lists as Lists,
    Target as Target,
)

__version__: str
__all__: list[str]

def score(
    run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object,
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    *,
    attribute: str | collections.abc.Sequence[str] | None = None,
    target: str | os.PathLike[str] | collections.abc.Mapping[str, float] | collections.abc.Mapping[str, typing.Any] | fairlead.types.evidence.Target = 'uniform',
    qrels: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    unknown: typing.Literal['ignore', 'own-group', 'spread'] = 'ignore',
    ties: typing.Literal['hash', 'stable'] = 'hash',
    blocks: str | None = None,
    map: str | collections.abc.Sequence[str] = (),
    source: str = 'label',
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    metric: str | fairlead.protocols.metric.Metric | collections.abc.Sequence[str | fairlead.protocols.metric.Metric] = (),
    null: typing.Optional[typing.Literal['order', 'gallery', 'target']] = None,
    against: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object | None = None,
    interval: typing.Literal['studentised', 'percentile'] = 'studentised',
    clusters: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    detect: float | None = None,
    label_sample: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    label_error: bool | None = None,
    ranked_by: str | fairlead.protocols.encoder.Encoder | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.score.ScoreResult:
    """Measure a saved run against labels.

    The run is TREC, or CSV, JSONL or Parquet with query, item, score. Every fairness number comes
    with its chance level, an interval over queries and a correction for the number of looks.

    >>> import fairlead
    >>> lists, labels = {"nurse": {"a": 2.0, "b": 1.0}}, {"a": "female", "b": "male"}
    >>> groups = {item: {"gender": label} for item, label in labels.items()}
    >>> fairlead.score(lists, groups, metric="AbsBias@1").rows[0].mean
    1.0

    Args:
        run: A run: a file (TREC, or CSV, JSONL or Parquet with query, item, score), a mapping, a
            data frame, a ranx.Run, scored documents.
        groups: Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute. The
            run's own where it was saved with them.
        attribute: Attribute; gender*skin is the intersection. All by default.
        target: What lists are held against.
        qrels: Relevance judgements: TREC qrels or query,item,gain.
        unknown: What becomes of unknown labels.
        ties: Order of equal scores: a seeded hash, or as in the file.
        blocks: Column of the labels that names matched sets (images drawn from one seed).
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        source: Who made the labels; printed beside every number.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        metric: Metric, e.g. NDKL@100 or Bias(positive=female)@10. See 'fairlead list metrics'.
        null: Chance level; chosen by what is known by default.
        against: A second run over the same queries: adds paired differences.
        interval: How the bootstrap over queries makes its intervals.
        clusters: Queries to be resampled together: query,cluster.
        detect: Also say how many queries are needed to see this difference.
        label_sample: True labels of some ranked items, as people gave them (item, one column per
            attribute): corrects for label error.
        label_error: Also say how wrong the labels would have to be to overturn each reading.
        ranked_by: The model that ranked: a warning where it also made the labels (--source).
        progress: Told what is done and how much there is to do.
    """

def rerank(
    run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object,
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    *,
    attribute: str | collections.abc.Sequence[str] | None = None,
    target: str | os.PathLike[str] | collections.abc.Mapping[str, float] | collections.abc.Mapping[str, typing.Any] | fairlead.types.evidence.Target = 'uniform',
    qrels: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    unknown: typing.Literal['ignore', 'own-group', 'spread'] = 'ignore',
    ties: typing.Literal['hash', 'stable'] = 'hash',
    blocks: str | None = None,
    map: str | collections.abc.Sequence[str] = (),
    source: str = 'label',
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    mitigate: str | fairlead.protocols.reranker.Reranker,
    k: int,
    trigger: bool = True,
    leave: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.rerank.RerankResult:
    """Mitigate a saved run: a new ranking of the first k.

    Query ids are read as what was asked: lists of queries that name a group or a person stay as
    they are (see 'fairlead trigger').

    Args:
        run: A run: a file (TREC, or CSV, JSONL or Parquet with query, item, score), a mapping, a
            data frame, a ranx.Run, scored documents.
        groups: Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute. The
            run's own where it was saved with them.
        attribute: Attribute; gender*skin is the intersection. All by default.
        target: What lists are held against.
        qrels: Relevance judgements: TREC qrels or query,item,gain.
        unknown: What becomes of unknown labels.
        ties: Order of equal scores: a seeded hash, or as in the file.
        blocks: Column of the labels that names matched sets (images drawn from one seed).
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        source: Who made the labels; printed beside every number.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        mitigate: Reranker, e.g. pbm, detgreedy or fair_topk(alpha=0.1). See 'fairlead list
            rerankers'.
        k: How many items to show for each query.
        trigger: Leave alone what names a group, a person, the past or no person.
        leave: More queries to leave alone, one per line; * and ? stand for any letters.
        progress: Told what is done and how much there is to do.
    """

def check(
    run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object | None = None,
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    *,
    attribute: str | collections.abc.Sequence[str] | None = None,
    target: str | os.PathLike[str] | collections.abc.Mapping[str, float] | collections.abc.Mapping[str, typing.Any] | fairlead.types.evidence.Target = 'uniform',
    qrels: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    unknown: typing.Literal['ignore', 'own-group', 'spread'] = 'ignore',
    ties: typing.Literal['hash', 'stable'] = 'hash',
    blocks: str | None = None,
    map: str | collections.abc.Sequence[str] = (),
    source: str = 'label',
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    queries: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.check.CheckResult | fairlead.results.data_check.DataCheck:
    """Validate a run and its labels, and report how much is labelled; or data of your own.

    Of a run it says how much of it is labelled. Of data of your own (own:DIR, or --collection with
    --queries) it shows every fault with file and line.

    Args:
        run: A run, as score reads it; or own:DIR, a folder of your own data.
        groups: Labels: CSV, TSV, JSONL or Parquet with 'item' and one column per attribute.
        attribute: Attribute; gender*skin is the intersection. All by default.
        target: What lists are held against.
        qrels: Relevance judgements: TREC qrels or query,item,gain.
        unknown: What becomes of unknown labels.
        ties: Order of equal scores: a seeded hash, or as in the file.
        blocks: Column of the labels that names matched sets (images drawn from one seed).
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        source: Who made the labels; printed beside every number.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        collection: Your own data instead of a benchmark: a folder of images, a table, an archive;
            with --queries.
        queries: What is asked of --collection: a table with query, text or image, or .txt.
        progress: Told what is done and how much there is to do.
    """

def entries(
    what: str = 'all',
    *,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> tuple[dict[str, typing.Any], ...]:
    """List what there is, one line each; or all about one of them.

    A kind is metrics, rerankers, projections, trainings, mitigations (the last three together),
    encoders, annotators, benchmarks, indexes, sources or all. A name is one of theirs.

    Args:
        what: A kind, a name, or all.
        progress: Told what is done and how much there is to do.
    """

def embed(
    source: str | pathlib.Path,
    *,
    model: str | fairlead.protocols.encoder.Encoder = 'phantom',
    out: str | pathlib.Path,
    side: typing.Optional[typing.Literal['images', 'texts']] = None,
    half: bool = False,
    workers: int | None = None,
    processes: bool | None = None,
    max_megapixels: float = 200.0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.embed.EmbedResult:
    """Embed a collection of images: vectors in a folder that search and index can use.

    The source is a folder of images, a table (.csv, .tsv, .jsonl, .parquet) with paths, or
    WebDataset archives (one .tar, a folder of them, or "shard-{000..005}.tar"). Run it again after
    adding images, or after it was killed: only what is new is embedded.

    Args:
        source: A folder of images, a table of paths, or tar archives.
        model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
        out: Folder of the vectors; continued where it exists.
        side: Pictures or captions; pictures where there are any.
        half: Keep 16-bit numbers: half the size, and ranks that hardly change.
        workers: Readers that decode pictures; the number of cores by default.
        processes: Read with processes, or with threads only: processes by default on the command
            line, threads in a program of yours.
        max_megapixels: Larger pictures are skipped.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def remove(
    folder: str | pathlib.Path,
    ids: str | collections.abc.Sequence[str] = (),
    *,
    listed: str | pathlib.Path | None = None,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.engine.kept.removal.RemoveResult:
    """Remove items from an embedded collection for good, e.g. after a takedown.

    The folder is what 'fairlead embed' wrote; ids are spelled as they are there. Nothing else is
    embedded anew. The vectors are gone from every file and every kept index, and a later
    'fairlead embed' does not bring them back, even where the source still has the picture.

    Args:
        folder: What 'fairlead embed' wrote.
        ids: Ids of items.
        listed: A file of ids, one on each line.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def search(
    *text: str,
    image: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] = (),
    model: str | fairlead.protocols.encoder.Encoder = 'phantom',
    index: str | fairlead.protocols.index.Index = 'exact',
    collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object = 'phantom',
    attribute: str | collections.abc.Sequence[str] | None = None,
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    mitigate: str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection | collections.abc.Sequence[str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection] = (),
    mitigate_groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    map: str | collections.abc.Sequence[str] = (),
    target: str | os.PathLike[str] | collections.abc.Mapping[str, float] | collections.abc.Mapping[str, typing.Any] | fairlead.types.evidence.Target = 'uniform',
    queries: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    metric: str | fairlead.protocols.metric.Metric | collections.abc.Sequence[str | fairlead.protocols.metric.Metric] = (),
    k: int = 10,
    depth: int | None = None,
    limit: int = 10000,
    side: typing.Optional[typing.Literal['images', 'texts']] = None,
    null: typing.Optional[typing.Literal['order', 'gallery', 'target']] = None,
    unknown: typing.Literal['ignore', 'own-group', 'spread'] = 'ignore',
    interval: typing.Literal['studentised', 'percentile'] = 'studentised',
    trigger: bool = True,
    leave: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.search.SearchResult:
    """Search a collection, and see the mitigated list beside the plain one.

    One text is one query. Candidates are fetched for each group, so that nobody is missing from
    them.

    >>> import fairlead
    >>> found = fairlead.search("a photo of a nurse", mitigate="pbm", attribute="gender", k=4)
    >>> [variant.name for variant in found.results[0].variants]
    ['plain', 'pbm']

    Args:
        text: A query in words; several are answered one by one.
        image: Ask with a picture; may be given several times.
        model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
        index: Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.
        collection: A folder of images, a table, an archive, or what 'fairlead embed' wrote;
            embedded on first use and kept.
        attribute: Attribute; all that are labelled by default. The first is mitigated.
        groups: Labels that measure: a file with 'item' (or 'file') and one column per attribute, or
            an annotator.
        mitigate: Mitigation: a reranker, a projection or both, e.g. pbm, fitted:FILE, leace+pbm.
        mitigate_groups: Labels the rerankers see; those that measure by default.
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        target: What lists are held against.
        queries: A file of queries: a table with query, text or image, or .txt.
        metric: Metric, e.g. NDKL@100 or Bias(positive=female)@10. See 'fairlead list metrics'.
        k: How many items to show.
        depth: How many to fetch, of each group where lists are mitigated; by default 200, or k
            where that is more.
        limit: Deepest fetch where a target is out of reach.
        side: Pictures or captions; pictures where there are any.
        null: Chance level; chosen by what is known by default.
        unknown: What becomes of unknown labels.
        interval: How the bootstrap over queries makes its intervals.
        trigger: Leave alone what names a group, a person, the past or no person.
        leave: More queries to leave alone, one per line; * and ? stand for any letters.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def decide(
    *query: str,
    file: str | pathlib.Path | None = None,
    attribute: str | collections.abc.Sequence[str] = ('gender',),
    groups: str | collections.abc.Sequence[str] = (),
    leave: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    model: str | fairlead.protocols.encoder.Encoder | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.decisions.Decisions:
    """Decide whether the list of a query may be diversified, and say why.

    A query that names a gender, a person, the past or no person at all is left alone; where the
    words do not tell, it is unsure.

    >>> import fairlead
    >>> [one.decision for one in fairlead.decide("female CEO", "nurse").decisions]
    ['leave', 'diversify']

    Args:
        query: A query; several are decided one by one.
        file: Read more queries from a text file, one per line.
        attribute: What would be diversified: gender, skin, age, gender*skin, or your own.
        groups: A group of an attribute of your own; its name counts as a word.
        leave: More queries to leave alone, one per line; * and ? stand for any letters.
        model: Encoder for a second opinion on words that no rule knows, e.g. lite.
        progress: Told what is done and how much there is to do.
    """

def index(
    collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object,
    *,
    model: str | fairlead.protocols.encoder.Encoder = 'phantom',
    index: str | fairlead.protocols.index.Index = 'exact',
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    attribute: str | None = None,
    recall: int | None = None,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> dict[str, typing.Any]:
    """Build an index of a collection and keep it: the next search finds it.

    Args:
        collection: What is indexed: a folder of images, a table, an archive, or what 'fairlead
            embed' wrote.
        model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
        index: Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.
        groups: Labels to fetch by; the collection's own by default.
        attribute: Attribute to fetch by.
        recall: Also report recall of the first N against exact search, group by group.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def annotate(
    collection: str | pathlib.Path,
    annotator: str | fairlead.protocols.annotator.Annotator,
    attribute: str | None = None,
    *,
    model: str | fairlead.protocols.encoder.Encoder | None = None,
    queries: str | collections.abc.Sequence[str] = (),
    run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object | None = None,
    k: int = 200,
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.commands.annotate.Annotation:
    """Label a collection, and say what the labels add up to.

    Labels of single items are written only where you ask for them; the table is one that --groups
    reads. Beside it stands FILE.about.json: who gave the labels, and when.

    Args:
        collection: A folder of images, a table, archives, an embedded folder, or a benchmark.
        annotator: Annotator, e.g. face, caption, mlp:gender.npz.
        attribute: What to label; what the annotator labels, where that is one thing.
        model: Encoder, where the annotator needs one and names none, e.g. hf:DIR.
        queries: Query, for labels that depend on it; its candidates are all items.
        run: Ranking, for labels that depend on the query: the first -k of each.
        k: How many of each query of the run.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def evaluate_annotator(
    images: str | pathlib.Path,
    annotator: str | fairlead.protocols.annotator.Annotator,
    labels: str | pathlib.Path,
    attribute: str,
    *,
    map: str | collections.abc.Sequence[str] = (),
    by: str | collections.abc.Sequence[str] = (),
    model: str | fairlead.protocols.encoder.Encoder | None = None,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.studies.annotation.Evaluation:
    """Hold an annotator against known labels: accuracy overall and in every cell, with Wilson's
    intervals. No cell is hidden.

    Args:
        images: The pictures: a folder, a table or archives.
        annotator: Annotator, e.g. face, caption, mlp:gender.npz.
        labels: Known labels: a table that names the pictures.
        attribute: What to label; a column of the labels.
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        by: Columns of the labels whose combinations are told apart.
        model: Encoder, where the annotator needs one and names none, e.g. hf:DIR.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def compare_labellers(
    run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object,
    human: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object,
    labellers: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | collections.abc.Sequence[str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object],
    *,
    attribute: str | None = None,
    map: str | collections.abc.Sequence[str] = (),
    group: str | None = None,
    k: int = 200,
    threshold: float = 0.5,
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    seed: int = 0,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.studies.labellers.Comparison:
    """Compare labellers with people, query by query: how much each detects, and how far a group's
    ratio is off.

    Face services are not asked: their results are read from files. A file names its pictures: a
    folder of ITEM.json, lines {"item": ..., "response": ...}, or an object of responses by item.

    Args:
        run: The ranking.
        human: What people say: human:labels.db, or a table of labels.
        labellers: Labeller: a table of labels, or rekognition:FILE, azure:FILE, facepp:FILE,
            luxand:FILE; may be given again.
        attribute: What is labelled; what people label, where that is one thing.
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        group: The group whose ratio is compared; the first by default.
        k: How many items of each query.
        threshold: From this share of detected items on, a query is trusted; 0.5 as in the paper.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        seed: Seed of every random choice.
        progress: Told what is done and how much there is to do.
    """

def neutralise(
    collection: str | pathlib.Path,
    out: str | pathlib.Path,
    *,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> tuple[int, int]:
    """Rewrite captions without words that name a gender, as queries of the COCO and Flickr30k
    protocols need them. English.

    Args:
        collection: The collection with captions.
        out: Where to write: item,caption (CSV).
        progress: Told what is done and how much there is to do.
    """

def audit(
    model: str | fairlead.protocols.encoder.Encoder = 'phantom',
    benchmark: str | object = 'phantom',
    *,
    collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    queries: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    qrels: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    mitigate: str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection | collections.abc.Sequence[str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection] = (),
    metric: str | fairlead.protocols.metric.Metric | collections.abc.Sequence[str | fairlead.protocols.metric.Metric] = (),
    attribute: str | collections.abc.Sequence[str] | None = None,
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    mitigate_groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    map: str | collections.abc.Sequence[str] = (),
    k: int | None = None,
    index: str | fairlead.protocols.index.Index = 'exact',
    target: str | os.PathLike[str] | collections.abc.Mapping[str, float] | collections.abc.Mapping[str, typing.Any] | fairlead.types.evidence.Target = 'uniform',
    depth: int | None = None,
    limit: int = 10000,
    null: typing.Optional[typing.Literal['order', 'gallery', 'target']] = None,
    unknown: typing.Literal['ignore', 'own-group', 'spread'] = 'ignore',
    interval: typing.Literal['studentised', 'percentile'] = 'studentised',
    trigger: bool = True,
    leave: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    least: int = 5,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.audit.Audit:
    """Audit a model on a benchmark, plain and mitigated.

    Who mitigates is not who measures: rerankers see the labels of --mitigate-groups, metrics those
    of --groups.

    >>> import fairlead
    >>> found = fairlead.audit(
    ...     "phantom_ideal(dose=0.8)", "phantom(seeds=4)", metric="AbsBias@10", attribute="gender"
    ... )
    >>> found.result.rows[0].excess > 0
    True

    Args:
        model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
        benchmark: Benchmark: phantom, phantom:skewed, phantom:language, phantom:culture;
            flickr8k:DIR, a folder of yours (docs/flickr8k.md).
        collection: Your own data instead of a benchmark: a folder of images, a table, an archive;
            with --queries.
        queries: What is asked of --collection: a table with query, text or image, or .txt.
        qrels: What is relevant in --collection: TREC qrels or query,item,gain.
        mitigate: Mitigation: a reranker, a projection or both, e.g. pbm, fitted:FILE, leace+pbm.
        metric: Metric, e.g. NDKL@100 or Bias(positive=female)@10. See 'fairlead list metrics'.
        attribute: Attribute; the benchmark's own by default. The first is mitigated.
        groups: Labels that measure, e.g. noisy(accuracy=0.95) or labels.csv; the benchmark's own by
            default.
        mitigate_groups: Labels the rerankers see; those that measure by default.
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        k: How many items a mitigated list shows; the benchmark's own by default.
        index: Index, e.g. exact, faiss(kind=ivf), pgvector:ADDRESS.
        target: What lists are held against.
        depth: How many to fetch, of each group where lists are mitigated; by default 200, or k
            where that is more.
        limit: Deepest fetch where a target is out of reach.
        null: Chance level; chosen by what is known by default.
        unknown: What becomes of unknown labels.
        interval: How the bootstrap over queries makes its intervals.
        trigger: Leave alone what names a group, a person, the past or no person.
        leave: More queries to leave alone, one per line; * and ? stand for any letters.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def replay(
    folder: str | pathlib.Path,
    *,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.audit.Audit:
    """Run the audit of a saved folder again, from its manifest.

    Args:
        folder: The folder that 'fairlead audit --out' wrote.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def frontier(
    *,
    collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    queries: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    qrels: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
    model: str | fairlead.protocols.encoder.Encoder = 'phantom(dose=1)',
    benchmark: str | object = 'phantom:skewed',
    mitigate: str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection | collections.abc.Sequence[str | fairlead.protocols.reranker.Reranker | fairlead.protocols.projection.Projection] = (),
    mitigate_groups: str | fairlead.protocols.annotator.Annotator = 'noisy(soft=true)',
    groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
    map: str | collections.abc.Sequence[str] = (),
    attribute: str | None = None,
    k: int | None = None,
    repeats: int = 5,
    held_out: bool = True,
    trigger: bool = True,
    tolerance: float = 0.05,
    explicit_tolerance: float = 0.02,
    leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
    seed: int = 0,
    trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.frontier.FrontierResult:
    """What each mitigation costs in relevance at each level of bias.

    Every method sees the same labels, which have to guess; bias is measured with the true ones.
    Bounds are the best of lists that take each group's items from the top. With --check, a setting
    passes where the paired interval shows less bias than plain search on held-out queries, where
    nDCG is not lower by more than the tolerance, and where queries that ask for a group by name
    keep their accuracy.

    Args:
        collection: Your own data instead of a benchmark: a folder of images, a table, an archive;
            with --queries.
        queries: What is asked of --collection: a table with query, text or image, or .txt.
        qrels: What is relevant in --collection: TREC qrels or query,item,gain.
        model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
        benchmark: Benchmark: phantom, phantom:skewed, phantom:language, phantom:culture;
            flickr8k:DIR, a folder of yours (docs/flickr8k.md).
        mitigate: Method: a reranker, a projection, or projection+reranker; one that leaves its knob
            open is swept over it. Default: pbm, detgreedy, fairexpec, levelled.
        mitigate_groups: Labels the methods see.
        groups: Labels that measure --collection: a file or an annotator.
        map: Another name for a group of the labels: OLD=NEW, or ATTRIBUTE:OLD=NEW; may be given
            again.
        attribute: Attribute; the benchmark's first by default.
        k: How many items are shown; the benchmark's own by default.
        repeats: Galleries, each with a seed of its own.
        held_out: Only queries on which no setting was chosen, or all.
        trigger: Leave queries alone that ask for a group by name.
        tolerance: nDCG that a mitigation may cost.
        explicit_tolerance: Share of the accuracy of queries that ask for a group that it may cost.
        leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
            ? stand for any letters.
        seed: Seed of every random choice.
        trust: A file or folder whose choices are followed, even where it names code, a hub or a
            server; may be given again.
        progress: Told what is done and how much there is to do.
    """

def calibrate(
    *,
    seeds: int = 60,
    doses: float | collections.abc.Sequence[float] = (0.0, 0.1, 0.2, 0.4, 0.8),
    matched: int = 8,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.studies.calibration.Calibration:
    """Hold every fairness metric and every reranker against a bias of known dose.

    On the ideal phantom the dose is known exactly: more dose must read more, and a mitigation must
    leave less. On the command line it exits with 1 where something does not respond, and with 3
    where fewer repetitions than the default leave that open.

    Args:
        seeds: Repetitions, paired over the doses.
        doses: Doses of bias, rising; may be given again.
        matched: Matched sets of drawings in the gallery.
        progress: Told what is done and how much there is to do.
    """

def reproduce(
    papers: str | collections.abc.Sequence[str] = (),
    *,
    runs: int = 5000,
    labels: dict[str, str | pathlib.Path] = {},
    seed: int = 0,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.studies.ledger.rows.Ledger:
    """Compute the published numbers of the four source papers, live: published, ours, verdict and
    why.

    Args:
        papers: Only this paper: feng-shah, pbm, sispi or perspectival.
        runs: Monte-Carlo runs of each random cell.
        labels: Label files you have: occupation1=FILE, occupation2=FILE.
        seed: Seed of every random choice.
        progress: Told what is done and how much there is to do.
    """

def demo(
    *,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.audit.Audit:
    """Audit the phantom, a small image search of known bias, plain and mitigated.

    Everything it needs ships with fairlead. The bias was put in on purpose: an example, not
    evidence about any real search.

    Args:
        progress: Told what is done and how much there is to do.
    """

def doctor(
    *,
    progress: fairlead.protocols.runner.Progress | None = None,
) -> fairlead.results.doctor.Doctor:
    """Say what is installed, where things are kept, and what could leave this machine.

    It asks nobody. What could reach the network, run code or send credentials does so where you
    name it yourself, or trust a file that does.

    >>> import fairlead
    >>> [one.library for one in fairlead.doctor().telemetry if not one.is_off]
    []

    Args:
        progress: Told what is done and how much there is to do.
    """

class human:
    @staticmethod
    def task(
        store: str | pathlib.Path,
        attribute: str,
        *,
        groups: str | collections.abc.Sequence[str] = (),
        instructions: str | pathlib.Path | None = None,
        raters: int | None = None,
        price: float | None = None,
        seconds: float | None = None,
        keep: int | None = None,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.types.answers.Task:
        """Make a task in the file of human labels, or change it.

        Whatever is not given stays as it was. Answers keep the version of the instructions they were
        given under.

        Args:
            store: The file of human labels.
            attribute: What is labelled: perceived presentation, never identity.
            groups: A group to choose; two or more. Those of the task by default.
            instructions: Text that raters are shown; a change makes a new version.
            raters: How many people answer for each item; 3 by default.
            price: What one answer costs, fees included.
            seconds: How long one answer takes.
            keep: How long answers of the file are kept; 365 where it is made, 0 without end.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def plan(
        store: str | pathlib.Path,
        attribute: str,
        *,
        run: str | os.PathLike[str] | collections.abc.Mapping[str, collections.abc.Mapping[str, float]] | fairlead.types.ranking.Ranking | object | None = None,
        items: str | pathlib.Path | None = None,
        k: int = 20,
        budget: int | None = None,
        by: typing.Literal['interval', 'top', 'disputed', 'random'] = 'interval',
        leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
        seed: int = 0,
        add: bool = False,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.human_plan.Work:
        """Say what to label next and what it will cost, before anybody is asked.

        The cost is answers times price and seconds of the task. By 'interval', each label goes where it
        is expected to narrow the interval of a query's share most: to queries with few answers, mixed
        groups, or raters who differ.

        Args:
            store: The file of human labels.
            attribute: The task.
            run: Ranking whose first k items of each query are to be labelled.
            items: Or a table with 'item': all of it. Other columns go into the work file.
            k: How many items of each query.
            budget: At most so many answers; all missing ones by default.
            by: What to label first: where the interval of a query's share is widest, the best ranks,
                the least certain, or any.
            leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
                ? stand for any letters.
            seed: Seed of every random choice.
            add: Put the items in the queue of the task.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def import_answers(
        store: str | pathlib.Path,
        files: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path],
        *,
        form: typing.Optional[typing.Literal['answers', 'label-studio', 'mturk']] = None,
        attribute: str | None = None,
        groups: str | collections.abc.Sequence[str] = (),
        item_field: str | None = None,
        leave_out: str | os.PathLike[str] | collections.abc.Sequence[str] | object | None = None,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> tuple[fairlead.engine.human.answers.Imported, ...]:
        """Read answers into the file of human labels: a table, Label Studio's JSON or MTurk's batch
        results.

        A table has item, attribute, rater, answer, and where known time, id, version, seconds. Each
        file is read whole or not at all. Reading a file again changes nothing. Predictions, skipped
        tasks and rejected work are left out.

        Args:
            store: The file of human labels.
            files: Files of answers.
            form: Form of the files; told by their content by default.
            attribute: Read this attribute only; also names the answers of a file with one question.
            groups: Make the task --attribute with these groups, where there is none.
            item_field: The field that names the item, where it cannot be guessed.
            leave_out: What is neither labelled nor measured: one item per line, or 'query: TEXT'; * and
                ? stand for any letters.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def export_answers(
        store: str | pathlib.Path,
        out: str | pathlib.Path,
        *,
        form: typing.Optional[typing.Literal['answers', 'labels', 'label-studio', 'mturk']] = None,
        attributes: str | collections.abc.Sequence[str] = (),
        raters: bool = False,
        history: bool = False,
        aggregate: str = 'dawid-skene',
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> int:
        """Write answers, or the labels made of them, to a file.

        Names of raters are not written unless you say --raters: they are replaced by hashes that nobody
        can trace without the file of human labels. Beside the file stands FILE.about.json: who gave the
        labels, when, and how long they are kept.

        Args:
            store: The file of human labels.
            out: Where to write.
            form: answers: a table of who said what; labels: one line per item, for --groups. By default
                label-studio for .json, answers else.
            attributes: The task; all by default.
            raters: With the names of raters. Without it raters and ids are hashed.
            history: With answers that were corrected later.
            aggregate: How labels are made: dawid-skene (soft) or majority.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def status(
        store: str | pathlib.Path,
        *,
        raters: bool = False,
        least: int = 5,
        seed: int = 0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.human_status.DeskStatus:
        """Say how the tasks of a file stand: progress, agreement, cost so far, who disagrees.

        Args:
            store: The file of human labels.
            raters: Show the names of raters; hashed by default.
            least: Counts of fewer people are withheld, and what would give them away; 0 shows all.
            seed: Seed of every random choice.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def forget(
        store: str | pathlib.Path,
        *,
        rater: str | None = None,
        item: str | None = None,
        days: int | None = None,
        expired: bool = False,
        yes: bool = False,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> int:
        """Forget answers for good: of a rater, about an item, or too old. It cannot be undone, and
        nothing else is ever removed.

        What is gone is overwritten, the file is made smaller and its log emptied: no byte of it is left
        in either. The file notes when and how much was forgotten, not whose it was. Files you imported
        or exported, and backups, are yours to delete.

        Args:
            store: The file of human labels.
            rater: All answers of a rater, by name or by hash.
            item: All answers about an item, and the item in the queue.
            days: All answers given longer ago.
            expired: All answers older than the file says they are kept (task --keep).
            yes: Forget by age also where the clock is behind the newest answer.
            progress: Told what is done and how much there is to do.
        """

class simulate:
    @staticmethod
    def labels(
        *,
        pools: float | collections.abc.Sequence[float] = (0.6, 0.9, 0.95, 0.99),
        sensitivities: tuple[float, float] | collections.abc.Sequence[tuple[float, float]] = ((0.98, 0.97), (0.88, 0.81)),
        samples: int | collections.abc.Sequence[int] = (50, 200, 800),
        k: int = 100,
        trials: int = 500,
        way: typing.Literal['direct', 'rogan-gladen', 'matrix', 'em'] = 'direct',
        seed: int = 0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.studies.label_trials.LabelTrials:
        """Lists balanced on predicted labels: their true bias, and how often naive and corrected
        intervals hold it.

        A list shows k items, half of them predicted to be of each group. People label a sample of lists
        of the same kind. The corrected interval is of the true bias of the list that is shown, (larger
        - smaller group) / k.

        Args:
            pools: Share of the larger group in the pool; may be given again.
            sensitivities: Of the labeller, for the larger and for the smaller group; may be given
                again.
            samples: Labelled items of lists of the same kind; may be given again.
            k: Items of the list, half of each predicted group.
            trials: Labelled samples drawn for each row.
            way: How shares are corrected.
            seed: Seed of every random choice.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def labeller(
        *,
        analyses: typing.Union[typing.Literal['noise', 'threshold', 'prevalence'], collections.abc.Sequence[typing.Literal['noise', 'threshold', 'prevalence']]] = (),
        model: str | fairlead.protocols.encoder.Encoder = 'phantom(dose=1)',
        benchmark: str | object = 'phantom:skewed',
        labellers: str | fairlead.protocols.annotator.Annotator | collections.abc.Sequence[str | fairlead.protocols.annotator.Annotator] = (),
        mitigate: str | fairlead.protocols.reranker.Reranker | collections.abc.Sequence[str | fairlead.protocols.reranker.Reranker] = (),
        k: int | None = None,
        repeats: int = 3,
        seed: int = 0,
        trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.results.label_quality.LabelQuality:
        """What the quality of labels does to mitigated lists: the analyses of the PBM paper, and one of
        ours.

        noise: worse and worse labels, by noise on the log odds. threshold: labels that favour one
        group, by another threshold. prevalence: the same labels where one group is rarer and rarer.
        Lists are made with the labels and measured with the truth.

        Args:
            analyses: What to vary; may be given again. All three by default.
            model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
            benchmark: Benchmark: phantom, phantom:skewed, phantom:language, phantom:culture;
                flickr8k:DIR, a folder of yours (docs/flickr8k.md).
            labellers: Annotator; the first, a soft one, is varied, the sensitivities of all are told.
                Default: zero-shot ones.
            mitigate: Mitigation that sees the labels; may be given again. Default: pbm.
            k: How many items are shown; the benchmark's own by default.
            repeats: Galleries, each with its own seed.
            seed: Seed of every random choice.
            trust: A file or folder whose choices are followed, even where it names code, a hub or a
                server; may be given again.
            progress: Told what is done and how much there is to do.
        """

class train:
    @staticmethod
    def phantom(
        *,
        out: str | pathlib.Path = 'phantom-weights',
        kind: typing.Union[typing.Literal['gender', 'skin', 'joint', 'language', 'culture'], collections.abc.Sequence[typing.Literal['gender', 'skin', 'joint', 'language', 'culture']]] = (),
        seed: int = 0,
        steps_factor: float = 1.0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.train_phantom.PhantomWeights:
        """Train the phantom again.

        First its image tower, then one text tower for each kind and dose of bias. It draws its own
        pictures and writes its own captions; nothing is downloaded. A GPU is used where there is one.

        Args:
            out: Folder of the weights.
            kind: Bias to inject; all kinds by default.
            seed: Seed of every random choice.
            steps_factor: Share of the steps; 0.1 is a try.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def lite(
        data: str | pathlib.Path,
        *,
        without: typing.Optional[typing.Literal['flickr8k']] = None,
        out: str | pathlib.Path = 'lite-heads',
        seed: int = 0,
        steps_factor: float = 1.0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.train_lite.LiteHeads:
        """Train the heads of lite again.

        They learn from features of photographs with captions and of faces with labels. The features of
        captions take minutes; they are kept in the cache folder.

        Args:
            data: Folder of features, captions and labels; see docs/lite.md.
            without: Leave Flickr8k out (research use only) and train on faces alone.
            out: Folder of the heads.
            seed: Seed of every random choice.
            steps_factor: Share of the steps; 0.1 is a try.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def attribute(
        features: str | pathlib.Path,
        labels: str | pathlib.Path,
        column: str,
        *,
        architecture: typing.Literal['paper', 'released', 'linear'] = 'paper',
        also: str | collections.abc.Sequence[str] = (),
        by: str | collections.abc.Sequence[str] = (),
        encoder: str = '',
        members: int | None = None,
        seed: int = 0,
        steps_factor: float = 1.0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.train_attribute.Trained:
        """Train a classifier of an attribute on vectors of images, for the annotator mlp:FILE.

        One item in ten is held out: it calibrates the shares and fills the card.

        Args:
            features: Vectors (.npy), or a folder of 'fairlead embed'.
            labels: Table of labels; for .npy in the order of the vectors.
            column: The attribute: a column of the labels.
            architecture: Layers: three of 512 (the paper), three of 64 (its released code), none.
            also: Column that is learnt along, for more even accuracy; nothing of it is kept.
            by: Column whose values the card tells apart.
            encoder: Encoder that made the vectors; a folder says so itself.
            members: Networks whose answers are averaged; 3 by default.
            seed: Seed of every random choice.
            steps_factor: Share of the steps; 0.1 is a try.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def mitigated(
        method: str | object,
        out: str | pathlib.Path,
        *,
        model: str | fairlead.protocols.encoder.Encoder = 'phantom(dose=1)',
        attribute: str = 'gender',
        collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
        groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
        steps_factor: float = 1.0,
        seed: int = 0,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.commands.train_mitigated.Retrained:
        """Train a model on with a mitigation on weights.

        The method is one of 'fairlead list trainings', with parameters where you like. What it learns
        from is never what is measured. A GPU is used where there is one. Measure what came of it: it
        may not help, and it may harm.

        Args:
            method: adversarial, prompt_array or fair_sample, with parameters.
            out: Folder of the model. A model trained otherwise is not replaced.
            model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
            attribute: What is mitigated.
            collection: Pictures with captions and labels to learn from; the phantom's own world by
                default.
            groups: Labels of the collection; its own by default.
            steps_factor: Share of the steps; 0.1 is a try.
            seed: Seed of every random choice.
            progress: Told what is done and how much there is to do.
        """

    @staticmethod
    def projection(
        spec: str | fairlead.protocols.projection.Projection,
        *,
        model: str | fairlead.protocols.encoder.Encoder = 'phantom',
        collection: str | os.PathLike[str] | collections.abc.Mapping[typing.Any, typing.Any] | object | None = None,
        benchmark: str | object | None = None,
        attribute: str | None = None,
        groups: str | os.PathLike[str] | collections.abc.Mapping[str, typing.Any] | fairlead.types.groups.Groups | fairlead.protocols.annotator.Annotator | object | None = None,
        trust: str | pathlib.Path | collections.abc.Sequence[str | pathlib.Path] | None = None,
        progress: fairlead.protocols.runner.Progress | None = None,
    ) -> fairlead.engine.projections.Fitted:
        """Fit a projection, a mitigation on vectors, for --mitigate fitted:FILE.

        It is one of 'fairlead list projections'. Fit it on items that you will not measure it on. The
        file is for vectors of this model alone.

        Args:
            spec: The projection, e.g. leace or mi_clip(dims=400).
            model: Encoder, e.g. lite, hf:DIR, open_clip:ViT-B-32/FILE.
            collection: Labelled items to fit on; what 'search' takes.
            benchmark: Fit on the items of a benchmark instead.
            attribute: What is mitigated; the first that is labelled by default.
            groups: Labels of the items: a file or an annotator; the collection's own by default.
            trust: A file or folder whose choices are followed, even where it names code, a hub or a
                server; may be given again.
            progress: Told what is done and how much there is to do.
        """
