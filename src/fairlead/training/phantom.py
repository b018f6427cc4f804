"""Trains the phantom: an image tower on balanced captions, then a text tower per dose against it.

The image tower is shared by all doses, so a gallery is encoded once; a dose lives in the text
tower, that is, on the query side.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.phantom.references import pixels, refer
from fairlead.phantom.text import byte_codes
from fairlead.protocols import Progress
from fairlead.training.export import export
from fairlead.training.towers import ImageTower, TextTower, rounded
from fairlead.training.world import ANY, Bank, Dose, sample
from fairlead.types.ragged import Array

DOSES: dict[str, Dose] = {
    "low": Dose(),
    **{
        f"{kind}-{name}": Dose(people=value, kind=kind)
        for kind in ("gender", "skin", "joint")
        for name, value in (("medium", 0.5), ("high", 1.0))
    },  # type: ignore[arg-type]
    **{
        f"language-{name}": Dose(language=value) for name, value in (("medium", 0.5), ("high", 1.0))
    },
    **{f"culture-{name}": Dose(culture=value) for name, value in (("medium", 0.5), ("high", 1.0))},
}
"""The trained text towers by name."""
# A process makes so many drawings at a time.
_PART = 512


@dataclass(frozen=True)
class PhantomRecipe:
    """How long to train and on how much."""

    seeds: int = 60
    first_seed: int = 1000
    image_steps: int = 2_500
    text_steps: int = 2_000
    captions: int = 40_000
    batch: int = 384
    rate: float = 2e-3
    temperature: float = 0.07

    def shortened(self, factor: float) -> PhantomRecipe:
        """The recipe with a share of the steps; never fewer than a schedule needs."""
        steps = (max(20, round(factor * n)) for n in (self.image_steps, self.text_steps))
        return replace(self, **dict(zip(("image_steps", "text_steps"), steps, strict=True)))


def make(
    folder: Path,
    recipe: PhantomRecipe | None = None,
    *,
    seed: int = 0,
    names: Sequence[str] = tuple(DOSES),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train the phantom and write its towers into a folder; returns how they were made.

    ``phantom(weights=FOLDER)`` reads them.
    """
    recipe = recipe or PhantomRecipe()
    image, texts = train(recipe, seed, names, progress=progress)
    towers: dict[str, ImageTower | TextTower] = {
        "image": image,
        **{f"text-{name}": tower for name, tower in texts.items()},
    }
    for number, (name, tower) in enumerate(towers.items()):
        export(tower, folder / f"{name}.onnx")
        if progress is not None:
            progress("writing", number, len(towers))
    return {
        "seed": seed,
        "recipe": asdict(recipe),
        "towers": list(towers),
        "torch": str(torch.__version__),
    }


def train(
    recipe: PhantomRecipe, seed: int, names: Sequence[str], *, progress: Progress | None = None
) -> tuple[ImageTower, dict[str, TextTower]]:
    """The image tower and the named text towers, weights rounded to half precision."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    bank = Bank.of(range(recipe.first_seed, recipe.first_seed + recipe.seeds))
    pictures = torch.from_numpy(_drawn([refer(d) for d in bank.drawings], progress)).to(device)
    image = rounded(_train_image(bank, pictures, recipe, seed, device, progress))
    with torch.no_grad():
        vectors = torch.cat([image(part) for part in pictures.split(512)])
    texts = {
        name: rounded(_train_text(bank, vectors, DOSES[name], recipe, seed, device, progress, name))
        for name in names
    }
    return image.cpu(), {name: tower.cpu() for name, tower in texts.items()}


def _drawn(references: Sequence[str], progress: Progress | None) -> Array:
    """The pictures of references; many of them are shared among processes."""
    parts = [references[start : start + _PART] for start in range(0, len(references), _PART)]
    if len(parts) < 4:
        return pixels(references)
    pictures = []
    with ProcessPoolExecutor(
        os.cpu_count(), multiprocessing.get_context("spawn"), _leave_with_parent
    ) as pool:
        for part in pool.map(pixels, parts):
            pictures.append(part)
            if progress is not None:
                progress("drawing", len(pictures), len(parts))
    return np.concatenate(pictures)


def _leave_with_parent() -> None:
    """End this process when the one that started it ends."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    # a killed parent cannot tell its workers, which would wait for ever
    threading.Thread(target=watch, daemon=True).start()


