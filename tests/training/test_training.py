"""Training the phantom, with a recipe that takes seconds; without torch only the answer that says
so.
"""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

from fairlead.cli.main import main
from fairlead.errors import DataError
from fairlead.phantom.encoder import PhantomEncoder
from fairlead.phantom.text import byte_codes

NEEDED = ("torch", "onnx", "onnxscript")
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_torch = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'train' is not installed: no {', '.join(ABSENT)}"
)
TEXTS = ["a photo of a nurse", "", "ein Haus", "x" * 90]
DRAWINGS = [
    "phantom:person/nurse/female/3/12",
    "phantom:thing/house/thai/4",
    "phantom:person/pilot/male/8/2",
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of weights after a few steps, and the towers they were written from."""
    from fairlead.training import phantom
    from fairlead.training.phantom import PhantomRecipe

    towers = {}
    folder = tmp_path_factory.mktemp("weights")
    export = phantom.export
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            phantom,
            "export",
            lambda tower, path: (towers.update({path.stem: tower}), export(tower, path)),
        )
        told = []
        about = phantom.make(
            folder,
            PhantomRecipe(seeds=2, image_steps=25, text_steps=20, captions=400, batch=64),
            seed=3,
            names=["low", "gender-medium", "gender-high"],
            progress=lambda *words: told.append(words),
        )
    assert told and about["seed"] == 3 and about["recipe"]["seeds"] == 2
    assert (
        sorted(about["towers"]) == sorted(towers) == sorted(p.stem for p in folder.glob("*.onnx"))
    )
    return folder, towers


@needs_torch
def test_written_towers_equal_the_trained_ones(trained):
    import torch

    from fairlead.phantom.references import pixels

    folder, towers = trained
    found = PhantomEncoder(1.0, weights=str(folder))
    with torch.no_grad():
        texts, images = (
            towers["text-gender-high"](torch.from_numpy(byte_codes(TEXTS))),
            towers["image"](torch.from_numpy(pixels(DRAWINGS))),
        )
    np.testing.assert_allclose(found.texts(TEXTS, "query").vectors, texts.numpy(), atol=1e-5)
    np.testing.assert_allclose(found.images(DRAWINGS, "item").vectors, images.numpy(), atol=1e-5)


@needs_torch
def test_written_towers_say_nothing_about_the_machine(trained):
    for file in trained[0].glob("*.onnx"):
        data = file.read_bytes()
        assert not [
            word
            for word in (b"/home", b"/tmp", b"/usr", b"site-packages", b".py", b"pkg.torch")
            if word in data
        ]


@needs_torch
def test_kind_that_was_not_trained_is_told(trained):
    with pytest.raises(DataError, match=r"holds no weights called text-skin-high\.onnx"):
        PhantomEncoder(1.0, "skin", str(trained[0])).texts(TEXTS, "query")


@needs_torch
def test_command_trains_into_a_folder_and_refuses_a_foreign_one(tmp_path, capsys, monkeypatch):
    from fairlead.training import phantom

    short = phantom.PhantomRecipe(seeds=1, image_steps=20, text_steps=20, captions=200, batch=32)
    monkeypatch.setattr(phantom, "PhantomRecipe", lambda: short)
    out = tmp_path / "mine"
    with pytest.raises(SystemExit) as done:
        main(["train", "phantom", "--kind", "culture", "--steps-factor", "0.5", "--out", str(out)])
    assert done.value.code == 0
    assert f'weights="{out}"' in capsys.readouterr().out
    assert sorted(p.stem for p in out.glob("*.onnx")) == [
        "image",
        "text-culture-high",
        "text-culture-medium",
        "text-low",
    ]
    assert json.loads((out / "manifest.json").read_text())["recipe"]["image_steps"] == 20
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    with pytest.raises(SystemExit) as done:
        main(["train", "phantom", "--out", str(tmp_path / "other")])
    assert done.value.code == 2


def test_command_without_torch_names_the_extra(monkeypatch, capsys):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name in NEEDED else find(name, *rest),
    )
    with pytest.raises(SystemExit) as done:
        main(["train", "phantom"])
    assert done.value.code == 5
    assert '[train]"' in capsys.readouterr().err
