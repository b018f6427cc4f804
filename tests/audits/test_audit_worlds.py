"""The audit of languages and cultures as a folder, as JSON, as a page and in a terminal."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import fairlead
from fairlead.cli.main import main
from fairlead.commands import audit as audits
from fairlead.report.splits import splits
from fairlead.report.terminal import as_text, score_view
from fairlead.store.saved_run import read_saved

SCHEMAS = {
    name: json.loads(
        (files("fairlead.report") / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    )
    for name in ("score", "manifest")
}
KNOWN = Registry().with_resources(
    [(f"{name}.json", Resource.from_contents(schema)) for name, schema in SCHEMAS.items()]
)
CHOICES = {
    "language": {
        "metric": ["LBKL@10", "Bias(positive=high)@10", "Hit@5"],
        "mitigate": "detgreedy",
        "mitigate_groups": "noisy(accuracy=0.9)",
    },
    "culture": {
        "metric": ["SelfPreference", "SelfPreference(part=sem)", "SelfPreference(part=nearer)"]
    },
}


@pytest.fixture(scope="module", params=["language", "culture"])
def world(request):
    return request.param


@pytest.fixture(scope="module")
def found(world):
    return audits.audit(
        f"phantom(dose=1,kind={world})", f"phantom:{world}(seeds=1)", **CHOICES[world]
    )


@pytest.fixture(scope="module")
def folder(found, tmp_path_factory):
    return audits.save_audit(found, tmp_path_factory.mktemp("runs") / "run")


def test_rows_are_those_of_score_with_variant_and_tag(found):
    answer = json.loads(json.dumps(found.result.to_dict(), allow_nan=False))
    Draft202012Validator(SCHEMAS["score"], registry=KNOWN).validate(answer)
    whole = [row for row in answer["metrics"] if "tag" not in row]
    parts = [row for row in answer["metrics"] if "tag" in row]
    assert len(whole) == len(found.result.rows) and answer["metrics"][: len(whole)] == whole
    assert {row["variant"] for row in answer["metrics"]} == set(found.rankings)
    for row in parts:
        twin = next(
            w
            for w in whole
            if (w["metric"], w["attribute"], w["variant"])
            == (row["metric"], row["attribute"], row["variant"])
        )
        assert set(row) - {"tag"} == set(twin) and len(row["tag"]) == 1
    for tag in found.study.by:
        values = set(found.study.queries.tags[tag])
        assert len([row for row in parts if tag in row["tag"]]) == len(values) * len(whole)
        for row in whole:
            same = [
                r
                for r in parts
                if tag in r["tag"]
                and (r["metric"], r["variant"]) == (row["metric"], row["variant"])
            ]
            assert (
                sum(r["queries"] + r["undefined"] for r in same)
                == row["queries"] + row["undefined"]
            )


def test_parts_of_equal_size_average_to_the_whole(found):
    means = {r.metric: [] for r in found.result.rows}
    for row in found.result.split:
        if (
            row.variant == "plain"
            and found.study.by[-1] in row.tag
            and row.metric != "SelfPreference"
        ):
            means[row.metric].append(row.mean)
    for row in found.result.rows:
        if row.variant == "plain" and means[row.metric]:
            assert sum(means[row.metric]) / len(means[row.metric]) == pytest.approx(row.mean)


def test_folder_replays_to_the_same_numbers(found, folder):
    assert fairlead.replay(folder).result.to_dict() == json.loads(
        (folder / "scores.json").read_text(encoding="utf-8")
    )
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMAS["manifest"], registry=KNOWN).validate(manifest)
    assert manifest["run"]["depth"]["max"] == (
        3 if found.study.roles else len(found.study.collection)
    )
    assert list(read_saved(folder / "run.parquet").lists) == list(found.rankings)


def test_page_tells_the_parts_apart_and_shows_what_was_found(found, folder, world):
    page = (folder / "report.html").read_text(encoding="utf-8")
    for split in splits(found.result):
        section = page.partition(f"<h2>By {split.tag}</h2>")[2].partition("</section>")[0]
        assert re.findall(r'<th scope="row">(\w+)</th>', section) == [
            part.value for part in split.parts
        ]
    strips = audits.strips(found, queries=2)
    assert len({strip.about for strip in strips}) == 2
    if world == "language":
        assert all(strip.picture.startswith("data:image/jpeg") for strip in strips)
        assert all(
            item.text in found.study.collection.texts and not item.image
            for s in strips
            for line in s.lines
            for item in line.items
        )
        assert page.count('class="captions"') == 3 * len(found.rankings)
    else:
        assert all(
            len(line.items) == 3 and line.winner in ("sem", "cul", "non")
            for s in strips
            for line in s.lines
        )
        assert "the first wins" in page
    assert "://" not in page.partition("<h2>How to read this</h2>")[0]


def test_terminal_has_a_line_for_every_value_with_accuracy_beside(found, world):
    text = as_text(score_view(found.result))
    tag = found.study.by[-1]
    table = text.partition(f"By {tag}")[2].partition("\n\n")[0].splitlines()
    for value in dict.fromkeys(found.study.queries.tags[tag]):
        assert len([line for line in table if value in line.split()]) == len(found.rankings)
    if world == "culture":
        sem = {
            row.tag["language"]: row.mean
            for row in found.result.split
            if row.metric == "SelfPreference(part=sem)"
        }
        line = next(line for line in table if line.startswith("yoruba"))
        assert f"{sem['yoruba']:.3f}" in line
    narrow = as_text(score_view(found.result), width=80)
    assert f"By {tag}" in narrow


def test_command_answers_in_json(world, capsys):
    with pytest.raises(SystemExit) as left:
        main(["audit", "--model", f"phantom(dose=1,kind={world})", "--benchmark", f"phantom:{world}(seeds=1)", "--metric",
              CHOICES[world]["metric"][1], "--json"])  # fmt: skip
    answer = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    assert [row["metric"] for row in answer["metrics"] if "tag" not in row] == [
        CHOICES[world]["metric"][1]
    ]


@pytest.mark.parametrize("benchmark", ["phantom:langauge", "phantom:"])
def test_command_tells_an_unknown_world(benchmark, capsys):
    with pytest.raises(SystemExit) as left:
        main(["audit", "--benchmark", benchmark])
    assert left.value.code == 2 and "Traceback" not in capsys.readouterr().err
