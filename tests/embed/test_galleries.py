"""Galleries: any source as a collection with vectors, embedded on first use and kept; references
opened for people and encoders.
"""

from __future__ import annotations

import json
import os
import tarfile
from importlib import resources
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from fairlead.engine import galleries
from fairlead.engine import pictures as seeing
from fairlead.errors import BackendError, DataError, UsageError
from fairlead.protocols import registry
from fairlead.types import Embeddings


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("FAIRLEAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def phantom():
    return registry.make("encoder", "phantom")


class Counting:
    """The phantom's eyes, counting what they see."""

    def __init__(self, phantom) -> None:
        self.phantom, self.fingerprint, self.count = phantom, phantom.fingerprint, 0

    def texts(self, texts, role):
        return self.phantom.texts(texts, role)

    def images(self, images, role):
        self.count += len(images)
        return self.phantom.images(images, role)


def test_gallery_of_a_folder_is_embedded_once_and_kept(photos, phantom, cache):
    folder, encoder = photos(30), Counting(phantom)
    first = galleries.open_gallery(folder, encoder)
    again = galleries.open_gallery(str(folder) + "/", encoder)
    assert encoder.count == 30
    assert first.folder == again.folder and cache in first.folder.parents
    assert first.fingerprint == again.fingerprint
    assert np.array_equal(first.embeddings.vectors, again.embeddings.vectors)
    assert not first.drawn
    photos(3, first=30)
    grown = galleries.open_gallery(folder, encoder)
    assert (
        encoder.count == 33
        and len(grown.collection) == 33
        and grown.fingerprint != first.fingerprint
    )
    assert sorted(p.name for p in first.folder.parent.iterdir()) == [first.folder.name]


def test_gallery_of_another_model_or_side_is_another(photos, phantom):
    folder = photos(3)
    (folder / "0001.txt").write_text("a nurse")
    by_image = galleries.open_gallery(folder, phantom)
    by_text = galleries.open_gallery(folder, phantom, side="texts")
    stronger = registry.make("encoder", "phantom(dose=1)")
    other = galleries.open_gallery(folder, stronger, side="texts")
    assert len({g.folder for g in (by_image, by_text, other)}) == 3
    assert (
        galleries.open_gallery(folder, stronger).folder == by_image.folder
    )  # a dose moves queries, not pictures
    assert by_text.collection.texts == ("a nurse",) and by_text.collection.images is not None
    assert np.array_equal(by_text.embeddings.vectors, phantom.texts(["a nurse"], "item").vectors)


def test_gallery_that_is_up_to_date_opens_while_another_process_holds_the_lock(
    photos, phantom, monkeypatch
):
    from fairlead.store.locks import locked

    folder = photos(3)
    first = galleries.open_gallery(folder, phantom)
    with locked(first.folder.with_name(f".{first.folder.name}.fairlead-lock"), "embedding"):
        assert len(galleries.open_gallery(folder, phantom).collection) == 3
        photos(1, first=3)
        monkeypatch.setenv("FAIRLEAD_WAIT", "0.1")
        with pytest.raises(BackendError, match=r"Another .* was waited for 0\.1 s"):
            galleries.open_gallery(folder, phantom)


def test_gallery_of_the_phantom_has_its_labels_and_its_drawings(phantom, tmp_path):
    study = registry.make("benchmark", "phantom(seeds=1)").study()
    gallery = galleries.open_gallery("phantom(seeds=1)", phantom)
    assert gallery.drawn
    assert gallery.collection.ids == study.collection.ids
    assert list(gallery.collection.groups) == list(study.collection.groups)
    assert gallery.collection.groups["skin"].names == study.collection.groups["skin"].names
    some = gallery.collection.images[:64]
    assert np.array_equal(gallery.embeddings.vectors[:64], phantom.images(some, "item").vectors)

    galleries.embed("phantom(seeds=1)", phantom, tmp_path / "out")
    kept = galleries.open_gallery(tmp_path / "out", phantom)
    assert kept.drawn and kept.collection.ids == study.collection.ids
    own, told = (g.collection.groups["gender"] for g in (gallery, kept))
    assert [own.names[c] for c in own.codes] == [told.names[c] for c in told.codes]


def test_gallery_of_the_phantom_is_drawn_for_encoders_that_see_pictures(phantom):
    class Sees:
        fingerprint = "sees"

        def images(self, images, role):
            assert all(isinstance(i, Image.Image) and i.size == (224, 224) for i in images)
            return Embeddings(np.ones((len(images), 2), np.float32))

        texts = images

    assert len(galleries.open_gallery("phantom(seeds=1)", Sees()).collection) == len(
        galleries.open_gallery("phantom(seeds=1)", phantom).collection
    )


def test_folder_called_phantom_is_named_by_its_path(photos, phantom, monkeypatch):
    folder = photos(2, name="phantom")
    monkeypatch.chdir(folder.parent)
    assert len(galleries.open_gallery("./phantom", phantom).collection) == 2
    assert galleries.open_gallery("phantom(seeds=1)", phantom).drawn


def test_every_kind_of_source_gives_the_same_vectors(tmp_path, photos, phantom):
    folder = photos(6)
    names = sorted(os.listdir(folder))
    rows = [
        {"id": n, "image": f"photos/{n}", "caption": f"number {n}", "kind": n[-3:]} for n in names
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    with tarfile.open(tmp_path / "s-0.tar", "w") as tar:
        for name in names:
            tar.add(folder / name, name)
    expected = galleries.open_gallery(folder, phantom)
    for source in ("t.jsonl", "t.parquet", "s-0.tar", "s-{0..0}.tar"):
        gallery = galleries.open_gallery(tmp_path / source, phantom)
        assert np.array_equal(gallery.embeddings.vectors, expected.embeddings.vectors), source
        assert seeing.thumbnail(gallery.collection.images[0], 16).size == (16, 16)
        if source.startswith("t"):
            assert gallery.collection.groups["kind"].names == ("jpg", "png")
            assert gallery.collection.texts == tuple(f"number {n}" for n in names)


def test_gallery_of_clip_retrieval_uses_the_vectors_that_are_there(tmp_path, phantom):
    vectors = np.random.default_rng(0).normal(size=(5, 64)).astype(np.float16)
    for folder in ("img_emb", "metadata"):
        (tmp_path / "c" / folder).mkdir(parents=True)
    np.save(tmp_path / "c/img_emb/img_emb_0.npy", vectors)
    rows = [
        {"image_path": f"/p/{n}.jpg", "caption": f"c{n}", "gender": "fm"[n % 2]} for n in range(5)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c/metadata/metadata_0.parquet")
    gallery = galleries.open_gallery(tmp_path / "c", phantom)
    assert isinstance(gallery.embeddings.vectors, np.memmap) and np.array_equal(
        gallery.embeddings.vectors, vectors
    )
    assert gallery.collection.images == tuple(f"/p/{n}.jpg" for n in range(5))
    assert gallery.collection.groups["gender"].codes.tolist() == [0, 1, 0, 1, 0]
    assert gallery.folder is None and "another program" in gallery.manifest["warnings"][0]
    assert "not of unit length" in gallery.manifest["warnings"][1]
    np.save(
        tmp_path / "c/img_emb/img_emb_0.npy",
        vectors / np.linalg.norm(vectors.astype(np.float32), axis=1, keepdims=True),
    )
    assert len(galleries.open_gallery(tmp_path / "c", phantom).manifest["warnings"]) == 1
    with pytest.raises(UsageError, match="holds vectors already"):
        galleries.embed(tmp_path / "c", phantom, tmp_path / "out")


def test_gallery_of_precomputed_vectors_opens_no_picture(tmp_path):
    (tmp_path / "v").mkdir()
    (tmp_path / "p").mkdir()
    names = [f"{n}.jpg" for n in range(4)]
    for name in names:
        (tmp_path / "p" / name).write_bytes(b"not a picture at all")
    vectors = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
    np.save(tmp_path / "v" / "images.npy", vectors)
    (tmp_path / "v" / "images.txt").write_text("".join(f"{n}\n" for n in names))
    encoder = registry.make("encoder", f'precomputed:{tmp_path / "v"}(root="{tmp_path / "p"}")')
    gallery = galleries.open_gallery(tmp_path / "p", encoder)
    assert np.allclose(
        gallery.embeddings.vectors, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    )


def test_gallery_folder_of_another_model_side_or_unfinished_is_refused(tmp_path, photos, phantom):
    galleries.embed(photos(3), phantom, tmp_path / "out")
    with pytest.raises(DataError, match=r"holds vectors of phantom "):
        galleries.open_gallery(tmp_path / "out", registry.make("encoder", "phantom_ideal"))
    with pytest.raises(DataError, match="images, not of texts"):
        galleries.open_gallery(tmp_path / "out", phantom, side="texts")
    (tmp_path / "out" / "manifest.json").unlink()
    with pytest.raises(DataError, match="not finished"):
        galleries.open_gallery(tmp_path / "out", phantom)
    with pytest.raises(UsageError, match="holds vectors already"):
        galleries.embed(tmp_path / "out", phantom, tmp_path / "other")


def test_embedding_into_the_source_folder_itself_changes_nothing_the_second_time(
    photos, phantom, files
):
    folder = photos(5)
    galleries.embed(folder, phantom, folder / "vectors")
    before = files(folder / "vectors")
    assert galleries.embed(folder, phantom, folder / "vectors").embedded == 0
    assert files(folder / "vectors") == before


def test_model_spelled_otherwise_with_the_same_vectors_is_the_same(tmp_path, photos):
    folder = photos(3)
    galleries.embed(folder, "phantom", tmp_path / "out")
    assert galleries.embed(folder, "phantom(dose=0)", tmp_path / "out").embedded == 0


def test_open_image_gives_what_the_encoder_takes(photos, phantom):
    folder, reference = photos(1), "phantom:person/nurse/female/3/12"
    assert seeing.open_image(folder / "0000.png", phantom).mode == "RGB"
    assert seeing.open_image(reference, phantom) == reference
    assert seeing.open_image(reference, Counting(phantom)).size == (224, 224)
    array = np.zeros((4, 4, 3), np.uint8)
    assert seeing.open_image(array, phantom) is array
    with pytest.raises(DataError, match=r"none\.jpg cannot be used \(missing\)"):
        seeing.open_image(folder / "none.jpg", phantom)


def test_thumbnail_is_a_square_or_nothing(photos):
    folder = photos(1)
    assert seeing.thumbnail(str(folder / "0000.png"), 20).size == (20, 20)
    assert seeing.thumbnail("phantom:person/nurse/female/3/12", 20).size == (20, 20)
    assert seeing.thumbnail(str(folder / "none.png"), 20) is None
    assert seeing.thumbnail("phantom:person/nobody/female/3/12", 20) is None


def test_cache_folder_is_the_users_own(monkeypatch, tmp_path, cache):
    assert galleries.cache_folder() == cache
    monkeypatch.delenv("FAIRLEAD_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert galleries.cache_folder() == tmp_path / "xdg" / "fairlead"


# The command


def test_command_tells_what_became_of_every_file(photos, tmp_path, capsys):
    from fairlead.cli.main import main

    folder = photos(5)
    (folder / "bad.jpg").write_bytes(b"")
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            main(["embed", str(folder), "-o", str(tmp_path / "out")])
        assert left.value.code == 0
    first, second = capsys.readouterr().out.split("5 items in ")[1:]
    words = " ".join(first.split())
    assert "embedded now 5 there already 0 skipped: empty 1 seen 6" in words
    assert (
        f"Skipped files and why: {tmp_path / 'out' / 'skipped.csv'}" in words
        and "a second, 64 dimensions, float32" in words
    )
    assert "embedded now 0 there already 5" in " ".join(second.split())


def test_command_gives_json(photos, tmp_path, capsys):
    from fairlead.cli.main import main

    with pytest.raises(SystemExit):
        main(
            [
                "embed",
                str(photos(5)),
                "-o",
                str(tmp_path / "out"),
                "--half",
                "--workers",
                "1",
                "--json",
            ]
        )
    found = json.loads(capsys.readouterr().out)
    assert {k: found[k] for k in ("seen", "items", "embedded", "reused", "skipped")} == {
        "seen": 5, "items": 5, "embedded": 5, "reused": 0, "skipped": {}}  # fmt: skip
    assert found["manifest"] == json.loads((tmp_path / "out" / "manifest.json").read_text())
    schema = json.loads(
        (resources.files("fairlead.report") / "schemas" / "embed.json").read_text(encoding="utf-8")
    )
    Draft202012Validator(schema).validate(found)
    assert (found["manifest"]["dtype"], found["manifest"]["model"]["spec"]) == (
        "float16",
        "phantom",
    )


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["none", "-o", "out"], 2, "There is no file or folder none"),
        (["photos", "-o", "out", "--model", "nobody"], 2, "no encoder called 'nobody'"),
        (["photos", "-o", "photos"], 2, "is an input of this command"),
        (["photos", "-o", "out", "--side", "texts"], 2, "has no captions"),
        (["photos", "-o", "taken"], 4, "taken holds vectors of Another, not of phantom"),
    ],
)
def test_command_refuses_with_the_way_out(photos, monkeypatch, capsys, args, code, words):
    from fairlead.cli.main import main

    class Another:
        name = fingerprint = "another"

        def images(self, images, role):
            return Embeddings(np.ones((len(images), 2), np.float32))

    monkeypatch.chdir(photos(2).parent)
    galleries.embed("photos", Another(), "taken")
    with pytest.raises(SystemExit) as left:
        main(["embed", *args])
    assert left.value.code == code
    assert words in capsys.readouterr().err


def test_rates_are_short():
    from fairlead.cli.options import rate

    assert [rate(x) for x in (0.25, 9.96, 812, 12_000, 3.4e6, 2e9)] == [
        "0.2/s",
        "10.0/s",
        "812/s",
        "12.0 k/s",
        "3.4 M/s",
        "2.0 G/s",
    ]


def test_gallery_readies_an_encoder_that_takes_long_before_it_embeds_and_not_again(photos, phantom):
    class Slow(Counting):
        """Says that it is being prepared."""

        def ready(self, sides, progress):
            told.append((tuple(sides), self.count))
            progress("preparing, once", 0, 1)

    told, labels = [], []
    folder, encoder = photos(3), Slow(phantom)
    for _ in range(2):
        galleries.open_gallery(
            folder, encoder, progress=lambda label, done, total: labels.append(label)
        )
    assert told == [(("images",), 0)] and labels == ["preparing, once", "embedding"]
