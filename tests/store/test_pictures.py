"""Pictures behind references: upright and in RGB, or refused with the right reason; never anything
else, whatever the bytes.
"""

from __future__ import annotations

import io
import os
import tarfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from fairlead.store import archives, pictures
from fairlead.store.pictures import BadPicture, decode, open_picture, thumbnail

FORMATS = {"PNG": {}, "JPEG": {"quality": 95}, "WEBP": {"lossless": True}, "GIF": {}, "BMP": {}, "TIFF": {}, "PPM": {},
           "JPEG2000": {}, "AVIF": {"quality": 95}}  # fmt: skip


def gradient(width: int = 48, height: int = 32) -> Image.Image:
    y, x = np.mgrid[:height, :width]
    return Image.fromarray(
        np.stack([x * 255 // width, y * 255 // height, (x + y) % 256], -1).astype(np.uint8)
    )


def saved(image: Image.Image, format: str = "PNG", **choices: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format, **choices)
    return stream.getvalue()


def reason_of(content: bytes, **choices: int) -> str:
    with pytest.raises(BadPicture) as refused:
        decode(content, **choices)
    assert refused.value.reason in pictures.REASONS
    assert refused.value.message.endswith(".")
    return refused.value.reason


@pytest.mark.parametrize("format", FORMATS)
def test_decode_every_format_gives_the_picture_in_rgb(format):
    picture = decode(saved(gradient(), format, **FORMATS[format]))
    assert (picture.mode, picture.size) == ("RGB", (48, 32))
    assert np.abs(np.asarray(picture, int) - np.asarray(gradient(), int)).mean() < 8


@pytest.mark.parametrize("alpha", [0, 128, 255])
def test_transparent_picture_is_seen_on_white(alpha):
    from PIL import Image

    red = decode(saved(Image.new("RGBA", (4, 4), (255, 0, 0, alpha)))).getpixel((1, 1))
    assert red == pytest.approx((255, 255 - alpha, 255 - alpha), abs=1)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr", "I;16"])
def test_decode_every_mode_gives_rgb_of_the_same_brightness(mode):
    grey = gradient().convert("L")
    wide = Image.fromarray(np.asarray(grey).astype(np.uint16) * 257)
    image = wide if mode == "I;16" else gradient().convert(mode)
    packed = (
        {"compression": "tiff_lzw"} if mode == "YCbCr" else {}
    )  # Pillow before 13 cannot read its own plain ones
    picture = decode(saved(image, "TIFF" if mode in ("CMYK", "YCbCr") else "PNG", **packed))
    assert picture.mode == "RGB"
    assert abs(np.asarray(picture.convert("L"), float).mean() - np.asarray(grey, float).mean()) < 12


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_decode_orientation_of_the_camera_is_applied_once(format, orientation):
    notes = Image.Exif()
    notes[0x0112] = orientation
    content = saved(gradient(), format, exif=notes)
    with Image.open(io.BytesIO(content)) as plain:
        expected = ImageOps.exif_transpose(plain).convert("RGB")
    assert np.array_equal(np.asarray(decode(content)), np.asarray(expected))


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP", "TIFF"])
def test_decode_animation_gives_the_first_frame(format):
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    choices = {"lossless": True} if format == "WEBP" else {}
    content = saved(frames[0], format, save_all=True, append_images=frames[1:], **choices)
    assert decode(content).getpixel((5, 5)) == (255, 0, 0)


def test_decode_spoilt_notes_are_no_fault_and_no_warning():
    content = saved(gradient(), "JPEG")
    spoilt = (
        content[:2] + b"\xff\xe1\x00\x20Exif\0\0II*\0\x08\0\0\0\x09\x09" + bytes(12) + content[2:]
    )
    assert decode(spoilt).size == (48, 32)
    assert decode(saved(gradient().convert("P"), transparency=bytes([0, 128, 255]))).mode == "RGB"


def test_decode_empty_foreign_and_unsupported_are_told_apart():
    assert reason_of(b"") == "empty"
    assert reason_of(b"hello, I am text and no picture") == "not a picture"
    assert reason_of(bytes(1000)) == "not a picture"
    assert reason_of(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic") == "unsupported format"
    assert reason_of(b"<svg xmlns='http://www.w3.org/2000/svg'/>") == "unsupported format"
    assert reason_of(b"\x89PNG\r\n\x1a\n" + bytes(100)) == "damaged"
    assert reason_of(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n") == "not a picture"


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM"])
def test_decode_cut_off_in_the_middle_is_refused(format):
    content = saved(gradient(200, 150), format, **FORMATS[format])
    for share in (0.3, 0.5, 0.8, 0.95):
        assert reason_of(content[: int(len(content) * share)]) in ("truncated", "damaged")


def test_decode_more_pixels_than_allowed_are_refused_before_decoding():
    bomb = saved(Image.new("1", (20_000, 20_000)))
    assert len(bomb) < 100_000
    assert reason_of(bomb) == "too large"
    assert reason_of(saved(gradient()), max_pixels=48 * 32 - 1) == "too large"
    assert decode(saved(gradient()), max_pixels=48 * 32).size == (48, 32)


def test_decode_between_the_limit_of_pillow_and_ours_is_opened(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    assert decode(saved(gradient())).size == (48, 32)
    assert Image.MAX_IMAGE_PIXELS == 100


def outcome(content: bytes) -> str:
    try:
        return decode(content, max_pixels=1_000_000).mode
    except BadPicture as error:
        return error.reason


@settings(max_examples=150)
@given(
    st.sampled_from(sorted(FORMATS)), st.integers(0, 10_000), st.integers(0, 255), st.integers(1, 6)
)
@example("PNG", 20, 255, 4)
def test_decode_spoilt_bytes_give_a_picture_or_a_reason(format, place, value, count):
    content = bytearray(CONTENTS[format])
    for step in range(count):
        content[(place * (step + 1)) % len(content)] = (value + step) % 256
    assert outcome(bytes(content)) in ("RGB", *pictures.REASONS)


@settings(max_examples=60)
@given(
    st.binary(max_size=300),
    st.sampled_from(
        [b"", b"\xff\xd8\xff\xe0", b"GIF89a", b"BM", b"II*\0", b"RIFF\0\0\0\0WEBPVP8 "]
    ),
)
def test_decode_any_bytes_give_a_picture_or_a_reason(content, head):
    assert outcome(head + content) in ("RGB", *pictures.REASONS)


CONTENTS = {format: saved(gradient(), format, **choices) for format, choices in FORMATS.items()}


def test_decode_in_threads_leaves_filters_and_limits_as_they_were():
    spoilt = saved(gradient().convert("P"), transparency=bytes([0, 128, 255]))
    before, limit = list(warnings.filters), Image.MAX_IMAGE_PIXELS
    with ThreadPoolExecutor(8) as pool:
        assert all(p.mode == "RGB" for p in pool.map(decode, [spoilt] * 200))
    assert warnings.filters == before
    assert limit == Image.MAX_IMAGE_PIXELS


def test_read_what_is_no_file_is_told_apart(tmp_path):
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "link.jpg").symlink_to(tmp_path / "nowhere.jpg")
    (tmp_path / "large.jpg").write_bytes(bytes(100))
    for name, reason in (("pipe.jpg", "not a file"), ("link.jpg", "missing"), ("none.jpg", "missing"), (".", "not a file"),
                         ("large.jpg/x.jpg", "missing"), ("a\0b.jpg", "unreadable")):  # fmt: skip
        with pytest.raises(BadPicture) as refused:
            pictures.read(str(tmp_path / name))
        assert refused.value.reason == reason
    with pytest.raises(BadPicture, match="99") as refused:
        pictures.read(str(tmp_path / "large.jpg"), max_bytes=99)
    assert refused.value.reason == "too large"


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="nothing is closed to the superuser"
)
def test_read_closed_file_is_unreadable(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"x")
    (tmp_path / "a.jpg").chmod(0)
    with pytest.raises(BadPicture, match="Permission") as refused:
        pictures.read(str(tmp_path / "a.jpg"))
    assert refused.value.reason == "unreadable"


def test_open_picture_names_the_file_it_refuses(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"")
    with pytest.raises(BadPicture, match=r"a\.jpg cannot be used \(empty\)"):
        open_picture(tmp_path / "a.jpg")


@pytest.mark.parametrize("format", ["JPEG", "PNG"])
@pytest.mark.parametrize("size", [(300, 100), (100, 300), (7, 7)])
def test_thumbnail_is_a_square_of_the_middle(tmp_path, format, size):
    image = Image.new("RGB", size, "red")
    image.paste(
        "blue", (size[0] // 2 - 10, size[1] // 2 - 10, size[0] // 2 + 10, size[1] // 2 + 10)
    )
    (tmp_path / "a").write_bytes(saved(image, format))
    small = thumbnail(tmp_path / "a", 32)
    assert (small.size, small.mode) == ((32, 32), "RGB")
    red, _, blue = small.getpixel((16, 16))
    assert blue > 200 > 60 > red


# Archives


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.text("abc/._é", min_size=1, max_size=120).filter(lambda n: n.strip("./") == n),
        st.binary(max_size=2000),
        max_size=6,
    )
)
def test_archive_members_equal_those_of_the_standard_reader(tmp_path_factory, members):
    path = archive(tmp_path_factory.mktemp("tar") / "a.tar", members)
    found = archives.opened(str(path))
    assert found.fault is None
    assert {name: archives.read(str(path), name) for name in found.members} == members


def test_archive_cut_off_anywhere_loses_nothing_in_silence(tmp_path):
    whole = archive(
        tmp_path / "whole.tar", {f"{n}.bin": bytes([n]) * 700 for n in range(5)}
    ).read_bytes()
    end = 5 * (512 + 1024)
    for size in range(512 + 1024, end + 1, 123):
        (tmp_path / "cut.tar").write_bytes(whole[:size])
        found = archives.opened(str(tmp_path / "cut.tar"))
        complete = size // (512 + 1024) + (size % (512 + 1024) >= 512 + 700)
        assert len(found.members) == complete
        assert (found.fault is None) == (size % (512 + 1024) == 0), size


def test_archive_with_rubbish_behind_a_member_says_so(tmp_path):
    whole = bytearray(
        archive(tmp_path / "a.tar", {f"{n}.bin": bytes(700) for n in range(3)}).read_bytes()
    )
    whole[1536 + 200 : 1536 + 220] = b"x" * 20
    (tmp_path / "a.tar").write_bytes(whole)
    found = archives.opened(str(tmp_path / "a.tar"))
    assert list(found.members) == ["0.bin"]
    assert "no tar header" in str(found.fault)


def test_archive_member_opens_as_a_picture(tmp_path):
    path = archive(tmp_path / "a.tar", {"x/1.png": saved(gradient())})
    assert open_picture(f"{path}::x/1.png").size == (48, 32)
    with pytest.raises(BadPicture, match="no member"):
        open_picture(f"{path}::x/2.png")
    with pytest.raises(BadPicture) as refused:
        open_picture(f"{tmp_path}/b.tar::x/2.png")
    assert refused.value.reason == "missing"


def test_braces_expand_as_in_a_shell():
    assert list(archives.expanded("a-{08..11}-{x,y}.tar"))[:3] == [
        "a-08-x.tar",
        "a-08-y.tar",
        "a-09-x.tar",
    ]
    assert list(archives.expanded("{0..10}"))[-1] == "10"
    assert list(archives.expanded("{3..1}")) == ["3", "2", "1"]
    assert list(archives.expanded("plain.tar")) == ["plain.tar"]
    with pytest.raises(Exception, match="neither a range nor a list"):
        list(archives.expanded("{a}.tar"))
