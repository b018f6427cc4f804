"""Trains the heads of ``lite``: from frozen features to one space, by a contrastive loss.

Each step takes photographs with one caption each (the others of the batch are what they are told
from) and, apart from them, faces with a set of captions made from labels, of which exactly one fits
a face. A few members are trained one after the other from different seeds; their vectors stand side
by side. Nothing but arrays is written: ``heads.npz``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.encoders import lite_towers
from fairlead.encoders.folders import digest
from fairlead.encoders.lite_heads import FILE, Head, image_input, restored, stored
from fairlead.protocols import Progress
from fairlead.store.places import cache_folder
from fairlead.training.faces import caption_sets
from fairlead.training.photos import Captioned, FacePhotos, read_faces, read_flickr
from fairlead.training.quality import gender_hits, ranks
from fairlead.types.ragged import Array

_TEXTS = 64
# The rate rises during this share of the steps.
_WARM = 0.1


@dataclass(frozen=True)
class LiteRecipe:
    """How the heads are made and trained, chosen on the dev split and on held-out faces."""

    members: int = 2
    hidden: int = 768
    width: int = 384
    epochs: int = 60
    batch: int = 1024
    captions: int = 2
    faces: int = 512
    sets: int = 8
    faces_weight: float = 1.0
    rate: float = 2e-3
    decay: float = 0.2
    drop_image: float = 0.5
    drop_text: float = 0.1
    drop_hidden: float = 0.5
    temperature: float = 0.05

    def shortened(self, factor: float) -> LiteRecipe:
        """The recipe with a share of the epochs."""
        return replace(self, epochs=max(1, round(factor * self.epochs)))


class HeadMember(nn.Module):
    """One member of a head: a straight path plus one through a hidden layer, at unit length."""

    def __init__(self, features: int, recipe: LiteRecipe, drop: float, drop_hidden: float) -> None:
        super().__init__()
        self.straight = nn.Linear(features, recipe.width, bias=False)
        self.up = nn.Linear(features, recipe.hidden)
        self.down = nn.Linear(recipe.hidden, recipe.width)
        self.drop = nn.Dropout(drop)
        self.drop_hidden = nn.Dropout(drop_hidden)

    def forward(self, x: Tensor) -> Tensor:
        """(rows, width) unit vectors."""
        x = self.drop(x)
        return nn.functional.normalize(
            self.straight(x) + self.down(self.drop_hidden(torch.relu(self.up(x)))), dim=1
        )


@dataclass(frozen=True, eq=False)
class LiteMaterial:
    """Standardised photographs with captions (or none), and faces with sets of captions.

    ``images`` (images, views, 1280), ``texts`` (captions, 768), of which ``many`` (images,) from
    the ``first`` (images,) on are an image's; ``faces`` (faces, 1280), ``sets`` of (captions, 768)
    with the code (faces,) of the caption that fits.
    """

    images: Tensor | None
    texts: Tensor | None
    first: Array
    many: Array
    faces: Tensor
    sets: list[tuple[Tensor, Tensor]]


def make(
    folder: Path,
    data: Path,
    recipe: LiteRecipe | None = None,
    *,
    seed: int = 0,
    flickr: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train the heads on a data folder and write them; returns how they were made and what they
    reach.

    ``lite(weights=FOLDER)`` reads them.

    Without ``flickr`` only faces are trained on.
    """
    recipe = recipe or LiteRecipe()
    faces, held_out = read_faces(data)
    train, dev = (read_flickr(data, "train"), read_flickr(data, "dev")) if flickr else (None, None)
    norms, material = _material(train, faces, progress)
    members = [
        _member(material, recipe, [seed, n], _steps(material, recipe), _named(progress, n, recipe))
        for n in range(recipe.members)
    ]
    heads = {
        side: _head(norms[side], [pair[side] for pair in members]) for side in ("image", "text")
    }
    arrays = stored(heads)
    np.savez(folder / FILE, **arrays)  # type: ignore[arg-type]
    reached = _reached(restored(arrays), dev, held_out, progress)
    trained = {"flickr8k": 0 if train is None else len(train), "fairface": len(faces)}
    return {
        "seed": seed,
        "recipe": asdict(recipe),
        "images": trained,
        "dev": reached,
        "torch": str(torch.__version__),
    }


