"""The photographs for training ``lite``, as features: Flickr8k with captions, FairFace with labels.

The folder is laid out as ``flickr8k/`` (``files.txt``, ``features.npy``, ``features_flipped.npy``,
``captions.tsv`` and the dataset's own ``Flickr_8k.{train,dev,test}Images.txt``) and
``fairface_features/`` (``features.npy``, ``labels.csv``); ``fairface/`` has the pictures and labels
that quality is measured on. docs/lite.md says how features are made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairlead.errors import DataError, words_of
from fairlead.store.labels import read_label_columns
from fairlead.types.ragged import Array

FEATURES = 1280
SPLITS = ("train", "dev", "test")
GENDERS = ("Female", "Male")
RACES = (
    "Black",
    "East Asian",
    "Indian",
    "Latino_Hispanic",
    "Middle Eastern",
    "Southeast Asian",
    "White",
)
AGES = ("10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "more than 70")
# One face in so many is kept for choices.
_HELD_OUT = 10
_HINT = "docs/lite.md says what the folder must hold."


@dataclass(frozen=True, eq=False)
class Captioned:
    """Images of a split with captions: ``features`` (images, views, 1280), ``owner`` (captions,).

    ``owner`` is the image of each caption.
    """

    features: Array
    captions: tuple[str, ...]
    owner: Array

    def __len__(self) -> int:
        return len(self.features)


@dataclass(frozen=True, eq=False)
class FacePhotos:
    """Faces with labels of how people look: ``features`` (faces, 1280) and codes (faces,).

    The codes count in ``GENDERS``, ``RACES`` and ``AGES``.
    """

    features: Array
    gender: Array
    race: Array
    age: Array

    def __len__(self) -> int:
        return len(self.features)

    def take(self, rows: Array) -> FacePhotos:
        """Some of the faces."""
        return FacePhotos(self.features[rows], self.gender[rows], self.race[rows], self.age[rows])


def read_flickr(data: Path, split: str) -> Captioned:
    """A split of Flickr8k; images are seen plain and mirrored (two views)."""
    folder = data / "flickr8k"
    files = _lines(folder / "files.txt")
    row = {name: number for number, name in enumerate(files)}
    names = _lines(folder / f"Flickr_8k.{split}Images.txt")
    strangers = [name for name in names if name not in row]
    if strangers or not names:
        raise DataError(
            (
                f"{folder}: the {split} split names "
                f"{strangers[0] if strangers else 'no images'}, not in files.txt."
            ),
            _HINT,
        )
    views = [
        _features(folder / f"{name}.npy", len(files)) for name in ("features", "features_flipped")
    ]
    place = {name: number for number, name in enumerate(names)}
    pairs = [line.partition("\t")[::2] for line in _lines(folder / "captions.tsv")[1:]]
    captions = [(place[name], caption.strip()) for name, caption in pairs if name in place]
    if len({owner for owner, _ in captions}) < len(names):
        raise DataError(
            f"{folder}: captions.tsv has no caption of some images of the {split} split.", _HINT
        )
    captions.sort(key=lambda pair: pair[0])
    rows = [row[name] for name in names]
    owner = np.array([owner for owner, _ in captions])
    return Captioned(
        np.stack([view[rows].astype(np.float32) for view in views], 1),
        tuple(caption for _, caption in captions),
        owner,
    )


def read_faces(data: Path) -> tuple[FacePhotos, FacePhotos]:
    """FairFace training faces, and one in ten, by a hash of its name, that is kept for choices."""
    folder = data / "fairface_features"
    names, codes = read_labels(folder / "labels.csv")
    features = _features(folder / "features.npy", len(names)).astype(np.float32)
    faces = FacePhotos(features, *codes)
    held_out = np.array(
        [int(hashlib.sha256(name.encode()).hexdigest(), 16) % _HELD_OUT == 0 for name in names]
    )
    return faces.take(np.flatnonzero(~held_out)), faces.take(np.flatnonzero(held_out))


def read_labels(path: Path) -> tuple[list[str], tuple[Array, Array, Array]]:
    """File names, and codes of gender, race and age, of a label table."""
    table = read_label_columns(path)
    columns = {"gender": GENDERS, "race": RACES, "age": AGES}
    if not table.get("file") or not columns.keys() <= table.keys():
        raise DataError(f"{path} must have rows and the columns file, age, gender and race.", _HINT)
    for column, values in columns.items():
        if strange := set(table[column]) - set(values):
            raise DataError(
                f"{path}: '{sorted(map(str, strange))[0]}' is no {column}.",
                f"Known: {', '.join(values)}.",
            )
    codes = tuple(
        np.array([values.index(str(label)) for label in table[column]])
        for column, values in columns.items()
    )
    return [str(name) for name in table["file"]], (codes[0], codes[1], codes[2])


def _lines(path: Path) -> Sequence[str]:
    try:
        # splitlines would also split captions at other line ends
        return path.read_text("utf-8").split("\n")[:-1]
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.", _HINT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {words_of(error)}.", _HINT) from error


def _features(path: Path, rows: int) -> Array:
    """(rows, 1280) features, still on disk."""
    try:
        features = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.", _HINT) from error
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {words_of(error)}.", _HINT) from error
    if features.shape != (rows, FEATURES):
        raise DataError(f"{path} has the shape {features.shape}, not {(rows, FEATURES)}.", _HINT)
    return features
