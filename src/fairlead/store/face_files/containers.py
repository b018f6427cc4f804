"""Files with many responses, each with the name of its picture, which services do not return.

Three forms: a folder of files (``nurse/01.jpg.json`` is about ``nurse/01.jpg``); JSON lines, each
``{"item": ..., "response": ...}``; one JSON object of responses by item, or a list of such lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.store.face_files.faces import ServiceFace
from fairlead.store.json_text import parsed
from fairlead.store.opening import text_of
from fairlead.store.sources.entries import IMAGE_ALIASES

# Fields that name the picture of a line. Not ``image_id``: Face++ uses it for a number of its
# own.
_NAMES = ("item", "item_id", "image", *IMAGE_ALIASES)
_FORMS = (
    'Give a folder of ITEM.json, lines {"item": ..., "response": ...} (.jsonl), or one '
    "object of responses by item (.json)."
)
Reader = Callable[[Any, str], list[ServiceFace]]


def read_faces(path: str | Path, read: Reader) -> dict[str, list[ServiceFace]]:
    """The faces of every picture a file or folder knows, by the name it has there.

    Raises:
        UsageError: Where the path is at fault.
        DataError: With the place, where the content is; also where two answers about one picture
            differ.
    """
    place = Path(path).expanduser()
    faces_of: dict[str, list[ServiceFace]] = {}
    for where, item, response in _responses(place):
        faces = read(response, where)
        if faces_of.setdefault(item, faces) != faces:
            raise DataError(
                f"{where}: {place.name} answers about '{item}' twice, differently.",
                "Keep one answer for each picture.",
            )
    if not faces_of:
        raise DataError(f"{place.name} holds no answer.", _FORMS)
    return faces_of


def _responses(path: Path) -> Iterator[tuple[str, str, Any]]:
    """Place, item and response of everything in a file or folder."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            name = file.relative_to(path).as_posix()
            yield name, name.removesuffix(".json"), _json(_text(file), name)
        return
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", _FORMS)
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for number, line in enumerate(_text(path).splitlines(), 1):
            if line.strip():
                where = f"{path.name}, line {number}"
                yield (where, *_item_and_response(_json(line, where), where))
        return
    whole = _json(_text(path), path.name)
    if isinstance(whole, list):
        for number, entry in enumerate(whole, 1):
            yield (
                f"{path.name}, entry {number}",
                *_item_and_response(entry, f"{path.name}, entry {number}"),
            )
    elif isinstance(whole, dict):
        yield from ((f"{path.name}, '{item}'", item, response) for item, response in whole.items())
    else:
        raise DataError(f"{path.name} is neither an object nor a list.", _FORMS)


def _item_and_response(entry: Any, where: str) -> tuple[str, Any]:
    """The item that a line is about, and its response."""
    name = next(
        (
            n
            for n in _NAMES
            if isinstance(entry, Mapping) and isinstance(entry.get(n), str) and entry[n].strip()
        ),
        None,
    )
    if name is None:
        raise DataError(f"{where} does not name its picture.", _FORMS)
    # else the fields of the response stand beside the name
    response = {key: value for key, value in entry.items() if key != name}
    return entry[name].strip(), entry.get("response", response)


def _text(path: Path) -> str:
    try:
        return text_of(path)
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text.", "Save the file as UTF-8.") from None
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror}.", _FORMS) from error


def _json(text: str, where: str) -> Any:
    try:
        # of two answers under one name, Python's reader keeps the last without a word
        return parsed(text, _unambiguous)
    except json.JSONDecodeError as error:
        line = "" if ", line" in where else f", line {error.lineno}"
        raise DataError(f"{where}{line} is not JSON: {error.msg}.", _FORMS) from error
    except ValueError as error:
        raise DataError(f"{where} cannot be read as JSON: {error}.", _FORMS) from error
    except _Twice as error:
        raise DataError(
            f"{where} answers about '{error}' twice, differently.",
            "Keep one answer for each picture.",
        ) from None


class _Twice(Exception):
    """A name that occurs twice in one object, with different values."""


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if values.setdefault(name, value) != value:
            raise _Twice(name)
    return values
