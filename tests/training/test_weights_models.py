"""Mitigation on weights, through the door: models are written whole, read like any other, and bad
input is told.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.cli.main import main
from fairlead.commands import train_mitigated as retraining
from fairlead.errors import DataError, MissingExtra, UsageError
from fairlead.phantom.encoder import PhantomEncoder
from fairlead.protocols import registry
from fairlead.types import Groups

NEEDED = ("torch", "onnx", "onnxscript")
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_torch = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'train' is not installed: no {', '.join(ABSENT)}"
)
needs_open_clip = pytest.mark.skipif(
    importlib.util.find_spec("open_clip") is None, reason="the extra 'open-clip' is not installed"
)
METHODS = ("adversarial", "prompt_array(text=true)", "fair_sample")
TEXTS = ["a photo of a nurse", "", "a photo of a female pilot", "x" * 90]
DRAWINGS = [
    "phantom:person/nurse/female/3/12",
    "phantom:thing/house/thai/4",
    "phantom:person/pilot/male/8/2",
]
TRY = 0.01


@pytest.fixture(autouse=True)
def one_thread():
    if ABSENT:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def material():
    """The phantom's world in its smallest form."""
    from fairlead.training.weights.material import of_world
    from fairlead.training.weights.phantom_towers import PhantomTowers
    from fairlead.training.world import Dose

    return of_world(PhantomTowers(PhantomEncoder(1.0)), "gender", Dose(1.0, "gender"), factor=TRY)


@needs_torch
def test_towers_of_the_phantom_equal_its_encoder():
    import torch

    from fairlead.training.weights.phantom_towers import PhantomTowers

    towers, encoder = PhantomTowers(PhantomEncoder(1.0)), PhantomEncoder(1.0)
    with torch.no_grad():
        said, seen = towers.read(towers.tokens(TEXTS)), towers.see(towers.pictures(DRAWINGS))
    np.testing.assert_allclose(said.numpy(), encoder.texts(TEXTS, "query").vectors, atol=1e-5)
    np.testing.assert_allclose(seen.numpy(), encoder.images(DRAWINGS, "item").vectors, atol=1e-5)


@needs_torch
@pytest.mark.parametrize("method", METHODS[:2])  # the third goes through the command below
def test_phantom_that_was_trained_on_is_read_as_it_was_written(method, material, tmp_path):
    import torch

    from fairlead.training.weights.loop import train
    from fairlead.training.weights.phantom_towers import PhantomTowers

    towers, plain = PhantomTowers(PhantomEncoder(1.0)), PhantomEncoder(1.0)
    course, told = train(registry.make("training", method), towers, material, factor=TRY)
    with torch.no_grad():
        said, seen = (
            towers.read(towers.tokens(TEXTS), course.prompt),
            towers.see(towers.pictures(DRAWINGS)),
        )
    towers.write(tmp_path, course.prompt)
    found = registry.make("encoder", towers.spec(str(tmp_path)))
    np.testing.assert_allclose(found.texts(TEXTS, "query").vectors, said.numpy(), atol=1e-5)
    np.testing.assert_allclose(found.images(DRAWINGS, "item").vectors, seen.numpy(), atol=1e-5)
    assert found.fingerprint != plain.fingerprint
    moved = np.abs(said.numpy() - plain.texts(TEXTS, "query").vectors).max()
    assert moved < 1e-5 if method == "adversarial" else moved > 1e-4
    assert (found.image_fingerprint == plain.image_fingerprint) == (
        method != "adversarial"
    )  # a stored gallery stays as it is
    assert set(told["after"]) == {"caption_loss", "adversary", "chance"}
    with (
        pytest.raises(UsageError, match="has a prompt")
        if course.prompt is not None
        else contextlib.nullcontext()
    ):
        PhantomTowers(found)


@needs_torch
def test_material_shares_no_drawing_with_benchmarks_or_other_seeds(material):
    from fairlead.training.weights.material import FIRST_SEED

    people = registry.make("benchmark", "phantom").study().collection
    skewed = registry.make("benchmark", "phantom:skewed").study().collection
    assert (
        max(int(name.rpartition("/")[2]) for name in (*people.ids, *skewed.ids))
        < 1000
        < FIRST_SEED
        == material.about["seeds"][0]
    )


