"""``fairlead search`` and ``fairlead index`` as people and programs use them: the phantom by
default, a folder, a table, labels, sheets.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fairlead
from fairlead.commands.search import Searcher, build_index, search
from fairlead.phantom.people import Person
from fairlead.phantom.references import pixels, refer
from fairlead.protocols.registry import make

SMALL = "phantom(seeds=2)"


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pictures: eight nurses and eight chemists, with captions and labels."""
    folder = tmp_path_factory.mktemp("photos")
    rows = ["item,gender"]
    for occupation in ("nurse", "chemist"):
        for number in range(8):
            gender = "female" if number % 4 == 0 else "male"
            person = Person(occupation, gender, 1 + number, 40 + number)
            Image.fromarray(pixels([refer(person)], 64)[0]).save(
                folder / f"{occupation}{number}.png"
            )
            (folder / f"{occupation}{number}.txt").write_text(f"a photo of a {occupation}\n")
            rows.append(f"{occupation}{number}.png,{gender}")
    (folder / "zero.png").touch()
    (folder.parent / "labels.csv").write_text("\n".join(rows) + "\n")
    return folder


def test_search_gives_the_documented_json(door, schema_faults):
    answer = door("search", "a photo of a nurse", "a photo of a chemist", "--collection", SMALL, "--mitigate", "pbm", "--mitigate",
                  "detgreedy", "--attribute", "gender", "-k", 6, "--json")  # fmt: skip
    assert answer.code == 0, answer.out
    assert not schema_faults("search", answer.json)
    first = answer.json["results"][0]
    assert [v["variant"] for v in first["variants"]] == ["plain", "pbm", "detgreedy"]
    assert all(
        len(v["items"]) == 6 and [i["rank"] for i in v["items"]] == [1, 2, 3, 4, 5, 6]
        for v in first["variants"]
    )
    balanced = [i["groups"]["gender"] for i in first["variants"][1]["items"]]
    assert balanced.count("female") == balanced.count("male") == 3


def test_search_library_and_command_give_the_same_json_but_for_the_clock(door):
    choices = {"collection": SMALL, "mitigate": ("pbm",), "attribute": ("gender",), "k": 5}
    told = door(
        "search",
        "a photo of a nurse",
        "--collection",
        SMALL,
        "--mitigate",
        "pbm",
        "--attribute",
        "gender",
        "-k",
        5,
        "--json",
    ).json
    made = fairlead.search("a photo of a nurse", **choices).to_dict()
    for one in (told, made):
        one["manifest"].pop("plan")
        for variant in one["results"][0]["variants"]:
            variant.pop("ms")
    assert told == made


def test_search_of_a_folder_finds_embeds_once_and_warns_of_the_phantom(door, photos):
    answer = door(
        "search",
        "a photo of a nurse",
        "--collection",
        photos,
        "--groups",
        photos.parent / "labels.csv",
        "-k",
        4,
        "--json",
    ).json
    assert all(
        item["id"].startswith("nurse") and item["text"] == "a photo of a nurse"
        for item in answer["results"][0]["variants"][0]["items"]
    )
    assert any("own drawings only" in note for note in answer["manifest"]["warnings"])
    assert answer["manifest"]["collection"]["items"] == 16
    assert answer["manifest"]["labels"]["gender"]["source"] == "labels.csv"


def test_search_by_picture_finds_that_picture_first(door, photos):
    answer = door(
        "search", "--image", photos / "nurse3.png", "--collection", photos, "-k", 3, "--json"
    ).json
    assert answer["results"][0]["variants"][0]["items"][0]["id"] == "nurse3.png"


def test_search_of_captions_by_picture(door, photos):
    answer = door(
        "search",
        "--image",
        photos / "chemist1.png",
        "--collection",
        photos,
        "--side",
        "texts",
        "-k",
        1,
        "--json",
    ).json
    assert answer["results"][0]["variants"][0]["items"][0]["text"] == "a photo of a chemist"