def text_features(captions: Sequence[str], progress: Progress | None = None) -> Array:
    """(captions, 768) features of many texts, kept in the cache folder since they take minutes."""
    weights = lite_towers.sources()
    place = (
        cache_folder()
        / "lite"
        / f"captions-{digest([weights['text'], weights['tokenizer']], *captions)}.npy"
    )
    if place.is_file():
        return np.load(place, allow_pickle=False).astype(np.float32)
    report: Callable[[int], None] | None = (
        None if progress is None else lambda done: progress("reading captions", done, len(captions))
    )
    # rounded as they are kept, so that a first run learns from what later ones read
    features = lite_towers.text_features(captions, _TEXTS, report)[0].astype(np.float16)
    with lite_towers.keeping(place) as partial:
        np.save(partial, features)
    return features.astype(np.float32)


def _material(
    train: Captioned | None, faces: FacePhotos, progress: Progress | None
) -> tuple[dict[str, tuple[Array, Array]], LiteMaterial]:
    """The material, and the mean and scale of each side's features."""
    sets = caption_sets()
    number_of = {
        caption: n
        for n, caption in enumerate(dict.fromkeys(c for one in sets for c in one.captions))
    }
    caption_features = text_features(list(number_of), progress)
    face_features = image_input(faces.features)
    texts = caption_features if train is None else text_features(train.captions, progress)
    images = face_features[:, None] if train is None else image_input(train.features)
    norms = {"image": _norm(images.reshape(-1, images.shape[-1])), "text": _norm(texts)}

    def standard(side: str, values: Array) -> Tensor:
        mean, scale = norms[side]
        return torch.from_numpy(((values - mean) / scale).astype(np.float32))

    caption_sets_with_codes = [
        (
            standard("text", caption_features[[number_of[c] for c in one.captions]]),
            torch.from_numpy(one.codes(faces)),
        )
        for one in sets
    ]
    if train is None:
        none = np.empty(0, np.int64)
        return norms, LiteMaterial(
            None, None, none, none, standard("image", face_features), caption_sets_with_codes
        )
    _, first, many = np.unique(train.owner, return_index=True, return_counts=True)
    return norms, LiteMaterial(
        standard("image", images),
        standard("text", texts),
        first,
        many,
        standard("image", face_features),
        caption_sets_with_codes,
    )


def _norm(values: Array) -> tuple[Array, Array]:
    """Mean and scale (features,); a feature that hardly varies is not blown up."""
    scale = values.std(0)
    return values.mean(0).astype(np.float32), np.maximum(scale, 0.1 * scale.mean() + 1e-6).astype(
        np.float32
    )


