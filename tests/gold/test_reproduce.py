"""The ledger of published numbers: every exact row to all printed digits, every random one within
three standard errors.

``FAIRLEAD_BARS=full`` makes ten times the runs.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fairlead.commands.reproduce import reproduce
from fairlead.errors import DataError, UsageError
from fairlead.store.label_counts import read_counts
from fairlead.studies.ledger import feng_shah
from fairlead.studies.ledger.rows import (
    SEVERITY,
    Claim,
    Ledger,
    LedgerRow,
    exactly,
    holding,
    with_noise,
    within,
)
from fairlead.studies.reproduce import PAPERS

RUNS = 20_000 if os.environ.get("FAIRLEAD_BARS") == "full" else 2_000
SHARED = Path(__file__).parents[3] / "shared" / "data"
LABELS = {
    "occupation1": SHARED / "occupation1_kay2015" / "occupation1_image_labels.csv",
    "occupation2": SHARED / "occupation2_celis_keswani" / "occupation2_counts.csv",
}


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return reproduce(runs=RUNS)


def row(ledger: Ledger, paper: str, item: str) -> LedgerRow:
    (found,) = [r for r in ledger.rows if r.paper == paper and r.item == item]
    return found


def test_ledger_of_all_papers_has_no_row_that_differs(ledger: Ledger) -> None:
    assert ledger.having("differs") == ()
    assert ledger.worst == "needs-data"
    assert {r.paper for r in ledger.rows} == set(PAPERS)


GOLDEN = {  # full digits from an independent script
    ("feng-shah", "heavy-headed, original"): 2.0462599852323775,
    ("feng-shah", "heavy-tailed, original"): 2.0462599852323775,
    ("feng-shah", "uniform, fairness_greedy"): 0.02015777624135783,
    ("feng-shah", "heavy-headed, fairness_greedy"): 0.02015777624135783,
    ("feng-shah", "heavy-tailed, fairness_greedy"): 0.02015777624135783,
    ("feng-shah", "heavy-headed, fair_topk"): 0.14192531964358132,
    ("feng-shah", "heavy-tailed, fair_topk"): 0.14192531964358132,
    ("feng-shah", "failure probability"): 0.10068271601260048,
    ("feng-shah", "fairsearchcore README, failure probability"): 0.11517506930977106,
    ("feng-shah", "failure probability of all 20 rows (README prints 0.115175)"): 0.146887188699111,
    ("pbm", "CLIP, Recall@100, Occupation 1"): 100 * 1902 / 3262,
    ("pbm", "PBM supervised, Recall@100, Occupation 1"): 100 * 1642 / 3262,
    ("pbm", "PBM ground truth, AbsBias@100, Occupation 1"): 0.0,
    ("sispi", "NDKL of MF"): 0.42500124793362276,
    ("sispi", "NDKL of FMFM"): 0.2816450300785086,
    ("sispi", "NDKL of FFMM"): 0.45236883639932524,
    ("sispi", "gender, round robin"): 0.017632080477802622,
    ("sispi", "gender, sorted"): 0.4667505121150335,
    ("sispi", "ethnicity, sorted"): 0.7859843192173,
    ("sispi", "joint, sorted"): 1.000249474871433,
    ("perspectival", "LBKL@5 of CLIP-L/14, H H H H L"): 0.22314355131420982,
    ("perspectival", "DLBKL@5 of CLIP-L/14, H H H H L"): 0.39267375782571223,
    ("perspectival", "LBKL@5 of XLM-R-B/16plus, L L L H M"): 0.020410997260127586,
    ("perspectival", "DLBKL@5 of XLM-R-B/16plus, L L L H M"): 0.1105905544876247,
    ("perspectival", "limit for long lists"): 0.014085438483348117,
}


@pytest.mark.parametrize(("paper", "item"), GOLDEN)
def test_exact_row_equals_the_golden_value_in_all_digits(
    ledger: Ledger, paper: str, item: str
) -> None:
    found = row(ledger, paper, item)
    assert found.verdict == "exact"
    assert found.ours == pytest.approx(GOLDEN[paper, item], abs=1e-9)


def test_exact_rows_print_as_published(ledger: Ledger) -> None:
    exact = ledger.having("exact")
    assert len(exact) >= 240
    for r in exact:
        assert (
            r.ours == r.published
            if r.digits is None
            else abs(float(r.ours) - float(r.published)) <= 0.5000001 * 10.0**-r.digits
        ), r


def test_self_preference_of_all_seven_models_follows_from_the_win_shares(ledger: Ledger) -> None:
    pooled = [
        r for r in ledger.rows if r.item.startswith("SP of") and r.item.endswith("from Table 11")
    ]
    assert [r.verdict for r in pooled] == ["exact"] * 7
    countries = [r for r in ledger.rows if r.table == "Table 8"]
    assert len(countries) == 7 * 16
    assert all(abs(float(r.difference or 0.0)) < 0.01 for r in countries)
    assert sum(r.verdict == "exact" for r in countries) == 111
    assert row(
        ledger, "perspectival", "SP of CLIP-L/14 if countries were averaged"
    ).ours == pytest.approx(2.88, abs=0.005)


def test_random_rows_lie_within_three_standard_errors(ledger: Ledger) -> None:
    random = [r for r in ledger.rows if r.noise is not None]
    assert len([r for r in random if r.paper == "feng-shah"]) == 3 * 6 * 2
    assert len([r for r in random if r.table == "Table 7"]) + 6 >= 14
    for r in random:
        assert abs(float(r.errors or 0.0)) <= 3, r
        assert r.verdict == "within-noise"


@pytest.mark.parametrize(
    ("paper", "item", "verdict"),
    [
        ("feng-shah", "uniform, original", "consistent"),
        ("feng-shah", "uniform, fair_topk", "consistent"),
        ("feng-shah", "biologist", "needs-data"),
        ("perspectival", "LBKL@5 of CLIP-L/14", "bounded"),
        ("perspectival", "LBKL@5 of XLM-R-B/16plus", "consistent"),
        ("perspectival", "LBKL@10 of XLM-R-B/16plus", "consistent"),
        ("perspectival", "entries (printed: 11,724)", "exact"),
        ("perspectival", "Japan (printed: 944)", "exact"),
        ("sispi", "ViT-H-14, MetaCLIP-2.5B", "needs-data"),
        ("sispi", "least biased, gender, ViT-H-14 LAION-2B", "consistent"),
        ("pbm", "COCO-5k, PBM", "needs-data"),
        ("pbm", "Random Selection, AbsBias@100, Occupation 1 gender", "needs-data"),
    ],
)
def test_row_has_the_verdict_the_data_allow(
    ledger: Ledger, paper: str, item: str, verdict: str
) -> None:
    assert row(ledger, paper, item).verdict == verdict


def test_rows_that_need_data_say_which(ledger: Ledger) -> None:
    missing = ledger.having("needs-data")
    assert missing
    assert all(r.why.startswith("Needs ") and r.ours is None for r in missing)


def test_rows_say_how_they_were_computed(ledger: Ledger) -> None:
    assert all(r.why for r in ledger.rows)
    assert all(r.method for r in ledger.rows if r.verdict != "needs-data")


@pytest.mark.skipif(
    not all(p.exists() for p in LABELS.values()),
    reason="the public label files are not beside the repository",
)
def test_random_selection_with_labels_lies_within_three_standard_errors() -> None:
    ledger = reproduce(["pbm"], runs=RUNS, labels=LABELS)
    assert ledger.having("differs") == ()
    rows = [r for r in ledger.rows if r.item.startswith("Random Selection")]
    assert [r.verdict for r in rows] == ["within-noise"] * 3
    assert [r.ours for r in rows] == pytest.approx([0.640, 0.315, 0.420], abs=0.003)
    assert (
        row(ledger, "pbm", "bias of Occupation 1, from the labels (printed: 0.4)").verdict
        == "exact"
    )


def test_same_seed_gives_the_same_ledger_and_another_seed_another() -> None:
    def made(seed: int) -> str:
        feng_shah.shuffles.cache_clear()
        return json.dumps(reproduce(["feng-shah"], runs=40, seed=seed).to_dict())

    assert made(3) == made(3)
    assert made(3) != made(4)


def test_noise_follows_the_number_of_runs() -> None:
    few, many = (reproduce(["feng-shah"], runs=n) for n in (50, 800))
    item = "heavy-headed, epsilon_greedy 0.4, mean"
    assert float(row(few, "feng-shah", item).noise or 0.0) > 2 * float(
        row(many, "feng-shah", item).noise or 0.0
    )


def test_ledger_is_ready_for_json_and_for_a_table(ledger: Ledger) -> None:
    plain = json.loads(json.dumps(ledger.to_dict(), allow_nan=False))
    assert len(plain["rows"]) == len(ledger) == sum(plain["counts"].values())
    assert set(plain["counts"]) == set(SEVERITY)
    assert all(len(cells) == len(Ledger.columns) for cells in ledger.cells())
    assert sum(s["rows"] for s in ledger.summary()) == len(ledger)


def test_progress_is_told_each_section_in_turn() -> None:
    told: list[tuple[str, int, int]] = []
    reproduce(
        ["perspectival"],
        runs=20,
        progress=lambda label, done, total: told.append((label, done, total)),
    )
    assert [done for _, done, _ in told] == list(range(1, told[-1][2] + 1))


def test_verdicts_follow_from_the_numbers() -> None:
    claim = Claim("pbm", "Table 0", "a number", 0.142, 3)
    assert exactly(claim, 0.14249).verdict == "exact"
    assert exactly(claim, 0.1431).verdict == "differs"
    assert with_noise(claim, 0.150, 0.003, "").verdict == "within-noise"
    assert with_noise(claim, 0.150, 0.002, "").verdict == "differs"
    assert within(claim, 0.5, (0.0, 0.1), "", holds="bounded").verdict == "differs"
    assert holding(claim, 0.1, False, "").verdict == "differs"
    assert exactly(Claim("pbm", "Table 0", "a zero", 0.0, 2), -0.001).verdict == "exact"


def test_unknown_paper_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="feng-shah"):
        reproduce(["feng"])


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(UsageError, match="greater than or equal to 20"):
        reproduce(runs=3)


def test_unknown_labels_are_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="occupation1"):
        reproduce(["pbm"], labels={"occupation": tmp_path})


def test_label_files_of_each_form_give_the_same_counts(tmp_path: Path) -> None:
    raw, made = tmp_path / "raw.csv", tmp_path / "counts.csv"
    raw.write_text("chef,1.jpg,Male,light\nchef,2.jpg,NA,dark\nnurse,1.jpg,Female,NA\n")
    made.write_text(
        "occupation,n,male,female,gender_na,light,dark,skin_na\nchef,2,1,0,1,1,1,0\nnurse,1,0,1,0,0,0,1\n"
    )
    counts = [read_counts("occupation2", path) for path in (raw, made)]
    assert counts[0]["gender"].tolist() == counts[1]["gender"].tolist() == [[1, 0, 1], [0, 1, 0]]
    assert counts[0]["skin"].tolist() == counts[1]["skin"].tolist() == [[1, 1, 0], [0, 0, 1]]
    first = tmp_path / "first.csv"
    first.write_text("search_term,order,image_gender\nchef,0,man\nchef,1,woman\n")
    assert read_counts("occupation1", first)["gender"].tolist() == [[1, 1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "not a label file"),
        ("", "not a label file"),
        ("search_term,image_gender\nchef,robot\n", "robot"),
        ("search_term,image_gender\nchef\n", "line 1"),
        ("occupation,male,female,gender_na\nchef,one,2,3\n", "no whole number"),
    ],
)
def test_label_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_counts("occupation1", path)


def test_label_file_that_is_missing_is_told_with_its_source(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="gender-in-image-search"):
        reproduce(["pbm"], runs=20, labels={"occupation1": tmp_path / "none.csv"})
