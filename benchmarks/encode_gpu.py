"""Images per second through ``hf:`` on a GPU: ``python benchmarks/encode_gpu.py [--json FILE]
[--models B/32 L/14] [--photo 640x480]``.

Two CLIP models of the usual sizes with random weights (speed does not depend on them) see JPEG
photos that this script makes. Measured, each as images per second and, where the model works, as a
share of the card's own bf16 matrix rate, timed in the same run:

- *tower*: pictures already on the device, the image tower alone;
- *prepared*: pictures in memory, moved and embedded (``Encoder.prepared``): prepared ones, and for
  ``decode=gpu`` the bytes of files;
- *reading*: files read, hashed and, for ``full`` and ``reduced``, decoded and prepared by 16
  processes, nothing embedded;
- *gpu*: decoding on the GPU alone, with resizing, and of progressive files (which the product
  decodes on the processor);
- *files to vectors*: through the product's own ``embed``, all at once, for each way to decode.
  Starting processes is left out.

What bounds *files to vectors* is the smaller of *prepared* and *reading*; the last lines say which.
It needs a CUDA device, torch, torchvision and transformers (4.57 or later), and installs nothing.
``--threads`` adds reading by threads, ``--dry`` tries the script itself on any machine, with tiny
models; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import io
import itertools
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
MODES = {"full": 0.25, "reduced": 0.5, "gpu": 1.0}
"""Ways to decode, with the share of the photos that each is measured on: the quick ones need more
for the same time.
"""
TINY = {"B/32": Shape(56, 32, 2, 2), "L/14": Shape(28, 32, 2, 2)}


@dataclass(frozen=True)
class Row:
    model: str
    mode: str
    what: str
    batch: int
    images_per_second: float
    share: float | None


@dataclass
class Gathered:
    """A sink that keeps vectors in memory."""

    contents: dict[str, str] = field(default_factory=dict)
    rows: int = 0
    times: list[tuple[int, float]] = field(default_factory=list)

    def keep(self, entry: Any, content: str) -> None:
        self.contents[content] = entry.id

    def skip(self, entry: Any, reason: str, detail: str) -> None:
        raise SystemExit(f"{entry.id} was skipped ({reason}): {detail}")

    def commit(self, embeddings: Any) -> None:
        self.rows += 0 if embeddings is None else len(embeddings)
        self.times.append((self.rows, time.perf_counter()))

    @property
    def speed(self) -> float:
        """Rows per second after the first quarter: processes have started, and work is under way
        everywhere.
        """
        rows, start = next(((n, t) for n, t in self.times if n >= self.rows / 4))
        return (self.rows - rows) / max(self.times[-1][1] - start, 1e-9)


@dataclass(frozen=True)
class File:
    """An entry of a source, as ``embed`` takes it."""

    id: str
    image: str
    fault: None = None


def main() -> int:
    args = arguments()
    try:
        import torch
        import transformers
        from PIL import Image

        from fairlead.encoders.torchvision_repair import repair_torchvision
        from fairlead.engine import embedding, readers
    except ImportError as error:
        sys.exit(f"This needs torch, transformers and Pillow: {error}.")
    if not torch.cuda.is_available() and not args.dry:
        sys.exit(
            "This measures a GPU, and torch sees none. Run it on a machine with CUDA, or with --dry to try the script."
        )
    repair_torchvision()
    embedding._MANY, readers._CHUNK = (
        1,
        max(1, min(readers._CHUNK, args.photos // 256)),
    )  # processes for few photos too, all of them busy
    device = "cuda" if torch.cuda.is_available() else "cpu"
    machine = {
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "cores": len(os.sched_getaffinity(0)),
        **{
            name: module.__version__
            for name, module in (
                ("torch", torch),
                ("transformers", transformers),
                ("pillow", Image),
            )
        },
        "photo": args.photo,
        "readers": WORKERS,
    }
    rate = matrix_rate(torch, device, 512 if args.dry else 8192)
    print(
        f"{machine}\nmatrix rate (bf16, 8192 x 8192 x 8192): {rate / 1e12:.1f} TFLOP/s", flush=True
    )
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        files = photos(Path(place), *map(int, args.photo.split("x")), args.photos)
        shapes = {name: (TINY if args.dry else MODELS)[name] for name in args.models}
        folders = {
            name: saved(Path(place) / name.replace("/", "-"), shape)
            for name, shape in shapes.items()
        }
        one = next(iter(folders.values()))
        modes = [mode for mode in args.modes if mode != "gpu" or gpu_works(one, device)]
        work = [reading(one, files, modes, device, args.threads)]
        work += [
            measured(name, shape, folders[name], files, modes, args, device, rate)
            for name, shape in shapes.items()
        ]
        for row in itertools.chain(*work):
            rows.append(row)
            share = "" if row.share is None else f"{100 * row.share:6.2f} % of the matrix rate"
            print(
                f"{row.model:5} {row.mode:8} {row.what:44} batch {row.batch:5} {row.images_per_second:10,.0f} images/s {share}",
                flush=True,
            )
    verdicts = [verdict(name, mode, rows) for name in args.models for mode in modes]
    print("\n".join(verdicts))
    if args.json:
        found = {
            "machine": machine,
            "matrix_tflops": rate / 1e12,
            "rows": [asdict(row) for row in rows],
            "verdicts": verdicts,
        }
        args.json.write_text(json.dumps(found, indent=1))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Images per second through hf: on a GPU.")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument(
        "--modes", nargs="+", choices=MODES, default=list(MODES), help="ways to decode"
    )
    parser.add_argument("--photo", default="640x480", metavar="WxH", help="size of the photos")
    parser.add_argument("--photos", type=int, default=16384, help="how many of them")
    parser.add_argument("--batches", nargs="+", type=int, default=[256, 1024])
    parser.add_argument("--threads", action="store_true", help="read by threads too, which is slow")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--dry", action="store_true", help="try the script with tiny models on any machine"
    )
    args = parser.parse_args()
    args.photos = 64 if args.dry else args.photos
    args.batches = sorted(
        {max(1, min(batch, args.photos // 8)) for batch in args.batches}
    )  # the rate is taken over several batches
    return args


def gpu_works(folder: Path, device: str) -> bool:
    """Whether ``decode=gpu`` can be measured; where not, why is printed."""
    from fairlead.encoders.hf import HF
    from fairlead.errors import UsageError

    try:
        HF(str(folder), device=device, decode="gpu").about()
    except UsageError as error:
        print(f"decode=gpu is left out: {error.message}", flush=True)
        return False
    return True


def some_of(files: list[File], mode: str) -> list[File]:
    """As many files as a way to decode sees in a few seconds."""
    return files[: max(min(len(files), 512), int(len(files) * MODES[mode]))]


def reading(
    folder: Path, files: list[File], modes: list[str], device: str, threads: bool
) -> Iterator[Row]:
    """What all models have in common: files read by processes, and decoded on the GPU."""
    from fairlead.encoders.hf import HF
    from fairlead.store.materials import Files

    for mode in modes:
        encoder = HF(str(folder), device=device, decode=mode)
        what = (
            "reading: bytes passed on by processes"
            if mode == "gpu"
            else "reading: decoded and prepared by processes"
        )
        yield Row("any", mode, what, 1, by_processes(encoder, some_of(files, mode)), None)
        if threads:
            see = Files(least=encoder.enough, takes=encoder.takes)
            with ThreadPoolExecutor(WORKERS) as pool:
                step: Callable[[File], Any] = lambda file, see=see, e=encoder: e.prepare(  # noqa: E731
                    see.see(file, see.read(file))
                )
                yield Row(
                    "any", mode, "by threads", 1, through(pool, step, some_of(files, mode)), None
                )
        if mode == "gpu":
            yield from decoding(encoder, files[:256])


def decoding(encoder: Any, files: list[File]) -> Iterator[Row]:
    """Decoding on the GPU, nothing embedded."""
    import torch
    from PIL import Image

    jpegs, decodes = compressed(encoder, files), encoder._jpegs
    given = [torch.frombuffer(bytearray(jpeg.content), dtype=torch.uint8) for jpeg in jpegs]
    portion = given[: max(1, (512 << 20) // (3 * jpegs[0].size[0] * jpegs[0].size[1]))]
    wait = torch.cuda.synchronize
    yield Row(
        "any",
        "gpu",
        "decoding alone",
        len(portion),
        speed(lambda: (decodes.decoder(portion), wait()), len(portion)),
        None,
    )
    yield Row(
        "any",
        "gpu",
        "decoded and resized",
        len(jpegs),
        speed(lambda: (decodes.pixels(jpegs), wait()), len(jpegs)),
        None,
    )
    images = [jpeg.open() for jpeg in jpegs[:16]]
    kinds = []
    for image in images:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=88, progressive=True)
        kinds.append(torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8))
    decodes.decoder(kinds[:2])
    start = time.perf_counter()
    decodes.decoder(kinds)
    wait()
    yield Row(
        "any",
        "gpu",
        "decoding of progressive files, alone",
        len(kinds),
        len(kinds) / (time.perf_counter() - start),
        None,
    )
    start = time.perf_counter()
    for one in kinds:
        Image.open(io.BytesIO(one.numpy().tobytes())).convert("RGB")
    yield Row(
        "any",
        "full",
        "decoding of progressive files, one core",
        1,
        len(kinds) / (time.perf_counter() - start),
        None,
    )


def compressed(encoder: Any, files: list[File]) -> list[Any]:
    from fairlead.store.materials import Files

    see = Files(takes=encoder.takes)
    found = [see.see(file, see.read(file)) for file in files]
    assert all(hasattr(one, "content") for one in found), "the photos are plain JPEGs"
    return found


def measured(
    name: str,
    shape: Shape,
    folder: Path,
    files: list[File],
    modes: list[str],
    args: argparse.Namespace,
    device: str,
    rate: float,
) -> Iterator[Row]:
    """The rows of one model."""
    from fairlead.encoders.hf import HF
    from fairlead.engine.embedding import embed
    from fairlead.store.materials import Files
    from fairlead.store.pictures import decode, read

    first, seconds = HF(str(folder), device=device), 0.1 if args.dry else 3.0
    few = files[: min(len(files), max(args.batches))]
    with ThreadPoolExecutor(WORKERS) as pool:
        some = list(pool.map(lambda file: first.prepare(decode(read(file.image))), few[:256]))
    assert first._loaded.recipe is not None, "the plain preprocessing is in use"

    def row(mode: str, what: str, batch: int, speed: float) -> Row:
        return Row(name, mode, what, batch, speed, speed * shape.flops / rate)

    for batch in args.batches:
        yield row(
            "", "tower: pictures on the device", batch, tower(first, some, batch, device, seconds)
        )
    for batch in args.batches:
        given = (some * (batch // len(some) + 1))[:batch]
        yield row(
            "",
            "prepared: moved and embedded",
            batch,
            in_turn(HF(str(folder), device=device, batch=batch), given, seconds),
        )
    if "gpu" in modes:
        jpegs = compressed(HF(str(folder), device=device, decode="gpu"), few)
        print(
            f"{name}: decode=gpu against full, lowest cosine of {len(few[:64])} photos: {closeness(folder, few[:64], device):.5f}",
            flush=True,
        )
        for batch in args.batches:
            encoder = HF(str(folder), device=device, batch=batch, decode="gpu")
            yield row(
                "gpu",
                "prepared: decoded, resized and embedded",
                batch,
                in_turn(encoder, jpegs[:batch], seconds),
            )
    for mode, batch, processes in itertools.product(
        modes, args.batches, (True, False) if args.threads else (True,)
    ):
        sink, encoder = Gathered(), HF(str(folder), device=device, batch=batch, decode=mode)
        chosen = some_of(files, mode)
        embed(
            chosen,
            Files(least=encoder.enough, takes=encoder.takes),
            encoder,
            sink,
            workers=WORKERS,
            processes=processes,
        )
        assert sink.rows == len(chosen)
        yield row(
            mode, "files to vectors" + ("" if processes else ", read by threads"), batch, sink.speed
        )


def closeness(folder: Path, files: list[File], device: str) -> float:
    """The lowest cosine of a photo's vectors, decoded on the GPU and on the processor."""
    from fairlead.encoders.hf import HF
    from fairlead.store.pictures import open_picture

    full, gpu = (HF(str(folder), device=device, decode=mode) for mode in ("full", "gpu"))
    one, two = (
        e.images([open_picture(file.image, takes=e.takes) for file in files], "item").vectors
        for e in (full, gpu)
    )
    return float((one * two).sum(1).min())


