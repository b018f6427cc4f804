"""Sources: every picture that a folder, a table or an archive names is an entry, good or bad, in an
order of its own.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from fairlead.errors import DataError, UsageError
from fairlead.store.sources import clip_retrieval
from fairlead.store.sources.choose import find_source
from fairlead.store.sources.entries import SourceEntry, resolved
from fairlead.store.sources.folder import natural


def png(colour: str = "red") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (4, 4), colour).save(stream, "PNG")
    return stream.getvalue()


def tree(root: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def by_id(path: Path | str) -> dict[str, SourceEntry]:
    found = {entry.id: entry for entry in find_source(path).entries}
    assert len(found) == len(find_source(path).entries)
    return found


# Folders


def test_folder_pictures_in_all_depths_in_natural_order(tmp_path):
    tree(
        tmp_path,
        {
            name: png()
            for name in ("b/1.png", "a10.PNG", "a2.png", "a/deep/x.jpg", "B/0.png", "a2/b.png")
        },
    )
    found = find_source(tmp_path)
    assert [e.id for e in found.entries] == [
        "a/deep/x.jpg",
        "a2/b.png",
        "a2.png",
        "a10.PNG",
        "B/0.png",
        "b/1.png",
    ]
    assert all(
        e.image == str(tmp_path / e.id) and e.size == len(png()) and e.stamp > 0
        for e in found.entries
    )
    assert (found.kind, found.path, found.notes) == ("folder", str(tmp_path), {})


@settings(max_examples=100)
@given(st.lists(st.text("aB01é/", min_size=1, max_size=6), unique=True))
def test_natural_order_is_total_and_orders_numbers_by_value(names):
    shuffled = [*names[1::2], *names[::2]]
    assert sorted(shuffled, key=natural) == sorted(names, key=natural)
    assert sorted((f"x{n}.jpg" for n in range(20)), key=natural) == [f"x{n}.jpg" for n in range(20)]


def test_folder_hidden_other_and_unsupported_files_are_counted(tmp_path):
    files = {
        "a.png": png(),
        ".b.png": png(),
        ".git/c.png": png(),
        "notes.md": "x",
        "d.heic": "x",
        "noext": png(),
        "plain": "text",
    }
    found = find_source(tree(tmp_path, files))
    assert [e.id for e in found.entries] == ["a.png", "d.heic", "noext"]
    assert found.entries[1].fault is not None and found.entries[1].fault[0] == "unsupported format"
    assert found.notes == {"files that are no pictures": 2, "hidden files and folders": 2}


def test_folder_links_are_followed_but_never_in_a_circle(tmp_path):
    tree(tmp_path, {"photos/a.png": png(), "elsewhere/b.png": png()})
    root = tmp_path / "photos"
    (root / "loop").symlink_to(root)
    (root / "more").symlink_to(tmp_path / "elsewhere")
    (root / "gone.png").symlink_to(tmp_path / "nothing.png")
    (root / "up").symlink_to(tmp_path)
    found = find_source(root)
    assert [e.id for e in found.entries] == [
        "a.png",
        "gone.png",
        "more/b.png",
        "up/elsewhere/b.png",
    ]
    assert found.entries[1].size == -1
    assert found.notes == {"links in a circle": 2}


def test_folder_name_that_is_not_utf8_is_a_fault_that_can_be_written(tmp_path):
    place = os.fsencode(tmp_path) + b"/caf\xe9"
    try:
        os.mkdir(place)
        with open(place + b"/a.png", "wb") as file:
            file.write(png())
    except OSError:
        pytest.skip("this disk knows only names in UTF-8")
    (entry,) = find_source(tmp_path).entries
    assert entry.id == "caf\\xe9/a.png"
    assert entry.fault is not None and entry.fault[0] == "name is not UTF-8"
    json.dumps(entry.to_dict(), ensure_ascii=False).encode()


def test_folder_captions_come_from_files_beside_the_pictures(tmp_path):
    files = {
        "a.png": png(), "a.txt": "\ufeff a nurse \n", "b.png": png(),
        "b.json": '{"caption": "a pilot", "gender": "male", "age": 3, "x": [1]}',
        "c.png": png(), "c.txt": b"\xff\xfe", "d.png": png(), "d.png.txt": "a judge", "e.png": png(), "e.json": "[1, 2]",
        "alone.txt": "belongs to nobody",
    }  # fmt: skip
    found = find_source(tree(tmp_path, files))
    told = {e.id: (e.text, dict(e.columns)) for e in found.entries}
    assert told == {"a.png": ("a nurse", {}), "b.png": ("a pilot", {"gender": "male", "age": "3"}), "c.png": (None, {}),
                    "d.png": ("a judge", {}), "e.png": (None, {})}  # fmt: skip
    assert found.notes == {"captions that cannot be read": 2, "files that are no pictures": 1}


@pytest.mark.parametrize("name", ["captions.csv", "metadata.csv", "captions.tsv", "metadata.jsonl"])
def test_folder_captions_come_from_a_table(tmp_path, name):
    rows = [
        ("a.png", "a nurse", "female"),
        ("sub\\b.png", "a pilot", ""),
        ("a.png", "a second caption", "female"),
        ("none.png", "x", "male"),
    ]
    if name.endswith("jsonl"):
        text = "\n".join(json.dumps({"file_name": f, "text": c, "gender": g}) for f, c, g in rows)
    else:
        comma = "\t" if name.endswith("tsv") else ","
        text = "\n".join(comma.join(row) for row in [("file_name", "text", "gender"), *rows])
    found = find_source(
        tree(tmp_path, {"a.png": png(), "sub/b.png": png(), "a.txt": "beside", name: text})
    )
    assert [(e.id, e.text, e.columns) for e in found.entries] == [
        ("a.png", "a nurse", (("gender", "female"),)),
        ("sub/b.png", "a pilot", ()),
    ]
    assert found.notes == {
        "further captions of a picture": 1,
        "rows of captions that name no picture": 1,
    }


def test_folder_table_below_names_pictures_of_its_own_folder(tmp_path):
    files = {
        "a/1.png": png(),
        "b/1.png": png(),
        "b/metadata.csv": "file,caption\n1.png,yes\n",
        "metadata.csv": "name,value\nx,1\n",
    }
    found = by_id(tree(tmp_path, files))
    assert (found["a/1.png"].text, found["b/1.png"].text) == (None, "yes")


def test_folder_without_pictures_says_what_is_there(tmp_path):
    with pytest.raises(UsageError, match=r"no image in .*: 1 other files"):
        find_source(tree(tmp_path, {"a.md": "x"}))


# Tables

ROWS = [
    {"id": "one", "image": "p/a.png", "caption": "a nurse", "gender": "female", "year": 1999},
    {"id": "two", "image": "p\\b.png", "caption": None, "gender": None, "year": 2001},
    {"id": "one", "image": "p/c.png", "caption": "x", "gender": "male", "year": None},
    {
        "id": "four",
        "image": "https://example.org/a.png",
        "caption": "x",
        "gender": "male",
        "year": 5,
    },
    {"id": "five", "image": None, "caption": "x", "gender": "male", "year": 5},
    {"id": "six", "image": "p/none.png", "caption": "x", "gender": "male", "year": 5},
]


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        comma = "\t" if path.suffix == ".tsv" else ","
        lines = [
            list(rows[0]),
            *(["" if v is None else str(v) for v in row.values()] for row in rows),
        ]
        path.write_text("".join(comma.join(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_table_every_row_is_an_entry_and_every_column_is_kept(tmp_path, suffix):
    tree(tmp_path, {f"p/{name}.png": png() for name in "abc"})
    entries = find_source(written(tmp_path / f"t{suffix}", ROWS)).entries
    assert [e.id for e in entries] == ["one", "two", "one", "four", "five", "six"]
    assert entries[0] == SourceEntry(
        "one",
        str(tmp_path / "p/a.png"),
        "a nurse",
        len(png()),
        entries[0].stamp,
        (("gender", "female"), ("year", "1999")),
    )
    assert (
        entries[1].image == str(tmp_path / "p/b.png")
        and entries[1].columns == (("year", "2001"),)
        and entries[1].size > 0
    )
    faults = [None if e.fault is None else e.fault[0] for e in entries]
    assert faults == [None, None, "id twice", "not on this disk", "no image named", None]
    assert entries[5].size == -1


def test_table_without_ids_is_named_by_its_paths(tmp_path):
    tree(tmp_path, {"a.png": png()})
    (entry,) = find_source(written(tmp_path / "t.csv", [{"file": "a.png", "title": "x"}])).entries
    assert (entry.id, entry.text, entry.columns) == ("a.png", None, (("title", "x"),))


def test_table_of_captions_alone_has_no_pictures(tmp_path):
    entries = find_source(
        written(tmp_path / "t.csv", [{"text": "a nurse", "lang": "en"}, {"text": "", "lang": "de"}])
    ).entries
    assert [(e.id, e.image, e.text) for e in entries] == [("1", None, "a nurse"), ("2", None, None)]
    assert entries[1].fault is not None and entries[1].fault[0] == "no caption"


def test_table_columns_of_lists_are_left_out_and_noted(tmp_path):
    rows = [{"image": "a.png", "tags": ["x"], "kind": "k"}]
    for suffix in (".jsonl", ".parquet"):
        found = find_source(written(tmp_path / f"t{suffix}", rows))
        assert found.entries[0].columns == (("kind", "k"),)
        assert found.notes == {"columns of lists, records or bytes, left out": 1}


def test_table_with_pictures_inside_says_what_to_give(tmp_path):
    pq.write_table(
        pa.table({"image": [{"bytes": b"x", "path": "a"}], "caption": ["x"]}),
        tmp_path / "t.parquet",
    )
    with pytest.raises(DataError, match=r"'image' of t\.parquet holds no text"):
        find_source(tmp_path / "t.parquet")


def test_table_with_neither_images_nor_captions_says_what_it_has(tmp_path):
    with pytest.raises(DataError, match="neither a column of images"):
        find_source(written(tmp_path / "t.csv", [{"a": "1", "b": "2"}]))


def test_names_in_a_table_are_resolved_from_its_folder(tmp_path):
    folder = str(tmp_path)
    assert resolved("a/../b.png", folder) == (f"{folder}/b.png", None)
    assert resolved("/abs/b.png", folder) == ("/abs/b.png", None)
    assert resolved("file:///abs/b.png", folder) == ("/abs/b.png", None)
    assert resolved("phantom:person/nurse/female/3/12", folder) == (
        "phantom:person/nurse/female/3/12",
        None,
    )
    assert resolved("C:\\photos\\a.png", folder)[1] is None
    assert resolved("s3://bucket/a.png", folder)[1] == (
        "not on this disk",
        "'s3://bucket/a.png' is an address, and nothing is fetched; download it first.",
    )


@settings(max_examples=50)
@given(
    st.builds(
        SourceEntry,
        st.text(min_size=1),
        st.none() | st.text(min_size=1),
        st.none() | st.text(),
        st.just(-1),
        st.just(-1),
        st.dictionaries(st.text(), st.text()).map(lambda d: tuple(d.items())),
        st.none() | st.tuples(st.text(), st.text()),
    )
)
def test_entry_written_and_read_is_the_same(entry):
    assert SourceEntry.of(json.loads(json.dumps(entry.to_dict()))) == entry


# Archives


def shard(path: Path, members: dict[str, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


SAMPLES: dict[str, bytes | str] = {
    "000.jpg": png("red"), "000.txt": "a nurse", "000.json": '{"caption": "other", "gender": "female"}',
    "001.png": png("blue"), "001.cls": "7",
    "x/002.left.png": png("green"), "x/002.right.png": png("lime"),
    "003.txt": "no picture", "004.heic": b"x",
}  # fmt: skip


def test_webdataset_members_of_one_key_are_one_sample(tmp_path):
    path = shard(tmp_path / "s-0.tar", SAMPLES)
    found = find_source(path)
    assert [e.id for e in found.entries] == [
        "s-0/000",
        "s-0/001",
        "s-0/x/002.left.png",
        "s-0/x/002.right.png",
        "s-0/004",
    ]
    first = found.entries[0]
    assert (first.text, first.columns, first.image) == (
        "a nurse",
        (("gender", "female"),),
        f"{path}::000.jpg",
    )
    assert found.entries[1].columns == (("cls", "7"),)
    assert found.entries[4].fault is not None and found.entries[4].fault[0] == "unsupported format"
    assert found.notes == {"members that are no pictures": 1}


def test_webdataset_folder_and_pattern_give_the_same_samples(tmp_path):
    for number in (0, 2, 10):
        shard(
            tmp_path / f"s-{number:02}.tar", {f"{number}.png": png(), f"{number}.txt": str(number)}
        )
    folder = find_source(tmp_path).entries
    assert [e.id for e in folder] == ["s-00/0", "s-02/2", "s-10/10"]
    assert list(find_source(f"{tmp_path}/s-{{00,02,10}}.tar").entries) == list(folder)
    with pytest.raises(UsageError, match=r"no archive .*s-01\.tar"):
        find_source(f"{tmp_path}/s-{{00..02}}.tar")


def test_webdataset_cut_off_archive_keeps_its_whole_samples_and_says_so(tmp_path):
    shard(tmp_path / "good.tar", {"a.png": png()})
    cut = shard(tmp_path / "s.tar", {f"{n}.png": png() + bytes(2000) for n in range(5)})
    cut.write_bytes(cut.read_bytes()[:9000])
    (tmp_path / "bad.tar").write_bytes(b"x" * 2000)
    entries = find_source(tmp_path).entries
    counts = Counter(None if e.fault is None else e.fault[0] for e in entries)
    assert counts == {None: 1 + 3, "damaged archive": 2}


def test_webdataset_compressed_archive_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(b"x")
    with pytest.raises(UsageError, match="compressed"):
        find_source(tmp_path / "a.tar.gz")


def test_find_source_what_is_nothing_is_told(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"x")
    for path, words in (
        (tmp_path / "none", "no file or folder"),
        (tmp_path / "a.pdf", "no table and no archive"),
    ):
        with pytest.raises(UsageError, match=words):
            find_source(path)


# Output of clip-retrieval


def output(root: Path, parts: list[int], width: int = 4) -> tuple[Path, np.ndarray]:
    vectors = np.random.default_rng(0).normal(size=(sum(parts), width)).astype(np.float16)
    start = 0
    for number, size in enumerate(parts):
        part = slice(start, start + size)
        for folder in ("img_emb", "text_emb", "metadata"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        np.save(root / f"img_emb/img_emb_{number}.npy", vectors[part])
        np.save(root / f"text_emb/text_emb_{number}.npy", -vectors[part])
        rows = [
            {"image_path": f"p/{row}.jpg", "caption": f"c{row}", "gender": "fm"[row % 2]}
            for row in range(start, start + size)
        ]
        pq.write_table(pa.Table.from_pylist(rows), root / f"metadata/metadata_{number}.parquet")
        start += size
    return root, vectors


def test_clip_retrieval_one_file_is_mapped_and_several_are_read_in_order(tmp_path):
    for parts in ([7], [1] * 12):
        root, vectors = output(tmp_path / str(len(parts)), parts)
        assert clip_retrieval.is_output(str(root))
        given_ = clip_retrieval.read_output(str(root), "images")
        assert np.array_equal(given_.vectors, vectors)
        assert isinstance(given_.vectors, np.memmap) == (len(parts) == 1)
        assert given_.images is not None and given_.images[3] == f"{root}/p/3.jpg"
        assert given_.texts is not None and given_.texts[-1] == f"c{sum(parts) - 1}"
        assert given_.columns == {"gender": ["fm"[row % 2] for row in range(sum(parts))]}
        assert np.array_equal(clip_retrieval.read_output(str(root), "texts").vectors, -vectors)


def test_clip_retrieval_files_that_do_not_fit_are_told(tmp_path):
    root, _ = output(tmp_path, [3, 4])
    np.save(root / "img_emb/img_emb_1.npy", np.zeros((5, 4), np.float32))
    with pytest.raises(DataError, match="describes 4 items, but there are 5 vectors"):
        clip_retrieval.read_output(str(root), "images")
    np.save(root / "img_emb/img_emb_1.npy", np.zeros((4, 3), np.float32))
    with pytest.raises(DataError, match="same dimensions"):
        clip_retrieval.read_output(str(root), "images")
    (root / "img_emb/img_emb_1.npy").write_bytes(b"rubbish")
    with pytest.raises(DataError, match="cannot be read as vectors"):
        clip_retrieval.read_output(str(root), "images")
    (root / "img_emb/img_emb_1.npy").unlink()
    with pytest.raises(DataError, match="1 files of vectors"):
        clip_retrieval.read_output(str(root), "images")
