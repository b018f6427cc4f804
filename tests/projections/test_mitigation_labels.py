"""A mitigation that names who labels the items for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.engine.mitigations import Mitigation, mitigation_of, parts
from fairlead.errors import UsageError
from fairlead.rerankers.pbm import PBM


def of(text: str) -> Mitigation:
    return mitigation_of(text, own_labels=True)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("pbm[groups=zeroshot_prompt]", "zeroshot_prompt"),
        ("leace+pbm(theta=0.5)[groups=noisy(accuracy=0.8)]", "noisy(accuracy=0.8)"),
        ("pbm[groups=mlp:a+b.npz]", "mlp:a+b.npz"),
        ('pbm[groups="table [1].csv"]', "table [1].csv"),
        ("leace[groups=human:labels.db]", "human:labels.db"),
        ("pbm", None),
    ],
)
def test_text_with_labels_of_its_own_reads_back_as_it_is(text, groups):
    made = of(text)
    assert made.groups == groups and str(made) == text
    assert of(str(made)).groups == groups and str(of(str(made)).reranker) == str(made.reranker)


@given(st.text(min_size=1))
def test_any_source_of_labels_survives_its_text_form(source):
    made = Mitigation(reranker=PBM(), groups=source)
    assert of(str(made)) == made
    assert parts(str(made)) == ["pbm"]


@pytest.mark.parametrize(
    "text", ["pbm[groups=]", "pbm[labels=x]", "pbm[groups=x", "[groups=x]", "pbm[groups=x]+leace"]
)
def test_brackets_that_name_no_labels_are_refused(text):
    with pytest.raises(UsageError, match="brackets that name no labels"):
        of(text)


def test_quotes_that_do_not_end_are_refused():
    with pytest.raises(UsageError, match="no text in quotes"):
        of('pbm[groups="x]')


def test_labels_of_its_own_are_refused_where_nobody_reads_them():
    with pytest.raises(UsageError, match="labels of its own") as error:
        mitigation_of("pbm[groups=noisy]")
    assert "--mitigate-groups" in error.value.hint
