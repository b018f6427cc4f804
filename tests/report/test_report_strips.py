"""Strips of pictures on the page of an audit: who is shown first, with a ribbon of groups."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from fairlead.commands import audit as audits
from fairlead.errors import UsageError
from fairlead.report.score_page import score_page
from fairlead.report.strips import Strip, StripItem, StripLine, letters, tally
from fairlead.report.wording import change
from fairlead.types import Groups

PIXEL = "data:image/png;base64,AAAA"


@pytest.fixture(scope="module")
def found():
    return audits.audit(
        "phantom(dose=1)",
        "phantom(seeds=3)",
        attribute="gender",
        metric=["AbsBias@20", "P@20"],
        mitigate="pbm",
    )


def test_strips_show_the_first_of_the_most_biased_queries_in_every_variant(found):
    strips = audits.strips(found, queries=2, shown=6, size=64)
    part = found.result.values[0]
    worst = np.argsort(part.null_mean - part.value, kind="stable")[:2]
    assert [s.query for s in strips] == [found.study.queries.texts[q] for q in worst]
    for strip, query in zip(strips, worst, strict=True):
        assert (strip.attribute, strip.groups) == ("gender", ("female", "male"))
        assert [line.variant for line in strip.lines] == ["plain", "pbm"]
        for line in strip.lines:
            ranking = found.rankings[line.variant]
            rows = ranking.rows[ranking.offsets[query] :][:6]
            assert [item.group for item in line.items] == found.study.collection.groups[
                "gender"
            ].codes[rows].tolist()
    picture = Image.open(
        io.BytesIO(base64.b64decode(strips[0].lines[0].items[0].image.partition(",")[2]))
    )
    assert picture.size == (64, 64)


def test_page_with_strips_holds_its_pictures_and_opens_nothing_else(found):
    text = score_page(found.result, strips=audits.strips(found))
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in text
    assert text.count("<img ") == 3 * 2 * 10
    assert set(re.findall(r'src="([^"]{15})', text)) == {"data:image/jpeg"}
    assert "<script" not in text and "http" not in re.sub(r"base64,[^\"]+", "", text).replace(
        "http-equiv", ""
    )
    assert "who is shown by phantom(dose=1.0) on phantom(seeds=3)" in text
    assert "not evidence about any real model" in text
    assert (
        "The first 10 pictures of the queries" in text
        and text.count("<small>of the first 10: ") == 3 * 2
    )


def test_page_without_strips_allows_no_pictures(found):
    text = score_page(found.result)
    assert "img-src" not in text and "<img" not in text and "What a searcher sees first" not in text


def test_change_that_is_none_is_called_so(found):
    same = [
        replace(pair, first=0.9, second=0.9) if pair.attribute is None else pair
        for pair in found.result.paired
    ]
    assert change(replace(found.result, paired=tuple(same))).endswith(
        "by pbm. P@20 stays at 0.900."
    )


def test_unknown_is_hatched_and_named(found):
    strip = Strip(
        "<a & b>",
        "gender",
        ("female", "male"),
        (StripLine("plain", (StripItem(PIXEL, 1), StripItem(PIXEL, None))),),
    )
    text = score_page(found.result, strips=[strip])
    assert 'class="gu" aria-hidden="true">?</i>' in text and "0 female, 1 male, 1 unknown" in text
    assert "“&lt;a &amp; b&gt;”" in text


def test_soft_labels_show_the_group_that_is_likelier_than_not(found):
    size = len(found.study.collection)
    soft = np.tile([0.9, 0.1], (size, 1))
    soft[::2] = [0.4, 0.3]
    groups = Groups("gender", ("female", "male"), soft=soft)
    study = replace(
        found.study, collection=replace(found.study.collection, groups={"gender": groups})
    )
    shown = {
        item.group
        for strip in audits.strips(replace(found, study=study))
        for line in strip.lines
        for item in line.items
    }
    assert shown == {0, None}


def test_collections_that_cannot_be_drawn_have_no_strips(found):
    images = ("photo.jpg", *found.study.collection.images[1:])
    study = replace(found.study, collection=replace(found.study.collection, images=images))
    assert audits.strips(replace(found, study=study)) == []


def test_more_groups_than_letters_get_numbers():
    assert letters(["light", "medium", "tan", "dark"]) == ["L", "M", "T", "D"]
    assert letters(["man", "male", "woman"]) == ["1", "2", "3"]
    assert tally(StripLine("plain", (StripItem(PIXEL, 5),)), [f"g{i}" for i in range(8)]) == "1 g5"


@pytest.mark.parametrize("name", ["page.html", "scores.json", "folder"])
def test_audit_is_written_in_the_form_of_its_place(name, found, tmp_path):
    audits.save_audit(found, tmp_path / name)
    if name == "folder":
        assert {p.name for p in (tmp_path / name).iterdir()} == {
            "manifest.json",
            "scores.json",
            "per_query.csv",
            "report.html",
            "run.parquet",
        }
    else:
        assert (tmp_path / name).stat().st_size > 1000
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_place_is_refused_before_any_work(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="other things in it"), audits.audit_place(tmp_path):
        pytest.fail("the work began")