def test_search_sheet_shows_every_list_and_leaves_nothing_behind_when_it_fails(
    door, photos, tmp_path
):
    place = tmp_path / "sheet.png"
    answer = door("search", "a photo of a nurse", "--collection", photos, "--groups", photos.parent / "labels.csv", "--mitigate", "pbm",
                  "-k", 4, "--sheet", place)  # fmt: skip
    assert answer.code == 0 and "out of reach" not in answer.out
    with Image.open(place) as sheet:
        assert sheet.width > 500 and sheet.height > 300
        assert (
            len(np.unique(np.asarray(sheet.convert("RGB").resize((64, 32))).reshape(-1, 3), axis=0))
            > 50
        )
    failed = door(
        "search",
        "a photo of a nurse",
        "--collection",
        tmp_path / "nothing",
        "--sheet",
        tmp_path / "other.png",
    )
    assert failed.code != 0 and not list(tmp_path.glob("*other*"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("search",), 2, "Nothing is asked"),
        (("search", " "), 2, "no words"),
        (("search", "a nurse", "", "--collection", "no/such/folder"), 2, "no words"),
        (("search", "x", "--mitigate", "pbmm"), 2, "pbm"),
        (("search", "x", "--index", "exakt"), 2, "exact"),
        (("search", "x", "--collection", SMALL, "--attribute", "genre"), 2, "gender"),
        (("search", "x", "--collection", SMALL, "-k", "0"), 2, "k"),
        (("search", "x", "--collection", SMALL, "--metric", "nDCG@5"), 2, "relevance"),
        (("search", "x", "--collection", SMALL, "--sheet", "out.txt"), 2, ".png"),
        (
            ("search", "x", "--collection", SMALL, "--sheet", "no-such-folder/out.png"),
            2,
            "There is no folder no-such-folder",
        ),
        (
            ("search", "x", "--collection", SMALL, "--groups", "nowhere.csv"),
            2,
            "There is no file nowhere.csv.",
        ),
        (
            ("search", "x", "--collection", SMALL, "--groups", "nosy"),
            2,
            "neither an annotator nor a file of labels called 'nosy'",
        ),
        (("search", "--image", "nowhere.png", "--collection", SMALL), 4, "nowhere.png"),
        (("search", "x", "--collection", "no/such/folder"), 2, "no/such/folder"),
    ],
)
def test_search_bad_choices_are_told(door, words, code, said):
    answer = door(*words)
    assert answer.code == code, answer.err
    assert said in answer.err


def test_search_without_labels_still_searches_but_refuses_to_mitigate(door, photos):
    assert door("search", "a photo of a nurse", "--collection", photos, "-k", 2).code == 0
    refused = door("search", "a photo of a nurse", "--collection", photos, "--mitigate", "pbm")
    assert refused.code == 4 and "--groups" in refused.err


def test_search_says_how_far_a_target_can_be_met(door, photos):
    answer = door(
        "search",
        "a photo of a nurse",
        "--collection",
        photos,
        "--groups",
        photos.parent / "labels.csv",
        "--mitigate",
        "pbm",
        "-k",
        12,
    )
    assert "out of reach" in answer.out and "the collection has no more" in answer.out


def test_a_searcher_asked_twice_answers_as_two_searches(photos):
    from fairlead.commands.search import SearchPlan

    plan = SearchPlan.of(collection=SMALL, mitigate="pbm", attribute="gender", k=4)
    searcher = Searcher.of(plan)
    once, again = searcher.search(["a photo of a nurse"]), searcher.search(["a photo of a judge"])
    for found, text in ((once, "a photo of a nurse"), (again, "a photo of a judge")):
        alone = search(text, collection=SMALL, mitigate="pbm", attribute="gender", k=4)
        assert [v.items for v in found.results[0].variants] == [
            v.items for v in alone.results[0].variants
        ]
        assert [[r.null for r in v.metrics] for v in found.results[0].variants] == [
            [r.null for r in v.metrics] for v in alone.results[0].variants
        ]


def test_index_is_kept_beside_the_vectors_and_found_again(door, photos):
    labels = str(photos.parent / "labels.csv")
    choices = {
        "model": "phantom",
        "index": "faiss(kind=flat)",
        "groups": labels,
        "attribute": "gender",
    }
    built = build_index(str(photos), **choices, recall=3)
    assert built["rows"] == 16 and built["reused"] == 0
    assert built["recall"] == {"all": 1.0, "female": 1.0, "male": 1.0}
    assert Path(built["place"]).is_dir()
    assert build_index(str(photos), **choices)["reused"] == 16
    asked = {"collection": str(photos), "groups": labels, "mitigate": "pbm", "k": 4}
    kept, fresh = (
        search("a photo of a nurse", **asked, index="faiss(kind=flat)"),
        search("a photo of a nurse", **asked),
    )
    pairs = list(zip(kept.results[0].variants, fresh.results[0].variants, strict=True))
    assert all([i.id for i in one.items] == [i.id for i in other.items] for one, other in pairs)


def test_index_exact_needs_none_and_says_so(door, photos):
    answer = door("index", photos)
    assert answer.code == 0 and "as they are" in answer.out


def test_mitigating_labels_of_an_annotator_are_not_those_that_measure(door):
    told = door("search", "a photo of a nurse", "--collection", SMALL, "--attribute", "gender", "--mitigate", "pbm",
                "--mitigate-groups", "noisy(accuracy=0.6)", "-k", 10, "--json").json  # fmt: skip
    assert told["manifest"]["mitigate"]["labels"] == "noisy(accuracy=0.6)"
    assert not any("labels that measure" in note for note in told["manifest"]["warnings"])


