"""Data never runs: a choice that stands in a file keeps to local files, wherever it stands, unless
the user said otherwise.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.trust.hostile import (
    ADDRESS,
    INDEXES,
    SERVER,
    SOURCES,
    Declared,
    Undeclared,
    annotators,
    encoders,
    heard,
)

import fairlead
from fairlead.annotators.mlp_file import Classifier, stored
from fairlead.commands.audit import save_audit
from fairlead.commands.verbs import VERBS
from fairlead.engine.saved import opened_run
from fairlead.errors import DataError, FairleadError
from fairlead.protocols import registry
from fairlead.protocols.reach import FILES, Reaching
from fairlead.protocols.registry import Extension
from fairlead.protocols.spec import parse
from fairlead.protocols.trust import spoken
from fairlead.store.projection_file import Kept, write_projection

FULL = os.environ.get("FAIRLEAD_BARS") == "full"
DECLARING = ("encoder", "index", "source", "annotator")
HERE = Path(__file__).parent


def classifier(path: Path, encoder: str) -> Path:
    """A classifier of vectors of an encoder, as a file."""
    about = {
        "attribute": "gender", "classes": ["female", "male"], "encoder": encoder,
        "fingerprint": "", "root": False, "temperature": 1.0,
    }  # fmt: skip
    layers = [(np.ones((8, 2), np.float32), np.zeros(2, np.float32))]
    with path.open("wb") as stream:
        np.savez(stream, **stored(Classifier([layers], about)))
    return path


class Places:
    """Sound files, each of which can be made to hold a choice."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.embedded = root / "emb"
        fairlead.embed("phantom(seeds=1)", model="phantom", out=self.embedded)
        self.audit = root / "audit"
        found = fairlead.audit(
            "phantom", "phantom(seeds=1)", metric="AbsBias@5", attribute="gender", mitigate="pbm"
        )
        save_audit(found, self.audit)
        self.manifests = {
            place: (place / "manifest.json").read_text("utf-8")
            for place in (self.embedded, self.audit)
        }
        self.table = pq.read_table(self.audit / "run.parquet")
        self.sound = classifier(root / "sound.npz", "phantom")
        self.folder = root / "model"
        self.folder.mkdir()
        named = {"model_cfg": {"text_cfg": {"hf_model_name": "attacker/model"}}}
        (self.folder / "open_clip_config.json").write_text(json.dumps(named))

    def manifest_of_vectors(self, text: str) -> tuple[Path, Callable[..., Any]]:
        about = json.loads(self.manifests[self.embedded])
        about["model"]["spec"] = text
        (self.embedded / "manifest.json").write_text(json.dumps(about))
        labels = {"annotator": "zeroshot_embedding", "attribute": "gender"}
        return self.embedded, lambda **more: fairlead.annotate(self.embedded, **labels, **more)

    def classifier(self, text: str) -> tuple[Path, Callable[..., Any]]:
        place = classifier(self.root / "hostile.npz", text)
        return place, lambda **more: fairlead.annotate(
            self.embedded, annotator=f"mlp:{place}", **more
        )

    def classifier_of_an_audit(self, text: str) -> tuple[Path, Callable[..., Any]]:
        place = classifier(self.root / "hostile.npz", text)
        asked = {"benchmark": "phantom(seeds=1)", "groups": f"mlp:{place}"}
        return place, lambda **more: fairlead.audit("phantom", **asked, **more)

    def classifier_for_rerankers(self, text: str) -> tuple[Path, Callable[..., Any]]:
        place = classifier(self.root / "hostile.npz", text)
        asked = {"mitigate": "pbm", "mitigate_groups": f'hybrid(auto="mlp:{place}")', "k": 4}
        collection = {"collection": "phantom(seeds=1)", "attribute": "gender"}
        return place, lambda **more: fairlead.search("a nurse", **collection, **asked, **more)

    def replayed(self, **fields: Any) -> tuple[Path, Callable[..., Any]]:
        about = json.loads(self.manifests[self.audit])
        # A file that vouches for itself is not believed.
        about["plan"] |= {"trust": [str(self.audit)], **fields}
        (self.audit / "manifest.json").write_text(json.dumps(about))
        return self.audit, lambda **more: fairlead.replay(self.audit, **more)

    def saved(self, **fields: Any) -> tuple[Path, Callable[..., Any]]:
        about = json.loads(self.table.schema.metadata[b"fairlead.run"])
        metrics = fields.pop("metrics", None)
        about["manifest"]["plan"] |= {"trust": [str(self.audit)], **fields}
        if metrics:
            about["manifest"]["metrics"] = metrics
        metadata = {**self.table.schema.metadata, b"fairlead.run": json.dumps(about).encode()}
        place = self.audit / "run.parquet"
        pq.write_table(self.table.replace_schema_metadata(metadata), place)
        return place, lambda **more: fairlead.score(place, **more)

    def kept(self, text: str) -> tuple[Path, Callable[..., Any]]:
        (self.embedded / "manifest.json").write_text(self.manifests[self.embedded])
        place = self.embedded / "indexes" / "before" / "one" / "kept.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"index": text, "owner": "somebody"}))
        first = pq.read_table(self.embedded / "items.parquet").column("id")[0].as_py()
        return place, lambda **more: fairlead.remove(self.embedded, [first], **more)

    def projection(self, text: str) -> tuple[Path, Callable[..., Any]]:
        encoder = registry.make("encoder", "phantom")
        about = {
            "projection": text, "attribute": "gender", "groups": ["female", "male"], "samples": {},
            "model": {"spec": "phantom", "fingerprint": encoder.fingerprint},
        }  # fmt: skip
        place = self.root / "hostile.projection.npz"
        write_projection(place, Kept(about, {}, np.zeros(0, np.uint64)))
        asked = {"collection": "phantom(seeds=1)", "mitigate": f"fitted:{place}", "k": 4}
        return place, lambda **more: fairlead.search("a nurse", **asked, **more)


