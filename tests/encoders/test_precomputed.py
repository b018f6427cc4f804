"""Vectors on disk, looked up by name."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry

D = 6


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)


@pytest.fixture
def vectors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        half: rng.standard_normal((130, D)).astype(np.float16) * 3 for half in ("images", "texts")
    }


@pytest.fixture
def retrieval(tmp_path: Path, vectors: dict[str, np.ndarray]) -> Path:
    """A folder as clip-retrieval writes it, of 13 parts, so that part 10 must not come before part
    2.
    """
    for folder, half in (("img_emb", "images"), ("text_emb", "texts")):
        (tmp_path / folder).mkdir()
        for part in range(13):
            np.save(
                tmp_path / folder / f"{folder}_{part}.npy",
                vectors[half][part * 10 : part * 10 + 10],
            )
    (tmp_path / "metadata").mkdir()
    for part in range(13):
        rows = range(part * 10, part * 10 + 10)
        columns = {
            "image_path": [f"/data/{r}.jpg" for r in rows],
            "caption": [f"picture {r}" for r in rows],
            "key": [r * 2 for r in rows],
        }
        pq.write_table(pa.table(columns), tmp_path / "metadata" / f"metadata_{part}.parquet")
    return tmp_path


@pytest.fixture
def plain(tmp_path: Path, vectors: dict[str, np.ndarray]) -> Path:
    for half in ("images", "texts"):
        np.save(tmp_path / f"{half}.npy", vectors[half].astype(np.float32))
        (tmp_path / f"{half}.txt").write_text(
            "".join(f"{half} {r} ü\n" for r in range(130)), encoding="utf-8"
        )
    return tmp_path


def make(folder: Path, rest: str = ""):
    return registry.make("encoder", f'precomputed:"{folder}"{rest}')


def test_precomputed_of_clip_retrieval_gives_the_rows_asked_for(
    retrieval: Path, vectors: dict[str, np.ndarray]
) -> None:
    encoder, rows = make(retrieval), [129, 0, 25, 25, 101, 9, 10]
    images = encoder.images([f"/data/{r}.jpg" for r in rows], "item")
    texts = encoder.texts([f"picture {r}" for r in rows], "query")
    np.testing.assert_allclose(images.vectors, unit(vectors["images"][rows]), atol=1e-6)
    np.testing.assert_allclose(texts.vectors, unit(vectors["texts"][rows]), atol=1e-6)
    assert images.vectors.dtype == np.float32 and images.offsets is None
    one = np.vstack([encoder.images([f"/data/{r}.jpg"], "item").vectors for r in rows])
    np.testing.assert_array_equal(one, images.vectors)
    assert encoder.images([], "item").vectors.shape == (0, D)


def test_precomputed_vectors_stay_on_disk_as_they_are(retrieval: Path) -> None:
    halves = make(retrieval)._store.halves
    assert all(
        isinstance(part, np.memmap) and part.dtype == np.float16
        for half in halves.values()
        for part in half.parts
    )


def test_precomputed_with_a_root_or_a_column_finds_rows_by_other_names(
    retrieval: Path, vectors: dict[str, np.ndarray]
) -> None:
    rooted = make(retrieval, "(root=/data)")
    np.testing.assert_allclose(
        rooted.images(["7.jpg", "/data/7.jpg"], "item").vectors,
        unit(vectors["images"][[7, 7]]),
        atol=1e-6,
    )
    keyed = make(retrieval, "(image_column=key)")
    np.testing.assert_allclose(
        keyed.images(["14"], "item").vectors, unit(vectors["images"][[7]]), atol=1e-6
    )
    assert len({rooted.fingerprint, keyed.fingerprint, make(retrieval).fingerprint}) == 3


def test_precomputed_of_the_plain_layout_gives_the_rows_asked_for(
    plain: Path, vectors: dict[str, np.ndarray]
) -> None:
    encoder = make(plain)
    np.testing.assert_allclose(
        encoder.images(["images 3 ü"], "query").vectors, unit(vectors["images"][[3]]), atol=1e-6
    )
    np.testing.assert_allclose(
        encoder.texts(["texts 129 ü"], "query").vectors, unit(vectors["texts"][[129]]), atol=1e-6
    )
    about = encoder.about()
    assert (about["layout"], about["dimensions"], about["images"], about["texts"]) == (
        "plain",
        D,
        130,
        130,
    )
    assert about["stored"] == ["float32"] and "not recorded" in about["warnings"][0]


def test_precomputed_spec_round_trips(plain: Path) -> None:
    encoder = make(plain, "(root=/data)")
    assert registry.make("encoder", str(encoder)) == encoder


def test_precomputed_name_given_twice_is_the_first(tmp_path: Path) -> None:
    np.save(tmp_path / "texts.npy", np.eye(3, dtype=np.float32))
    (tmp_path / "texts.txt").write_text("a\r\nb\r\na\r\n")
    np.testing.assert_array_equal(make(tmp_path).texts(["a", "b"], "query").vectors, np.eye(3)[:2])


def test_precomputed_row_without_a_name_is_not_found(retrieval: Path) -> None:
    path = retrieval / "metadata" / "metadata_0.parquet"
    table = pq.read_table(path).to_pydict() | {
        "image_path": [None, *[f"/data/{r}.jpg" for r in range(1, 10)]]
    }
    pq.write_table(pa.table(table), path)
    with pytest.raises(DataError, match="2 of 3 images"):
        make(retrieval).images(["", "None", "/data/1.jpg"], "item")


def test_precomputed_folder_that_changed_is_read_anew(
    plain: Path, vectors: dict[str, np.ndarray]
) -> None:
    before = make(plain).images(["images 3 ü"], "item").vectors
    np.save(plain / "images.npy", vectors["texts"].astype(np.float32))
    assert not np.allclose(make(plain).images(["images 3 ü"], "item").vectors, before)
    encoder = make(plain)
    assert pickle.loads(pickle.dumps(encoder)) == encoder and len(pickle.dumps(encoder)) < 1000


def test_precomputed_fingerprint_follows_content(
    plain: Path, vectors: dict[str, np.ndarray]
) -> None:
    before = make(plain).fingerprint
    assert len(before) == 16 and before == make(plain).fingerprint
    changed = vectors["images"].astype(np.float32)
    changed[5, 2] += 1
    np.save(plain / "images.npy", changed)
    assert make(plain).fingerprint != before


def test_precomputed_unknown_names_are_counted_and_the_first_told(retrieval: Path) -> None:
    with pytest.raises(
        DataError,
        match=r"4 of 5 images have no vector in .*: 'a', 'b', 'c', \.\.\. It has '/data/0.jpg'",
    ):
        make(retrieval).images(["a", "b", "/data/3.jpg", "c", "d"], "item")
    with pytest.raises(
        DataError,
        match=r"1 of 1 texts have no vector in .*: 'Picture 3' It has 'picture 0', 'picture 1'",
    ):
        make(retrieval).texts(["Picture 3"], "query")


def test_precomputed_of_pixels_or_a_missing_half_says_so(plain: Path) -> None:
    with pytest.raises(DataError, match="looked up by name, and Image has none"):
        make(plain).images([Image.new("RGB", (2, 2))], "item")
    (plain / "texts.npy").unlink()
    with pytest.raises(DataError, match=r"holds no vectors of texts.*name the model"):
        make(plain).texts(["texts 3 ü"], "query")


def test_precomputed_zero_or_not_finite_vector_is_refused_when_asked_for(
    plain: Path, vectors: dict[str, np.ndarray]
) -> None:
    changed = vectors["images"].astype(np.float32)
    changed[3], changed[4] = 0, np.nan
    np.save(plain / "images.npy", changed)
    assert make(plain).images(["images 5 ü"], "item").vectors.shape == (1, D)
    for row in (3, 4):
        with pytest.raises(
            DataError, match="1 of 2 vectors that are zero or not finite, the first at 1"
        ):
            make(plain).images(["images 5 ü", f"images {row} ü"], "item")


def _break(folder: Path, how: str) -> None:
    if how == "width":
        np.save(folder / "text_emb" / "text_emb_4.npy", np.ones((10, D + 1), np.float16))
    elif how == "rows":
        np.save(folder / "img_emb" / "img_emb_12.npy", np.ones((9, D), np.float16))
    elif how == "metadata":
        (folder / "metadata" / "metadata_3.parquet").unlink()
    elif how == "pickle":
        np.save(
            folder / "img_emb" / "img_emb_1.npy", np.array([{"a": 1}], object), allow_pickle=True
        )
    elif how == "junk":
        (folder / "img_emb" / "img_emb_1.npy").write_bytes(b"junk")
    elif how == "flat":
        np.save(folder / "img_emb" / "img_emb_1.npy", np.ones(10))
    elif how == "cut":
        (folder / "img_emb" / "img_emb_1.npy").write_bytes(
            (folder / "img_emb" / "img_emb_1.npy").read_bytes()[:150]
        )
    elif how == "parquet":
        (folder / "metadata" / "metadata_3.parquet").write_bytes(b"PAR1 not really PAR1")


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ("width", "mixes dimensions: 6 in .*, 7 in text_emb_4.npy"),
        ("rows", "metadata_12.parquet names 10 rows, but there are 9 vectors"),
        ("metadata", "numbered 0, 1, 2, 3, 4, .*, but metadata numbered 0, 1, 2, 4, 5"),
        ("pickle", "img_emb_1.npy cannot be read as an array"),
        ("junk", r"img_emb_1.npy cannot be read as an array: it is no file of plain arrays\.$"),
        ("flat", r"img_emb_1.npy holds float64 of shape \(10,\)"),
        ("cut", "img_emb_1.npy cannot be read as an array"),
        ("parquet", "metadata_3.parquet cannot be read as Parquet"),
    ],
)
def test_precomputed_folder_that_is_broken_says_what(retrieval: Path, how: str, match: str) -> None:
    _break(retrieval, how)
    with pytest.raises(DataError, match=match):
        make(retrieval).images(["/data/3.jpg"], "item")


def test_precomputed_of_what_is_no_folder_of_vectors_says_what_is_read(
    tmp_path: Path, retrieval: Path
) -> None:
    with pytest.raises(DataError, match=r"There is no folder .*img_emb_0.npy.*images.npy"):
        make(tmp_path / "nowhere").texts(["a"], "query")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no vectors that we know how to read"):
        make(tmp_path / "empty").texts(["a"], "query")
    with pytest.raises(UsageError, match="needs an address"):
        registry.make("encoder", "precomputed")
    with pytest.raises(UsageError, match=r"no column in metadata_0.parquet called 'path'"):
        make(retrieval, "(image_column=path)").images(["a"], "item")
    np.save(tmp_path / "empty" / "images.npy", np.ones((2, 2)))
    with pytest.raises(DataError, match=r"no images.txt to name its rows"):
        make(tmp_path / "empty").images(["a"], "item")
