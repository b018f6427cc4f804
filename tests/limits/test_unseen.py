"""What no picture shows is not guessed from one; what people said of themselves is read."""

from __future__ import annotations

import pytest

from fairlead.annotators.asked import refuse_unseen
from fairlead.commands import annotate as annotating
from fairlead.errors import UsageError
from fairlead.protocols.registry import make

ZEROSHOT = 'zeroshot_embedding(prompts="one|other",groups="a|b")'


@pytest.mark.parametrize(
    "attribute", ["religion", "Sexual orientation", "political_party", "gender*faith", "HIV status"]
)
def test_annotator_that_looks_at_pictures_refuses(attribute):
    with pytest.raises(UsageError, match="cannot be seen in a picture"):
        annotating.annotate("phantom(seeds=2)", ZEROSHOT, attribute, model="phantom_ideal")


@pytest.mark.parametrize("attribute", ["gender", "skin", "age", "orientation", "partying"])
def test_other_attributes_are_not_refused(attribute):
    refuse_unseen(make("annotator", ZEROSHOT), attribute)


def test_what_people_said_of_themselves_is_read(tmp_path):
    (tmp_path / "photos.csv").write_text("item,caption\np1,A woman\np2,A man\n")
    (tmp_path / "labels.csv").write_text("item,religion\np1,a\np2,b\n")
    found = annotating.annotate(
        tmp_path / "photos.csv", f"table:{tmp_path / 'labels.csv'}", "religion"
    )
    assert found.groups.names == ("a", "b")