def in_turn(encoder: Any, given: list[Any], seconds: float) -> float:
    """Images per second of batches one after the other, each begun before the last is waited for,
    as ``embed`` does.
    """

    def run() -> None:
        last = encoder.begin(given, "item")
        for _ in range(3):
            following = encoder.begin(given, "item")
            last()
            last = following
        last()

    return speed(run, 4 * len(given), seconds)


def by_processes(encoder: Any, files: list[File]) -> float:
    """Images per second that processes read, their start left out."""
    from fairlead.engine.readers import Processes
    from fairlead.store.materials import Files

    with Processes(
        Files(least=encoder.enough, takes=encoder.takes), encoder.preparer, files, WORKERS, 1024
    ) as reader:
        seen, start = 0, 0.0
        for _ in reader:
            seen += 1
            if seen == len(files) // 4:
                start = time.perf_counter()
        return (seen - len(files) // 4) / (time.perf_counter() - start)


def verdict(name: str, mode: str, rows: list[Row]) -> str:
    """What bounds the road from files to vectors, for one way to decode."""

    def best(what: str, model: str = name, modes: tuple[str, ...] = (mode,)) -> Row:
        fitting = (
            row
            for row in rows
            if row.model == model and row.mode in modes and row.what.startswith(what)
        )
        return max(fitting, key=lambda row: row.images_per_second)

    tower, ready = (
        best("tower", modes=("",)),
        best("prepared", modes=("gpu",) if mode == "gpu" else ("",)),
    )
    read, found = best("reading", "any"), best("files to vectors")
    if read.images_per_second < ready.images_per_second:
        bound = f"{read.what.partition(': ')[2]} on {WORKERS} cores ({read.images_per_second:,.0f})"
    elif ready.images_per_second > 0.8 * tower.images_per_second:
        bound = f"the image tower ({tower.images_per_second:,.0f})"
    else:
        doing = (
            "decoding on the GPU beside the tower"
            if mode == "gpu"
            else "moving pictures to the device and starting its work"
        )
        bound = f"{doing} ({ready.images_per_second:,.0f})"
    reached = 100 * found.images_per_second / min(read.images_per_second, ready.images_per_second)
    rate = f"{found.images_per_second:,.0f} images/s from files to vectors (batch {found.batch})"
    return f"{name}, decode={mode}: {rate}, {reached:.0f} % of what bounds it: {bound}."


def tower(
    encoder: Any, some: list[Mapping[str, Any]], batch: int, device: str, seconds: float
) -> float:
    """Images per second of the image tower alone."""
    import torch

    from fairlead.encoders.towers import device_of, forward, moved

    place = device_of(device)
    inputs = moved((some * (batch // len(some) + 1))[:batch], place)
    ready = {"pixel_values": encoder._loaded.recipe.numbers(inputs["pixels"])}
    one = torch.zeros(1, device=place)

    def run() -> None:
        forward(
            lambda **given: encoder._loaded.image(**given)[:1, :1] + one,
            ready,
            encoder.precision,
            place,
        )

    return speed(run, batch, seconds)


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
    """JPEG files with the detail of photos: 32 pictures, each in many files whose bytes differ
    behind the picture's end.
    """
    from PIL import Image

    def picture(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        large = Image.fromarray(
            rng.integers(0, 256, (height // 32, width // 32, 3), np.uint8)
        ).resize((width, height), Image.Resampling.BICUBIC)
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
    print(
        f"{count} photos of {width} x {height}, {np.mean([len(k) for k in kinds]) / 1024:.0f} kB each",
        flush=True,
    )
    return files


def saved(folder: Path, shape: Shape) -> Path:
    """A CLIP model with random weights, saved; its text tower is tiny, since no text is embedded."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    vision = {
        "hidden_size": shape.width,
        "intermediate_size": 4 * shape.width,
        "num_hidden_layers": shape.layers,
    }
    vision |= {
        "num_attention_heads": shape.heads,
        "patch_size": shape.patch,
        "image_size": shape.side,
    }
    text = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "vocab_size": 8,
    }
    text |= {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    torch.manual_seed(0)
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=512)
    transformers.CLIPModel(config).save_pretrained(folder)
    words = Tokenizer(
        models.WordLevel({"<s>": 0, "</s>": 1, "a": 2, "<unk>": 3}, unk_token="<unk>")
    )
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        eos_token="</s>",
        pad_token="</s>",
        unk_token="<unk>",
        model_max_length=77,
    )
    fast.save_pretrained(folder)
    square = {"height": shape.side, "width": shape.side}
    said = {
        "image_processor_type": "CLIPImageProcessor",
        "do_resize": True,
        "size": {"shortest_edge": shape.side},
        "resample": 3,
    }
    said |= {
        "do_center_crop": True,
        "crop_size": square,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
    }
    said |= {
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
        "do_convert_rgb": True,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(said))
    return folder


if __name__ == "__main__":
    sys.exit(main())
