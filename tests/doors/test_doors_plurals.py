"""One of a thing is told in the singular, whichever command tells it: a query, an item, a label, an
answer, a setting, a seed.
"""

from __future__ import annotations

import re

import pytest

MANY = "queries|items|labels|answers|settings|seeds|texts|captions|entries|rows|raters|parts|lines|galleries|files|towers|members"
PLURAL = re.compile(
    rf"(?<![\d.,@=])\b1 (?:(?:new|judged|text) )?(?:{MANY})\b|\b1 of \d+ \w+ (?:are|were|have|differ|count)\b"
)
ONE = "query,item,score\nq1,a,3\nq1,b,2\n"
TASK = (
    "annotate",
    "human",
    "task",
    "labels.db",
    "--attribute",
    "gender",
    "--group",
    "female",
    "--group",
    "male",
    "--raters",
    "1",
)
ANSWER = "item,attribute,rater,answer\na,gender,r1,female\n"


def told(*answers) -> str:
    return "\n".join(f"{one.out}\n{one.err}" for one in answers)


def singular(*answers) -> str:
    text = told(*answers)
    assert not PLURAL.findall(text), text
    return text


def test_one_query_is_scored_checked_and_reranked_in_the_singular(desk, door):
    folder = desk(
        one__csv=ONE,
        qrels__csv="query,item,gain\nq1,a,1\nq9,a,1\n",
        leave__txt="b\nquery: nobody\n",
    )
    files = ("one.csv", "--groups", "labels.csv")
    pages = folder / "page.html"
    text = singular(
        door("check", *files),
        door("score", *files, "--qrels", "qrels.csv", "-o", pages),
        door(
            "score",
            "run.csv",
            "--groups",
            "labels.csv",
            "--against",
            "one.csv",
            "--metric",
            "NDKL@20",
        ),
        door("score", *files, "--metric", "AbsBias@9", "--leave-out", "leave.txt"),
        door("rerank", *files, "--mitigate", "pbm", "-k", "20", "-o", folder / "out.csv"),
    )
    said = (
        "1 judged query is not in",
        "1 query is in one of the two runs only",
        "1 of 1 query has fewer",
        "1 line names nothing",
    )
    for words in said:
        assert words in text
    assert not PLURAL.findall(re.sub(r"<[^>]+>", "", pages.read_text()))


def test_one_label_and_one_answer_are_told_in_the_singular(desk, door):
    desk(
        one__csv="item,caption\na,a woman at work\n",
        answers__csv=ANSWER,
        evaluate__csv="item,gender\na,female\nz,male\n",
    )
    text = singular(
        door("annotate", "one.csv", "--with", "caption", "--attribute", "gender", "-o", "out.csv"),
        door(
            "annotate",
            "evaluate",
            "--with",
            "caption",
            "--images",
            "one.csv",
            "--labels",
            "evaluate.csv",
            "--attribute",
            "gender",
        ),
        door("annotate", "neutral", "one.csv", "-o", "neutral.csv"),
        door(*TASK),
        door("annotate", "human", "import", "labels.db", "answers.csv"),
        door("annotate", "human", "status", "labels.db"),
        door("annotate", "human", "export", "labels.db", "-o", "back.csv"),
        door(
            "annotate",
            "human",
            "export",
            "labels.db",
            "--format",
            "labels",
            "-o",
            "labels-back.csv",
        ),
        door("annotate", "human", "forget", "labels.db", "--item", "a"),
    )
    for words in (
        "out.csv: 1 label\n",
        "1 caption, 1 of them changed",
        "1 rater an item",
        "1 new answer to",
        "1 answer, raters",
        "1 item",
    ):
        assert words in text


def test_one_setting_of_a_frontier_is_told_in_the_singular(door, tmp_path):
    page = tmp_path / "frontier.html"
    singular(
        door(
            "frontier",
            "--repeats",
            "1",
            "--all-queries",
            "-k",
            "3",
            "--mitigate",
            "levelled(price=1)",
            "-o",
            page,
        )
    )
    assert not PLURAL.findall(re.sub(r"<[^>]+>", "", page.read_text()))


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 of 2 queries was read"), (2, "2 of 2 queries were read")]
)
def test_verb_agrees_with_the_count(count, said):
    from fairlead.words.counts import agreeing, part_of

    assert f"{part_of(count, 2, 'query')} {agreeing(count, 'was', 'were')} read" == said
