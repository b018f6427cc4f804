"""The drawings: the same bytes everywhere, every size the same picture, differences only where they
may be.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from fairlead.errors import UsageError
from fairlead.phantom.drawing import LARGEST, SMALLEST, draw, draw_many, paint, reach
from fairlead.phantom.drawing.accessories import BADGES, NECKWEAR
from fairlead.phantom.drawing.canvas import Canvas, _placed
from fairlead.phantom.drawing.curves import half, line, path, rounded
from fairlead.phantom.drawing.hats import COVERING, HATS
from fairlead.phantom.drawing.places import BACKGROUNDS
from fairlead.phantom.drawing.props import HELD, STANDING
from fairlead.phantom.drawing.uniforms import UNIFORMS
from fairlead.phantom.people import GENDERS, OCCUPATIONS, Person, scene

LONG = ("long", "bob", "ponytail", "bun", "plaits", "cloud")
CUTS = (*LONG, "pixie", "shag", "tapered", "crop", "parted", "quiff", "cut", "fade")

GOLDEN = {
    ("nurse/female/3/0", 64): "5f7f939966b0effe6b0d9aeb7c87a2ae3bf92570ec788c3cf16665cb4bb68a12",
    ("engineer/male/9/12", 64): "3720a53340aa226054412ef74e13473bfac84eb31e2140275c8331538fbb07d5",
    (
        "astronaut/androgynous/6/7",
        64,
    ): "30b33398fd52f0c6a4bc58b8d4959e9e81e85bf07d959c75526044e13189307f",
    (
        "florist/female/10/101",
        32,
    ): "bb2957f1fb02a2cefd901e234a9bec527590c4dc187ca740e9471b9651297820",
    ("sailor/male/1/5", 256): "3b793a692721297a66b3fa7f36d8d687ce97ac5fad66ca1ec29d7fc50b328920",
    ("miner/female/8/33", 128): "cd0ac408cd9e5709429554fc8827b76e3bd83bee9fc7cfcbd429ef473a011ddf",
    (
        "hairdresser/male/5/2",
        512,
    ): "a8bd37d2f764c8dbf03be31ff15a9ae2fa180d479f2a09984faff0c2e93fc241",
}


def picture(shown, size: int = 64) -> np.ndarray:
    canvas = Canvas.blank(size * 4)
    paint(canvas, shown)
    return np.asarray(canvas.image.reduce(4)).astype(int)


@pytest.mark.parametrize("size", [32, 64, 256])
def test_draw_everyone_at_three_sizes(size, full):
    everyone = list(itertools.product(OCCUPATIONS, GENDERS, range(1, 11)))
    for number, (occupation, gender, tone) in enumerate(
        everyone if full or size < 256 else everyone[::7]
    ):
        image = draw(Person(occupation, gender, tone, number), size)
        assert (image.mode, image.size) == ("RGB", (size, size))
        assert min(high - low for low, high in image.getextrema()) > 90, (
            "a picture has light and dark"
        )


@pytest.mark.parametrize(("key", "size"), list(GOLDEN), ids=str)
def test_draw_golden_bytes_are_the_same_for_ever(key, size):
    assert hashlib.sha256(draw(Person.of(key), size).tobytes()).hexdigest() == GOLDEN[key, size]


def test_draw_in_another_process_and_order_gives_the_same_bytes():
    people = [
        Person(o, g, 1 + i % 10, i)
        for i, (o, g) in enumerate(itertools.product(list(OCCUPATIONS)[::4], GENDERS))
    ]
    code = (
        "import hashlib, sys; from fairlead.phantom.drawing import draw; from fairlead.phantom.people import Person;"
        "print(*[hashlib.sha256(draw(Person.of(k)).tobytes()).hexdigest() for k in sys.argv[1:]])"
    )
    keys = [p.key for p in reversed(people)]
    told = subprocess.run(
        [sys.executable, "-c", code, *keys],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "5"},
    ).stdout.split()
    assert told[::-1] == [hashlib.sha256(draw(p).tobytes()).hexdigest() for p in people]


def test_draw_many_is_draw_one_by_one():
    people = [
        Person("cook", "female", 3, 1),
        Person("cook", "male", 9, 1),
        Person("pilot", "androgynous", 6, 2),
    ]
    many = draw_many(people, 48)
    assert (many.shape, many.dtype) == ((3, 48, 48, 3), np.uint8)
    assert all((many[i] == np.asarray(draw(p, 48))).all() for i, p in enumerate(people))
    assert draw_many([], 48).shape == (0, 48, 48, 3)


def test_draw_every_size_shows_the_same_picture():
    for number, occupation in enumerate(OCCUPATIONS):
        person = Person(occupation, GENDERS[number % 3], 1 + number % 10, number)
        small = np.asarray(draw(person, 64)).astype(float)
        large = np.asarray(draw(person, 256).reduce(4)).astype(float)
        assert np.abs(small - large).mean() < 5.0, person.key
        # a fill includes its edge, so thin lines are a little bolder in small pictures: 0.985 to
        # 0.995, never a shift
        assert np.corrcoef(small.ravel(), large.ravel())[0, 1] > 0.98, person.key


@pytest.mark.parametrize("size", [SMALLEST - 1, LARGEST + 1, 64.0, "64", True, None])
def test_draw_wrong_size_is_refused(size):
    with pytest.raises(UsageError, match="whole number from 16 to 1024"):
        draw(Person("cook", "male", 3, 1), size)
    with pytest.raises(UsageError, match="pixels wide"):
        draw_many([], size)


@pytest.mark.parametrize("size", [SMALLEST, 37, LARGEST])
def test_draw_odd_and_extreme_sizes_work(size):
    assert draw(Person("sailor", "female", 8, 4), size).size == (size, size)


def test_every_cue_has_a_drawing():
    known = {
        "uniform": set(UNIFORMS),
        "headwear": set(HATS),
        "prop": set(HELD) | set(STANDING),
        "background": set(BACKGROUNDS),
        "accessory": set(NECKWEAR) | set(BADGES) | {"pencil", "head lamp"},
    }
    for occupation in OCCUPATIONS.values():
        for slot, cue in occupation.cues.items():
            assert cue in known[slot], (occupation.name, cue)


def test_every_visible_cue_changes_the_picture():
    for number, occupation in enumerate(OCCUPATIONS.values()):
        shown = scene(Person(occupation.name, GENDERS[number % 2], 5, number))
        full = tuple(occupation.cues.items())
        whole = picture(replace(shown, look=replace(shown.look, cues=full)))
        for cue in full:
            rest = tuple(c for c in full if c != cue)
            without = picture(replace(shown, look=replace(shown.look, cues=rest)))
            assert (np.abs(whole - without).sum(2) > 40).sum() >= 12, (occupation.name, cue)


def test_matched_set_differs_only_where_presentation_and_skin_can_show():
    for number, occupation in enumerate(OCCUPATIONS):
        people = [
            Person(occupation, g, t, number)
            for g, t in (("female", 1), ("female", 9), ("male", 3), ("male", 7), ("androgynous", 5))
        ]
        pictures = draw_many(people).astype(int)
        masks = [reach(p) for p in people]
        for one, other in itertools.combinations(range(len(people)), 2):
            differs = (pictures[one] != pictures[other]).any(2)
            assert not (differs & ~(masks[one] | masks[other])).any(), (
                people[one].key,
                people[other].key,
            )
        assert all(0.08 < mask.mean() < 0.6 for mask in masks)
        assert not any(mask[:6, :6].any() or mask[:6, -6:].any() for mask in masks), (
            "the corners never show a person"
        )


def test_tone_changes_skin_and_nothing_else():
    shown = scene(Person("teacher", "male", 2, 5))
    one, other = picture(shown), picture(replace(shown, skin="#825c43"))
    differs = (one != other).any(2)
    assert 0.05 < differs.mean() < 0.35
    assert not (differs & ~reach(Person("teacher", "male", 2, 5))).any()


def test_hats_leave_the_cues_of_hair_in_sight():
    shown = scene(Person("builder", "female", 4, 3))
    for hat, cut in itertools.product(sorted(COVERING), LONG):
        look = replace(shown.look, cues=(("headwear", hat),))
        worn = replace(shown, look=look, presentation=replace(shown.presentation, hair=cut))
        short = replace(worn, presentation=replace(worn.presentation, hair="crop"))
        assert (np.abs(picture(worn) - picture(short)).sum(2) > 60).sum() >= 30, (hat, cut)


@pytest.mark.parametrize("texture", ["straight", "wavy", "curly", "coily"])
def test_hair_never_covers_an_eye(texture):
    shown = scene(Person("judge", "female", 6, 8))
    look = replace(
        shown.look,
        cues=(("prop", "gavel"),),
        tilt=0,
        scale=100,
        shift=0,
        texture=texture,
        glasses="none",
    )
    eyes = np.zeros((64, 64), bool)
    for side in (-1, 1):
        x, y = (128 + side * 16.5 * 1.13) / 4, (-14 + 109 * 1.13) / 4
        eyes[round(y - 2) : round(y + 2), round(x - 2.5) : round(x + 2.5)] = True
    seen = {
        picture(replace(shown, look=look, presentation=replace(shown.presentation, hair=cut)))[
            eyes
        ].tobytes()
        for cut in CUTS
    }
    assert len(seen) == 1


@pytest.mark.parametrize("light", ["warm", "neutral", "cool"])
def test_skin_stays_warm_in_every_light(light):
    for tone, seed in itertools.product(range(1, 11), range(4)):
        shown = scene(Person("nurse", "female", tone, seed))
        look = replace(
            shown.look,
            light=light,
            tilt=0,
            scale=100,
            shift=0,
            glasses="none",
            cues=(("background", "clinic"),),
            backdrop="sky",
        )
        cheeks = picture(replace(shown, look=look))[32:36, 27:37].reshape(-1, 3).mean(0)
        assert cheeks[0] > cheeks[1] > cheeks[2], (light, tone)


def test_corners_alternate_between_even_and_odd_rows():
    shapes = (
        path("M 0 0 L 9 1 C 20 3 30 9 10 40"),
        half("M 0 3 L 7 8 L 0 20"),
        rounded(2, 3, 40, 50, 6),
        line(((1.0, 2.0), (30.0, 7.0), (50.0, 90.0)), 5),
    )
    for shape, frame in itertools.product(
        shapes, ((1.0, 0, 0, 1.0, 0.3, 0.7), (4.2, -0.1, 0.1, 4.2, 30.0, -9.5))
    ):
        rows = [int(y) for _, y in list(_placed(shape, frame))]
        assert len(rows) % 2 == 0
        assert all((a - b) % 2 for a, b in zip(rows, rows[1:] + rows[:1], strict=True))


def test_draw_speed_is_told_and_not_judged(bar):
    people = [
        Person(o, g, t, 900 + s)
        for o in OCCUPATIONS
        for s in range(2)
        for g in ("female", "male")
        for t in (2, 8)
    ]
    draw_many(people[:56])
    start = time.process_time()
    draw_many(people)
    bar(
        "portraits at 64 px, one core",
        f"{(time.process_time() - start) / len(people) * 1e3:.2f} ms each",
        "about 1-2 ms",
    )


def test_pixels_are_plain_images():
    image = draw(Person("artist", "male", 5, 1))
    assert isinstance(image, Image.Image)
    assert np.asarray(image).dtype == np.uint8
