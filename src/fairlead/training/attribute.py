"""Trains a classifier of an attribute on vectors of images: a few small networks.

They are regularised hard, since labels are few.

Each step mixes pairs of items (mixup), adds noise and drops inputs. Columns that are learnt along
(``also``) share the layers and not the output: telling people apart in more ways than one makes the
attribute in question more even across them. Nothing of them is kept. Settings were chosen by
five-fold cross-validation on 12,000 FairFace training faces; docs/annotators.md has what they
reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from fairlead.protocols import Progress
from fairlead.types.ragged import Array

Architecture = Literal["paper", "released", "linear"]
Layers = list[tuple[Array, Array]]
_WARM = 0.1


@dataclass(frozen=True)
class AttributeRecipe:
    """How the networks are made and trained."""

    architecture: Architecture = "paper"
    members: int = 3
    epochs: int = 40
    least_steps: int = 1_500
    batch: int = 256
    rate: float = 1e-3
    decay: float = 0.1
    drop_input: float = 0.2
    noise: float = 0.4
    mixing: float = 0.4
    also_weight: float = 1.0

    def shortened(self, factor: float) -> AttributeRecipe:
        """The recipe with a share of the steps."""
        return replace(
            self,
            epochs=max(1, round(factor * self.epochs)),
            least_steps=round(factor * self.least_steps),
        )

    def steps(self, items: int) -> int:
        """Steps of one member: some epochs, and for small data no fewer than ``least_steps``."""
        return max(self.epochs * max(1, items // self.batch), self.least_steps)

    @property
    def hidden(self) -> tuple[int, ...]:
        """Widths of the hidden layers."""
        # the network of Kong et al.'s Table 5, and the one whose weights they released
        return {"paper": (512, 512, 512), "released": (64, 64, 64), "linear": ()}[self.architecture]

    @property
    def drop_hidden(self) -> float:
        """Share of hidden units that are dropped."""
        if self.architecture == "paper":
            return 0.5
        return 0.2


@dataclass(frozen=True, eq=False)
class AttributeMaterial:
    """Vectors (items, features) and codes (items,) to learn from, -1 where unknown.

    There are codes of the attribute and of what is learnt along.
    """

    vectors: Array
    codes: Array
    also: Array | None = None


def train(
    material: AttributeMaterial,
    classes: int,
    recipe: AttributeRecipe,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[Layers], bool]:
    """The layers of each member, and whether they read square roots of the vectors.

    Standardisation and normalisation are folded into the layers.

    Vectors without negative numbers are features of a network's last layer, which have long tails:
    roots bring these in.
    """
    root = bool(material.vectors.min(initial=0) >= 0)
    if root:
        features = np.sqrt(material.vectors.astype(np.float32))
    else:
        features = material.vectors.astype(np.float32)
    mean, scale = features.mean(0), features.std(0)
    # a feature that hardly varies must not be blown up
    scale = np.maximum(scale, 0.1 * scale.mean() + 1e-6)
    inputs = torch.from_numpy(((features - mean) / scale).astype(np.float32))
    members = []
    for member in range(recipe.members):
        network = _fitted(_Task.of(inputs, material, classes), recipe, [seed, member], progress)
        members.append(_folded(network, mean, scale, classes))
    return members, root


@dataclass(frozen=True, eq=False)
class _Task:
    """Inputs (items, features) and targets (items, outputs), also of what is learnt along."""

    inputs: Tensor
    target: Tensor
    also: Tensor | None

    @classmethod
    def of(cls, inputs: Tensor, material: AttributeMaterial, classes: int) -> _Task:
        along = None
        if material.also is not None:
            along = _one_hot(material.also, int(material.also.max()) + 1)
        return cls(inputs, _one_hot(material.codes, classes), along)

    @property
    def outputs(self) -> int:
        return self.target.shape[1] + (0 if self.also is None else self.also.shape[1])


def _one_hot(codes: Array, size: int) -> Tensor:
    """(items, size); a row of zeros, which weighs nothing in the loss, for an unknown code."""
    return torch.from_numpy((codes[:, None] == np.arange(size)).astype(np.float32))


def _network(features: int, outputs: int, recipe: AttributeRecipe) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width in recipe.hidden:
        layers += [
            nn.Linear(features, width),
            *([nn.BatchNorm1d(width)] if recipe.architecture == "paper" else []),
            nn.ReLU(),
        ]
        layers.append(nn.Dropout(recipe.drop_hidden))
        features = width
    return nn.Sequential(*layers, nn.Linear(features, outputs))


def _fitted(
    task: _Task, recipe: AttributeRecipe, seed: list[int], progress: Progress | None
) -> nn.Sequential:
    rng = np.random.default_rng(seed)
    size = len(task.inputs)
    batch = min(recipe.batch, len(task.inputs))
    # the caller's own random numbers go on as if nothing had been trained
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**31)))
        network = _network(task.inputs.shape[1], task.outputs, recipe)
        optimiser = torch.optim.AdamW(
            network.parameters(), lr=recipe.rate, weight_decay=recipe.decay
        )
        rounds = recipe.steps(size)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimiser, recipe.rate, total_steps=rounds + 1, pct_start=_WARM
        )
        order = np.empty(0, np.int64)
        for step in range(rounds):
            if len(order) < batch:
                order = rng.permutation(size)
            rows, order = order[:batch], order[batch:]
            loss = _loss(network, task, rows, recipe, rng)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            if progress is not None:
                progress(
                    f"member {seed[-1] + 1} of {recipe.members}",
                    seed[-1] * rounds + step,
                    recipe.members * rounds,
                )
    return network.eval()


def _loss(
    network: nn.Sequential,
    task: _Task,
    rows: Array,
    recipe: AttributeRecipe,
    rng: np.random.Generator,
) -> Tensor:
    """Cross-entropy of mixed, noisy items: the attribute and, weighted, what is learnt along."""
    first = torch.from_numpy(rows)
    # rows are in random order, so a neighbour is a random partner
    second = torch.from_numpy(np.roll(rows, 1))
    weight = torch.from_numpy(
        rng.beta(recipe.mixing, recipe.mixing, (len(rows), 1)).astype(np.float32)
    )

    def mixed(values: Tensor) -> Tensor:
        return weight * values[first] + (1 - weight) * values[second]

    inputs = mixed(task.inputs)
    inputs = nn.functional.dropout(
        inputs + recipe.noise * torch.randn_like(inputs), recipe.drop_input
    )
    outputs, classes = network(inputs), task.target.shape[1]
    loss = -(mixed(task.target) * outputs[:, :classes].log_softmax(1)).sum(1).mean()
    if task.also is not None:
        loss = (
            loss
            - recipe.also_weight
            * (mixed(task.also) * outputs[:, classes:].log_softmax(1)).sum(1).mean()
        )
    return loss


def _folded(network: nn.Sequential, mean: Array, scale: Array, classes: int) -> Layers:
    """The layers as matrices (in, out) and offsets, with the outputs of the attribute only."""
    # in double precision, so that folding adds no rounding of its own
    layers: Layers = []
    for module in network:
        if isinstance(module, nn.Linear):
            layers.append(
                (
                    module.weight.detach().double().numpy().T.copy(),
                    module.bias.detach().double().numpy().copy(),
                )
            )
        elif isinstance(module, nn.BatchNorm1d):
            matrix, offset = layers[-1]
            assert module.running_var is not None and module.running_mean is not None
            # batch normalisation is linear once it is trained, so it goes into the matrix before it
            gain = (
                (module.weight / torch.sqrt(module.running_var + module.eps))
                .detach()
                .double()
                .numpy()
            )
            centre = module.running_mean.double().numpy()
            layers[-1] = (
                matrix * gain,
                (offset - centre) * gain + module.bias.detach().double().numpy(),
            )
    matrix, offset = layers[0]
    matrix = matrix / scale[:, None].astype(np.float64)
    layers[0] = matrix, offset - mean.astype(np.float64) @ matrix
    matrix, offset = layers[-1]
    layers[-1] = matrix[:, :classes], offset[:classes]
    return layers


def codes_of(columns: Sequence[Sequence[str | None]]) -> Array:
    """(items,) a code for each combination of values of some columns; -1 where one is missing."""
    rows = list(zip(*columns, strict=True))
    code_of: Mapping[tuple[str | None, ...], int] = {
        row: code for code, row in enumerate(sorted({r for r in rows if None not in r}))
    }  # type: ignore[type-var]
    return np.array([code_of.get(row, -1) for row in rows])