def seen_by(text: str) -> str:
    return f"zeroshot_embedding(model={json.dumps(text)})"


def own(text: str) -> str:
    return f"pbm[groups={json.dumps(text)}]"


Way = Callable[[Places, str], tuple[Path, Callable[..., Any]]]
WAYS: dict[str, dict[str, Way]] = {
    "encoder": {
        "the manifest of vectors": Places.manifest_of_vectors,
        "a classifier": Places.classifier,
        "a classifier in an audit": Places.classifier_of_an_audit,
        "a classifier for rerankers": Places.classifier_for_rerankers,
        "the plan of an audit": lambda at, text: at.replayed(model=text),
        "the labels of an audit": lambda at, text: at.replayed(groups=seen_by(text)),
        "the mitigator of an audit": lambda at, text: at.replayed(mitigate_groups=seen_by(text)),
        "a mitigation of an audit": lambda at, text: at.replayed(mitigate=[own(seen_by(text))]),
        "the model of a saved run": lambda at, text: at.saved(model=text, groups="zeroshot_embedding"),
        "the labels of a saved run": lambda at, text: at.saved(groups=seen_by(text)),
        "a mitigation of a saved run": lambda at, text: at.saved(mitigate=[own(seen_by(text))]),
    },
    "annotator": {
        "the labels of an audit": lambda at, text: at.replayed(groups=text),
        "the mitigator of an audit": lambda at, text: at.replayed(mitigate_groups=text),
        "a mitigation of an audit": lambda at, text: at.replayed(mitigate=[own(text)]),
        "the labels of a saved run": lambda at, text: at.saved(groups=text),
        "the mitigator of a saved run": lambda at, text: at.saved(mitigate_groups=text, mitigate=["pbm"]),
        "a mitigation of a saved run": lambda at, text: at.saved(mitigate=[own(text)]),
    },
    "index": {
        "the plan of an audit": lambda at, text: at.replayed(index=text),
        "the record of a kept index": Places.kept,
    },
    "source": {
        "the collection of an audit": lambda at, text: at.replayed(collection=text, queries=str(HERE / "none.csv"), benchmark="phantom"),
        "the collection of a saved run": lambda at, text: _without_benchmark(at, text),
    },
    "projection": {"a projection": Places.projection},
    "metric": {
        "the plan of an audit": lambda at, text: at.replayed(metric=[text]),
        "a saved run": lambda at, text: at.saved(metrics=[text]),
    },
    "reranker": {"the plan of an audit": lambda at, text: at.replayed(mitigate=[text])},
    "benchmark": {
        "the plan of an audit": lambda at, text: at.replayed(benchmark=text),
        "a saved run": lambda at, text: at.saved(benchmark=text),
        "the collection of an audit": lambda at, text: at.replayed(collection=text, queries=str(HERE / "none.csv"), benchmark="phantom"),
    },
}  # fmt: skip
"""Every place where a file can name something, by what it names."""


