"""The page of a result: one file, no network, no scripts, everything escaped, every number there."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead.commands.score import score_variants
from fairlead.protocols.registry import card
from fairlead.report.charts import SHOWN
from fairlead.report.score_page import score_page
from fairlead.report.wording import bounds, headline, number, percent, probability, reading, signed
from fairlead.results.score import PerQuery, Row, ScoreResult

EXAMPLE = Path(str(files("fairlead") / "example"))
VOID = {"meta", "br", "hr", "img", "input", "link", "line", "circle"}
EVIL = '<script>alert("x")</script>&"\''


class Page(HTMLParser):
    """Tags, attributes and text of a page; complains of tags that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def result() -> ScoreResult:
    metrics = ["NDKL@20", "AbsBias@20", "AWRF@20", "Bias(positive=female)@20", "nDCG@20", "P@10"]
    choices = {
        "qrels": EXAMPLE / "qrels.txt",
        "metric": metrics,
        "detect": 0.05,
        "against": EXAMPLE / "run.csv",
    }
    return fairlead.score(EXAMPLE / "run.csv", EXAMPLE / "labels.csv", **choices)


@pytest.fixture(scope="module")
def variants() -> ScoreResult:
    choices = {
        "attribute": "gender",
        "qrels": EXAMPLE / "qrels.txt",
        "metric": ["NDKL@20", "AbsBias@20", "nDCG@20"],
    }
    return score_variants(
        EXAMPLE / "run.csv", EXAMPLE / "labels.csv", mitigate=["pbm", "detgreedy"], k=20, **choices
    )


def _minus(text: str) -> str:
    return re.sub(r"-(?=\d)", "−", text)


def test_page_needs_no_network_and_no_script(result):
    text = score_page(result, cards=[card("metric", "NDKL")])
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base"} & set(
        page.tags
    )
    assert not [
        a
        for a in page.attributes
        if a[1] in ("src", "href", "srcset", "action") or a[1].startswith("on")
    ]
    assert not re.search(r"https?:|//[a-z]|url\(|@import", text)
    policy = next(
        value
        for tag, name, value in page.attributes
        if tag == "meta" and name == "content" and "default-src" in value
    )
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_page_is_fit_for_dark_narrow_and_paper(result):
    text = score_page(result)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    for media in ("prefers-color-scheme: dark", "max-width: 44rem", "@media print"):
        assert media in text


def test_page_shows_every_number_of_the_rows(result):
    text = Page(score_page(result)).text
    for row in result.rows:
        shown = [number(row.mean), bounds(row.ci)]
        if row.null is not None:
            reads = reading(row)
            assert reads is not None
            shown += [
                number(row.null["mean"]),
                row.null["kind"],
                signed(row.excess),
                bounds(row.excess_ci),
                percent(row.unknown_mass),
            ]
            shown += [
                probability(row.p),
                probability(row.q),
                f"target {row.target}",
                f"labels from {row.source}",
                reads.words,
            ]
        for part in shown:
            assert _minus(part) in text, (row.metric, row.attribute, part)


def test_page_shows_every_number_of_the_pairs(variants):
    text = Page(score_page(variants)).text
    assert "Each variant against plain" in text
    for row in variants.paired or ():
        for part in (
            number(row.first),
            number(row.second),
            signed(row.difference),
            bounds(row.ci),
            probability(row.p),
            probability(row.q),
        ):
            assert _minus(part) in text


def test_page_of_two_runs_names_both_files(result):
    text = Page(score_page(result)).text
    assert "First run against second" in text
    assert text.count("run.csv") >= 3


def test_page_begins_with_the_headline(result, variants):
    assert _minus(headline(result)) in Page(score_page(result)).text
    text = Page(score_page(variants)).text
    assert (
        "AbsBias@20 on gender is 0.377 where chance gives 0.172: worse than chance in 5 of 24 queries."
        in text
    )
    assert "AbsBias@20 on gender goes from 0.377 to 0.023 by pbm and 0.025 by detgreedy." in text


def test_page_draws_a_forest_for_every_metric_and_attribute(result):
    text = score_page(result)
    grouped = [row for row in result.rows if row.attribute is not None]
    assert text.count('<table class="forest">') == len(grouped)
    rows = re.findall(r'<svg class="mark"', text)
    assert len(rows) == SHOWN * len(grouped)
    survivors = sum(int((part.q < 0.05).sum()) for part in result.values if part.q is not None)
    assert text.count('<tr class="seen">') == survivors > 0


