"""The one mechanism for all extensions: a name and where to import it from.

It is a row ``kind, name -> "module:object"`` here, or an entry point with the same string.

Built-ins are declared the same way as plug-ins: a plug-in package lists
``[project.entry-points."fairlead.metric"]`` with ``Name = "module:object"``. Nothing is imported
until a name is asked for.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
from dataclasses import dataclass
from typing import Any

from fairlead.errors import DataError, MissingExtra, UsageError, unknown_name
from fairlead.protocols.reach import CODE, FILES, Reach, Reaching, Thing, Things
from fairlead.protocols.spec import Spec, parse
from fairlead.protocols.trust import is_said, is_trusted, place_read


@dataclass(frozen=True)
class Extension:
    """One registered extension."""

    kind: str
    name: str
    path: str
    extra: str | None = None


_METRICS = {
    "NDKL": "ndkl:NDKL",
    "PrefixKL": "prefix_kl:PrefixKL",
    "AbsBias": "abs_bias:AbsBias",
    "Bias": "bias:Bias",
    "Skew": "skew:Skew",
    "MaxSkew": "max_skew:MaxSkew",
    "MinSkew": "min_skew:MinSkew",
    "InfeasibleIndex": "infeasible_index:InfeasibleIndex",
    "LBKL": "lbkl:LBKL",
    "DLBKL": "dlbkl:DLBKL",
    "SelfPreference": "self_preference:SelfPreference",
    "AWRF": "awrf:AWRF",
    "Exposure": "exposure:Exposure",
    "ExposureRatio": "exposure_ratio:ExposureRatio",
    "JS": "js:JS",
    "TV": "tv:TV",
    "Recall": "recall:Recall",
    "nDCG": "ndcg:NDCG",
    "AP": "average_precision:AP",
    "P": "precision:P",
    "Hit": "hit:Hit",
    "MRR": "mrr:MRR",
}
_RERANKERS = {
    "pbm": "pbm:PBM",
    "epsilon_greedy": "epsilon_greedy:EpsilonGreedy",
    "relevance_swap": "relevance_swap:RelevanceSwap",
    "fairness_greedy": "fairness_greedy:FairnessGreedy",
    "fair_topk": "fair_topk:FairTopK",
    "detgreedy": "detgreedy:DetGreedy",
    "detcons": "detcons:DetCons",
    "detrelaxed": "detrelaxed:DetRelaxed",
    "detconstsort": "detconstsort:DetConstSort",
    "interleave": "interleave:Interleave",
    "levelled": "levelled:Levelled",
    "mmr": "mmr:MMR",
    "xquad": "xquad:XQuAD",
    "pm2": "pm2:PM2",
    "fairexpec": "fairexpec:FairExpec",
    "constrained": "constrained:Constrained",
    "exposure_lp": "exposure_lp:ExposureLP",
    "noisy_fair": "noisy_fair:NoisyFair",
    "mopr": "mopr:MOPR",
}
_PROJECTIONS = {
    "mi_clip": "mi_clip:MIClip",
    "orthogonal": "orthogonal:Orthogonal",
    "calibrated": "calibrated:Calibrated",
    "bend": "bend:Bend",
    "leace": "leace:Leace",
    "inlp": "inlp:Inlp",
}
_OTHERS = {
    "encoder": {
        "phantom": "fairlead.phantom.encoder:PhantomEncoder",
        "phantom_ideal": "fairlead.phantom.ideal:PhantomIdeal",
        "py": "fairlead.encoders.python:Python",
        "precomputed": "fairlead.encoders.precomputed:Precomputed",
        "hf": "fairlead.encoders.hf:HF",
        "open_clip": "fairlead.encoders.open_clip:OpenCLIP",
        "st": "fairlead.encoders.st:SentenceTransformers",
        "late": "fairlead.encoders.late:Late",
        "lite": "fairlead.encoders.lite:Lite",
        "lite_tower": "fairlead.encoders.lite_tower:LiteTower",
    },
    "benchmark": {
        "phantom": "fairlead.benchmarks.phantom:PhantomBenchmark",
        "flickr8k": "fairlead.benchmarks.flickr8k:Flickr8k",
        "own": "fairlead.benchmarks.own:Own",
    },
    "training": {
        "adversarial": "fairlead.training.weights.adversarial:Adversarial",
        "prompt_array": "fairlead.training.weights.prompt_array:PromptArray",
        "fair_sample": "fairlead.training.weights.fair_sample:FairSample",
    },
    "towers": {
        "phantom": "fairlead.training.weights.phantom_towers:PhantomTowers",
        "open_clip": "fairlead.training.weights.open_clip_towers:OpenClipTowers",
    },
    "index": {
        "exact": "fairlead.indexes.exact:Exact",
        "faiss": "fairlead.indexes.faiss:Faiss",
        "pgvector": "fairlead.indexes.pgvector:PgVector",
        "qdrant": "fairlead.indexes.qdrant:Qdrant",
    },
    "source": {
        "pgvector": "fairlead.indexes.sources:PgVectorSource",
        "qdrant": "fairlead.indexes.sources:QdrantSource",
    },
    "annotator": {
        "noisy": "fairlead.annotators.noisy:Noisy",
        "caption": "fairlead.annotators.caption:Caption",
        "zeroshot_embedding": "fairlead.annotators.zeroshot_embedding:ZeroshotEmbedding",
        "zeroshot_prompt": "fairlead.annotators.zeroshot_prompt:ZeroshotPrompt",
        "mlp": "fairlead.annotators.mlp:MLP",
        "face": "fairlead.annotators.face:Face",
        "table": "fairlead.annotators.table:TableLabels",
        "human": "fairlead.annotators.human:Human",
        "hybrid": "fairlead.annotators.hybrid:Hybrid",
        "rekognition": "fairlead.annotators.face_services:Rekognition",
        "azure": "fairlead.annotators.face_services:Azure",
        "facepp": "fairlead.annotators.face_services:FacePP",
        "luxand": "fairlead.annotators.face_services:Luxand",
    },
}
# The extra that a built-in of a kind and name needs
_EXTRAS: dict[tuple[str, str], str] = {
    ("encoder", "hf"): "hf",
    ("encoder", "open_clip"): "open-clip",
    ("encoder", "st"): "st",
    ("encoder", "late"): "late",
    ("encoder", "lite"): "lite",
    ("encoder", "lite_tower"): "lite",
    ("training", "adversarial"): "train",
    ("training", "prompt_array"): "train",
    ("training", "fair_sample"): "train",
    ("towers", "phantom"): "train",
    ("towers", "open_clip"): "train",
    ("annotator", "face"): "face",
    ("index", "faiss"): "faiss",
    ("index", "pgvector"): "pgvector",
    ("index", "qdrant"): "qdrant",
    ("source", "pgvector"): "pgvector",
    ("source", "qdrant"): "qdrant",
    **{
        ("reranker", name): "lp"
        for name in ("fairexpec", "constrained", "exposure_lp", "noisy_fair", "mopr")
    },
}
_LOCAL = frozenset({"metric", "reranker", "projection", "training", "benchmark"})
"""Kinds that compute, or read what lies on this disk, unless one of them declares more."""
_DOES: dict[Thing, str] = {
    "code": "runs code",
    "network": "asks the network",
    "credentials": "may send credentials",
}
# What a choice of each kind looks like
_EXAMPLES = {
    "annotator": "zeroshot_prompt or mlp:gender.npz",
    "benchmark": "phantom:skewed",
    "encoder": "lite, hf:DIR or open_clip:ViT-B-32/FILE",
    "index": "exact or faiss(kind=ivf)",
    "metric": "NDKL@100",
    "projection": "leace or mi_clip(dims=400)",
    "reranker": "pbm(theta=0.5)",
    "training": "fair_sample(negatives=matched)",
}
_BUILT_IN = [
    *(Extension("metric", n, f"fairlead.metrics.{p}") for n, p in _METRICS.items()),
    *(
        Extension("reranker", n, f"fairlead.rerankers.{p}", _EXTRAS.get(("reranker", n)))
        for n, p in _RERANKERS.items()
    ),
    *(Extension("projection", n, f"fairlead.projections.{p}") for n, p in _PROJECTIONS.items()),
    *(
        Extension(kind, n, path, _EXTRAS.get((kind, n)))
        for kind, table in _OTHERS.items()
        for n, path in table.items()
    ),
]


_BUILT_IN_AT = {(entry.kind, entry.name): entry for entry in _BUILT_IN}


def entries(kind: str) -> dict[str, Extension]:
    """All extensions of a kind by name; a plug-in may not take a built-in's name."""
    # slow to import, and only plug-ins need it
    from importlib.metadata import entry_points

    known = {e.name: e for e in _BUILT_IN if e.kind == kind}
    # a plug-in that replaced a built-in would change published numbers without a word
    for point in entry_points(group=f"fairlead.{kind}"):
        if point.name in known:
            raise UsageError(
                f"The plug-in {point.value} takes the name '{point.name}' of "
                f"{known[point.name].path}."
            )
        known[point.name] = Extension(kind, point.name, point.value)
    return known


