"""Target files."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from fairlead.errors import DataError
from fairlead.statistics.targets import given
from fairlead.store.targets import read_target
from fairlead.types import Groups

TEXT = "query,attribute,group,share\n*,gender,female,0.5\n*,gender,male,0.5\nnurse,gender,female,0.25\nnurse,gender,male,0.75\n*,skin,1,1\n"
SHARES = {
    "gender": {
        ("*", "female"): 0.5,
        ("*", "male"): 0.5,
        ("nurse", "female"): 0.25,
        ("nurse", "male"): 0.75,
    },
    "skin": {("*", "1"): 1.0},
}


def test_target_file_of_any_form_is_the_same(tmp_path: Path) -> None:
    rows = [line.split(",") for line in TEXT.splitlines()[1:]]
    query, attribute, group, share = zip(*rows, strict=True)
    columns = {
        "query": query,
        "attribute": attribute,
        "group": group,
        "share": [float(s) for s in share],
    }
    (tmp_path / "t.csv").write_text(TEXT)
    (tmp_path / "t.txt").write_text(TEXT)
    (tmp_path / "t.tsv").write_text(TEXT.replace(",", "\t"))
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    for source in (
        tmp_path / "t.csv",
        tmp_path / "t.txt",
        str(tmp_path / "t.tsv"),
        tmp_path / "t.parquet",
        columns,
    ):
        assert read_target(source) == SHARES


def test_target_mapping_holds_for_all_queries() -> None:
    assert read_target({"gender": {"female": 0.5, "male": 0.5}}) == {
        "gender": {("*", "female"): 0.5, ("*", "male"): 0.5}
    }


def test_target_shares_become_a_target() -> None:
    target = given(
        Groups.of("gender", ["female", "male"]), ("nurse", "chef"), SHARES["gender"], name="t.csv"
    )
    np.testing.assert_array_equal(target.shares, [[0.25, 0.75], [0.5, 0.5]])


HEAD = "query,attribute,group,share\n*,g,f,0.5\n"
FAULTS = {
    "word": (HEAD + "*,g,m,half\n", "target.csv, line 3: the share 'half' is not a number."),
    "empty": (HEAD + "*,g,m,\n", "target.csv, line 3: the share is missing."),
    "above": (
        HEAD + "*,g,m,1.5\n",
        "target.csv, line 3: the share 1.5 is not in [0, 1]. The shares of a query sum to 1.",
    ),
    "below": (HEAD + "*,g,m,-0.5\n", "target.csv, line 3: the share -0.5 is not in [0, 1]."),
    "nan": (HEAD + "*,g,m,nan\n", "target.csv, line 3: the share nan is not in [0, 1]."),
    "twice": (
        HEAD + "*,g,m,0.5\n\n*,g,f,0.5\n",
        "target.csv, line 5: the share of 'f' of 'g' for query '*' is stated twice.",
    ),
    "column": (
        "query,attribute,grp,share\n*,g,m,1\n",
        "target.csv has no column 'group'. Its columns are: query, attribute, grp, share.",
    ),
    "none": ("query,attribute,group,share\n", "target.csv has no data."),
}


@pytest.mark.parametrize("name", FAULTS)
def test_bad_target_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    text, message = FAULTS[name]
    (tmp_path / "target.csv").write_text(text)
    with pytest.raises(DataError) as caught:
        read_target(tmp_path / "target.csv")
    assert message in str(caught.value)
