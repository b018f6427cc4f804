"""Images per second through ``hf:`` on a GPU: ``python benchmarks/encode_gpu.py [--json FILE] [--models B/32 L/14] [--photo 640x480]``.

Two CLIP models of the usual sizes with random weights (speed does not depend on them) see JPEG photos that this script makes.
Measured, each as images per second and as a share of the card's own bf16 matrix rate, timed in the same run:

- *tower*: pictures already on the device, the image tower alone;
- *prepared*: pictures prepared in memory, moved and embedded (``Encoder.prepared``);
- *loading*: files read, decoded and prepared by 16 threads, and by 16 processes, nothing embedded;
- *all*: files to vectors through the product's own ``embed``, both at once;
- *reduced*: the same with ``hf:...(reduced=true)``, which decodes JPEGs at a fraction of their size.

What bounds *all* is the smaller of *prepared* and *loading*. It needs a CUDA device, torch and transformers (4.57 or later), and
installs nothing. ``--dry`` tries the script itself on any machine, with tiny models; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402

WORKERS = 16
SIDE = 224


@dataclass(frozen=True)
class Shape:
    """The image tower of a CLIP model."""

    patch: int
    width: int
    layers: int
    heads: int
    side: int = SIDE

    @property
    def flops(self) -> float:
        """Floating-point operations of one image: patches, attention and the two layers behind it."""
        tokens = (self.side // self.patch) ** 2
        patches = tokens * 3 * self.patch**2 * self.width
        layer = 12 * (tokens + 1) * self.width**2 + 2 * (tokens + 1) ** 2 * self.width
        return 2.0 * (patches + self.layers * layer)


MODELS = {"B/32": Shape(32, 768, 12, 12), "L/14": Shape(14, 1024, 24, 16)}
TINY = {"B/32": Shape(56, 32, 2, 2), "L/14": Shape(28, 32, 2, 2)}


@dataclass(frozen=True)
class Row:
    model: str
    what: str
    batch: int
    images_per_second: float
    share: float | None


@dataclass
class Gathered:
    """A sink that keeps vectors in memory."""

    contents: dict[str, str] = field(default_factory=dict)
    rows: int = 0

    def keep(self, entry: Any, content: str) -> None:
        self.contents[content] = entry.id

    def skip(self, entry: Any, reason: str, detail: str) -> None:
        raise SystemExit(f"{entry.id} was skipped ({reason}): {detail}")

    def commit(self, embeddings: Any) -> None:
        self.rows += 0 if embeddings is None else len(embeddings)


@dataclass(frozen=True)
class File:
    """An entry of a source, as ``embed`` takes it."""

    id: str
    image: str
    fault: None = None


def main() -> int:
    parser = argparse.ArgumentParser(description="Images per second through hf: on a GPU.")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--photo", default="640x480", metavar="WxH", help="size of the photos")
    parser.add_argument("--photos", type=int, default=8192, help="how many of them")
    parser.add_argument("--batches", nargs="+", type=int, default=[64, 256, 1024])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--dry", action="store_true", help="try the script with tiny models on any machine")
    args = parser.parse_args()
    try:
        import torch
        import transformers
        from PIL import Image

        from fairlead.encoders.torchvision_repair import repair_torchvision
    except ImportError as error:
        sys.exit(f"This needs torch, transformers and Pillow: {error}.")
    if not torch.cuda.is_available() and not args.dry:
        sys.exit("This measures a GPU, and torch sees none. Run it on a machine with CUDA, or with --dry to try the script.")
    repair_torchvision()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    machine = {
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "cores": len(os.sched_getaffinity(0)),
        **{name: module.__version__ for name, module in (("torch", torch), ("transformers", transformers), ("pillow", Image))},
        "photo": args.photo,
        "threads": WORKERS,
    }
    rate = matrix_rate(torch, device, 512 if args.dry else 8192)
    print(f"{machine}\nmatrix rate (bf16, 8192 x 8192 x 8192): {rate / 1e12:.1f} TFLOP/s", flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as place:
        files = photos(Path(place), *map(int, args.photo.split("x")), 64 if args.dry else args.photos)
        for name in args.models:
            shape = (TINY if args.dry else MODELS)[name]
            folder = saved(Path(place) / name.replace("/", "-"), shape)
            for row in measured(name, shape, folder, files, args.batches, device, rate):
                rows.append(row)
                share = "" if row.share is None else f"{100 * row.share:6.2f} % of the matrix rate"
                print(f"{row.model:5} {row.what:34} batch {row.batch:5} {row.images_per_second:10,.0f} images/s {share}", flush=True)
    verdicts = [verdict(name, rows) for name in args.models]
    print("\n".join(verdicts))
    if args.json:
        found = {"machine": machine, "matrix_tflops": rate / 1e12, "rows": [asdict(row) for row in rows], "verdicts": verdicts}
        args.json.write_text(json.dumps(found, indent=1))
    return 0


def measured(name: str, shape: Shape, folder: Path, files: list[File], batches: list[int], device: str, rate: float) -> Iterator[Row]:
    """The rows of one model."""
    from fairlead.encoders.hf import HF
    from fairlead.store.pictures import decode, read
    from fairlead.tasks.embed import embed

    first = HF(str(folder), device=device)
    some = [first.prepare(decode(read(file.image))) for file in files[: max(64, min(len(files), max(batches)))]]
    loaded = first._loaded
    assert loaded.recipe is not None, "the plain preprocessing is in use"

    def row(what: str, batch: int, speed: float, share: bool = True) -> Row:
        return Row(name, what, batch, speed, speed * shape.flops / rate if share else None)

    for batch in batches:
        yield row("tower: pictures on the device", batch, tower(first, some, batch, device))
    for batch in batches:
        encoder = HF(str(folder), device=device, batch=batch)
        given = (some * (batch // len(some) + 1))[:batch]
        yield row("prepared: moved and embedded", batch, speed(lambda e=encoder, g=given: e.prepared(g, "item"), batch))
    steps: dict[str, Callable[[File], Any]] = {
        "reading and decoding": lambda file: decode(read(file.image)),
        "decoding at a fraction (draft)": lambda file: decode(read(file.image), least=SIDE),
        "loading: decoded and prepared": lambda file: first.prepare(decode(read(file.image))),
        "loading with draft": lambda file: first.prepare(decode(read(file.image), least=SIDE)),
    }
    with ThreadPoolExecutor(WORKERS) as pool:
        for what, step in steps.items():
            yield row(what, 1, through(pool, step, files), share=False)
    yield row("loading: by processes", 1, by_processes(first, files, None), share=False)
    yield row("reduced: by processes", 1, by_processes(first, files, SIDE), share=False)
    for batch in batches:
        for processes, reduced in ((False, False), (True, False), (True, True)):
            sink, encoder = Gathered(), HF(str(folder), device=device, batch=batch, reduced=reduced)
            start = time.perf_counter()
            embed(files, Pictures(encoder.enough), encoder, sink, workers=WORKERS, processes=processes)
            spent = time.perf_counter() - start
            assert sink.rows == len(files)
            how = (", read by processes" if processes else "") + (", reduced" if reduced else "")
            yield row(("reduced" if reduced else "all") + ": files to vectors" + how, batch, len(files) / spent)


def by_processes(encoder: Any, files: list[File], least: int | None) -> float:
    """Images per second that processes read, decode and prepare, their start left out."""
    from fairlead.tasks.readers import Processes

    with Processes(Pictures(least), encoder.preparer, files * 2, WORKERS, 1024) as reader:
        seen, start = 0, 0.0
        for _ in reader:
            seen += 1
            if seen == len(files) // 2:
                start = time.perf_counter()
        return (seen - len(files) // 2) / (time.perf_counter() - start)


class Pictures:
    """What is behind a file, as the product opens it."""

    def __init__(self, least: int | None = None) -> None:
        self.least = least

    def read(self, entry: File) -> bytes:
        from fairlead.store.pictures import read

        return read(entry.image)

    def see(self, entry: File, content: bytes) -> Any:
        from fairlead.store.pictures import decode

        return decode(content, least=self.least)


def verdict(name: str, rows: list[Row]) -> str:
    """What bounds the road from files to vectors."""
    best = {what: max(r.images_per_second for r in rows if r.model == name and r.what.startswith(what)) for what in WORDS}
    tower, prepared, loading, everything, decoding = (best[what] for what in WORDS)
    if loading < prepared:
        bound = f"loading on {WORKERS} cores (decoding alone, on threads, {decoding:,.0f} images/s)"
    else:
        bound = "the image tower" if prepared > 0.8 * tower else "moving pictures to the device and starting its work"
    reached = 100 * everything / min(loading, prepared)
    return f"{name}: {everything:,.0f} images/s from files to vectors, {reached:.0f} % of what bounds it: {bound}."


WORDS = ("tower", "prepared", "loading: ", "all", "reading and decoding")


def tower(encoder: Any, some: list[Mapping[str, Any]], batch: int, device: str) -> float:
    """Images per second of the image tower alone."""
    import torch

    from fairlead.encoders.towers import device_of, forward, moved

    place = device_of(device)
    inputs = moved((some * (batch // len(some) + 1))[:batch], place)
    ready = {"pixel_values": encoder._loaded.recipe.numbers(inputs["pixels"])}
    one = torch.zeros(1, device=place)

    def run() -> None:
        forward(lambda **given: encoder._loaded.image(**given)[:1, :1] + one, ready, encoder.precision, place)

    return speed(run, batch)


def speed(work: Callable[[], Any], images: int, seconds: float = 3.0) -> float:
    """Images per second, the best of three stretches; each call waits for its result."""
    for _ in range(3):
        work()
    best, stretch = 0.0, seconds / 3
    for _ in range(3):
        start, calls = time.perf_counter(), 0
        while time.perf_counter() - start < stretch:
            work()
            calls += 1
        best = max(best, calls * images / (time.perf_counter() - start))
    return best


def through(pool: ThreadPoolExecutor, step: Callable[[File], Any], files: list[File]) -> float:
    """Files per second of a step on all threads; what it gives is dropped at once."""

    def part(some: list[File]) -> None:
        for file in some:
            step(file)

    list(pool.map(part, [files[i : i + 2] for i in range(0, min(64, len(files)), 2)]))
    start = time.perf_counter()
    list(pool.map(part, [files[i : i + 8] for i in range(0, len(files), 8)]))
    return len(files) / (time.perf_counter() - start)


def matrix_rate(torch: Any, device: str, size: int) -> float:
    """Floating-point operations per second of a large bf16 product of random matrices."""
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    times = []
    for _ in range(13):
        wait()
        start = time.perf_counter()
        for _ in range(5):
            a @ b
        wait()
        times.append((time.perf_counter() - start) / 5)
    return 2 * size**3 / float(np.median(times[3:]))


def photos(place: Path, width: int, height: int, count: int) -> list[File]:
    """JPEG files with the detail of photos: 32 pictures, each in many files whose bytes differ behind the picture's end."""
    from PIL import Image

    def picture(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        large = Image.fromarray(rng.integers(0, 256, (height // 32, width // 32, 3), np.uint8)).resize(
            (width, height), Image.Resampling.BICUBIC
        )
        small = Image.fromarray(rng.integers(0, 60, (height // 4, width // 4, 3), np.uint8)).resize(
            (width, height), Image.Resampling.BICUBIC
        )
        made = np.asarray(large, np.int16) + np.asarray(small, np.int16) - 30
        file = io.BytesIO()
        Image.fromarray(made.clip(0, 255).astype(np.uint8)).save(file, "JPEG", quality=88)
        return file.getvalue()

    with ThreadPoolExecutor(WORKERS) as pool:
        kinds = list(pool.map(picture, range(32)))
    files = [File(f"{i}.jpg", str(place / f"{i}.jpg")) for i in range(count)]
    for i, file in enumerate(files):
        Path(file.image).write_bytes(kinds[i % len(kinds)] + i.to_bytes(4, "big"))
    print(f"{count} photos of {width} x {height}, {np.mean([len(k) for k in kinds]) / 1024:.0f} kB each", flush=True)
    return files


def saved(folder: Path, shape: Shape) -> Path:
    """A CLIP model with random weights, saved; its text tower is tiny, since no text is embedded."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    vision = {"hidden_size": shape.width, "intermediate_size": 4 * shape.width, "num_hidden_layers": shape.layers}
    vision |= {"num_attention_heads": shape.heads, "patch_size": shape.patch, "image_size": shape.side}
    text = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 8}
    text |= {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    torch.manual_seed(0)
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=512)
    transformers.CLIPModel(config).save_pretrained(folder)
    words = Tokenizer(models.WordLevel({"<s>": 0, "</s>": 1, "a": 2, "<unk>": 3}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="</s>", pad_token="</s>", unk_token="<unk>", model_max_length=77
    )
    fast.save_pretrained(folder)
    square = {"height": shape.side, "width": shape.side}
    said = {"image_processor_type": "CLIPImageProcessor", "do_resize": True, "size": {"shortest_edge": shape.side}, "resample": 3}
    said |= {"do_center_crop": True, "crop_size": square, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True}
    said |= {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711], "do_convert_rgb": True}
    (folder / "preprocessor_config.json").write_text(json.dumps(said))
    return folder


if __name__ == "__main__":
    sys.exit(main())