def is_known(name: str) -> bool:
    """Whether an extension of any kind has this name."""
    from importlib.metadata import entry_points

    return any(entry.name == name for entry in _BUILT_IN) or any(
        point.group.startswith("fairlead.") for point in entry_points(name=name)
    )


def load(kind: str, name: str) -> Any:
    """The object behind a name; unknown names are answered with the nearest known ones.

    A built-in is loaded without a look at what else is installed: that takes milliseconds.
    """
    entry = _BUILT_IN_AT.get((kind, name)) or _plug_in(kind, name)
    module, _, attribute = entry.path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        # without an extra the missing module is a fault of the plug-in, which should show as it is
        if entry.extra is None:
            raise
        raise MissingExtra(f"{kind} '{name}'", entry.extra) from error


def _plug_in(kind: str, name: str) -> Extension:
    """The extension of a name that is no built-in."""
    known = entries(kind)
    if name in known:
        return known[name]
    # a plus joins a projection to a reranker, leace+pbm: the roads that have vectors part the two
    if kind == "reranker" and name.partition("+")[0] in entries("projection"):
        raise UsageError(
            f"'{name}' acts on vectors, and here is a ranking only.",
            "Name it in audit, search or frontier.",
        )
    raise unknown_name(kind, name, known)


def make(kind: str, text: object) -> Any:
    """Build the object a text form describes; an object is passed through.

    Raises:
        DataError: Where a file whose choices are followed names more than local files.
    """
    if not isinstance(text, str):
        return text
    place = place_read()
    if place is not None:
        vetted(kind, text, place)
    spec = _parsed(kind, text)
    return load(kind, spec.name).from_spec(spec)