@needs_torch
def test_command_writes_a_folder_with_a_card_that_an_audit_reads(tmp_path, capsys):
    out = tmp_path / "even"
    with pytest.raises(SystemExit) as done:
        main(
            [
                "train",
                "mitigated",
                "fair_sample(negatives=matched)",
                "--steps-factor",
                str(TRY),
                "--seed",
                "3",
                "-o",
                str(out),
            ]
        )
    said = capsys.readouterr().out
    assert done.value.code == 0 and str(PhantomEncoder(1.0, weights=str(out))) in said
    card = json.loads((out / "manifest.json").read_text())
    assert (
        card["method"] == "fair_sample(negatives=matched)"
        and card["model"]["spec"] == "phantom(dose=1.0)"
        and card["seed"] == 3
    )
    assert "not evidence about any other model" in card["note"] and sorted(
        p.suffix for p in out.iterdir()
    ) == [".json", ".onnx", ".onnx"]
    with pytest.raises(SystemExit) as done:
        main(["audit", "--model", str(PhantomEncoder(1.0, weights=str(out))), "--benchmark", "phantom(seeds=1)", "--metric", "AbsBias@5",
              "--attribute", "gender", "--json"])  # fmt: skip
    assert done.value.code == 0 and json.loads(capsys.readouterr().out)["metrics"]


@needs_torch
@pytest.mark.parametrize(("manifest", "said"), [
    ({"name": "my web app"}, "is not one that lists what fairlead wrote there"),
    ({"fairlead": "1", "command": "train", "files": ["manifest.json"]}, "did not write there: thesis.txt"),
    ({"fairlead": "1", "command": "train", "files": ["manifest.json", "thesis.txt"], "what": "phantom"}, "what phantom, not mitigated"),
    ({"fairlead": "1", "command": "train", "files": ["manifest.json", "thesis.txt"], "what": "mitigated", "method": "adversarial"},
     "with method adversarial, not fair_sample"),
])  # fmt: skip
def test_command_never_replaces_what_is_not_the_same_training(tmp_path, capsys, manifest, said):
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SystemExit) as done:
        main(
            [
                "train",
                "mitigated",
                "fair_sample(negatives=matched)",
                "--steps-factor",
                "0.01",
                "-o",
                str(tmp_path),
            ]
        )
    assert done.value.code == 2 and said in capsys.readouterr().err
    assert (tmp_path / "thesis.txt").read_text() == "mine" and json.loads(
        (tmp_path / "manifest.json").read_text()
    ) == manifest


@needs_torch
def test_killed_training_shows_nothing(tmp_path):
    line = [
        sys.executable,
        "-c",
        "from fairlead.cli.main import main; main()",
        "train",
        "mitigated",
        "fair_sample",
    ]
    process = subprocess.Popen([*line, "-o", str(tmp_path / "mine")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=os.environ | {"OMP_NUM_THREADS": "1"})  # fmt: skip
    end = time.monotonic() + 300
    while not any(path.name.startswith(".") for path in tmp_path.iterdir()):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=300) == -signal.SIGKILL
    assert not (tmp_path / "mine").exists()
    with pytest.raises(DataError, match="holds no weights"):
        PhantomEncoder(1.0, weights=str(tmp_path / "mine")).texts(TEXTS, "query")