def _train_image(
    bank: Bank,
    pictures: Tensor,
    recipe: PhantomRecipe,
    seed: int,
    device: str,
    progress: Progress | None,
) -> ImageTower:
    image, text = ImageTower().to(device), TextTower().to(device)
    captions = _Captions(bank, Dose(), recipe, np.random.default_rng([seed, 0]), device)
    optimiser, schedule = _optimiser([image, text], recipe.rate, recipe.image_steps)
    for step in range(recipe.image_steps):
        rows, codes, true = captions.batch()
        _step(text(codes), image(_varied(pictures[rows])), true, recipe, optimiser, schedule)
        _tell(progress, "image tower", step, recipe.image_steps)
    return image


def _train_text(
    bank: Bank,
    vectors: Tensor,
    dose: Dose,
    recipe: PhantomRecipe,
    seed: int,
    device: str,
    progress: Progress | None,
    name: str,
) -> TextTower:
    torch.manual_seed(seed)
    text = TextTower().to(device)
    captions = _Captions(bank, dose, recipe, np.random.default_rng([seed, 1]), device)
    optimiser, schedule = _optimiser([text], recipe.rate, recipe.text_steps)
    for step in range(recipe.text_steps):
        rows, codes, true = captions.batch()
        _step(text(codes), vectors[rows], true, recipe, optimiser, schedule)
        _tell(progress, f"text tower {name}", step, recipe.text_steps)
    return text


class _Captions:
    """Captioned drawings of a dose, made once and served in random batches."""

    def __init__(
        self, bank: Bank, dose: Dose, recipe: PhantomRecipe, rng: np.random.Generator, device: str
    ) -> None:
        rows, texts, says = sample(bank, dose, recipe.captions, rng)
        self.rows, self.codes, self.says, self.meaning = (
            torch.from_numpy(x).to(device)
            for x in (rows, byte_codes(texts), says, bank.meaning[rows])
        )
        self.rng, self.size = rng, recipe.batch

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        """Rows of drawings, byte codes of captions, and which caption is true of which drawing."""
        at = torch.from_numpy(self.rng.integers(len(self.rows), size=self.size)).to(
            self.rows.device
        )
        says, meaning = self.says[at], self.meaning[at]
        true = ((says[:, None] == meaning[None]) | (says[:, None] == ANY)).all(-1)
        return self.rows[at], self.codes[at], true


def _optimiser(
    towers: Sequence[nn.Module], rate: float, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    weights = [p for tower in towers for p in tower.parameters()]
    optimiser = torch.optim.AdamW(weights, lr=rate, weight_decay=0.02)
    return optimiser, torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps, pct_start=0.1
    )


def _step(
    caption_vectors: Tensor,
    picture_vectors: Tensor,
    true: Tensor,
    recipe: PhantomRecipe,
    optimiser: torch.optim.Optimizer,
    schedule: object,
) -> None:
    """One step of the contrastive loss."""
    logits = caption_vectors @ picture_vectors.T / recipe.temperature
    diagonal = torch.eye(len(logits), dtype=torch.bool, device=logits.device)
    # other drawings of which a caption happens to be true are left out of the comparison
    logits = logits.masked_fill(true & ~diagonal, -1e4)
    places = torch.arange(len(logits), device=logits.device)
    losses = [nn.functional.cross_entropy(x, places, reduction="none") for x in (logits, logits.T)]
    optimiser.zero_grad()
    torch.cat(losses).mean().backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    schedule.step()  # type: ignore[attr-defined]


def _varied(pictures: Tensor) -> Tensor:
    """The pictures with a small shift, so that the tower does not learn positions by heart."""
    dx, dy = (int(v) for v in torch.randint(-3, 4, (2,)))
    return torch.roll(pictures, (dx, dy), (1, 2))


def _tell(progress: Progress | None, label: str, step: int, steps: int) -> None:
    if progress is not None and step % 20 == 0:
        progress(label, step, steps)