def _steps(material: LiteMaterial, recipe: LiteRecipe) -> int:
    if material.images is not None:
        return recipe.epochs * max(1, len(material.images) // recipe.batch)
    return recipe.epochs * max(1, len(material.faces) // recipe.faces // 4)


def _member(
    material: LiteMaterial,
    recipe: LiteRecipe,
    seed: list[int],
    steps: int,
    tell: Callable[[int, int], None],
) -> dict[str, HeadMember]:
    """One member of both heads."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(int(rng.integers(2**31)))
    image = HeadMember(material.faces.shape[1], recipe, recipe.drop_image, recipe.drop_hidden)
    text = HeadMember(material.sets[0][0].shape[1], recipe, recipe.drop_text, recipe.drop_hidden)
    sharpness = nn.Parameter(torch.tensor(-math.log(recipe.temperature)))
    groups = [
        {"params": [*image.parameters(), *text.parameters()]},
        # decay would pull the temperature towards 1
        {"params": [sharpness], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=steps + 1, pct_start=_WARM
    )
    order = np.empty(0, np.int64)
    for step in range(steps):
        loss = torch.zeros(())
        # the bound that CLIP was trained with
        scale = sharpness.exp().clamp(max=100.0)
        if material.images is not None:
            if len(order) < recipe.batch:
                order = rng.permutation(len(material.images))
            rows, order = order[: recipe.batch], order[recipe.batch :]
            loss = loss + _photos_loss(material, image, text, scale, rows, recipe.captions, rng)
        loss = loss + recipe.faces_weight * _faces_loss(material, image, text, scale, recipe, rng)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        tell(step, steps)
    return {"image": image.eval(), "text": text.eval()}


def _photos_loss(
    material: LiteMaterial,
    image: HeadMember,
    text: HeadMember,
    scale: Tensor,
    rows: Array,
    captions: int,
    rng: np.random.Generator,
) -> Tensor:
    """Captions against photographs, both ways."""
    assert material.images is not None and material.texts is not None
    picture_vectors = image(
        material.images[rows, rng.integers(material.images.shape[1], size=len(rows))]
    )
    right, many = torch.arange(len(rows)), material.many[rows]
    # by turns from a random one on, so that no caption of a picture comes twice in a step
    turn = rng.integers(many)
    losses = []
    for step in range(captions):
        logits = (
            scale
            * text(material.texts[material.first[rows] + (turn + step) % many])
            @ picture_vectors.T
        )
        losses += [
            nn.functional.cross_entropy(logits, right),
            nn.functional.cross_entropy(logits.T, right),
        ]
    return torch.stack(losses).mean()


def _faces_loss(
    material: LiteMaterial,
    image: HeadMember,
    text: HeadMember,
    scale: Tensor,
    recipe: LiteRecipe,
    rng: np.random.Generator,
) -> Tensor:
    """Faces against the captions of some sets, and each caption against all faces it fits."""
    rows = torch.from_numpy(rng.integers(len(material.faces), size=recipe.faces))
    sets = [material.sets[n] for n in rng.integers(len(material.sets), size=recipe.sets)]
    caption_vectors = text(torch.cat([captions for captions, _ in sets])).split(
        [len(captions) for captions, _ in sets]
    )
    face_vectors = image(material.faces[rows])
    losses = []
    for vectors, (_, codes) in zip(caption_vectors, sets, strict=True):
        logits, right = scale * face_vectors @ vectors.T, codes[rows]
        fits = nn.functional.one_hot(right, len(vectors)).float()
        spread = fits / fits.sum(0).clamp(min=1.0)
        back = -(spread * logits.log_softmax(0)).sum() / fits.any(0).sum()
        losses += [nn.functional.cross_entropy(logits, right), back]
    return torch.stack(losses).mean()


def _head(norm: tuple[Array, Array], members: Sequence[HeadMember]) -> Head:
    def weights(part: Callable[[HeadMember], Tensor]) -> Array:
        return np.stack([part(member).detach().numpy() for member in members])

    return Head(
        *norm,
        straight=weights(lambda m: m.straight.weight.T),
        up=weights(lambda m: m.up.weight.T),
        up_bias=weights(lambda m: m.up.bias),
        down=weights(lambda m: m.down.weight.T),
        bias=weights(lambda m: m.down.bias),
    )


def _reached(
    heads: dict[str, Head], dev: Captioned | None, held_out: FacePhotos, progress: Progress | None
) -> dict[str, float]:
    """Quality on the data that was held out for choices."""
    prompts = text_features
    hits = gender_hits(
        heads["image"](image_input(held_out.features)),
        held_out.gender,
        lambda texts: heads["text"](prompts(texts)),
    )
    reached = {"gender": float(hits.mean())}
    if dev is not None:
        place = ranks(
            heads["image"](image_input(dev.features[:, 0])),
            heads["text"](text_features(dev.captions, progress)),
            dev.owner,
        )
        reached |= {f"R@{k}": float((place < k).mean()) for k in (1, 5, 10)}
    return reached


def _named(
    progress: Progress | None, member: int, recipe: LiteRecipe
) -> Callable[[int, int], None]:
    def tell(step: int, steps: int) -> None:
        if progress is not None:
            progress(f"member {member + 1} of {recipe.members}", step, steps)

    return tell
