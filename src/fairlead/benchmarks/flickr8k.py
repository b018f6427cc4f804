"""``flickr8k:DIR``: the protocol of the COCO and Flickr30k tables, on a Flickr8k of your own.

No data ships.

A query is the first caption of an image, with words that name no gender; its image is what is
relevant. The gender of an image is what the words of its captions name; where they name both or
none, or show nobody, it is unknown and stays so. Bias@K is signed, in the paper's form (over K) and
in that of its code (over images of a known gender). Wang, Liu, Wang (EMNLP 2021); Kong, Yuan, Hao,
Henao (NeurIPS 2023, PBM), Table 2; Flickr8k: Hodosh, Young, Hockenmaier (JAIR 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np

from fairlead.errors import DataError, UsageError
from fairlead.protocols.spec import Configured, Spec
from fairlead.types import UNKNOWN, Collection, Groups, Queries, Relevant, Study
from fairlead.words.gendered import FEMALE, MALE, gender_of
from fairlead.words.neutral import neutralised

SHOWN = (1, 5, 10)
METRICS = tuple(
    f"{form}@{k}"
    for form in (
        "AbsBias",
        "Bias(positive=male)",
        "Bias(positive=male,denominator=known)",
        "Recall",
    )
    for k in SHOWN
)
_NAMES = (FEMALE, MALE)
_HINT = "docs/flickr8k.md says what the folder must hold."
_CARD = {
    "name": "Flickr8k, captions without gender",
    "revision": "the dataset's own split",
    "licence": "research use only, not to be redistributed",
    "citation": (
        "Hodosh, Young, Hockenmaier: Framing image description as a ranking task (JAIR 47, 2013)"
    ),
    "obtain": "from its authors; fairlead reads a folder of yours and ships nothing of it",
    "about": (
        "Gender is what the words of an image's captions name: perceived, and by one writer "
        "of five."
    ),
}


@dataclass(frozen=True)
class Flickr8k(Configured):
    """Photos with captions, searched by captions that name no gender: ``flickr8k:DIR``.

    ``split`` is the dataset's own: train on ``train``, choose settings on ``dev``, measure on
    ``test``. ``images`` is the folder of the photos, below ``DIR/flickr8k``; where there is none,
    photos go by their names, for models that know them so (``precomputed``).
    """

    data: str
    split: Literal["train", "dev", "test"] = "test"
    images: str = "images"

    name: ClassVar[str] = "flickr8k"
    addressed: ClassVar[str | None] = "data"

    def validate(self) -> None:
        if not self.data:
            raise UsageError("flickr8k needs a folder.", "Write flickr8k:DIR.")

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        """The folder may also be given as ``data=DIR``."""
        arguments = dict(spec.args)
        if spec.address is None and isinstance(arguments.get("data"), str):
            spec = replace(spec, address=str(arguments.pop("data")), args=tuple(arguments.items()))
        return super().from_spec(spec)

    def reference(self) -> Self | None:
        """The training split, to fit mitigations on images that are not measured; it has none
        itself.
        """
        if self.split == "train":
            return None
        return replace(self, split="train")

    def study(self) -> Study:
        """The collection, the queries and the protocol."""
        captions_of = read_captions(Path(self.data).expanduser(), self.split)
        names = tuple(captions_of)
        # All five captions of an image name its gender together: one that names both is as good as
        # two that differ.
        captions = [" \n".join(lines) for lines in captions_of.values()]
        shows = [gender_of(text, "en") for text in captions]
        code_of = {name: code for code, name in enumerate(_NAMES)}
        codes = np.array([code_of.get(one, UNKNOWN) for one in shows], np.int16)
        groups = Groups("gender", _NAMES, codes=codes, source="caption")
        # The first caption alone asks, as in the papers.
        texts = neutralised([lines[0] for lines in captions_of.values()])
        # Query and image have one row: an image is all that is relevant to its caption.
        relevant = Relevant(np.arange(len(names) + 1), np.arange(len(names)))
        tags = {"shows": tuple(one if one in _NAMES else "unknown" for one in shows)}
        return Study(
            str(self),
            Collection(
                names,
                images=self._references(names),
                texts=tuple(captions),
                groups={"gender": groups},
            ),
            Queries(names, texts=texts, relevant=relevant, tags=tags),
            METRICS,
            k=SHOWN[-1],
            attributes=("gender",),
            by=("shows",),
            card=_CARD,
        )

    def _references(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The paths of the photos, or their names where they are not here."""
        folder = Path(self.data).expanduser().absolute() / "flickr8k" / self.images
        if folder.is_dir():
            return tuple(str(folder / name) for name in names)
        # Who names a folder of photos means it; the default may be missing, for models that know
        # photos by name.
        if self.images != type(self).images:
            raise DataError(f"There is no folder {folder}.", _HINT)
        return names


def read_captions(data: Path, split: str) -> dict[str, list[str]]:
    """The captions of each image of a split, in its order.

    Raises:
        DataError: If a file is missing or cannot be read, or an image has no caption.
    """
    folder = data / "flickr8k"
    captions_of: dict[str, list[str]] = {
        name: [] for name in _lines(folder / f"Flickr_8k.{split}Images.txt")
    }
    # Without a csv reader: the file is not quoted, and captions may hold quotation marks.
    for line in _lines(folder / "captions.tsv")[1:]:
        name, _, caption = line.partition("\t")
        if name in captions_of:
            captions_of[name].append(caption.strip())
    if silent := next((name for name, captions in captions_of.items() if not captions), ""):
        raise DataError(
            f"{folder}: captions.tsv has no caption of {silent}, which is in the {split} split.",
            _HINT,
        )
    if not captions_of:
        raise DataError(f"{folder}: the {split} split names no images.", _HINT)
    return captions_of


def _lines(path: Path) -> Sequence[str]:
    try:
        # splitlines would also split captions at other line ends
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.", _HINT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}.", _HINT) from error
    if lines[-1] == "":
        return lines[:-1]
    return lines
