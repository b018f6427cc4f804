"""``fairlead annotate compare`` and ``simulate labeller``: tables, JSON and pictures say the same,
and what cannot be is told.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest

NAMES = ("female", "male")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A run of six queries, people's labels, a table and results of two services; one query has few
    faces.
    """
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    run, people, mine, aws, luxand = ["query,item,score"], ["item,gender"], ["item,gender"], [], {}
    for q in range(6):
        for i in range(30):
            item, true = f"q{q}/{i}.jpg", NAMES[int(rng.random() > 0.2 + 0.1 * q)]
            run.append(f"query {q},{item},{30 - i}")
            people.append(f"{item},{true}")
            mine.append(f"{item},{true if rng.random() < 0.9 else 'unknown'}")
            faces = (
                [{"Confidence": 99.0, "Gender": {"Value": true.capitalize(), "Confidence": 97.0}}]
                if rng.random() < 0.2 + 0.2 * q
                else []
            )
            aws.append(json.dumps({"item": item, "response": {"FaceDetails": faces}}))
            luxand[item] = (
                [{"gender": {"value": NAMES[int(rng.random() < 0.5)], "probability": 0.8}}]
                if i % 2
                else []
            )
    for name, text in {
        "run.csv": run,
        "people.csv": people,
        "mine.csv": mine,
        "aws.jsonl": aws,
    }.items():
        (tmp_path / name).write_text("\n".join(text) + "\n")
    (tmp_path / "luxand.json").write_text(json.dumps(luxand))
    return tmp_path


COMPARE = (
    "annotate",
    "compare",
    "run.csv",
    "--human",
    "people.csv",
    "--with",
    "rekognition:aws.jsonl",
)


class _Outside(HTMLParser):
    """Collects what a page would fetch or run."""

    def __init__(self):
        super().__init__()
        self.found, self.panels = [], 0

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        self.found += [tag] if tag in ("script", "link", "img", "iframe", "object") else []
        self.found += [own[name] for name in ("src", "href") if name in own]
        self.panels += own.get("class") == "field"


def test_compare_gives_the_same_as_table_json_and_a_page_of_its_own(shelf, door, schema_faults):
    words = (*COMPARE, "--with", "luxand:luxand.json", "--with", "mine.csv")
    answer = door(*words, "--json", "-o", "out.html")
    assert answer.code == 0 and not schema_faults("labellers", answer.json)
    assert [row["labeller"] for row in answer.json["labellers"]] == [
        "Amazon Rekognition",
        "Luxand",
        "mine",
    ]
    first = answer.json["labellers"][0]
    assert 0 < first["trusted"] < 6 and first["off"] <= 0.6 and first["p"] > 0.01
    assert answer.json["labellers"][1]["q"] < 0.05 < answer.json["labellers"][2]["q"]
    shown = door(*words).out
    assert all(
        text in shown
        for text in (
            "Amazon Rekognition",
            "Luxand, the 5 queries most off of 6",
            "perceived presentation",
        )
    )
    page, outside = (shelf / "out.html").read_text(), _Outside()
    outside.feed(page)
    assert not outside.found and outside.panels == 3 and "default-src 'none'" in page
    door(*words, "-o", "out.json")
    assert json.loads((shelf / "out.json").read_text()) == answer.json


def test_compare_of_a_file_that_lacks_pictures_says_how_many(shelf, door):
    (shelf / "aws.jsonl").write_text(
        "\n".join((shelf / "aws.jsonl").read_text().splitlines()[:100])
    )
    notes = door(*COMPARE, "--json").json["notes"]
    assert notes == [
        "Amazon Rekognition: 80 of 180 items were never asked about and count as not detected."
    ]


@pytest.mark.parametrize(
    ("change", "words", "code", "said"),
    [
        ({"people.csv": "item,gender\nq0/1.jpg,female\nq0/1.jpg,male\n"}, (), 4, "labels item 'q0/1.jpg' twice for 'gender', differently"),
        ({"mine.csv": "item,gender\nq0/1.jpg,female\nq0/1.jpg,male\n"}, ("--with", "mine.csv"), 4, "twice for 'gender', differently"),
        ({}, ("--with", "zeroshot_embedding"), 2, "looks at the items themselves"),
        ({}, ("--with", "nowhere.csv"), 2, "There is no file nowhere.csv."),
        ({}, ("--attribute", "age"), 2, "age"),
        ({}, ("--group", "robot"), 2, "no group of 'gender' called 'robot'"),
        ({}, ("--with", "rekognition:aws.jsonl"), 2, "Two labellers are called"),
        ({}, ("-o", "picture.png"), 2, "cannot be written to 'picture.png'"),
        ({"people.csv": "item,gender,skin\nq0/1.jpg,female,dark\n"}, (), 2, "labels gender, skin"),
    ],
)  # fmt: skip
def test_compare_of_what_cannot_be_compared_is_told(shelf, door, change, words, code, said):
    for name, text in change.items():
        (shelf / name).write_text(text)
    answer = door(*COMPARE, *words)
    assert answer.code == code and said in answer.err, answer.err