def _without_benchmark(at: Places, text: str) -> tuple[Path, Callable[..., Any]]:
    place, call = at.saved(collection=text)
    table = pq.read_table(place)
    about = json.loads(table.schema.metadata[b"fairlead.run"])
    del about["manifest"]["plan"]["benchmark"]
    metadata = {**table.schema.metadata, b"fairlead.run": json.dumps(about).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), place)
    return place, call


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> Places:
    root = tmp_path_factory.mktemp("places")
    (root / "fairlead_hostile.py").write_text(
        "raise SystemExit('a module that a file names was imported')\n"
    )
    return Places(root)


@pytest.fixture(autouse=True)
def hostile_world(places, monkeypatch):
    """Secrets to be sent, a module to be imported, and adapters that say nothing of themselves."""
    monkeypatch.setenv("QDRANT_API_KEY", "the key")
    monkeypatch.setenv("PGPASSWORD", "the password")
    monkeypatch.syspath_prepend(str(places.root))
    for kind in WAYS:
        which = Undeclared if kind in DECLARING else Declared
        entry = Extension(kind, f"hostile_{kind}", f"{which.__module__}:{which.__name__}")
        monkeypatch.setitem(registry._BUILT_IN_AT, (kind, entry.name), entry)
        monkeypatch.setattr(registry, "_BUILT_IN", [*registry._BUILT_IN, entry])


def hostile(places: Places) -> dict[str, list[str]]:
    """Every hostile choice, by its kind."""
    alone = {kind: [f"hostile_{kind}"] for kind in WAYS}
    more = {
        "encoder": encoders(places.folder),
        "annotator": annotators(places.sound),
        "index": list(INDEXES),
        "source": list(SOURCES),
    }
    return alone | more


def some(texts: list[str], number: int) -> list[str]:
    """All of them in full; else a few, others in every place."""
    if FULL:
        return texts
    step = max(1, len(texts) // 5)
    return texts[number % step :: step]


CASES = [(kind, way) for kind, ways in WAYS.items() for way in ways]


@pytest.mark.parametrize(("kind", "way"), CASES, ids=[f"{k} in {w}" for k, w in CASES])
def test_hostile_choice_in_a_file_is_refused_by_name_and_nothing_happens(kind, way, places):
    texts = hostile(places)[kind]
    for text in some(texts, CASES.index((kind, way))):
        place, call = WAYS[kind][way](places, text)
        with heard() as events, pytest.raises(FairleadError) as caught:
            call()
        assert events == [], text
        assert " ".join(str(caught.value).split()).count(text.strip()) or _nested(caught, text), (
            text
        )
        assert place.name in str(caught.value), text
        assert "--trust" in str(caught.value), text


def _nested(caught: Any, text: str) -> bool:
    """Whether a refusal names a choice that stands in another one, where quotes are escaped."""
    return text.strip().replace("\\", "") in str(caught.value).replace("\\", "")


def test_there_are_sixty_of_them_and_each_is_beyond_local_files(places):
    every = hostile(places)
    assert sum(map(len, every.values())) >= 60
    for kind, texts in every.items():
        for text in texts:
            assert registry.reach_of(kind, text) - FILES, text


SHIPPED = [(kind, name) for kind in DECLARING for name in registry.entries(kind)]


@pytest.mark.parametrize(("kind", "name"), SHIPPED, ids=[":".join(one) for one in SHIPPED])
def test_every_adapter_declares_what_it_reaches(kind, name, places):
    thing = registry.load(kind, name)
    assert isinstance(thing, Reaching)
    assert thing.reaches.most >= FILES
    # What a single choice reaches is part of what any of them does.
    addresses = ["", ":attacker/model", f':"{places.folder}"', ":x/y(trust=true)", f":{ADDRESS}"]
    for address in addresses:
        if thing.reaches.of is not None:
            assert FILES <= thing.reaches.of(parse(f"{name}{address}")) <= thing.reaches.most


@pytest.mark.parametrize(("kind", "name"), SHIPPED, ids=[":".join(one) for one in SHIPPED])
def test_parameters_that_hold_choices_are_declared(kind, name):
    """A field called like a kind of choice is one that somebody forgot, unless it is declared."""
    fields = set(registry.card(kind, name)["parameters"]) if name != "py" else set()
    assert fields & {"model", "auto", "encoder", "annotator"} == {
        *registry.declared(kind, name).nests
    }


SOUND = {
    "encoder": ("phantom", "phantom(dose=1)", "phantom_ideal", "lite", "lite_tower", "hf:{root}",
                "st:{root}", "late:{root}", "open_clip:{root}", "precomputed:{root}(model=phantom)"),
    "annotator": ("noisy(accuracy=0.9)", "caption", "face", "table:labels.csv", "human:labels.db",
                  "zeroshot_prompt(model=phantom)", "hybrid(auto=caption)", "mlp:{root}/sound.npz"),
    "index": ("exact", "faiss(kind=ivf)", "qdrant", "qdrant::memory:", "pgvector", "pgvector(half=true)"),
    "metric": ("NDKL@10",), "reranker": ("pbm(theta=0.5)",), "projection": ("leace",),
    "benchmark": ("phantom:skewed", "own:{root}", "flickr8k:{root}"), "training": ("fair_sample",),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOUND)
def test_sound_choice_in_a_file_is_followed(kind, places):
    for one in SOUND[kind]:
        text = one.replace("{root}", str(places.root))
        assert registry.vetted(kind, text, "a file") == text


def ran(call: Callable[[], Any]) -> bool:
    """Whether a call came as far as the module that a file names."""
    try:
        call()
    except SystemExit as left:
        return "imported" in str(left)
    except FairleadError:
        return False
    return False


TRUSTING = [way for way in WAYS["encoder"] if "rerankers" not in way]


@pytest.mark.parametrize("way", TRUSTING)
def test_word_of_the_user_lets_a_file_have_its_way(way, places):
    text = "py:fairlead_hostile:Encoder"
    place, call = WAYS["encoder"][way](places, text)
    assert not ran(call)
    assert not ran(lambda: call(trust=[str(places.folder)]))
    assert ran(lambda: call(trust=place))
    assert ran(lambda: call(trust=[str(places.folder), str(place.parent)]))


def test_user_who_names_the_same_model_is_believed(places):
    _, call = places.classifier('py:"fairlead_hostile:Encoder"(width=8)')
    assert not ran(lambda: call(model="py:fairlead_hostile:Encoder"))
    assert ran(lambda: call(model="py:fairlead_hostile:Encoder(width=8)"))


def test_word_ends_with_its_call_and_is_not_known_to_others(places):
    place, call = places.classifier("py:fairlead_hostile:Encoder")
    assert ran(lambda: call(trust=place))
    assert not ran(call)
    with spoken({"trust": place}):
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(ran(call)))
        thread.start()
        thread.join()
        assert found == [False]
        assert ran(call)


