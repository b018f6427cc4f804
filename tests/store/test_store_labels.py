"""Labels from every form, and every way they can be wrong."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.errors import DataError, UsageError
from fairlead.store.ids import Universe
from fairlead.store.labels import Coverage, RunLabels, read_groups, read_item_groups
from fairlead.store.runs import Run, read_run
from fairlead.types import NOT_APPLICABLE, UNKNOWN

RUN = read_run({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 2, "d": 1}})
HARD = "item,gender,skin\na,female,1\nb,male,0\nc,,1\nd,not-applicable,NA\n"
SOFT = "item,gender=male,gender=female\na,0.25,0.75\nb,1,\nc,NA,unknown\nd,not-applicable,\n"


def labels(
    tmp_path: Path,
    text: str,
    attributes: list[str] | None = None,
    run: Run = RUN,
    name: str = "labels.csv",
    **more: object,
) -> RunLabels:
    (tmp_path / name).write_text(text)
    return read_groups(tmp_path / name, run, attributes, **more)  # type: ignore[arg-type]


def test_labels_hard_columns_become_codes(tmp_path: Path) -> None:
    found = labels(tmp_path, HARD)
    assert list(found.attributes) == ["gender", "skin"]
    gender, skin = found.attributes.values()
    assert gender.names == ("female", "male") and skin.names == ("0", "1")
    assert gender.codes is not None and gender.codes.tolist() == [0, 1, UNKNOWN, NOT_APPLICABLE]
    assert skin.codes is not None and skin.codes.tolist() == [1, 0, 1, UNKNOWN]
    assert gender.source == "label" and not found.aligned and found.blocks is None
    assert list(found.items) == ["a", "b", "c", "d"]


def test_labels_coverage_counts_entries_of_the_run(tmp_path: Path) -> None:
    assert labels(tmp_path, HARD).coverage["gender"] == Coverage(
        known=3 / 5, unknown=1 / 5, not_applicable=1 / 5, missing=0
    )
    partial = labels(tmp_path, "item,gender\na,female\n")
    assert partial.coverage["gender"] == Coverage(
        known=1 / 5, unknown=0, not_applicable=0, missing=4 / 5
    )
    soft = labels(tmp_path, "item,gender=female,gender=male\nb,0.25,0.5\n").coverage["gender"]
    assert soft == Coverage(
        known=pytest.approx(0.3),
        unknown=pytest.approx(0.1),
        not_applicable=0,
        missing=pytest.approx(0.6),
    )


def test_labels_soft_columns_become_shares(tmp_path: Path) -> None:
    gender = labels(tmp_path, SOFT).attributes["gender"]
    assert gender.names == ("female", "male") and not gender.hard
    np.testing.assert_array_equal(gender.share, [[0.75, 0.25], [0, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(gender.unknown, [0, 0, 1, 0])
    assert gender.not_applicable is not None and gender.not_applicable.tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_labels_beyond_the_run_make_the_collection_known(tmp_path: Path) -> None:
    found = labels(tmp_path, HARD + "e,female,0\nf,male,1\n")
    assert found.collection_known and list(found.items) == ["a", "b", "c", "d", "e", "f"]
    assert found.pool is not None and found.pool.of(0).tolist() == [0, 1, 2, 3, 4, 5]
    assert len(found.attributes["gender"]) == 6


@pytest.mark.parametrize("text", [HARD, HARD.replace("d,not-applicable,NA\n", "") + "e,female,0\n"])
def test_labels_of_part_of_the_run_or_nothing_more_leave_the_collection_unknown(
    tmp_path: Path, text: str
) -> None:
    found = labels(tmp_path, text)
    assert not found.collection_known and found.pool is None


def test_labels_start_from_the_items_that_judgements_added(tmp_path: Path) -> None:
    items, _ = RUN.items.extend(["z"])
    found = labels(tmp_path, HARD + "e,female,0\n", items=items)
    assert list(found.items) == ["a", "b", "c", "d", "z", "e"]
    assert found.attributes["gender"].codes is not None
    assert found.attributes["gender"].codes.tolist() == [0, 1, UNKNOWN, NOT_APPLICABLE, UNKNOWN, 0]
    assert found.pool is not None and found.pool.of(0).tolist() == [0, 1, 2, 3, 5]


def test_labels_intersection_is_named_by_its_parts(tmp_path: Path) -> None:
    found = labels(
        tmp_path,
        "item,gender,skin,age\na,f,1,y\nb,m,0,o\nc,f,0,y\n",
        ["gender*skin", "age", "gender*skin*age"],
    )
    assert list(found.attributes) == ["gender*skin", "age", "gender*skin*age"]
    assert found.attributes["gender*skin"].names == ("f*0", "f*1", "m*0", "m*1")
    three = found.attributes["gender*skin*age"]
    assert three.attribute == "gender*skin*age" and len(three.names) == 8
    assert three.codes is not None and [three.names[c] for c in three.codes[:3]] == [
        "f*1*y",
        "m*0*o",
        "f*0*y",
    ]


def test_labels_intersection_of_soft_and_hard_assumes_independence(tmp_path: Path) -> None:
    found = labels(
        tmp_path, "item,gender=f,gender=m,skin\na,0.25,0.75,1\nb,1,0,0\n", ["gender*skin"]
    )
    crossed = found.attributes["gender*skin"]
    assert "independence assumed" in crossed.source
    np.testing.assert_allclose(crossed.share[0], [0, 0.25, 0, 0.75])


def test_labels_that_depend_on_the_query_align_with_the_entries(tmp_path: Path) -> None:
    text = "query,item,role\nq1,b,relevant\nq2,b,cultural\nq1,a,cultural\nq9,a,other\nq2,zz,other\n"
    found = labels(tmp_path, text)
    role = found.attributes["role"]
    assert found.aligned and not found.collection_known and len(role) == 5
    assert role.codes is not None
    assert [role.names[c] if c >= 0 else None for c in role.codes] == [
        "cultural",
        "relevant",
        None,
        "cultural",
        None,
    ]
    assert found.coverage["role"] == Coverage(
        known=3 / 5, unknown=0, not_applicable=0, missing=2 / 5
    )
    assert list(found.items) == list(RUN.items)


def test_labels_blocks_number_the_matched_sets(tmp_path: Path) -> None:
    found = labels(tmp_path, "item,seed,gender\na,7,f\nb,7,m\nc,,f\n", blocks="seed")
    assert list(found.attributes) == ["gender"]
    assert found.blocks is not None
    assert found.blocks[0] == found.blocks[1] >= 0 and found.blocks[2:].tolist() == [-1, -1]


def test_labels_listed_twice_alike_are_fine(tmp_path: Path) -> None:
    assert labels(tmp_path, HARD + "a,female,1\n").attributes["gender"].codes is not None
    assert not labels(tmp_path, SOFT + "a,0.25,0.75\n").attributes["gender"].hard


def sources(tmp_path: Path) -> dict[str, object]:
    columns = {
        "item": ["a", "b", "c"],
        "gender": ["f", None, "m"],
        "skin": [1, 0, None],
        "person": [True, False, True],
    }
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "l.parquet")
    lines = '{"item": "a", "gender": "f", "skin": 1, "person": true}\n{"item": "b", "skin": 0, "person": false}\n'
    (tmp_path / "l.jsonl").write_text(
        lines + '{"item": "c", "gender": "m", "skin": null, "person": true}\n'
    )
    (tmp_path / "l.tsv").write_text(
        "item\tgender\tskin\tperson\na\tf\t1\ttrue\nb\t\t0\tfalse\nc\tm\t\ttrue\n"
    )
    nested = {
        i: {"gender": g, "skin": s, "person": p}
        for i, g, s, p in zip(*columns.values(), strict=True)
    }
    return {
        "parquet": tmp_path / "l.parquet",
        "jsonl": tmp_path / "l.jsonl",
        "tsv": tmp_path / "l.tsv",
        "arrow": table,
        "floats": table.set_column(2, "skin", pa.array([1.0, 0.0, float("nan")])),
        "columns": columns,
        "nested": nested,
        "categories": table.set_column(1, "gender", pa.array(["f", None, "m"]).dictionary_encode()),
    }


@pytest.mark.parametrize(
    "form", ["parquet", "jsonl", "tsv", "arrow", "floats", "columns", "nested", "categories"]
)
def test_labels_of_any_form_are_the_same(tmp_path: Path, form: str) -> None:
    found = read_groups(sources(tmp_path)[form], RUN)
    codes = {
        name: (groups.names, groups.codes.tolist())
        for name, groups in found.attributes.items()
        if groups.codes is not None
    }
    assert codes == {
        "gender": (("f", "m"), [0, -1, 1, -1]),
        "skin": (("0", "1"), [1, 0, -1, -1]),
        "person": (("false", "true"), [1, 0, 1, -1]),
    }


def test_labels_soft_numbers_of_parquet_and_json_are_shares(tmp_path: Path) -> None:
    columns = {"item": ["a", "b"], "g=f": [0.5, None], "g=m": [0.25, 1.0]}
    pq.write_table(pa.table(columns), tmp_path / "l.parquet")
    (tmp_path / "l.jsonl").write_text(
        '{"item": "a", "g=f": 0.5, "g=m": 0.25}\n{"item": "b", "g=f": null, "g=m": 1}\n'
    )
    for source in (columns, tmp_path / "l.parquet", tmp_path / "l.jsonl"):
        np.testing.assert_array_equal(
            read_groups(source, RUN).attributes["g"].share[:2], [[0.5, 0.25], [0, 1]]
        )


FAULTS = {
    "labels none": (
        "item,gender\nx/a.jpg,f\n",
        "labels.csv labels no item of the dict: it has 'x/a.jpg', the run has 'a'. The item ids of both",
    ),
    "no item": (
        "itme,gender\na,f\n",
        "labels.csv has no column 'item' (also accepted: item_id, docid",
    ),
    "no labels": (
        "item,query\na,q1\n",
        "labels.csv has no column of labels: its columns are item, query. Add one column per attribute",
    ),
    "conflict": (
        HARD + "b,female,0\n",
        "labels.csv labels item 'b' twice for 'gender', differently: line 3 and line 6. Keep one",
    ),
    "soft conflict": (
        SOFT + "a,0.5,0.5\n",
        "labels.csv labels item 'a' twice for 'gender', differently: line 2 and line 6.",
    ),
    "query conflict": (
        "query,item,g\nq1,a,x\nq1,b,x\nq1,a,y\n",
        "labels.csv labels item 'a' twice for 'g', differently: line 2 and line 4.",
    ),
    "above one": (
        "item,g=f,g=m\na,1,0\nb,0.7,0.6\n",
        "labels.csv, line 3: the shares of 'g' are f 0.7, m 0.6. Shares lie in [0, 1] and sum",
    ),
    "one above": (
        "item,g=f,g=m\na,1.5,0\n",
        "labels.csv, line 2: the shares of 'g' are f 1.5, m 0.",
    ),
    "negative": (
        "item,g=f,g=m\na,-0.5,0.5\n",
        "labels.csv, line 2: the shares of 'g' are f -0.5, m 0.5.",
    ),
    "nan": ("item,g=f,g=m\na,nan,0.5\n", "labels.csv, line 2: the shares of 'g' are f nan, m 0.5."),
    "share and none": (
        "item,g=f,g=m\na,not-applicable,0.5\n",
        "labels.csv, line 2: the shares of 'g' are f 0, m 0.5.",
    ),
    "word": (
        "item,g=f,g=m\na,1,0\n\nb,much,0\n",
        "labels.csv, line 4: the share 'much' of 'g=f' is not a number. Write shares as 0.25",
    ),
    "unknown column": (
        "item,g=f,g=unknown\na,1,0\n",
        "labels.csv has a column 'g=unknown'. What shares lack to one is unknown",
    ),
    "both": (
        "item,g,g=f\na,f,1\n",
        "labels.csv labels 'g' both in a column of its own and in 'g=f'.",
    ),
    "all empty": ("item,g\na,\nb,NA\n", "The column 'g' of labels.csv holds no label."),
    "captions": (
        "item,caption\n" + "".join(f"{name},text {name}\n" for name in ["a", *range(51)]),
        "The column 'caption' of labels.csv has 52 different values; that is no attribute. Name the attributes to use.",
    ),
    "malformed": (HARD + "e,female\n", "labels.csv, line 6: 2 values where the header has 3."),
    "no row": ("item,gender\n", "labels.csv has no data."),
    "no id": ("item,gender\na,f\n,m\n", "labels.csv, line 3: the item is empty."),
}


@pytest.mark.parametrize("name", FAULTS)
def test_bad_labels_are_told_with_their_place(tmp_path: Path, name: str) -> None:
    text, message = FAULTS[name]
    with pytest.raises(DataError) as caught:
        labels(tmp_path, text)
    assert message in str(caught.value)
    assert caught.value.hint


def test_labels_unknown_attribute_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError,
        match=r"There is no attribute in labels\.csv called 'gendr'\. Did you mean gender\?",
    ):
        labels(tmp_path, HARD, ["gendr"])
    with pytest.raises(UsageError, match=r"called 'skni'\. Did you mean skin\?"):
        labels(tmp_path, HARD, ["gender*skni"])
    with pytest.raises(UsageError, match=r"'gender\*gender' names an attribute twice"):
        labels(tmp_path, HARD, ["gender*gender"])
    with pytest.raises(UsageError, match=r"no column for matched sets in labels\.csv called 'sed'"):
        labels(tmp_path, HARD, blocks="sed")


def test_labels_column_with_many_values_is_read_when_named(tmp_path: Path) -> None:
    text = "item,name\n" + "".join(f"{name},text {name}\n" for name in ["a", *range(51)])
    assert len(labels(tmp_path, text, ["name"]).attributes["name"].names) == 52


def test_labels_intersection_of_too_many_groups_is_refused(tmp_path: Path) -> None:
    text = "item,x,y\n" + "".join(f"{name},x{name},y{name}\n" for name in ["a", *range(200)])
    with pytest.raises(
        DataError, match=r"'x\*y' has 40,401 groups\. At most 32,767 can be told apart"
    ):
        labels(tmp_path, text, ["x*y"])


def test_labels_need_only_the_columns_asked_for(tmp_path: Path) -> None:
    assert list(labels(tmp_path, "item,g=f,g=m,skin\na,9,9,1\n", ["skin"]).attributes) == ["skin"]


def test_labels_of_a_million_items_are_found_by_lookup_not_by_loop() -> None:
    count = 200_000
    ids = pa.array(np.arange(count)).cast(pa.string())
    run = read_run(
        pa.table(
            {"query": pa.array(["q"] * count), "item": ids, "score": pa.array(np.arange(count))}
        )
    )
    found = read_groups(
        pa.table(
            {
                "item": ids.take(pa.array(np.arange(count)[::-1])),
                "g": pa.array(["x", "y"] * (count // 2)),
            }
        ),
        run,
    )
    codes = found.attributes["g"].codes
    assert codes is not None and np.bincount(codes).tolist() == [count // 2] * 2
    assert isinstance(found.items, Universe)


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("xyz", "0.334,0.334,0.333"),
        ("xyz", "0.34,0.33,0.34"),
        ("abcdefg", "0.1430,0.1430,0.1430,0.1430,0.1430,0.1430,0.1430"),
    ],
)
def test_labels_soft_shares_that_were_rounded_are_brought_back_to_one(
    tmp_path: Path, names: str, row: str
) -> None:
    header = "item," + ",".join(f"race={name}" for name in names)
    found = labels(tmp_path, f"{header}\na,{row}\n").attributes["race"]
    told = np.array([float(x) for x in row.split(",")])
    np.testing.assert_allclose(found.share[0], told / told.sum())
    assert found.unknown[0] == 0


@pytest.mark.parametrize("row", ["0.6,0.5,0", "0.4,0.4,0.3", "0.337,0.334,0.333", "0.51,0.52,0"])
def test_labels_soft_shares_that_are_more_than_rounded_are_refused(
    tmp_path: Path, row: str
) -> None:
    with pytest.raises(DataError, match="line 2: the shares of 'race'"):
        labels(tmp_path, f"item,race=x,race=y,race=z\na,{row}\n")


def test_labels_get_the_names_of_a_map_hard_and_soft(tmp_path: Path) -> None:
    rename = {"woman": "female", "man": "male", "skin:1": "dark"}
    hard = labels(tmp_path, "item,gender,skin\na,woman,1\nb,man,0\n", rename=rename).attributes
    assert hard["gender"].names == ("female", "male") and hard["skin"].names == ("0", "dark")
    assert hard["gender"].codes.tolist() == [0, 1, UNKNOWN, UNKNOWN]
    rename = {"woman": "female", "man": "male"}
    soft = labels(tmp_path, "item,gender=woman,gender=man\na,0.75,0.25\n", rename=rename)
    assert soft.attributes["gender"].share[0].tolist() == [0.75, 0.25]
    both = labels(tmp_path, HARD, ["gender*skin"], rename={"skin:0": "light", "skin:1": "dark"})
    assert both.attributes["gender*skin"].names[0] == "female*dark"
    with pytest.raises(UsageError, match=r"labels.csv has no group 'woman'"):
        labels(tmp_path, "item,gender\na,girl\nb,boy\n", rename={"woman": "lady"})


def test_item_labels_get_the_names_of_a_map(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("item,gender\na,woman\nb,man\n")
    found = read_item_groups(tmp_path / "l.csv", ("b", "a"), rename={"woman": "female"})
    assert found["gender"].names == ("female", "man")
    assert found["gender"].codes.tolist() == [1, 0]