def test_labels_of_a_conflicting_table_are_refused_by_annotate_too(shelf, door):
    (shelf / "photos.csv").write_text("item,caption\na,a woman\n")
    (shelf / "both.csv").write_text("item,gender\na,female\na,male\n")
    answer = door("annotate", "photos.csv", "--with", "table:both.csv", "--attribute", "gender")
    assert answer.code == 4 and "twice" in answer.err and "Traceback" not in answer.err


def test_compare_with_people_of_a_store_and_annotate_with_them(shelf, door):
    door(
        "annotate",
        "human",
        "task",
        "people.db",
        "--attribute",
        "gender",
        "--group",
        "female",
        "--group",
        "male",
    )
    rows = [line.split(",") for line in (shelf / "people.csv").read_text().splitlines()[1:]]
    (shelf / "answers.csv").write_text(
        "item,attribute,rater,answer\n"
        + "".join(f"{i},gender,r{n},{a}\n" for i, a in rows for n in range(3))
    )
    assert door("annotate", "human", "import", "people.db", "answers.csv").code == 0
    answer = door(
        *COMPARE[:3],
        "--human",
        "human:people.db(aggregate=majority)",
        "--with",
        "people.csv",
        "--json",
    )
    assert (
        answer.json["labellers"][0]["off"] == 0
        and answer.json["human"] == "human(3 raters, majority)"
    )
    (shelf / "items.csv").write_text("item,caption\n" + "".join(f"{i},a street\n" for i, _ in rows))
    for spec in ("human:people.db", "hybrid:people.db(auto=caption)"):
        told = door("annotate", "items.csv", "--with", spec, "--attribute", "gender", "--json").json
        assert told["counts"]["female"] + told["counts"]["male"] > 170 and told["wanted"] == 0
    rule = 'hybrid:people.db(auto="rekognition:aws.jsonl",scope=all,aggregate=majority)'
    told = door(
        "annotate",
        "items.csv",
        "--with",
        rule,
        "--run",
        "run.csv",
        "-k",
        "30",
        "-o",
        "hybrid.csv",
        "--json",
    ).json
    assert (
        "of 6 lists went to people" in told["source"]
        and 0 < int(told["source"].rpartition(": ")[2].split()[0]) < 6
    )


SIMULATE = ("simulate", "labeller", "--model", "phantom_ideal(dose=1)", "--repeats", "1")


def test_simulate_labeller_gives_the_same_as_table_json_and_a_page_of_its_own(
    tmp_path, door, schema_faults
):
    answer = door(
        *SIMULATE,
        "--mitigate",
        "pbm",
        "--mitigate",
        "detgreedy",
        "--json",
        "-o",
        tmp_path / "out.html",
    )
    assert answer.code == 0 and not schema_faults("label_quality", answer.json)
    assert {step["analysis"] for step in answer.json["steps"]} == {
        "noise",
        "threshold",
        "prevalence",
    }
    assert {row["labeller"] for row in answer.json["sensitivities"]} > {
        "zeroshot_embedding",
        "zeroshot_prompt",
    }
    worse = next(
        f
        for f in answer.json["findings"]
        if f["method"] == "pbm" and f["claim"].startswith("A worse")
    )
    assert worse["holds"] is True and worse["difference"] > 0.5
    page, outside = (tmp_path / "out.html").read_text(), _Outside()
    outside.feed(page)
    assert not outside.found and outside.panels == 3
    shown = door(*SIMULATE, "--analysis", "noise")
    assert (
        shown.code == 0
        and "Worse classifiers: AbsBias@10 of the list" in shown.out
        and "Rarer groups" not in shown.out
    )


def test_simulate_labeller_refuses_a_place_before_it_works(tmp_path, door):
    answer = door(*SIMULATE, "-o", tmp_path / "out.png")
    assert answer.code == 2 and "Give a .html page or a .json file." in answer.err


def test_compare_says_who_labelled_each_list_of_a_hybrid(shelf, door, schema_faults):
    words = (*COMPARE, "--with", 'hybrid(auto="rekognition:aws.jsonl")')
    answer = door(*words, "--json")
    assert answer.code == 0 and not schema_faults("labellers", answer.json)
    points = {p["query"]: p["source"] for p in answer.json["points"] if "hybrid" in p["labeller"]}
    assert points["query 5"] == "rekognition:aws.jsonl 30"
    assert "nobody" in points["query 0"]  # few faces, and nobody was asked yet
    assert "labelled by" in door(*words).out
