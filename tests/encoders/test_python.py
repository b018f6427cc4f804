"""An encoder of the user's own: found, made, checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.errors import BackendError, DataError, UsageError
from fairlead.protocols import Preparing, registry

MODULE = '''
import numpy as np
from fairlead.types import Embeddings


class Letters:
    """Counts of letters, and mean colours."""

    def __init__(self, width: int = 4, scale: float = 1.0):
        self.width, self.scale = width, scale

    def texts(self, texts):
        return np.array([[1 + t.count(chr(97 + c)) for c in range(self.width)] for t in texts]) * self.scale

    def images(self, images, role):
        shift = {"query": 2.0, "item": 1.0}[role]
        return np.array([np.resize(np.asarray(i, float).mean((0, 1)), self.width) + shift for i in images])


class Late:
    batch = 2
    fingerprint = "one"

    def texts(self, texts):
        sizes = [len(t.split()) for t in texts]
        vectors = np.array([[len(word), 1.0] for t in texts for word in t.split()])
        return Embeddings(vectors, np.cumsum([0, *sizes]))

    def prepare(self, image):
        return image.size

    def prepared(self, images):
        return Embeddings(np.array(images, float), np.arange(len(images) + 1))

    images = prepared


class Raw(Letters):
    unit = False

    def fingerprint(self):
        return self.scale


def factory(kind="plain", width=4):
    return {"plain": Letters, "raw": Raw}[kind](width)


def broken():
    raise OSError("no weights here")


class Bad:
    def __init__(self, how="nan"):
        self.how = how

    def texts(self, texts):
        n = len(texts)
        return {
            "nan": np.full((n, 3), np.nan), "zero": np.zeros((n, 3)), "few": np.ones((n + 1, 3)), "flat": np.ones(n),
            "deep": np.ones((n, 2, 3)),
            "words": np.array([["a", "b"]] * n), "ragged": [[1.0], [1.0, 2.0]], "nothing": None, "fine": np.ones((n, 3)),
            "offsets": Embeddings(np.ones((n, 3)), np.arange(n)), "hole": Embeddings(np.ones((n, 3)), np.array([0, 0, n])),
        }[self.how] if self.how != "raise" else 1 / 0

    def images(self, images):
        return np.ones((len(images), 5))


class Mute:
    pass


class Greedy(Letters):
    batch = 0


ready = Letters(width=6)
number = 5
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of this test alone, in the current folder."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", str(tmp_path))])
    return name


def make(module: str, rest: str):
    return registry.make("encoder", f"py:{module}:{rest}")


PICTURES = [Image.new("RGB", (4, 3), colour) for colour in ("red", "olive", "white")]
TEXTS = ["a nurse", "a cab", "bb"]


@pytest.mark.parametrize(
    "rest", ["Letters", "Letters(width=5)", "factory", "factory(kind=plain,width=3)", "ready"]
)
def test_own_encoder_however_it_is_named_embeds_texts_and_images(module: str, rest: str) -> None:
    encoder = make(module, rest)
    texts, images = encoder.texts(TEXTS, "query"), encoder.images(PICTURES, "item")
    width = {"Letters(width=5)": 5, "factory(kind=plain,width=3)": 3, "ready": 6}.get(rest, 4)
    assert texts.vectors.shape == images.vectors.shape == (3, width)
    assert texts.vectors.dtype == np.float32
    np.testing.assert_allclose(
        np.linalg.norm(np.vstack([texts.vectors, images.vectors]), axis=1), 1, atol=1e-6
    )
    raw = np.array([[1 + t.count(chr(97 + c)) for c in range(width)] for t in TEXTS], float)
    np.testing.assert_allclose(
        texts.vectors, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6
    )
    one = np.vstack([encoder.texts([t], "query").vectors for t in TEXTS])
    np.testing.assert_array_equal(one, texts.vectors)
    assert str(encoder) == f"py:{module}:{rest}"
    assert registry.make("encoder", str(encoder)) == encoder


def test_own_encoder_with_a_role_is_told_it(module: str) -> None:
    encoder = make(module, "Letters")
    assert not np.allclose(
        encoder.images(PICTURES, "query").vectors, encoder.images(PICTURES, "item").vectors
    )


def test_own_encoder_of_any_picture_sees_rgb(module: str) -> None:
    encoder = make(module, "Letters")
    kinds = [PICTURES[0], PICTURES[0].convert("RGBA"), np.asarray(PICTURES[0])]
    vectors = encoder.images(kinds, "item").vectors
    np.testing.assert_array_equal(vectors, np.repeat(vectors[:1], 3, axis=0))
    assert encoder.images(
        [Image.new("L", (2, 2)), Image.new("P", (2, 2))], "item"
    ).vectors.shape == (2, 4)
    with pytest.raises(DataError, match="not a picture"):
        encoder.images([object()], "item")


def test_own_encoder_with_many_vectors_keeps_them_and_their_lengths(module: str) -> None:
    encoder = make(module, "Late")
    texts = encoder.texts(["a nurse", "one two three", "x"], "query")
    assert texts.offsets.tolist() == [0, 2, 5, 6]
    assert texts.vectors.tolist() == [[1, 1], [5, 1], [3, 1], [3, 1], [5, 1], [1, 1]]
    assert encoder.images(PICTURES, "item").vectors.tolist() == [[4, 3]] * 3
    assert len(encoder.texts([], "query")) == 0


def test_own_encoder_that_prepares_is_split(module: str) -> None:
    encoder = make(module, "Late")
    assert isinstance(encoder, Preparing) and encoder.batch == 2
    ready = [encoder.prepare(p) for p in PICTURES]
    assert ready == [(4, 3)] * 3
    np.testing.assert_array_equal(
        encoder.prepared(ready, "item").vectors, encoder.images(PICTURES, "item").vectors
    )
    assert make(module, "Letters").prepare(PICTURES[0].convert("L")).mode == "RGB"


def test_own_encoder_of_equal_arguments_of_other_kinds_is_another(module: str) -> None:
    assert (
        make(module, "Letters(scale=1)").fingerprint
        != make(module, "Letters(scale=true)").fingerprint
    )
    one, true = make(module, "Raw(scale=1)"), make(module, "Raw(scale=true)")
    assert one._made is not true._made and one._made is make(module, "Raw(scale=1)")._made


def test_own_encoder_that_asks_for_it_keeps_lengths(module: str) -> None:
    assert make(module, "Raw").texts(["abc"], "query").vectors.tolist() == [[2, 2, 2, 1]]


def test_own_encoder_fingerprint_follows_arguments_source_and_own_word(
    module: str, tmp_path: Path
) -> None:
    plain = make(module, "Letters")
    assert len(plain.fingerprint) == 16 and plain.fingerprint == make(module, "Letters").fingerprint
    assert plain.fingerprint != make(module, "Letters(width=5)").fingerprint
    assert make(module, "Raw(scale=2.0)").fingerprint != make(module, "Raw").fingerprint
    kept, before = make(module, "Late").fingerprint, plain.fingerprint
    (tmp_path / f"{module}.py").write_text(MODULE + "# changed\n")
    assert plain.fingerprint != before and make(module, "Late").fingerprint == kept


def test_own_encoder_about_warns_where_nothing_says_what_vectors_depend_on(module: str) -> None:
    encoder = make(module, "Letters(width=5)")
    encoder.texts(["a"], "query")
    about = encoder.about()
    assert (
        about["model"] == f"{module}:Letters"
        and about["dimensions"] == 5
        and about["arguments"] == {"width": "5"}
    )
    assert "no fingerprint" in about["warnings"][0]
    assert make(module, "Late").about()["warnings"] == []


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ("nan", "not finite: 2 of 2"),
        ("zero", "2 of 2 vectors that are zero"),
        ("few", "3 vectors for 2 items"),
        ("flat", r"shape \(2,\)"),
        ("deep", r"shape \(2, 2, 3\).*offsets"),
        ("words", "array of <U1"),
        ("ragged", "no array"),
        ("nothing", r"shape \(\)"),
        ("offsets", "offsets that do not fit"),
        ("hole", "offsets that do not fit"),
    ],
)
def test_own_encoder_with_bad_vectors_is_refused(module: str, how: str, match: str) -> None:
    with pytest.raises(DataError, match=match):
        make(module, f"Bad(how={how})").texts(["a", "b"], "query")


def test_own_encoder_whose_texts_and_images_differ_is_refused(module: str) -> None:
    encoder = make(module, "Bad(how=fine)")
    encoder.texts(["a"], "query")
    with pytest.raises(
        DataError, match="5 dimensions per item, but before it was one vector of 3 dimensions"
    ):
        encoder.images(PICTURES, "item")


@pytest.mark.parametrize(
    ("rest", "kind", "match"),
    [
        (
            "Bad(how=raise)",
            BackendError,
            r"Bad.texts failed: ZeroDivisionError: division by zero \(own_.*, line \d+\)",
        ),
        ("broken", BackendError, "could not be made: OSError: no weights here"),
        ("Letters(size=3)", UsageError, "unexpected keyword argument 'size'.*It takes .*width"),
        ("Leters", UsageError, "Did you mean Letters"),
        ("ready(width=3)", UsageError, "takes no arguments"),
        ("number", UsageError, "number is int, not an encoder"),
        ("Mute", UsageError, "neither texts"),
        ("Greedy", UsageError, "batch = 0"),
    ],
)
def test_own_encoder_that_fails_is_told_with_its_cause(
    module: str, rest: str, kind: type[Exception], match: str
) -> None:
    with pytest.raises(kind, match=match):
        make(module, rest).texts(["a", "b"], "query")


def test_own_encoder_without_images_says_so(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}_text.py").write_text(
        "class Only:\n    def texts(self, texts):\n        return [[1.0, 2.0]] * len(texts)\n"
    )
    encoder = make(f"{module}_text", "Only")
    assert encoder.texts(["a"], "item").vectors.shape == (1, 2)
    with pytest.raises(UsageError, match=r"has no images\(...\)"):
        encoder.images(PICTURES, "item")


@pytest.mark.parametrize(
    ("text", "kind", "match"),
    [
        (
            "py:nowhere_to_be_found:Encoder",
            UsageError,
            "no module called 'nowhere_to_be_found'.*current folder",
        ),
        ("py:fairlead.nowhere:Encoder", UsageError, "no module called 'fairlead.nowhere'"),
        ("py:Encoder", UsageError, "Write py:module:object"),
        ("py:./mine.py:Encoder", UsageError, "Write py:module:object"),
        ("py", UsageError, "does not name an object"),
        ("py:a:b@5", UsageError, "does not name an object"),
    ],
)
def test_own_encoder_that_is_not_there_says_where_it_was_looked_for(
    text: str, kind: type[Exception], match: str
) -> None:
    with pytest.raises(kind, match=match):
        registry.make("encoder", text).texts(["a"], "query")


def test_own_module_that_fails_to_import_gives_the_cause(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}_wrong.py").write_text("import not_installed_anywhere\n")
    with pytest.raises(
        BackendError,
        match="fails to import: ModuleNotFoundError: No module named 'not_installed_anywhere'",
    ):
        make(f"{module}_wrong", "Encoder").texts(["a"], "query")
    (tmp_path / f"{module}_syntax.py").write_text("def f(:\n")
    with pytest.raises(BackendError, match="SyntaxError"):
        make(f"{module}_syntax", "Encoder").texts(["a"], "query")


@pytest.mark.parametrize("safe", [False, True])
def test_own_module_in_the_current_folder_is_found_unless_python_keeps_it_off(
    module: str, tmp_path: Path, safe: bool
) -> None:
    code = f"from fairlead.protocols import registry; print(registry.make('encoder', 'py:{module}:Letters').texts(['a'], 'query').vectors.shape)"
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, *(["-P"] if safe else []), script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) is not safe
    assert ("no module called" in done.stderr) if safe else (done.stdout.strip() == "(1, 4)")
