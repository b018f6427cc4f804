"""own: a benchmark written out as files is the same benchmark, and every fault has its line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fairlead.benchmarks.own import Choices, OwnData, check_own
from fairlead.commands import audit as audits
from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.statistics import targets
from fairlead.types import Study


def write(path: Path, header: str, rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


def written(study: Study, folder: Path) -> Path:
    """A study as a folder of one's own data."""
    folder.mkdir()
    items, queries = study.collection, study.queries
    if items.images is not None:
        write(folder / "collection.csv", "id,image", zip(items.ids, items.images, strict=True))
    else:
        write(folder / "captions.csv", "id,caption", zip(items.ids, items.texts or (), strict=True))
    tags = list(queries.tags)
    side, things = ("text", queries.texts) if queries.texts else ("image", queries.images)
    rows = zip(queries.ids, things or (), *queries.tags.values(), strict=True)
    write(folder / "queries.csv", ",".join(["query", side, *tags]), rows)
    names = [name for name in items.groups if "*" not in name]
    labels = [[items.groups[n].names[c] for c in items.groups[n].codes] for n in names]
    header = ["item", *names]
    if study.blocks is not None:
        header.append("blocks")
        labels.append(study.blocks.tolist())
    write(folder / "labels.csv", ",".join(header), zip(items.ids, *labels, strict=True))
    if queries.candidates is None:
        judged = [
            (q, items.ids[row], 1)
            for n, q in enumerate(queries.ids)
            for row in queries.relevant.of(n)
        ]
        write(folder / "qrels.csv", "query,item,gain", judged)
        return folder
    role = study.roles["role"]
    sets = queries.candidates
    trials = [
        (q, items.ids[sets.rows[at]], role.names[role.codes[at]])
        for n, q in enumerate(queries.ids)
        for at in range(sets.offsets[n], sets.offsets[n + 1])
    ]
    write(folder / "candidates.csv", "query,item,role", trials)
    return folder


def rows_of(model: str, benchmark: str, **choices: object) -> list[tuple[object, ...]]:
    found = audits.audit(model, benchmark, **choices).result
    return [(r.metric, r.attribute, r.mean) for r in found.rows]


@pytest.mark.parametrize(
    ("model", "benchmark", "choices"),
    [
        ("phantom(dose=0.5)", "phantom(seeds=2)", 'metrics="NDKL@20|AbsBias@20|nDCG@20|P@20"'),
        (
            "phantom(kind=language,dose=1)",
            "phantom:language(seeds=1)",
            'metrics="LBKL@10|DLBKL@10|nDCG@10",attributes=resource,clusters=concept,'
            'by="own_resource|culture",k=10',
        ),
        ("phantom(kind=culture,dose=1)", "phantom:culture(seeds=1)", "clusters=word"),
    ],
)
def test_benchmark_written_out_reads_the_same_numbers(model, benchmark, choices, tmp_path):
    folder = written(registry.make("benchmark", benchmark).study(), tmp_path / "mine")
    assert check_own(folder) == ()
    mine, theirs = rows_of(model, f"own:{folder}({choices})"), rows_of(model, benchmark)
    alike = [row for row in theirs if "*" not in str(row[1])]
    mine_by, by = ({(r[0], r[1]): r[2:] for r in rows} for rows in (mine, alike))
    shared = mine_by.keys() & by.keys()
    assert len(shared) >= 3
    for key in shared:
        np.testing.assert_allclose(mine_by[key][0], by[key][0], rtol=0, atol=1e-12)


def toy(folder: Path, count: int = 12) -> Path:
    """Pictures of noise with labels, two queries and judgements."""
    rng = np.random.default_rng(0)
    (folder / "images").mkdir(parents=True)
    for n in range(count):
        pixels = rng.integers(0, 255, (8, 8, 3), np.uint8)
        Image.fromarray(pixels).save(folder / "images" / f"{n}.png")
    shown = ("female", "male", "unknown")
    labels = [(f"{n}.png", shown[n % 3], n % 4 / 4, 1 - n % 4 / 4) for n in range(count)]
    write(folder / "labels.csv", "item,gender,skin=dark,skin=light", labels)
    asked = [("q1", "a nurse", "en", "p1"), ("q2", "ein Foto", "de", "p1")]
    write(folder / "queries.csv", "query,text,language,pair", asked)
    judged = [(f"q{1 + n % 2}", f"{n}.png", 1) for n in range(count)]
    write(folder / "qrels.csv", "query,item,gain", judged)
    return folder


def test_folder_without_choices_has_sensible_ones(tmp_path):
    study = registry.make("benchmark", f"own:{toy(tmp_path / 'mine')}").study()
    assert study.modality == "text-to-image" and study.k == 12
    assert study.metrics == ("NDKL@12", "AbsBias@12", "nDCG@12", "P@12", "Recall@12")
    assert study.attributes == ("gender", "skin")
    assert (study.by, study.clusters, study.target) == (("language",), "pair", "uniform")
    assert study.notes == ()
    assert study.collection.groups["skin"].codes is None
    assert study.card["licence"] == "not stated"