def _parsed(kind: str, text: str) -> Spec:
    if kind in _EXAMPLES:
        return parse(text, _EXAMPLES[kind])
    return parse(text)


def declared(kind: str, name: str) -> Reach:
    """What an extension declares to reach; one that should say so and does not counts as code."""
    thing = load(kind, name)
    if isinstance(thing, Reaching):
        return thing.reaches
    if kind in _LOCAL:
        return Reach()
    return Reach(CODE)


def reach_of(kind: str, text: str) -> Things:
    """What the choice of a text form reaches, with the choices in its parameters."""
    spec = _parsed(kind, text)
    reach = declared(kind, spec.name)
    found = reach.most
    if reach.of is not None:
        found = reach.of(spec)
    for name, value in spec.args:
        if name in reach.nests and value:
            found |= reach_of(reach.nests[name], str(value))
    return found


def vetted(kind: str, text: str, place: object) -> str:
    """A text form that stands in a file, as it is, unless it asks for more than local files.

    The one place where such texts are let through. What the user said himself, or about the file
    (``--trust PATH``), is his own word.

    Args:
        kind: Of what it names.
        text: What stands there.
        place: The file, as the user knows it.

    Raises:
        DataError: Where it runs code, asks the network or sends credentials.
    """
    beyond = reach_of(kind, text) - FILES
    if not beyond or is_trusted(place) or is_said(text):
        return text
    does = [words for thing, words in _DOES.items() if thing in beyond]
    raise DataError(
        f"{place} names the {kind} {text}, which {' and '.join(does)}: a file may not ask for it.",
        f"Nothing was run or sent. If you trust it, add --trust {place} (in Python trust=...), or "
        f"name the same {kind} yourself.",
    )


def card(kind: str, name: str) -> dict[str, Any]:
    """What an extension says of itself: summary, parameters, formula, source and so on."""
    thing = load(kind, name)
    # what needs an address cannot be made without one; then the class answers for itself
    described = thing() if getattr(thing, "addressed", None) is None else thing
    summary = getattr(thing, "summary", "") or " ".join(
        (thing.__doc__ or "").split("\n\n")[0].split()
    )
    facts = {
        f: getattr(described, f)
        for f in ("direction", "range", "formula", "source", "blind_spot", "promise")
        if hasattr(described, f)
    }
    # JSON has no infinity
    if "range" in facts:
        facts["range"] = [v if math.isfinite(v) else None for v in facts["range"]]
    parameters = {
        f.name: None if f.default is dataclasses.MISSING else f.default
        for f in dataclasses.fields(thing)
    }
    return {
        "kind": kind,
        "name": name,
        "summary": summary,
        "parameters": parameters,
        "blind_spot": "",
        "source": "",
        **facts,
    }