def test_opened_run_without_a_door_is_not_followed(places):
    place, _ = places.saved(model="py:fairlead_hostile:Encoder", groups="zeroshot_embedding")
    with heard() as events, pytest.raises(DataError, match="runs code"):
        opened_run(place)
    assert events == []


def test_record_in_the_cache_is_ones_own(places, monkeypatch, tmp_path):
    from fairlead.engine.kept.records import _vetted

    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path))
    text = f"pgvector:{SERVER}"
    assert _vetted(text, tmp_path / "indexes" / "kept.json") == text
    with pytest.raises(DataError, match="may send credentials"):
        _vetted(text, places.root / "indexes" / "kept.json")


def test_plan_that_is_no_plan_is_told(places):
    (places.audit / "manifest.json").write_text(json.dumps({"command": "audit", "plan": ["model"]}))
    with pytest.raises(DataError, match="no folder of an audit"):
        fairlead.replay(places.audit)


READING = {
    "score", "rerank", "check", "embed", "remove", "search", "index", "annotate collection",
    "annotate evaluate", "audit", "replay", "frontier", "simulate labeller", "train projection",
}  # fmt: skip


def test_verbs_that_follow_files_can_be_told_to_trust_them():
    assert {name for name, verb in VERBS.items() if "trust" in verb.plan.model_fields} == READING


def test_tables_of_ones_own_hold_names_and_nothing_else(tmp_path):
    """Cells and cards are text: a choice in one is a label, a query or a word."""
    text = 'py:os:system(command="echo hostile")'
    quoted = '"' + text.replace('"', '""') + '"'
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "queries.csv").write_text(f"query,text\n{quoted},{quoted}\n")
    drawn = registry.make("benchmark", "phantom(seeds=1)").study().collection.images[:2]
    rows = [f'{name},"{one}",{quoted}' for name, one in zip("ab", drawn, strict=True)]
    (folder / "collection.csv").write_text("\n".join(["item,file,caption", *rows, ""]))
    (folder / "labels.csv").write_text(f"item,gender\na,{quoted}\nb,male\n")
    (folder / "qrels.csv").write_text(f"query,item,gain\n{quoted},a,1\n")
    (folder / "card.toml").write_text(f"name = '{text}'\nmodel = '{text}'\nmetrics = '{text}'\n")
    with heard() as events:
        found = fairlead.audit("phantom", f"own:{folder}", metric="AbsBias@1")
    assert events == []
    assert text in str(found.run.attributes["gender"].groups.names)
    shutil.rmtree(folder)
