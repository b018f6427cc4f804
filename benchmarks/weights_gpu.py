"""Training on a GPU for an open_clip model: ``python benchmarks/weights_gpu.py [--steps 60]
[--photos 1024] [--json FILE]``.

A model of the size of ViT-B/32 with random weights (speed does not depend on them) is trained on by
each method of ``train mitigated``, on pictures and captions that this script makes. Printed:
captions a second over all steps, adversary's turns included, and how far the vectors of the written
model, read back, are from the trained one's. It needs torch, open_clip and a GPU; ``--dry`` tries
the script with a tiny model on any machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402

METHODS = ("adversarial", "prompt_array", "fair_sample")


def main() -> int:
    parser = argparse.ArgumentParser(description="Training on a GPU for an open_clip model.")
    parser.add_argument("--steps", type=int, default=60, help="steps of each method")
    parser.add_argument("--photos", type=int, default=1024, help="pictures with a caption each")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--dry", action="store_true", help="try the script with a tiny model on any machine"
    )
    args = parser.parse_args()
    from fairlead.encoders.torchvision_repair import repair_torchvision

    repair_torchvision()
    import torch

    if not torch.cuda.is_available() and not args.dry:
        sys.exit(
            "This measures a GPU, and torch sees none. Run it on a machine with CUDA, or with --dry to try the script."
        )
    rows = []
    with tempfile.TemporaryDirectory() as place:
        model = _model(Path(place) / "model", tiny=args.dry)
        pairs = _pairs(64 if args.dry else args.photos, 32 if args.dry else 224)
        for name in METHODS:
            row = _trained(name, model, pairs, Path(place) / name, 4 if args.dry else args.steps)
            rows.append(row)
            print(row, flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0


def _trained(name: str, model: Path, pairs: Any, out: Path, steps: int) -> dict[str, Any]:
    """One method's run: its speed, the losses' course, and how far vectors of the written model are
    from the trained one's.
    """
    import importlib

    import torch

    from fairlead.encoders.open_clip import OpenCLIP
    from fairlead.training.weights.loop import train
    from fairlead.training.weights.material import of_pairs
    from fairlead.training.weights.open_clip_towers import OpenClipTowers

    module = importlib.import_module(f"fairlead.training.weights.{name}")
    method = next(
        c for c in vars(module).values() if isinstance(c, type) and getattr(c, "name", "") == name
    )()
    towers = OpenClipTowers(OpenCLIP(str(model)))
    material = of_pairs(towers, pairs, seed=0)
    recipe = method.recipe
    start = time.perf_counter()
    course, found = train(method, towers, material, factor=steps / recipe.steps)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    spent = time.perf_counter() - start
    out.mkdir()
    towers.write(out, course.prompt)
    read = OpenCLIP(str(out), precision="fp32").images(list(pairs.images[:8]), "item").vectors
    with torch.no_grad():
        own = towers.see(material.pictures[:8].to(towers.device)).float().cpu().numpy()
    shortened = found["recipe"]
    return {
        "method": name,
        "device": str(towers.device),
        "steps": shortened["steps"],
        "captions_per_second": round(shortened["steps"] * shortened["batch"] / spent, 1),
        "losses": [round(found["losses"][0], 4), round(found["losses"][-1], 4)],
        "written_differs_by": float(np.abs(read - own).max()),
    }


def _pairs(count: int, side: int) -> Any:
    """Noise pictures, every other one of either group, with captions that tell no group."""
    from PIL import Image

    from fairlead.training.weights.material import Pairs

    rng = np.random.default_rng(0)
    images = [
        Image.fromarray(rng.integers(0, 256, (side, side, 3), np.uint8)) for _ in range(count)
    ]
    texts = tuple(
        f"a picture of a {('nurse', 'pilot', 'baker', 'judge')[n % 4]} number {n}"
        for n in range(count)
    )
    return Pairs(
        images, texts, np.arange(count) % 2, ("female", "male"), np.ones(count, np.bool_), "noise"
    )


def _model(folder: Path, tiny: bool) -> Path:
    """A model of open_clip with random weights, in a folder."""
    if tiny:
        from fairlead.testing.tiny_models import tiny_open_clip

        return tiny_open_clip(folder)
    import open_clip
    import torch
    from safetensors.torch import save_file

    text = {"context_length": 77, "vocab_size": 49408, "width": 512, "heads": 8, "layers": 12}
    config = {
        "embed_dim": 512,
        "vision_cfg": {"image_size": 224, "layers": 12, "width": 768, "patch_size": 32},
        "text_cfg": text,
    }
    preprocess = {
        "size": 224,
        "mean": [0.48145466, 0.4578275, 0.40821073],
        "std": [0.26862954, 0.26130258, 0.27577711],
    }
    folder.mkdir()
    preprocess |= {"interpolation": "bicubic", "resize_mode": "shortest"}
    (folder / "open_clip_config.json").write_text(
        json.dumps({"model_cfg": config, "preprocess_cfg": preprocess})
    )
    torch.manual_seed(0)
    save_file(
        {n: v.contiguous() for n, v in open_clip.model.CLIP(**config).state_dict().items()},
        folder / "open_clip_model.safetensors",
    )
    return folder


if __name__ == "__main__":
    sys.exit(main())
