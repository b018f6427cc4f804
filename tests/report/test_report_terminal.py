"""Tables in a terminal: nothing is cut off at any width a person uses."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

import fairlead
from fairlead.commands.score import score_variants
from fairlead.protocols.registry import card, entries
from fairlead.report.files import (
    check_view,
    ledger_summary,
    ledger_view,
    list_view,
    short_list_view,
)
from fairlead.report.terminal import as_text, score_view
from fairlead.report.wording import bounds, number, probability, signed

EXAMPLE = Path(str(files("fairlead") / "example"))


@pytest.fixture(scope="module")
def variants() -> fairlead.ScoreResult:
    choices = {
        "attribute": "gender",
        "qrels": EXAMPLE / "qrels.txt",
        "metric": ["NDKL@20", "Bias(positive=female)@20", "nDCG@20"],
    }
    return score_variants(
        EXAMPLE / "run.csv", EXAMPLE / "labels.csv", mitigate=["pbm", "detgreedy"], k=20, **choices
    )


@pytest.mark.parametrize("width", [80, 100, 132, 140, 200])
def test_score_fits_and_loses_no_number(width, variants):
    text = as_text(score_view(variants), width)
    assert max(map(len, text.splitlines())) <= width
    assert not any(word.endswith("…") and word != "…" for word in text.split())
    for row in variants.rows:
        for part in (number(row.mean), bounds(row.ci)):
            assert part in text
        if row.null is not None:
            for part in (
                signed(row.excess),
                bounds(row.excess_ci),
                probability(row.p),
                probability(row.q),
            ):
                assert part in text
    for pair in variants.paired or ():
        assert signed(pair.difference) in text and bounds(pair.ci) in text


def test_score_uses_one_line_a_row_where_there_is_room(variants):
    wide, narrow = as_text(score_view(variants), 160), as_text(score_view(variants), 100)
    assert len(wide.splitlines()) < len(narrow.splitlines())
    assert "metric, attribute" in narrow and "metric, attribute" not in wide


@pytest.mark.parametrize("width", [100, 160])
def test_pairs_name_their_variant(width, variants):
    pairs = as_text(score_view(variants), width).partition("Each variant against plain")[2]
    assert pairs.count("pbm") == pairs.count("detgreedy") == len(variants.paired or ()) / 2


def test_score_begins_with_the_headline(variants):
    assert as_text(score_view(variants)).splitlines()[0].startswith("NDKL@20 on gender is")


@pytest.mark.parametrize("width", [80, 100, 140])
def test_check_fits_and_shows_the_whole_label(width):
    text = as_text(check_view(fairlead.check(EXAMPLE / "run.csv", EXAMPLE / "labels.csv")), width)
    assert max(map(len, text.splitlines())) <= width
    assert "94.2 %" in text and "…" not in text


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize("kind", ["metric", "reranker", "annotator"])
@pytest.mark.parametrize("view", [list_view, short_list_view])
def test_list_fits_and_keeps_names_whole(view, kind, width):
    text = as_text(view([card(kind, name) for name in entries(kind)]), width)
    assert max(map(len, text.splitlines())) <= width
    assert all(f"\n{name} " in text for name in entries(kind))
    assert "``" not in text


@pytest.mark.parametrize("width", [100, 140])
def test_ledger_fits(width):
    ledger = fairlead.reproduce(["pbm"], runs=20)
    for view in (ledger_view(ledger), ledger_summary(ledger)):
        text = as_text(view, width)
        assert max(map(len, text.splitlines())) <= width
        assert (
            "needs-data" in text
            and "pbm" in text
            and "0.6370" in as_text(ledger_view(ledger), width)
        )


def test_text_in_brackets_is_text():
    from rich.text import Text

    assert as_text(Text("[red]x[/] :smile:")) == "[red]x[/] :smile:\n"
    result = fairlead.score(
        {"[b]": {"a": 2.0, "b": 1.0}}, {"a": {"[/g]": "x"}, "b": {"[/g]": "y"}}, metric="AbsBias@1"
    )
    assert "[/g]" in str(result)