def test_frames_of_a_search_hold_every_item(photos):
    found = search("a photo of a nurse", collection=SMALL, attribute="gender", k=3)
    frame = found.to_arrow()
    assert frame.num_rows == 3 and {"query", "variant", "id", "score", "rank", "gender"} <= set(
        frame.column_names
    )
    assert np.all(np.diff(frame["score"].to_numpy()) <= 0)


def test_search_of_broken_files_only_is_refused_and_writes_no_sheet(door, tmp_path):
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "empty.png").touch()
    (folder / "noise.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    answer = door(
        "search", "a photo of a nurse", "--collection", folder, "--sheet", tmp_path / "sheet.png"
    )
    assert (
        answer.code == 4
        and "nothing to search" in answer.err
        and "2 of 2 files skipped: 1 damaged, 1 empty" in answer.err
    )
    assert not (tmp_path / "sheet.png").exists()


def test_search_says_what_was_skipped(door, photos):
    asked = ("search", "a photo of a nurse", "--collection", photos, "-k", 2)
    assert "1 of 17 files skipped: 1 empty" in door(*asked).out
    assert any(
        note.startswith("1 of 17 files skipped: 1 empty")
        for note in door(*asked, "--json").json["manifest"]["warnings"]
    )


def test_search_for_more_than_there_is_shows_all_and_says_so(door, photos, schema_faults):
    asked = (
        "search",
        "a photo of a nurse",
        "--collection",
        photos,
        "--groups",
        photos.parent / "labels.csv",
        "--mitigate",
        "pbm",
        "-k",
        500,
    )
    answer = door(*asked)
    assert (
        "k is 16, not 500: the collection has no more." in answer.out and "AbsBias@16" in answer.out
    )
    assert "everything was fetched" in answer.out and "--depth" not in answer.out
    told = door(*asked, "--json").json
    assert not schema_faults("search", told) and told["results"][0]["reach"]["exhausted"]
    assert {row["metric"] for row in told["results"][0]["variants"][0]["metrics"]} == {
        "AbsBias@16",
        "NDKL@16",
    }


def test_search_without_the_trigger_says_so(door):
    answer = door(
        "search",
        "a photo of a female nurse",
        "--collection",
        SMALL,
        "--mitigate",
        "pbm",
        "--attribute",
        "gender",
        "--no-trigger",
    )
    assert answer.code == 0 and "the trigger is off" in answer.out


def test_search_times_the_search_alone_and_costs_are_in_the_json(door, schema_faults):
    told = door("search", "a photo of a nurse", "--model", "phantom(dose=1)", "--collection", SMALL, "--mitigate", "pbm",
                "--mitigate", "leace", "--attribute", "gender", "-k", 6, "--json").json  # fmt: skip
    assert not schema_faults("search", told)
    plain, pbm, leace = told["results"][0]["variants"]
    assert "cost" not in plain and set(pbm["cost"]) == {"new", "mean_score", "lowest_score"}
    assert pbm["cost"]["new"] > 0 and "project" in leace["ms"] and "project" not in pbm["ms"]


def test_search_prints_what_the_encoder_warns_of_after_it_read_the_query(photos):
    class Short:
        """The phantom, as if it read ten letters only."""

        name, fingerprint = "phantom", "short"

        def __init__(self) -> None:
            self.model, self.cut = make("encoder", "phantom"), 0

        def texts(self, texts, role):
            self.cut += sum(len(text) > 10 for text in texts)
            return self.model.texts(texts, role)

        def images(self, images, role):
            return self.model.images(images, role)

        def afresh(self):
            return Short()

        def about(self):
            return {
                "fingerprint": self.fingerprint,
                "warnings": [f"{self.cut} of 1 texts cut."] if self.cut else [],
            }

    found = search("a photo of a nurse", model=Short(), collection=SMALL, k=2)
    assert "1 of 1 texts cut." in found.warnings and "note: 1 of 1 texts cut." in str(found)


def test_search_labels_may_name_the_column_of_pictures_file(door, photos):
    labels = photos.parent / "files.csv"
    labels.write_text((photos.parent / "labels.csv").read_text().replace("item,", "file,", 1))
    answer = door(
        "search",
        "a photo of a nurse",
        "--collection",
        photos,
        "--groups",
        labels,
        "-k",
        2,
        "--json",
    )
    assert answer.code == 0 and set(
        answer.json["results"][0]["variants"][0]["items"][0]["groups"]
    ) == {"gender"}


def test_search_labels_of_other_items_are_told_of_the_collection(door, photos, tmp_path):
    (tmp_path / "labels.csv").write_text("item,gender\nother.png,male\n")
    answer = door(
        "search", "a photo of a nurse", "--collection", photos, "--groups", tmp_path / "labels.csv"
    )
    assert (
        answer.code == 4 and "it has 'other.png', the collection has 'chemist0.png'" in answer.err
    )


def test_search_help_shows_something_to_mitigate_first(door):
    first = door("search", "--help").out.split("Examples:")[1].strip().splitlines()[0]
    assert "phantom(dose=1)" in first
