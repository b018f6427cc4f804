"""Label Studio: tasks as JSON with annotations of type ``choices``, read and written.

A control named like the attribute (``from_name``) holds the answer. Predictions, drafts and skipped
(cancelled) annotations are left out. An annotation that was changed after an earlier import is a
correction: its time is part of its id.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlead.errors import DataError, UsageError
from fairlead.store.answer_files.records import Expected, Read, item_field, read_seconds, read_time
from fairlead.store.json_text import parsed
from fairlead.store.opening import text_of
from fairlead.types.answers import Answer, Task

# Where an answer that we wrote keeps its id, its version and its time.
_OWN = "fairlead"


def read_label_studio(path: Path, expected: Expected) -> Read:
    """Read exported tasks.

    Raises:
        DataError: With file and task.
    """
    tasks = _tasks(path)
    fields = {
        key
        for task in tasks
        for key, value in task["data"].items()
        if isinstance(value, (str, int)) and str(value).strip()
    }
    item = item_field(expected, sorted(fields), path.name)
    choices = list(dict.fromkeys(r["from_name"] for _, _, _, r in _results(path.name, tasks)))
    named = expected.fields(choices, path.name)
    answers = Read()
    answers.skipped["cancelled"] = sum(
        bool(a.get("was_cancelled")) for task in tasks for a in _annotations(task)
    )
    answered: set[tuple[int, int, str]] = set()
    for place, (number, turn), (task, annotation), result in _results(path.name, tasks):
        attribute = named.get(result["from_name"])
        if attribute is None:
            continue
        if (number, turn, attribute) in answered:
            raise DataError(
                f"{place} answers '{attribute}' twice.",
                "Ask for one answer an item: no choices for single regions.",
            )
        answered.add((number, turn, attribute))
        if item not in task["data"]:
            raise DataError(f"{place}: the task has no '{item}'.", "Every task names its item.")
        values = {
            "item": str(task["data"][item]).strip(),
            "rater": _rater(annotation, place),
            **_about(annotation, result, place),
        }
        answers.answers.append(expected.answer(place, attribute, _choice(result, place), values))
    # adding a counter drops the reasons that did not occur
    answers.skipped += Counter()
    return answers


def _tasks(path: Path) -> list[Any]:
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Check the path.")
    try:
        content = parsed(text_of(path))
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text.", "Save the file as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path.name}, line {error.lineno} is not JSON: {error.msg}.",
            "Export the tasks again, as JSON.",
        ) from error
    except (ValueError, OSError) as error:
        raise DataError(
            f"{path.name} cannot be read as JSON: {error}.", "Export the tasks again, as JSON."
        ) from error
    tasks = content if isinstance(content, list) else [content]
    for number, task in enumerate(tasks, 1):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            hint = "Export as JSON, not as JSON-MIN: every task has 'data' and 'annotations'."
            raise DataError(
                f"{path.name}, task {number} is no task of Label Studio: it has no 'data'.", hint
            )
        if not isinstance(_annotations(task), list) or not all(
            isinstance(a, dict) for a in _annotations(task)
        ):
            raise DataError(
                f"{path.name}, task {number}: 'annotations' is no list of annotations.",
                "Export the tasks again, as JSON.",
            )
    return tasks


def _annotations(task: Mapping[str, Any]) -> Any:
    # "completions" is what exports called them before Label Studio 1.0
    return task.get("annotations", task.get("completions", []))


def _object(value: Any) -> Mapping[str, Any]:
    """A JSON object; an empty one where something else stands."""
    if isinstance(value, dict):
        return value
    return {}


def _results(
    name: str, tasks: list[Any]
) -> Iterator[tuple[str, tuple[int, int], tuple[Any, Any], Any]]:
    """Yield each choice with its place, its task and annotation, and the numbers of both."""
    for number, task in enumerate(tasks, 1):
        task_id = f" (id {task['id']})" if "id" in task else ""
        for turn, annotation in enumerate(_annotations(task), 1):
            if annotation.get("was_cancelled"):
                continue
            place = f"{name}, task {number}{task_id}, annotation {turn}"
            results = annotation.get("result", [])
            if not isinstance(results, list) or not all(isinstance(r, dict) for r in results):
                raise DataError(
                    f"{place}: 'result' is no list of results.", "Export the tasks again, as JSON."
                )
            for result in (r for r in results if r.get("type") == "choices"):
                if not isinstance(result.get("from_name"), str):
                    raise DataError(
                        f"{place}: a choice has no 'from_name'.", "Export the tasks again, as JSON."
                    )
                yield place, (number, turn), (task, annotation), result


def _choice(result: Mapping[str, Any], place: str) -> str:
    choices = _object(result.get("value")).get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], str):
        raise DataError(
            f"{place}: '{result['from_name']}' holds {json.dumps(choices)}.",
            "Ask for one choice an item.",
        )
    return choices[0]


def _rater(annotation: Mapping[str, Any], place: str) -> str:
    name = annotation.get("completed_by")
    # some exports give the number of a rater, others the account with its address
    if isinstance(name, dict):
        name = name.get("email") or name.get("id")
    if name is None or isinstance(name, (dict, list, bool)) or not str(name).strip():
        raise DataError(
            f"{place} does not say who made it: no 'completed_by'.", "Export with annotators."
        )
    return str(name).strip()


def _about(annotation: Mapping[str, Any], result: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The id, version, time and seconds of an answer, where the annotation states them."""
    changed = annotation.get("updated_at") or annotation.get("created_at")
    about: dict[str, Any] = {"seconds": read_seconds(annotation.get("lead_time"), place)}
    if changed is not None:
        about["time"] = read_time(str(changed), place)
    stored = _object(_object(result.get("meta")).get(_OWN))
    # equal times: nobody has changed the annotation since we wrote it
    if stored.get("time") == changed and isinstance(stored.get("id"), str):
        version = stored.get("version")
        if not isinstance(version, int):
            version = None
        if isinstance(stored.get("counts_as"), str):
            about["counts_as"] = read_time(stored["counts_as"], place)
        return about | {"id": stored["id"], "version": version}
    if changed is not None and isinstance(stored.get("time"), str):
        # changed since: it corrects what we wrote, whatever the clock of Label Studio says
        former = read_time(str(stored.get("counts_as") or stored["time"]), place)
        if former > about["time"]:
            about["counts_as"] = former
    # the time is part of the id, so that a changed annotation is a correction, not a retry
    if annotation.get("unique_id"):
        about["id"] = f"label-studio:{annotation['unique_id']}:{result['from_name']}:{changed}"
    return about