@needs_torch
@pytest.mark.parametrize(
    ("method", "choices", "error", "told"),
    [
        ("adversary", {}, UsageError, "Did you mean adversarial"),
        ("adversarial(weight=2)", {}, UsageError, "from 0"),
        ("prompt_array(tokens=0)", {}, UsageError, "at least one token"),
        ("fair_sample(negatives=none)", {}, UsageError, "balanced, matched, batch"),
        (
            "adversarial",
            {"model": "phantom_ideal(dose=1)"},
            UsageError,
            "Models that can: phantom, open_clip",
        ),
        ("adversarial", {"model": "phantom(dose=0.3)"}, UsageError, "0, 0.5 or 1"),
        ("adversarial", {"attribute": "age"}, UsageError, "no attribute of the phantom's world"),
        ("adversarial", {"groups": "labels.csv"}, UsageError, "--collection"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(method, choices, error, told, tmp_path):
    with pytest.raises(error) as fault:
        retraining.train_mitigated(method, tmp_path / "out", steps_factor=TRY, **choices)
    assert told in str(fault.value) and not list(tmp_path.iterdir())


def test_without_torch_the_extra_is_named(monkeypatch, tmp_path):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name in NEEDED else find(name, *rest),
    )
    with pytest.raises(MissingExtra, match="needs the extra 'train'"):
        retraining.train_mitigated("adversarial", tmp_path / "out")


def album(place: Path, groups: tuple[str, ...] = ("female", "male")) -> Path:
    """A table of small pictures with captions and labels."""
    rng, lines = np.random.default_rng(0), ["image,caption,gender"]
    for row in range(40):
        group, who = groups[row % len(groups)], ("nurse", "teacher", "doctor")[row % 3]
        Image.fromarray(rng.integers(0, 256, (40, 40, 3), np.uint8)).save(place / f"{row}.png")
        lines.append(
            f"{row}.png,{'a woman at work' if row % 8 == 0 else f'a photo of a {who} number {row}'},{group}"
        )
    (place / "album.csv").write_text("\n".join(lines) + "\n")
    return place / "album.csv"


@needs_torch
@needs_open_clip
@pytest.mark.parametrize("method", METHODS)
def test_model_of_open_clip_that_was_trained_on_is_read_as_it_was_written(
    method, tmp_path, monkeypatch
):
    import torch

    from fairlead.testing.tiny_models import tiny_open_clip
    from fairlead.training.weights import open_clip_towers

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    kept: list = []
    write = open_clip_towers.OpenClipTowers.write
    monkeypatch.setattr(
        open_clip_towers.OpenClipTowers,
        "write",
        lambda self, folder, prompt: (kept.extend([self, prompt]), write(self, folder, prompt)),
    )
    (tmp_path / "photos").mkdir()
    source = f'open_clip:"{tiny_open_clip(tmp_path / "tiny")}"'
    before = registry.make("encoder", source).texts(TEXTS, "query").vectors
    found = retraining.train_mitigated(
        method,
        tmp_path / "out",
        model=source,
        collection=album(tmp_path / "photos"),
        steps_factor=TRY,
    )
    towers, prompt = kept
    encoder = registry.make("encoder", found.model)
    pictures = [Image.fromarray(np.random.default_rng(9).integers(0, 256, (50, 30, 3), np.uint8))]
    with torch.no_grad():
        said, seen = (
            towers.read(towers.tokens(TEXTS), prompt),
            towers.see(towers.pictures(pictures)),
        )
    np.testing.assert_allclose(encoder.texts(TEXTS, "query").vectors, said.numpy(), atol=1e-5)
    np.testing.assert_allclose(encoder.images(pictures, "item").vectors, seen.numpy(), atol=1e-5)
    assert found.card["material"]["pictures"] == 40 and (
        tmp_path / "out" / "prompt.npy"
    ).exists() == method.startswith("prompt")
    assert encoder.fingerprint != registry.make("encoder", source).fingerprint
    np.testing.assert_array_equal(
        registry.make("encoder", source).texts(TEXTS, "query").vectors, before
    )  # the first is as it was


@needs_torch
@needs_open_clip
def test_collection_of_one_group_or_without_any_is_refused(tmp_path, monkeypatch):
    from fairlead.testing.tiny_models import tiny_open_clip

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = f'open_clip:"{tiny_open_clip(tmp_path / "tiny")}"'
    (tmp_path / "photos").mkdir()
    with pytest.raises(DataError, match=r"one group only|Two groups"):
        retraining.train_mitigated(
            "fair_sample",
            tmp_path / "out",
            model=model,
            collection=album(tmp_path / "photos", ("female",)),
        )
    with pytest.raises(UsageError, match="nothing to learn from"):
        retraining.train_mitigated("fair_sample", tmp_path / "out", model=model)
    assert not (tmp_path / "out").exists()


@needs_torch
def test_places_for_a_prompt_keep_the_end_of_a_text_that_is_cut():
    import torch

    from fairlead.encoders.open_clip_prompt import with_places

    tokens = torch.tensor([[90, 5, 6, 99, 0, 0], [90, 5, 6, 7, 8, 99]])
    assert with_places(tokens, 2).tolist() == [[90, 1, 1, 5, 6, 99], [90, 1, 1, 5, 6, 99]]


@pytest.mark.parametrize(
    ("caption", "attribute", "told"),
    [
        ("a man's hat on a chair", "gender", True),
        ("a noblewoman at a market", "gender", True),
        ("a king crab on ice", "gender", False),
        ("a nurse at work", "gender", False),
        ("a waitress at work", "gender*skin", True),
        ("a person with dark skin", "gender*skin", True),
        ("a dark street", "gender", False),
    ],
)
def test_captions_that_tell_a_group_are_known_from_neutral_ones(caption, attribute, told):
    names = (
        ("female", "male")
        if attribute == "gender"
        else ("female*dark", "female*light", "male*dark", "male*light")
    )
    assert (
        retraining._tells(caption, Groups(attribute, names, codes=np.zeros(1, np.int16)), attribute)
        == told
    )
