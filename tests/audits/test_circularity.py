"""Where the model that ranks also labels, the answer says so: in the table, on the page and as
JSON.
"""

from __future__ import annotations

import pytest

import fairlead
from fairlead.commands.audit import audit, save_audit
from fairlead.report.answer_view import search_view
from fairlead.report.terminal import as_text, score_view

GALLERY = "phantom(seeds=1)"
CHOICES = {"metric": "AbsBias@4", "attribute": "gender"}


def said(result) -> list[str]:
    return [warning for warning in result.warnings if "the same model ranked" in warning]


def test_audit_labelled_by_the_model_that_ranks_says_so_in_table_page_and_json(tmp_path):
    found = audit(
        "phantom",
        GALLERY,
        **CHOICES,
        groups="zeroshot_embedding",
        mitigate="pbm",
        mitigate_groups="zeroshot_prompt",
    )
    first, second = said(found.result)
    assert first.startswith("The labels come from 'zeroshot_embedding by phantom'")
    assert second.startswith("The labels that mitigate come from 'zeroshot_prompt by phantom'")
    assert {first, second} <= set(found.result.to_dict()["manifest"]["warnings"])
    assert first in as_text(score_view(found.result), 1000)
    assert "the same model ranked" in save_audit(found, tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "labels",
    [{}, {"mitigate": "pbm", "mitigate_groups": "noisy"}, {"groups": "noisy", "mitigate": "pbm"}],
)
def test_audit_labelled_by_others_says_nothing_of_a_circle(labels):
    assert not said(audit("phantom_ideal", GALLERY, **CHOICES, **labels).result)


def test_search_labelled_by_the_model_that_ranks_says_so():
    found = fairlead.search(
        "a photo of a nurse",
        collection=GALLERY,
        groups="zeroshot_embedding",
        attribute="gender",
        k=4,
    )
    assert len(said(found)) == 1 and "the same model ranked" in as_text(search_view(found), 400)
    assert not said(
        fairlead.search("a photo of a nurse", collection=GALLERY, attribute="gender", k=4)
    )