def test_files_named_one_by_one_are_the_same_study(tmp_path):
    folder = toy(tmp_path / "mine")
    data = OwnData(
        folder / "images",
        folder / "queries.csv",
        groups=folder / "labels.csv",
        qrels=folder / "qrels.csv",
    )
    one, other = data.study(), registry.make("benchmark", f"own:{folder}").study()
    assert one.collection.ids == other.collection.ids
    assert one.metrics == other.metrics and one.queries.tags == other.queries.tags
    np.testing.assert_array_equal(one.queries.relevant.rows, other.queries.relevant.rows)
    for name, groups in one.collection.groups.items():
        np.testing.assert_array_equal(groups.share, other.collection.groups[name].share)


def test_stated_target_is_kept_and_measured_by_its_distance(tmp_path):
    folder = toy(tmp_path / "mine")
    stated = [("*", "gender", "female", 0.4), ("*", "gender", "male", 0.6)]
    stated += [("*", "skin", "dark", 0.5), ("*", "skin", "light", 0.5)]
    write(folder / "targets.csv", "query,attribute,group,share", stated)
    study = registry.make("benchmark", f"own:{folder}(k=5)").study()
    assert study.target == "targets.csv"
    assert study.stated["gender"] == {("*", "female"): 0.4, ("*", "male"): 0.6}
    assert study.metrics[:2] == ("NDKL@5", "TV@5")
    pooled = OwnData(folder / "images", folder / "queries.csv", target="pool").study()
    assert (pooled.target, pooled.stated) == ("pool", {})


def test_target_of_the_folder_is_that_of_the_audit(tmp_path):
    folder = written(registry.make("benchmark", "phantom(seeds=1)").study(), tmp_path / "mine")
    stated = [("*", "gender", "female", 0.3), ("*", "gender", "male", 0.7)]
    path = write(folder / "targets.csv", "query,attribute,group,share", stated)
    choices = {"attribute": "gender", "metric": "TV@4"}
    own = f"own:{folder}(k=4)"
    found = audits.audit("phantom(dose=1)", own, **choices).result
    path.unlink()
    even = audits.audit("phantom(dose=1)", own, **choices).result
    assert even.rows[0].target == "uniform" != found.rows[0].target
    assert found.rows[0].mean != even.rows[0].mean


def test_pictures_that_search_captions_need_no_choice(tmp_path):
    folder = toy(tmp_path / "mine")
    (folder / "qrels.csv").unlink()
    (folder / "labels.csv").unlink()
    write(folder / "queries.csv", "query,image", [("a", "images/0.png"), ("b", "images/1.png")])
    captions = [(n, f"caption {n}", ("en", "de")[n % 2]) for n in range(6)]
    write(folder / "captions.csv", "id,caption,language", captions)
    study = registry.make("benchmark", f"own:{folder}").study()
    assert study.modality == "image-to-text"
    assert study.queries.images[0] == str(folder.resolve() / "images" / "0.png")
    assert study.collection.groups["language"].names == ("de", "en")


def test_queries_in_a_text_file_are_their_own_ids(tmp_path):
    folder = toy(tmp_path / "mine")
    (folder / "queries.csv").unlink()
    (folder / "qrels.csv").unlink()
    (folder / "queries.txt").write_text("a nurse\n\na photo, of a judge\n")
    queries = registry.make("benchmark", f"own:{folder}").study().queries
    assert queries.ids == queries.texts == ("a nurse", "a photo, of a judge")


def spoilt(folder: Path) -> Path:
    """A fault in every file."""
    toy(folder)
    (folder / "queries.csv").write_text("query,text\nq1,a nurse\nq1,a judge\nq2,\nq3\n")
    lines = (folder / "labels.csv").read_text().splitlines()
    lines[4] = "3.pn,female,1,0"
    lines[6] = "5.png,unknown,half,0"
    lines[7] = "6.png,female,0.9,0.9"
    lines.append("0.png,male,0,1")
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    (folder / "qrels.csv").write_text("query,item,gain\nq1,0.png,much\nq1,1.png,1\nq1,1.png,2\n")
    write(folder / "targets.csv", "query,attribute,group,share", [("*", "gender", "femal", 0.5)])
    (folder / "lables.csv").write_text("item\n")
    return folder


def test_faults_of_a_folder_are_told_together_with_file_and_line(tmp_path):
    faults = check_own(spoilt(tmp_path / "mine"))
    places = {(fault.file, fault.line, fault.grave) for fault in faults}
    grave = [("queries.csv", 3), ("queries.csv", 4), ("queries.csv", 5), ("labels.csv", 7)]
    grave += [("labels.csv", 8), ("labels.csv", 14), ("qrels.csv", 2), ("qrels.csv", 4)]
    grave += [("targets.csv", 2)]
    assert {(file, line, True) for file, line in grave} <= places
    assert ("labels.csv", 5, False) in places and ("lables.csv", None, False) in places
    assert [fault.grave for fault in faults] == sorted((f.grave for f in faults), reverse=True)
    assert "Did you mean female" in str(next(f for f in faults if f.file == "targets.csv"))


