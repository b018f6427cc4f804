"""Sums by default: no door writes what single people look like unless it was asked to, and pages
withhold what is about very few.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import fairlead
from fairlead.cli.main import main
from fairlead.commands import audit as audits
from fairlead.errors import UsageError
from fairlead.report.saving import save_score
from fairlead.report.withheld import for_others
from fairlead.store.saved_run import arrays_of, read_saved
from fairlead.studies.annotation import tally
from fairlead.types import Groups

RUN = {f"query {q}": {f"i{q}-{n}": 20.0 - n for n in range(12 if q else 3)} for q in range(4)}
LABELS = {
    item: {"gender": "female" if n % 3 else "male"}
    for n, item in enumerate(i for of in RUN.values() for i in of)
}


@pytest.fixture
def door(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main([str(w) for w in words])
        shown = capsys.readouterr()
        return left.value.code, shown.out, shown.err

    return run


def test_annotate_without_o_names_no_item_and_with_o_says_what_it_wrote(door, tmp_path):
    rows = "".join(f"holiday-{n},A {'woman' if n % 3 else 'man'}\n" for n in range(30))
    (tmp_path / "photos.csv").write_text("item,caption\n" + rows)
    for more in ((), ("--json",)):
        code, out, err = door(
            "annotate", "photos.csv", "--with", "caption", "--attribute", "gender", *more
        )
        assert code == 0 and "holiday" not in out + err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["photos.csv"]
    code, out, err = door(
        "annotate", "photos.csv", "--with", "caption", "--attribute", "gender", "-o", "labels.csv"
    )
    assert code == 0 and "labels.csv says of single items how people in them appear" in err
    assert (
        (tmp_path / "labels.csv")
        .read_text()
        .startswith("item,gender\nholiday-0,man".replace("man", "male"))
    )


def test_annotate_withholds_low_counts_and_zero_turns_it_off_on_record(door, tmp_path):
    (tmp_path / "photos.csv").write_text(
        "item,caption\n" + "".join(f"p{n},A {'woman' if n > 1 else 'man'}\n" for n in range(30))
    )
    words = ("annotate", "photos.csv", "--with", "caption", "--attribute", "gender", "--json")
    told = json.loads(door(*words)[1])
    assert (told["counts"], told["least"]) == (
        {"female": None, "male": None, "unknown": 0.0, "not-applicable": 0.0},
        5,
    )
    told = json.loads(door(*words, "--least", 0)[1])
    assert (told["counts"]["male"], told["least"]) == (2.0, 0)
    assert door(*words, "--least", 2)[0] == 2
    assert "withheld: fewer than 5" in door(*words[:-1])[1]


def test_tally_never_shows_a_count_that_the_total_gives_away():
    for counts in ([1, 0], [4, 4], [3, 40], [40, 3, 2], [2, 30, 30]):
        names = tuple(f"g{n}" for n in range(len(counts)))
        groups = Groups("a", names, codes=np.repeat(np.arange(len(counts)), counts))
        told = tally(groups).counts
        hidden = [name for name, count in told.items() if count is None]
        assert len(hidden) > 1, (counts, told)


def test_audit_folder_holds_no_label_of_a_single_item(tmp_path):
    import pyarrow.parquet as pq

    found = audits.audit(
        "phantom_ideal(dose=0.5)",
        "phantom(seeds=2)",
        attribute="gender",
        metric="AbsBias@10",
        mitigate="pbm",
        k=10,
    )
    audits.save_audit(found, tmp_path / "run")
    place = tmp_path / "run" / "run.parquet"
    assert not {"gender", "group", "groups", "label"} & set(pq.read_schema(place).names)
    assert not any(name.endswith("/labels") for name in arrays_of(place))
    for labelled in read_saved(place).attributes.values():
        assert (labelled.groups.codes == -1).all()
    ids = found.study.collection.ids
    for name in ("scores.json", "manifest.json", "per_query.csv", "report.html"):
        text = (tmp_path / "run" / name).read_text()
        assert not any(item in text for item in ids), name


def test_page_does_not_tell_single_queries_about_few_people_and_json_does(tmp_path):
    found = fairlead.score(RUN, LABELS, metric=["AbsBias@10", "AbsBias@3"])
    told = for_others(found)
    at10, at3 = (part.value for part in told.values)
    assert np.isnan(at10).tolist() == [
        True,
        True,
        False,
        False,
    ]  # three people, and one more query so that the mean tells nothing
    assert np.isnan(at3).all()
    assert not np.isnan(found.values[0].value).any()
    assert [row.to_dict() for row in told.rows] == [row.to_dict() for row in found.rows]
    assert any("not shown alone" in note for note in told.warnings)
    save_score(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "looked at fewer than 5 people" in page
    save_score(found, tmp_path / "page.json")
    assert json.loads((tmp_path / "page.json").read_text()) == json.loads(
        json.dumps(found.to_dict())
    )


def test_page_with_the_limit_off_says_so():
    found = fairlead.score(RUN, LABELS, metric="AbsBias@3", least=0)
    told = for_others(found)
    assert not np.isnan(told.values[0].value).any()
    assert any("--least 0" in note for note in told.warnings)
    assert found.manifest["plan"]["least"] == 0


def test_page_of_one_query_cannot_withhold_what_its_mean_is():
    found = fairlead.score({"query 0": RUN["query 0"]}, LABELS, metric="AbsBias@3")
    assert not np.isnan(for_others(found).values[0].value).any()


def test_limit_that_cannot_be_kept_is_refused_by_plans():
    with pytest.raises(UsageError, match="cannot be hidden: give 3 or more"):
        fairlead.score(RUN, LABELS, least=2)


def test_check_table_withholds_shares_of_few_people(door, tmp_path):
    few = {item: {"gender": "male" if item == "i1-0" else "female"} for item in LABELS}
    (tmp_path / "run.csv").write_text(
        "query,item,score\n"
        + "".join(f"{q},{i},{s}\n" for q, of in RUN.items() for i, s in of.items())
    )
    (tmp_path / "labels.csv").write_text(
        "item,gender\n" + "".join(f"{i},{of['gender']}\n" for i, of in few.items())
    )
    assert "female withheld, male withheld" in door("check", "run.csv", "--groups", "labels.csv")[1]
    assert "male 3%" in door("check", "run.csv", "--groups", "labels.csv", "--least", 0)[1]