def test_page_tells_warnings_notes_limits_and_plan(result):
    page = Page(score_page(result, cards=[card("metric", "AbsBias")]))
    for warning in result.warnings:
        assert warning in page.text
    for row in result.rows:
        assert all(note in page.text for note in row.notes)
    assert card("metric", "AbsBias")["blind_spot"] in page.text
    for file in result.manifest["inputs"].values():
        assert file["sha256"] in page.text and file["name"] in page.text
    assert "never identity" in page.text
    assert fairlead.__version__ in page.text
    assert "To see the difference asked for: NDKL@20 gender 136" in page.text


def test_page_is_the_same_for_the_same_result(result):
    assert score_page(result) == score_page(result)


def test_page_escapes_all_that_is_not_ours():
    n = 3
    values = np.array([0.9, 0.5, math.inf])
    part = PerQuery(
        EVIL, EVIL, values, np.full(n, 0.2), np.full(n, 0.01), np.full(n, 0.02), np.zeros(n)
    )
    row = Row(
        EVIL,
        EVIL,
        1,
        0.5,
        (0.1, 0.9),
        n,
        0,
        "lower",
        {"kind": EVIL, "mean": 0.2, "sd": 0.1},
        0.3,
        (0.1, 0.4),
        0.01,
        0.01,
        0.0,
        EVIL,
        EVIL,
        (EVIL,),
    )
    file = {"name": EVIL, "bytes": 1, "sha256": EVIL}
    coverage = {"known": 1.0, "unknown": 0.0, "not_applicable": 0.0, "missing": 0.0}
    manifest = {
        "fairlead": EVIL,
        "command": EVIL,
        "plan": {EVIL: [EVIL]},
        "inputs": {"run": file, EVIL: file},
        "labels": {EVIL: {"coverage": coverage, "groups": [EVIL], "target": EVIL}},
        "run": {
            "queries": 3,
            "entries": 9,
            "ties": 0.0,
            "depth": {"min": 1, "median": 2.0, "max": 3},
        },
        "warnings": [EVIL],
    }
    judged = replace(row, attribute=None, null=None)
    result = ScoreResult(
        (row, judged, replace(row, variant=EVIL)),
        (part, replace(part, variant=EVIL)),
        (EVIL, f"{EVIL}2", f"{EVIL}3"),
        manifest,
    )
    text = score_page(
        result, cards=[{"name": EVIL, "summary": EVIL, "blind_spot": EVIL, "source": EVIL}]
    )
    page = Page(text)
    assert "script" not in page.tags
    assert "<script" not in text
    assert EVIL in page.text


def test_page_shows_an_infinite_value_at_the_edge():
    part = PerQuery(
        "NDKL@1",
        "g",
        np.array([math.inf, 0.4]),
        np.array([0.2, 0.2]),
        np.array([0.001, 0.9]),
        np.array([0.002, 0.9]),
        np.zeros(2),
    )
    row = Row(
        "NDKL@1",
        "g",
        1,
        math.nan,
        (math.nan, math.nan),
        2,
        0,
        "lower",
        {"kind": "target", "mean": 0.2, "sd": 0.1},
        target="t",
        source="s",
    )
    text = Page(score_page(ScoreResult((row,), (part,), ("far", "near")))).text
    assert "+∞" in text
    assert "undefined" in text


@pytest.mark.parametrize("metrics", [["nDCG@10"], ["AbsBias@20"]])
def test_page_of_little_is_still_a_page(metrics):
    result = fairlead.score(
        EXAMPLE / "run.csv", EXAMPLE / "labels.csv", metric=metrics, qrels=EXAMPLE / "qrels.txt"
    )
    text = Page(score_page(result)).text
    assert ("Who is shown" in text) == (metrics == ["AbsBias@20"])
    assert ("How relevant it is" in text) == (metrics == ["nDCG@10"])


def test_page_of_a_result_without_manifest_or_rows():
    assert "Nothing was measured." in Page(score_page(ScoreResult((), (), ()))).text


def test_page_counts_what_it_does_not_draw():
    n = 50
    excess = np.linspace(0.5, -0.1, n)
    part = PerQuery(
        "TV@5", "g", 0.3 + excess, np.full(n, 0.3), np.full(n, 0.5), np.full(n, 0.9), np.zeros(n)
    )
    row = Row(
        "TV@5",
        "g",
        5,
        0.5,
        (0.4, 0.6),
        n,
        0,
        "lower",
        {"kind": "order", "mean": 0.3, "sd": 0.1},
        0.2,
        (0.1, 0.3),
        0.2,
        0.2,
        0.0,
        "t",
        "s",
    )
    text = Page(
        score_page(ScoreResult((row,), (part,), tuple(f"query {i}" for i in range(n))))
    ).text
    assert "30 more between −0.100 and +0.255" in text
    assert "query 19" in text and "query 20 " not in text
