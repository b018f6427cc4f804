"""Trained classifiers: what numpy runs is what torch trained, calibrated on what was held out, with
a card; bad files in words.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from fairlead.annotators.mlp_file import Classifier, read_classifier, restored, stored
from fairlead.commands import annotate as annotating
from fairlead.commands import train_attribute as attributes
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.types import Collection, Embeddings

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def world(size=900, seed=0, shift=1.2, positive=False):
    """Vectors of two groups that overlap, over two kinds of people that look different."""
    rng = np.random.default_rng(seed)
    gender, kind = rng.integers(2, size=size), rng.integers(2, size=size)
    vectors = rng.normal(size=(size, 12))
    vectors[:, 0] += shift * (2 * gender - 1)
    vectors[:, 1] += 2.0 * kind
    vectors[:, 2] += shift * (2 * gender - 1) * kind
    return (np.abs(vectors) if positive else vectors).astype(np.float32), gender, kind


def write(folder, vectors, gender, kind):
    np.save(folder / "v.npy", vectors.astype(np.float16))
    rows = [
        f"i{n}.jpg,{('f', 'm')[g]},{('x', 'y')[k]}"
        for n, (g, k) in enumerate(zip(gender, kind, strict=True))
    ]
    (folder / "labels.csv").write_text("file,gender,kind\n" + "\n".join(rows) + "\n")
    return folder / "v.npy", folder / "labels.csv"


class Known:
    """An encoder that looks vectors up."""

    fingerprint = "known"

    def __init__(self, vectors):
        self.vectors = vectors

    def __str__(self):
        return "known"

    def images(self, images, role):
        return Embeddings(self.vectors[[int(i) for i in images]])


@pytest.mark.parametrize(
    ("architecture", "factor"), [("paper", 0.05), ("released", 0.3), ("linear", 1.0)]
)
def test_classifier_learns_and_says_how_well(architecture, factor, tmp_path):
    vectors, gender, kind = world()
    files = write(tmp_path, vectors, gender, kind)
    found = attributes.train_attribute(
        *files,
        "gender",
        architecture=architecture,
        also=["kind"],
        by=["kind", "gender"],
        members=1,
        encoder="phantom",
        steps_factor=factor,
    )
    found.write(tmp_path / "g.npz")
    card = read_classifier(tmp_path / "g.npz").about
    assert (
        card["classes"] == ["f", "m"]
        and card["encoder"] == "phantom"
        and card["data"]["held_out"] == 90
    )
    assert {cell["group"] for cell in card["held_out"]["cells"]} == {"x*f", "x*m", "y*f", "y*m"}
    assert sum(cell["n"] for cell in card["held_out"]["cells"]) == 90
    assert card["calibration"]["after"] <= card["calibration"]["before"] + 0.05
    others, true, _ = world(seed=1)
    told = registry.make("annotator", f'mlp:"{tmp_path / "g.npz"}"').of_vectors(others)
    assert (told.share.argmax(1) == true).mean() > 0.85
    np.testing.assert_allclose(told.share.sum(1), 1)


@pytest.mark.parametrize("architecture", ["paper", "released", "linear"])
def test_classifier_in_numpy_is_the_network_of_torch(architecture):
    from fairlead.training import attribute as training

    vectors, _, _ = world(positive=True)
    read = np.sqrt(vectors)
    mean, scale = read.mean(0), read.std(0)
    inputs = torch.from_numpy((read - mean) / scale)
    network = training._network(12, 5, training.AttributeRecipe(architecture))
    for _ in range(30):
        network(3 * inputs + 1)  # so that normalisation has something to normalise by
    with torch.no_grad():
        expected = network.eval()(inputs)[:, :2].softmax(1).numpy()
    about = {"root": True, "temperature": 1.0, "classes": ["f", "m"]}
    made = Classifier([training._folded(network, mean, scale, 2)], about)
    np.testing.assert_allclose(made.shares(vectors), expected, atol=1e-5)
    np.testing.assert_allclose(restored(stored(made)).shares(vectors), expected, atol=5e-3)


def test_classifier_of_the_same_seed_is_the_same(tmp_path):
    files = write(tmp_path, *world(size=300))
    made = [
        attributes.train_attribute(
            *files, "gender", architecture="released", members=2, steps_factor=0.1, seed=s
        )
        for s in (3, 3, 4)
    ]
    arrays = [stored(m.classifier) for m in made]
    assert all((arrays[0][name] == arrays[1][name]).all() for name in arrays[0])
    assert any((arrays[0][name] != arrays[2][name]).any() for name in arrays[0] if name != "about")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlp")
    files = write(folder, *world())
    attributes.train_attribute(*files, "gender", architecture="linear", members=1).write(
        folder / "g.npz"
    )
    return folder / "g.npz"


def test_mlp_labels_hard_soft_and_below_its_confidence(trained):
    vectors, gender, _ = world(seed=2)
    items = Collection(
        tuple(f"i{n}" for n in range(len(vectors))), images=tuple(map(str, range(len(vectors))))
    )
    eyes = Known(vectors)
    soft, hard, shy = (registry.make("annotator", f'mlp:"{trained}"{rest}')(items, "gender", eyes) for rest in
                       ("", "(soft=false)", "(confident=0.9)"))  # fmt: skip
    assert (
        soft.source == f"mlp:{trained} by known"
        and hard.codes.tolist() == soft.share.argmax(1).tolist()
    )
    known = shy.share.sum(1) > 0
    assert 0.2 < known.mean() < 1 and (soft.share.max(1)[known] >= 0.9).all()
    assert (soft.share.argmax(1) == gender)[known].mean() > (soft.share.argmax(1) == gender).mean()


def test_mlp_refuses_another_attribute_another_encoder_and_no_encoder(trained):
    mlp, items = registry.make("annotator", f'mlp:"{trained}"'), Collection(("a",), images=("0",))
    with pytest.raises(UsageError, match=r"cannot label 'age'. It can label: gender\."):
        mlp(items, "age", Known(np.zeros((1, 12))))
    with pytest.raises(UsageError, match="reads 12 numbers an image"):
        mlp(items, "gender", Known(np.zeros((1, 5))))
    with pytest.raises(UsageError, match="needs a model"):
        annotating.annotate("phantom", mlp, "gender")
    with pytest.raises(DataError, match="the collection has none"):
        mlp(Collection(("a",)), "gender", Known(np.zeros((1, 12))))


def test_mlp_class_not_applicable_is_itself_or_left_out(tmp_path):
    about = {
        "root": False,
        "temperature": 1.0,
        "classes": ["f", "m", "not-applicable"],
        "attribute": "gender",
        "encoder": "",
    }
    np.savez(tmp_path / "g.npz", **stored(Classifier([[(np.eye(3), np.zeros(3))]], about)))
    vectors = np.array([[4, 0, 0], [0, 3, 1], [0, 1, 5]], np.float32)
    keep, drop = (
        registry.make("annotator", f'mlp:"{tmp_path / "g.npz"}"{rest}').of_vectors(vectors)
        for rest in ("", "(applicable=true)")
    )
    assert keep.not_applicable.tolist() == [False, False, True] and keep.unknown[1] > 0.1
    assert (
        drop.share.argmax(1).tolist() == [0, 1, 1]
        and not drop.not_applicable.any()
        and drop.unknown.sum() == 0
    )


@pytest.mark.parametrize("content", [b"", b"no zip", b"pickle"])
def test_mlp_file_of_something_else_is_told(content, tmp_path):
    path = tmp_path / "g.npz"
    path.write_bytes(content)
    if content == b"pickle":
        np.savez(path, about=np.array([{"a": 1}], object))
    with pytest.raises(DataError, match="cannot be read as a classifier"):
        registry.make("annotator", f'mlp:"{path}"').attributes(Collection(()))
    with pytest.raises(DataError, match="There is no file"):
        registry.make("annotator", "mlp:nowhere.npz").attributes(Collection(()))


@pytest.mark.parametrize(("change", "said"), [
    (lambda v, t: (v[:5], t), "has 300 rows"),
    (lambda v, t: (np.where(v > 3, np.nan, v), t), "not finite"),
    (lambda v, t: (v, t.replace(",m,", ",f,")), "alone"),
    (lambda v, t: (v, t.replace(",m,", ",f,").replace("i1.jpg,f", "i1.jpg,m")), "only 1 item labelled 'm'"),
])  # fmt: skip
def test_training_on_files_that_do_not_fit_is_told(change, said, tmp_path):
    vectors, gender, kind = world(size=300)
    features, labels = write(tmp_path, vectors, gender, kind)
    changed, text = change(vectors, labels.read_text())
    np.save(features, changed)
    labels.write_text(text)
    with pytest.raises(DataError, match=said):
        attributes.train_attribute(features, labels, "gender")


def test_training_on_columns_that_are_not_there_is_told(tmp_path):
    features, labels = write(tmp_path, *world(size=300))
    with pytest.raises(UsageError, match="called 'gendre'"):
        attributes.train_attribute(features, labels, "gendre")
    with pytest.raises(DataError, match="is not there"):
        attributes.train_attribute(tmp_path / "x.npy", labels, "gender")


def test_card_is_plain_json(trained):
    card = json.loads(json.dumps(read_classifier(trained).about))
    assert {"data", "held_out", "calibration", "recipe", "seed", "temperature", "encoder"} <= set(
        card
    )
