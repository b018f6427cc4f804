"""Choices that a file of somebody else's may hold, and what happens to who follows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from fairlead.protocols.reach import CODE, Reach

ADDRESS = "http://127.0.0.1:9"
SERVER = "postgresql://ann@127.0.0.1:9/photos"
RUNNING = (
    "py:fairlead_hostile:Encoder",
    "  py:fairlead_hostile:Encoder  ",
    'py:"fairlead_hostile:Encoder"',
    "py:fairlead_hostile:Encoder(width=8)",
    "py:fairlead_hostile:made",
    "py:fairlead_hostile:made()",
    'py:os:system(command="echo hostile")',
    'py:"os:system"(command="echo hostile")',
    'py:os:popen(cmd="echo hostile")',
    'py:posix:system(command="echo hostile")',
    'py:subprocess:Popen(args="echo")',
    'py:subprocess:check_output(args="echo")',
    'py:subprocess:getoutput(cmd="echo")',
    'py:builtins:exec(source="import fairlead_hostile")',
    'py:builtins:eval(source="__import__(1)")',
    'py:importlib:import_module(name="fairlead_hostile")',
    'py:runpy:run_module(mod_name="fairlead_hostile")',
    'py:shutil:rmtree(path="/nowhere/at/all")',
    'py:os:remove(path="/nowhere/at/all")',
    'py:urllib.request:urlopen(url="http://127.0.0.1:9")',
    'py:webbrowser:open(url="http://127.0.0.1:9")',
    'py:timeit:timeit(stmt="import fairlead_hostile")',
    'py:code:interact(banner="hostile")',
    "py:this:s",
    "st:{folder}(trust=true)",
    "st:{folder}(trust=1)",
    'st:{folder}(trust="yes")',
)
NETWORK = (
    "hf:attacker/model",
    'hf:"attacker/model"',
    "hf:attacker/model(revision=main)",
    "hf:attacker",
    "hf:http://127.0.0.1:9/model",
    'hf:"~nobody-is-called-so/model"',
    "st:attacker/model",
    "st:all-MiniLM-L6-v2",
    "st:attacker/model(trust=true)",
    "late:attacker/model",
    "late:{folder}(base=attacker)",
    'late:{folder}(base="attacker/model")',
    "open_clip:ViT-B-32/laion2b_s34b_b79k",
    "open_clip:ViT-B-32/openai",
    "open_clip:hf-hub:attacker/model",
    "open_clip:{folder}",
    "open_clip:local-dir:{folder}",
)
NESTING = (
    'precomputed:DIR(model="{}")',
    'precomputed:DIR(model="precomputed:DIR(model=\\"{}\\")")',
)
INDEXES = (
    f"qdrant:{ADDRESS}",
    f'qdrant:"{ADDRESS}"(collection=photos)',
    f"qdrant:{ADDRESS}(kind=hnsw)",
    "qdrant:https://127.0.0.1:9",
    f"pgvector:{SERVER}",
    f"pgvector:{SERVER}(table=photos)",
    'pgvector:"host=127.0.0.1 port=9 user=ann"',
    'pgvector:"service=photos"',
    "hostile_index",
)
SOURCES = (
    f"qdrant:{ADDRESS}(collection=photos)",
    f"pgvector:{SERVER}(table=photos)",
    'pgvector:"host=127.0.0.1 port=9"(table=photos)',
)
# What an annotator sees with is an encoder: each of these holds one.
SEEING = (
    'zeroshot_embedding(model="{}")',
    'zeroshot_prompt(model="{}")',
    'mlp:"{{classifier}}"(model="{}")',
    'hybrid(auto="zeroshot_embedding(model=\\"{}\\")")',
    'hybrid:labels.db(auto="hybrid(auto=\\"zeroshot_prompt(model=\\\\\\"{}\\\\\\")\\")")',
)


def encoders(folder: object) -> list[str]:
    """Hostile encoders; ``folder`` is a model's folder whose config names a hub."""
    plain = [one.replace("{folder}", str(folder)) for one in (*RUNNING, *NETWORK)]
    bare = [one for one in plain if '"' not in one]
    nested = [way.format(one) for way in NESTING for one in bare[:3]]
    return [*plain, *nested, "hostile_encoder"]


def annotators(classifier: object) -> list[str]:
    """Hostile annotators; ``classifier`` is a sound one, which somebody else's model is to serve."""
    inner = ("py:fairlead_hostile:Encoder", "hf:attacker/model", "hostile_encoder")
    nested = [way.format(one) for way in SEEING for one in inner]
    return [one.replace("{classifier}", str(classifier)) for one in nested] + [
        "hostile_annotator",
        'hybrid(auto="hostile_annotator")',
    ]


class Undeclared:
    """An adapter that does not say what it reaches."""

    @classmethod
    def from_spec(cls, spec: Any) -> Any:
        raise SystemExit("an adapter that says nothing of itself was made")


class Declared(Undeclared):
    """One of a kind that computes, which says that it runs code."""

    reaches: ClassVar[Reach] = Reach(CODE)


_HEARD: list[str] = []
_LISTENING = False
_EVENTS = (
    *("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "os.remove", "shutil.rmtree"),
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "webbrowser.open"),
)


def _hear(event: str, args: Any) -> None:
    # Python calls this for whatever it is about to do; a hook cannot be taken off again.
    if not _LISTENING:
        return
    # Our own locks and temporary files come and go; what a file names for removal does not exist.
    if event in ("os.remove", "shutil.rmtree") and "/nowhere" not in str(args):
        return
    if event in _EVENTS or (event == "import" and args[0] in ("fairlead_hostile", "this")):
        _HEARD.append(f"{event} {args}")


sys.addaudithook(_hear)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is run or sent while this lasts, by Python's own audit events."""
    global _LISTENING
    _HEARD.clear()
    _LISTENING = True
    try:
        yield _HEARD
    finally:
        _LISTENING = False
