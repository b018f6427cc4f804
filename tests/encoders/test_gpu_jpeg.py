"""``decode=gpu`` without a GPU: which files go that way, resizing as Pillow does, batches of both
kinds, and what a decoder refuses.

The decoder is a parameter; here Pillow plays it. ``test_gpu_jpeg_cuda.py`` runs the real one where
there is a GPU.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from fairlead.encoders import gpu_jpeg, hf
from fairlead.encoders.gpu_jpeg import Jpegs, fitted, plain_jpeg
from fairlead.encoders.pixels import PixelRecipe
from fairlead.encoders.towers import one_ahead
from fairlead.engine import galleries
from fairlead.engine import pictures as seeing
from fairlead.errors import DataError, UsageError
from fairlead.store import pictures
from fairlead.testing.tiny_models import tiny_hf

CPU = torch.device("cpu")


def photo(width: int = 64, height: int = 48, seed: int = 0, mode: str = "RGB") -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    return Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC).convert(mode)


def saved(image: Image.Image, kind: str = "JPEG", **how: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def turned(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def by_pillow(files: Sequence[Any]) -> list[Any]:
    """A decoder that refuses as nvJPEG does: with a RuntimeError, and the whole batch."""
    made = []
    for file in files:
        try:
            image = Image.open(io.BytesIO(file.numpy().tobytes()))
            array = np.array(image)
        except OSError as error:
            raise RuntimeError("refused") from error
        made.append(
            torch.from_numpy(array if array.ndim == 3 else array[..., None]).permute(2, 0, 1)
        )
    return made


class Tried(hf.HF):
    """``hf:`` with ``decode=gpu`` whose decoder is Pillow, which notes how many files it was given
    at once.
    """

    given: ClassVar[list[int]] = []

    @property
    def _decoder(self) -> Any:
        def noting(files: Sequence[Any]) -> list[Any]:
            self.given.append(len(files))
            return by_pillow(files)

        return noting


PLAIN = {
    "4:2:0": saved(photo()),
    "4:4:4": saved(photo(), subsampling=0),
    "4:2:2": saved(photo(), subsampling=1),
    "restarts": saved(photo(), restart_marker_blocks=2),
    "optimised": saved(photo(), optimize=True, quality=95),
    "with notes": saved(
        photo(), exif=turned(1), comment=b"\xff\xd9\xff\xda", icc_profile=bytes(900)
    ),
    "with a small one in its notes": saved(photo(), exif=b"Exif\0\0" + saved(photo(32, 24))),
}
OTHER = {
    "progressive": saved(photo(), progressive=True),
    "CMYK": saved(photo(mode="CMYK")),
    "grey": saved(photo(mode="L")),
    "RGB": saved(photo(), keep_rgb=True),
    "PNG": saved(photo(), "PNG"),
    "WebP": saved(photo(), "WEBP"),
    "tiny": saved(photo(8, 8)),
    "long": saved(photo(400, 20)),
}
RECIPE = PixelRecipe(
    size=32, resample=3, crop=(32, 32), scale=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3
)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_jpeg_of_a_usual_file_is_all_of_it_and_nothing_behind_its_end(name: str) -> None:
    content = PLAIN[name]
    assert (
        plain_jpeg(content)
        == len(content)
        == plain_jpeg(content + b"\xff\xd9 and more")
        == plain_jpeg(content + PLAIN["4:4:4"])
    )


@pytest.mark.parametrize("name", OTHER)
def test_plain_jpeg_of_anything_unusual_is_nothing(name: str) -> None:
    assert plain_jpeg(OTHER[name]) == 0


@pytest.mark.parametrize("name", PLAIN)
def test_plain_jpeg_cut_off_anywhere_is_nothing(name: str) -> None:
    content = PLAIN[name]
    assert not any(plain_jpeg(content[:length]) for length in range(len(content)))
    assert plain_jpeg(content[: len(content) // 2] + bytes(len(content))) == 0, (
        "a file that was never written to its end"
    )


@settings(max_examples=200)
@given(st.sampled_from(sorted(PLAIN)), st.data())
def test_plain_jpeg_of_spoilt_bytes_never_fails_and_never_takes_what_pillow_refuses_for_its_header(
    name: str, data: st.DataObject
) -> None:
    content = bytearray(PLAIN[name])
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    end = plain_jpeg(bytes(content))
    assert 0 <= end <= len(content)
    try:
        seen = pictures.decode(bytes(content), takes=plain_jpeg)
    except pictures.BadPicture:
        return
    assert isinstance(seen, (Image.Image, pictures.Compressed))
    assert not isinstance(seen, pictures.Compressed) or (
        len(seen.content) == end and min(seen.size) >= 16
    )


def test_pictures_that_are_taken_stay_as_they_are_and_all_others_are_decoded() -> None:
    for content in PLAIN.values():
        kept = pictures.decode(content + b"more", takes=plain_jpeg)
        assert (kept.content, kept.size, kept.nbytes) == (content, (64, 48), len(content))
        assert np.array_equal(np.asarray(kept.open()), np.asarray(pictures.decode(content)))
    others = [*OTHER.values(), *(saved(photo(), exif=turned(way)) for way in range(2, 9))]
    for content in others:
        assert np.array_equal(
            np.asarray(pictures.decode(content, takes=plain_jpeg)),
            np.asarray(pictures.decode(content)),
        )


def test_broken_pictures_are_told_alike_whoever_decodes() -> None:
    noisy = saved(Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)))
    broken = [
        b"",
        b"no picture",
        noisy[: len(noisy) // 2],
        noisy[:30],
        PLAIN["4:2:0"][:-40],
        OTHER["PNG"][:-30],
    ]
    for content in broken:
        said = []
        for takes in (None, plain_jpeg):
            with pytest.raises(pictures.BadPicture) as caught:
                pictures.decode(content, takes=takes)
            said.append((caught.value.reason, caught.value.message))
        assert said[0] == said[1]
    with pytest.raises(pictures.BadPicture, match="64 x 48 pixels") as caught:
        pictures.decode(PLAIN["4:2:0"], max_pixels=1000, takes=plain_jpeg)
    assert caught.value.reason == "too large"


SIDES = st.integers(16, 260)


@settings(max_examples=60)
@given(
    wide=SIDES, high=SIDES, size=st.one_of(st.integers(8, 90), st.tuples(st.integers(8, 90), st.integers(8, 90))),
    crop=st.none() | st.tuples(st.integers(8, 100), st.integers(8, 100)), resample=st.sampled_from([2, 3]), rounds=st.booleans(),
    seed=st.integers(0, 9),
)  # fmt: skip
@example(wide=260, high=33, size=32, crop=(32, 32), resample=3, rounds=False, seed=0)
@example(wide=64, high=64, size=64, crop=None, resample=3, rounds=False, seed=0)
def test_fitted_is_what_pillow_gives(
    wide: int, high: int, size: Any, crop: Any, resample: int, rounds: bool, seed: int
) -> None:
    recipe = PixelRecipe(
        size=size, resample=resample, crop=crop, scale=1.0, mean=(0.0,), std=(1.0,), rounds=rounds
    )
    noise = np.random.default_rng(seed).integers(0, 256, (2, high, wide, 3), np.uint8)
    made = fitted(torch.from_numpy(noise).permute(0, 3, 1, 2), recipe)
    expected = np.stack([recipe.pixels(Image.fromarray(one)) for one in noise])
    assert made.dtype == torch.uint8 and made.shape == expected.shape and made.is_contiguous()
    off = np.abs(made.numpy().astype(int) - expected)
    assert off.max() <= 3 and off.mean() < 0.1


def files(*contents: bytes) -> list[pictures.Compressed]:
    return [
        pictures.Compressed(content, Image.open(io.BytesIO(content)).size) for content in contents
    ]


MIXED = files(
    *(saved(photo(w, h, seed)) for seed, (w, h) in enumerate([(64, 48), (50, 70), (64, 48)] * 3))
)


def expected(jpegs: Sequence[Any], recipe: PixelRecipe = RECIPE) -> np.ndarray:
    return np.stack([recipe.pixels(jpeg.open()) for jpeg in jpegs]).astype(int)


@pytest.mark.parametrize("at_once", [1, 20_000, 1 << 30])
def test_jpegs_of_several_sizes_keep_their_order_in_portions_of_any_size(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(gpu_jpeg, "_AT_ONCE", at_once)
    made = Jpegs(RECIPE, by_pillow, CPU).pixels(MIXED)
    assert made.shape == (9, 32, 32, 3) and np.abs(made.numpy() - expected(MIXED)).max() <= 2


def test_jpegs_that_the_decoder_refuses_are_decoded_alone_and_the_others_as_before() -> None:
    odd, calls = MIXED[4].content, []

    def fussy(given: Sequence[Any]) -> Sequence[Any]:
        calls.append(len(given))
        if any(bytes(one.numpy()) == odd for one in given):
            raise RuntimeError("nvjpeg: 5")
        return [255 - one for one in by_pillow(given)]  # to tell who decoded

    made = Jpegs(RECIPE, fussy, CPU).pixels(MIXED).numpy().astype(int)
    assert calls == [9] + [1] * 9
    wanted = 255 - expected(MIXED)
    wanted[4] = expected(MIXED[4:5])[0]
    assert np.abs(made - wanted).max() <= 2


def test_jpegs_broken_for_all_are_told_with_their_reason() -> None:
    noisy = saved(Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)))
    cut = pictures.Compressed(noisy[: len(noisy) // 2], (64, 64))
    with pytest.raises(DataError) as caught:
        Jpegs(RECIPE, by_pillow, CPU).pixels([*MIXED, cut])
    assert caught.value.reason == "truncated"  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_hf("clip", tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Usual photos, and what goes the other way: PNG, CMYK, turned; and what is broken."""
    place = tmp_path_factory.mktemp("photos")
    for number in range(20):
        (place / f"{number:02}.jpg").write_bytes(saved(photo(60 + number % 3 * 9, 50, number)))
    for name, content in {**OTHER, "turned": saved(photo(seed=30), exif=turned(6))}.items():
        (place / f"1{len(name)}-{name}.jpg").write_bytes(content)
    noisy = saved(Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)))
    (place / "13-cut.jpg").write_bytes(noisy[: len(noisy) // 2])
    (place / "14-empty.jpg").write_bytes(b"")
    (place / "19-twin.jpg").write_bytes((place / "07.jpg").read_bytes())
    return place


def test_gpu_road_embeds_and_reports_what_the_other_does(
    clip: Path, folder: Path, tmp_path: Path
) -> None:
    plain, gpu = hf.HF(str(clip), "cpu", batch=4), Tried(str(clip), "cpu", batch=4, decode="gpu")
    Tried.given.clear()
    one, two = (
        galleries.embed(folder, encoder, tmp_path / encoder.decode) for encoder in (plain, gpu)
    )
    assert sum(Tried.given) == 20 and max(Tried.given) > 1, (
        "the usual photos, several at once, and no others"
    )
    assert (one.items, one.skipped) == (two.items, two.skipped) and set(one.skipped) == {
        "truncated",
        "empty",
        "duplicate",
    }
    assert (tmp_path / "full" / "skipped.csv").read_text() == (
        tmp_path / "gpu" / "skipped.csv"
    ).read_text()
    full, other = (
        galleries.open_gallery(tmp_path / encoder.decode, encoder) for encoder in (plain, gpu)
    )
    assert full.collection.ids == other.collection.ids
    assert (full.embeddings.vectors * other.embeddings.vectors).sum(1).min() > 0.999
    for row, reference in enumerate(other.collection.images or ()):
        opened = seeing.open_image(reference, gpu)
        assert hasattr(opened, "content") == (len(Path(reference).stem) == 2), (
            "as it is, if it is a usual photo"
        )
        asked = gpu.images([opened], "query").vectors[0]
        np.testing.assert_allclose(
            asked, other.embeddings.vectors[row], atol=1e-5, err_msg="a picture finds itself"
        )
    with pytest.raises(DataError):
        galleries.open_gallery(tmp_path / "gpu", plain)


def test_gpu_road_by_processes_and_by_threads_is_byte_for_byte_the_same(
    clip: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairlead.engine import embedding

    monkeypatch.setattr(embedding, "_MANY", 1)
    digests = []
    for processes in (True, False):
        out = tmp_path / f"out-{processes}"
        galleries.embed(
            folder,
            Tried(str(clip), "cpu", batch=4, decode="gpu"),
            out,
            workers=3,
            processes=processes,
        )
        digests.append(
            {
                f.name: hashlib.sha256(f.read_bytes()).hexdigest()
                for f in sorted(out.iterdir())
                if f.is_file()
            }
        )
    assert digests[0] == digests[1]


def test_gpu_road_of_a_file_that_nobody_can_decode_costs_only_itself(
    clip: Path, folder: Path, tmp_path: Path
) -> None:
    class Believes(Tried):
        """Takes files that are cut off for whole ones, so that they are found out late."""

        @property
        def takes(self) -> Any:
            return lambda content: (
                plain_jpeg(content)
                or (len(content) if content[:2] == b"\xff\xd8" and len(content) < 5000 else 0)
            )

    rng = np.random.default_rng(1)
    for number in range(5):
        content = saved(Image.fromarray(rng.integers(0, 256, (48, 48, 3), np.uint8)))
        (tmp_path / f"{number}.jpg").write_bytes(content if number != 2 else content[:1500])
    found = galleries.embed(
        tmp_path, Believes(str(clip), "cpu", batch=2, decode="gpu"), tmp_path / "out"
    )
    assert (found.items, found.skipped) == (4, {"truncated": 1})


def test_images_already_open_go_beside_files(clip: Path) -> None:
    gpu = Tried(str(clip), "cpu", decode="gpu", batch=3)
    opened = [jpeg.open() if row % 2 else jpeg for row, jpeg in enumerate(MIXED)]
    vectors = gpu.images(opened, "query").vectors
    assert (
        vectors * hf.HF(str(clip), "cpu").images([jpeg.open() for jpeg in MIXED], "query").vectors
    ).sum(1).min() > 0.999


def test_preprocessing_without_a_crop_takes_files_of_several_shapes(
    clip: Path, tmp_path: Path
) -> None:
    whole = PixelRecipe(
        size=32, resample=3, crop=None, scale=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3
    )
    gpu = Tried(str(clip), "cpu", decode="gpu")
    gpu.__dict__["_jpegs"] = Jpegs(whole, by_pillow, CPU)
    assert len({gpu._kind(jpeg) for jpeg in MIXED}) == 2


def test_one_ahead_keeps_the_order_makes_one_part_more_and_tells_what_fails() -> None:
    made: list[int] = []
    parts = one_ahead(lambda part: made.append(part) or 10 // part, [1, 2, 5, 0, 4])  # type: ignore[func-returns-value]
    assert [next(parts), next(parts), next(parts)] == [10, 5, 2]
    assert made[:3] == [1, 2, 5] and 4 not in made
    with pytest.raises(ZeroDivisionError):
        next(parts)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_decode_gpu_without_a_gpu_is_told_when_the_model_is_loaded(
    clip: Path, folder: Path, tmp_path: Path
) -> None:
    made = hf.HF(str(clip), decode="gpu")
    for use in (
        made.about,
        lambda: made.texts(["a"], "query"),
        lambda: made.takes,
        lambda: galleries.embed(folder, made, tmp_path / "out"),
    ):
        with pytest.raises(
            UsageError, match="decode=gpu needs a GPU with CUDA, and the device is cpu"
        ):
            use()


def test_decode_gpu_of_a_model_with_a_processor_of_its_own_is_told(tmp_path: Path) -> None:
    made = Tried(str(tiny_hf("siglip2", tmp_path / "model")), "cpu", decode="gpu")
    with pytest.raises(UsageError, match=r"decode=gpu is not for hf:.*preprocessing"):
        made.about()


def test_decode_of_another_word_is_refused_and_every_way_is_another_fingerprint(clip: Path) -> None:
    with pytest.raises(UsageError, match="decode"):
        hf.HF(str(clip), decode="fast")  # type: ignore[arg-type]
    assert (
        len({hf.HF(str(clip), decode=way).fingerprint for way in ("full", "reduced", "gpu")}) == 3
    )  # type: ignore[arg-type]