def test_study_of_a_spoilt_folder_raises_every_grave_fault(tmp_path):
    folder = spoilt(tmp_path / "mine")
    grave = [str(fault) for fault in check_own(folder) if fault.grave]
    with pytest.raises(DataError) as raised:
        registry.make("benchmark", f"own:{folder}").study()
    assert all(fault in str(raised.value) for fault in grave)


def test_candidates_that_are_nowhere_have_their_lines(tmp_path):
    folder = toy(tmp_path / "mine")
    rows = [("q1", "0.png", "sem"), ("q1", "1.png", "cul"), ("q1", "99.png", "non")]
    rows += [("q2", "2.png", "sem"), ("q2", "2.png", "cul"), ("q9", "3.png", "non")]
    write(folder / "candidates.csv", "query,item,role", rows)
    faults = check_own(folder)
    assert [(f.file, f.line) for f in faults if f.grave][:3] == [
        ("candidates.csv", 4),
        ("candidates.csv", 6),
        ("candidates.csv", 7),
    ]
    assert any("has no 'cul'" in str(fault) for fault in faults)


def test_candidates_without_roles_are_pools_of_their_own(tmp_path):
    folder = toy(tmp_path / "mine")
    rows = [("q2", f"{n}.png") for n in (3, 1)] + [("q1", f"{n}.png") for n in (0, 2, 4)]
    write(folder / "candidates.csv", "query,item", rows)
    study = registry.make("benchmark", f"own:{folder}").study()
    names = [study.collection.ids[row] for row in study.queries.candidates.rows]
    assert names == ["0.png", "2.png", "4.png", "3.png", "1.png"]
    assert study.queries.candidates.offsets.tolist() == [0, 3, 5] and not study.roles


def test_picture_that_is_empty_is_left_out_and_told(tmp_path):
    folder = toy(tmp_path / "mine")
    (folder / "images" / "3.png").write_bytes(b"")
    notes = check_own(folder)
    assert not any(fault.grave for fault in notes)
    assert any("3.png" in str(fault) and "empty" in str(fault) for fault in notes)
    study = registry.make("benchmark", f"own:{folder}").study()
    assert "3.png" not in study.collection.ids and len(study.notes) == 3


@pytest.mark.parametrize(
    ("gone", "said"),
    [("queries.csv", "has no queries.csv"), ("images", "nothing to search")],
)
def test_folder_that_lacks_a_part_says_which(gone, said, tmp_path):
    folder = toy(tmp_path / "mine")
    (folder / gone).rename(folder / f"{gone}.bak")
    with pytest.raises(DataError, match=said):
        registry.make("benchmark", f"own:{folder}").study()


def test_folder_that_is_none_is_refused():
    with pytest.raises(UsageError, match="There is no folder"):
        registry.make("benchmark", "own:/nowhere/at/all").study()
    with pytest.raises(UsageError, match="k=0"):
        registry.make("benchmark", "own:here(k=0)")


def test_words_cannot_search_captions(tmp_path):
    folder = toy(tmp_path / "mine")
    captions = write(folder / "captions.csv", "id,caption", [("a", "one"), ("b", "two")])
    with pytest.raises(DataError, match="ask with words"):
        OwnData(captions, folder / "queries.csv").study()


def test_choices_of_metrics_and_attributes_are_taken(tmp_path):
    folder = toy(tmp_path / "mine")
    crossed = f'own:{folder}(metrics="NDKL@3|MaxSkew@3",attributes="gender*skin|skin")'
    study = registry.make("benchmark", crossed).study()
    assert study.metrics == ("NDKL@3", "MaxSkew@3")
    assert study.attributes == ("gender*skin", "skin")
    assert len(study.collection.groups["gender*skin"].names) == 4
    data = OwnData(
        folder / "images", folder / "queries.csv", folder / "labels.csv", choices=Choices(k=2)
    )
    assert data.study().k == 2


def test_shares_that_are_rounded_to_three_decimals_are_no_fault(tmp_path):
    folder = toy(tmp_path / "mine")
    thirds = (0.334, 0.334, 0.333)
    names = ("old", "middle", "young")
    labels = [(f"{number}.png", *thirds) for number in range(12)]
    write(folder / "labels.csv", "item,age=old,age=middle,age=young", labels)
    stated = [("*", "age", name, share) for name, share in zip(names, thirds, strict=True)]
    write(folder / "targets.csv", "query,attribute,group,share", stated)
    study = registry.make("benchmark", f"own:{folder}").study()
    age = study.collection.groups["age"]
    assert targets.given(age, study.queries.ids, study.stated["age"], name="targets.csv")
    np.testing.assert_allclose(age.share.sum(1), 1)
    assert not [fault for fault in check_own(folder) if fault.grave]
    labels[3] = ("3.png", 0.4, 0.4, 0.3)
    write(folder / "labels.csv", "item,age=old,age=middle,age=young", labels)
    assert [fault.line for fault in check_own(folder) if fault.grave] == [5]