def write_label_studio(
    path: Path, answers: Iterable[Answer], fields: Mapping[str, Mapping[str, str]]
) -> None:
    """Write one task per item and one annotation per rater; ``fields`` adds data of items."""
    tasks: dict[str, dict[str, list[Answer]]] = {}
    for answer in answers:
        tasks.setdefault(answer.item, {}).setdefault(answer.rater, []).append(answer)
    tasks_as_json = [
        {
            "id": number,
            "data": {**fields.get(item, {}), "item": item},
            "annotations": [
                _written(answer) for of_rater in raters.values() for answer in of_rater
            ],
            "predictions": [],
        }
        for number, (item, raters) in enumerate(tasks.items(), 1)
    ]
    path.write_text(
        json.dumps(tasks_as_json, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _written(answer: Answer) -> dict[str, Any]:
    time = answer.time.isoformat()
    own = {"id": answer.id, "version": answer.version, "time": time}
    if answer.counts_as is not None:
        own["counts_as"] = answer.counts_as.isoformat()
    result = {
        "from_name": answer.attribute,
        "to_name": "image",
        "type": "choices",
        "value": {"choices": [answer.answer]},
        "meta": {_OWN: own},
    }
    about = {
        "completed_by": {"email": answer.rater},
        "created_at": time,
        "updated_at": time,
        "was_cancelled": False,
    }
    return {**about, "lead_time": answer.seconds, "result": [result]}


def write_tasks(
    path: Path, task: Task, items: Iterable[str], fields: Mapping[str, Mapping[str, str]]
) -> None:
    """Write tasks that nobody has answered yet."""
    instructions = {"instructions": task.instructions} if task.instructions else {}
    tasks = [{"data": {**fields.get(item, {}), "item": item, **instructions}} for item in items]
    path.write_text(json.dumps(tasks, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
