"""Results of face services: every published form is read, the rules for several and no faces hold,
and faults are told with their place.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import DataError, UsageError
from fairlead.protocols import registry
from fairlead.types import Collection

SERVICES = ("rekognition", "azure", "facepp", "luxand")


def face(service, gender, size=10, sure=0.99, is_face=0.999):
    """A face as a service writes it."""
    if service == "rekognition":
        box = {"Width": size / 100, "Height": size / 100, "Left": 0.1, "Top": 0.2}
        return {
            "BoundingBox": box,
            "Confidence": 100 * is_face,
            "Gender": {"Value": gender, "Confidence": 100 * sure},
        }
    if service == "azure":
        box = {"top": 1, "left": 2, "width": size, "height": size}
        return {
            "faceId": "c5c2",
            "faceRectangle": box,
            "faceAttributes": {"gender": gender.lower(), "age": 31.0},
        }
    if service == "facepp":
        box = {"top": 1, "left": 2, "width": size, "height": size}
        return {
            "face_token": "369a",
            "face_rectangle": box,
            "attributes": {"gender": {"value": gender}, "age": {"value": 33}},
        }
    box = {"left": 1, "top": 2, "right": 1 + size, "bottom": 2 + size}
    return {"age": 33, "gender": {"value": gender, "probability": sure}, "rectangle": box}


def response(service, faces):
    """An answer about one picture as a service writes it."""
    if service == "rekognition":
        return {"FaceDetails": faces, "ResponseMetadata": {"HTTPStatusCode": 200}}
    return (
        {"image_id": "8dqf==", "request_id": "1,2", "faces": faces, "face_num": len(faces)}
        if service == "facepp"
        else faces
    )


PICTURES = {
    "a/1.jpg": ["Female"],
    "a/2.jpg": ["Male", "Male"],
    "a/3.jpg": [],
    "b/1.jpg": ["Female", "Male", "Male"],
}
ITEMS = Collection((*PICTURES, "b/never.jpg"))


def answers(service):
    return {
        item: response(service, [face(service, g, 10 + n) for n, g in enumerate(faces)])
        for item, faces in PICTURES.items()
    }


def written(folder, service, form="jsonl"):
    """The answers in one of the forms a file may have."""
    told = answers(service)
    if form == "folder":
        for item, own in told.items():
            place = folder / "faces" / f"{item}.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(own))
        return folder / "faces"
    lines = [{"item": item, "response": own} for item, own in told.items()]
    texts = {
        "jsonl": "\n".join(map(json.dumps, lines)) + "\n\n",
        "list": json.dumps(lines),
        "object": json.dumps(told),
    }
    path = folder / ("faces.jsonl" if form == "jsonl" else "faces.json")
    path.write_text(texts[form])
    return path


def make(service, path, rest=""):
    return registry.make("annotator", f'{service}:"{path}"{rest}')


@pytest.mark.parametrize("form", ["jsonl", "list", "object", "folder"])
@pytest.mark.parametrize("service", SERVICES)
def test_answers_of_every_service_in_every_form_are_read_alike(service, form, tmp_path):
    annotator = make(service, written(tmp_path, service, form))
    told = annotator(ITEMS, "gender")
    assert told.names == ("female", "male") and told.codes.tolist() == [0, 1, -1, -1, -1]
    assert annotator.detected(ITEMS).tolist() == [True, True, False, True, False]
    assert annotator.missing(ITEMS) == 1 and told.source == str(annotator)


@pytest.mark.parametrize("service", SERVICES)
def test_several_faces_agree_or_the_largest_speaks_or_all_share(service, tmp_path):
    path = written(tmp_path, service)
    assert make(service, path, "(several=largest)")(ITEMS, "gender").codes.tolist() == [
        0,
        1,
        -1,
        1,
        -1,
    ]
    shares = make(service, path, "(several=share)")(ITEMS, "gender").soft
    np.testing.assert_allclose(shares, [[1, 0], [0, 1], [0, 0], [1 / 3, 2 / 3], [0, 0]])


def test_confidence_below_the_thresholds_makes_no_face_and_no_answer(tmp_path):
    faces = {
        "x": [face("rekognition", "Female", is_face=0.6)],
        "y": [face("rekognition", "Male", sure=0.7)],
        "z": [],
    }
    (tmp_path / "f.json").write_text(
        json.dumps({item: {"FaceDetails": own} for item, own in faces.items()})
    )
    items = Collection(("x", "y", "z"))
    strict = make("rekognition", tmp_path / "f.json", "(face=0.9,confident=0.8)")
    assert strict.detected(items).tolist() == [False, True, False] and strict(
        items, "gender"
    ).codes.tolist() == [-1, -1, -1]
    mild = make("rekognition", tmp_path / "f.json", "(face=0.6,confident=0.7)")
    assert mild.detected(items).tolist() == [True, True, False] and mild(
        items, "gender"
    ).codes.tolist() == [0, 1, -1]


def test_faces_beyond_the_fifth_of_facepp_are_found_and_say_nothing(tmp_path):
    silent = {"face_token": "x", "face_rectangle": {"top": 0, "left": 0, "width": 1, "height": 1}}
    (tmp_path / "f.json").write_text(
        json.dumps({"x": {"faces": [face("facepp", "Male"), silent]}, "y": {"faces": [silent]}})
    )
    annotator, items = make("facepp", tmp_path / "f.json"), Collection(("x", "y"))
    assert annotator(items, "gender").codes.tolist() == [1, -1] and annotator.detected(
        items
    ).tolist() == [True, True]


def test_other_forms_of_azure_and_luxand_are_read(tmp_path):
    box = {"top": 45, "left": 194, "width": 44, "height": 44}
    (tmp_path / "a.json").write_text(
        json.dumps(
            {
                "x": {
                    "faces": [{"age": 23, "gender": "Female", "faceRectangle": box}],
                    "metadata": {},
                }
            }
        )
    )
    assert make("azure", tmp_path / "a.json")(Collection(("x",)), "gender").codes.tolist() == [0]
    (tmp_path / "l.json").write_text(
        json.dumps({"x": {"status": "success", "faces": [face("luxand", "Male")]}})
    )
    assert make("luxand", tmp_path / "l.json")(Collection(("x",)), "gender").codes.tolist() == [1]


def test_names_without_folder_or_suffix_find_their_picture(tmp_path):
    (tmp_path / "f.json").write_text(
        json.dumps({"1.jpg": response("azure", [face("azure", "Male")])})
    )
    assert make("azure", tmp_path / "f.json")(
        Collection(("photos/1.jpg", "photos/2.jpg")), "gender"
    ).codes.tolist() == [1, -1]
    (tmp_path / "g.json").write_text(
        json.dumps({"photos/2": response("azure", [face("azure", "Male")])})
    )
    assert make("azure", tmp_path / "g.json")(
        Collection(("photos/1.jpg", "photos/2.jpg")), "gender"
    ).codes.tolist() == [-1, 1]


GOOD = {"item": "x", "response": response("rekognition", [face("rekognition", "Male")])}


@pytest.mark.parametrize(
    ("service", "content", "said"),
    [
        ("rekognition", "{", r"f\.jsonl, line 1 is not JSON"),
        ("rekognition", {"response": {}}, r"f\.jsonl, line 1 does not name its picture"),
        (
            "rekognition",
            {"item": "x", "response": {"Labels": []}},
            r"line 1 is no response of DetectFaces: it has no 'FaceDetails'",
        ),
        (
            "rekognition",
            {"item": "x", "FaceDetails": [{"Gender": {"Value": "Robot"}}]},
            r"face 1: the gender 'Robot' is neither",
        ),
        (
            "rekognition",
            {"item": "x", "FaceDetails": [{"Confidence": 130}]},
            r"the confidence 130 does not lie between 0 and 100",
        ),
        (
            "rekognition",
            {"item": "x", "FaceDetails": [{"Confidence": True}]},
            r"confidence is True, which is no number",
        ),
        (
            "rekognition",
            {"item": "x", "FaceDetails": [{"Confidence": 99.0}]},
            r"none of its 1 faces has a gender",
        ),
        (
            "rekognition",
            {"item": "x", "FaceDetails": {}},
            r"'FaceDetails' should be a list, and is {}",
        ),
        (
            "azure",
            {"item": "x", "response": {"error": {"code": "429"}}},
            r"line 1 is no response of Azure",
        ),
        (
            "facepp",
            {"item": "x", "response": {"error_message": "CONCURRENCY_LIMIT_EXCEEDED"}},
            r"is an error of Face\+\+: CONCURRENCY",
        ),
        (
            "luxand",
            {"item": "x", "response": {"status": "failure", "message": "no credits"}},
            r"is an error of Luxand: no credits",
        ),
        ("luxand", {"item": "x", "response": [7]}, r"face 1: a face should be an object, and is 7"),
        (
            "luxand",
            {"item": "x", "response": [{"gender": "female"}]},
            r"'gender' should be an object",
        ),
        (
            "azure",
            {"item": "x", "response": [{"faceRectangle": {"width": 3}}]},
            r"left is nothing, which is no number",
        ),
    ],
)
def test_answers_with_a_fault_are_told_with_their_place(service, content, said, tmp_path):
    (tmp_path / "f.jsonl").write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(DataError, match=said):
        make(service, tmp_path / "f.jsonl")(Collection(("x",)), "gender")


@pytest.mark.parametrize("form", ["lines", "object"])
def test_two_answers_about_one_picture_that_differ_are_refused_alike_ones_are_not(form, tmp_path):
    other = response("rekognition", [face("rekognition", "Female")])
    if form == "lines":
        path = tmp_path / "f.jsonl"
        path.write_text("\n".join(map(json.dumps, (GOOD, {"item": "x", "response": other}))))
    else:
        path = tmp_path / "f.json"
        path.write_text(f'{{"x": {json.dumps(GOOD["response"])}, "x": {json.dumps(other)}}}')
    with pytest.raises(DataError, match=r"answers about 'x' twice, differently"):
        make("rekognition", path)(Collection(("x",)), "gender")
    path.write_text(
        "\n".join([json.dumps(GOOD)] * 2)
        if form == "lines"
        else json.dumps({"x": GOOD["response"]})
    )
    assert make("rekognition", path)(Collection(("x",)), "gender").codes.tolist() == [1]


def test_two_names_of_one_picture_with_answers_that_differ_are_refused(tmp_path):
    told = {
        "a/1.jpg": response("azure", [face("azure", "Male")]),
        "b/1.jpg": response("azure", [face("azure", "Female")]),
    }
    (tmp_path / "f.json").write_text(json.dumps(told))
    with pytest.raises(
        DataError, match=r"about '1\.jpg' twice, differently, as 'a/1\.jpg' and as 'b/1\.jpg'"
    ):
        make("azure", tmp_path / "f.json")(Collection(("1.jpg",)), "gender")


def test_files_of_other_pictures_of_nothing_or_nowhere_are_told(tmp_path):
    (tmp_path / "f.jsonl").write_text(json.dumps(GOOD))
    with pytest.raises(DataError, match="knows none of the items: it has 'x', they are 'other'"):
        make("rekognition", tmp_path / "f.jsonl")(Collection(("other",)), "gender")
    (tmp_path / "f.jsonl").write_text("")
    with pytest.raises(DataError, match="holds no answer"):
        make("rekognition", tmp_path / "f.jsonl")(Collection(("x",)), "gender")
    (tmp_path / "f.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(DataError, match="not UTF-8"):
        make("rekognition", tmp_path / "f.jsonl")(Collection(("x",)), "gender")
    with pytest.raises(UsageError, match="There is no file"):
        make("rekognition", tmp_path / "nowhere.jsonl")(Collection(("x",)), "gender")
    with pytest.raises(UsageError, match="is no share"):
        make("luxand", tmp_path / "f.jsonl", "(confident=90)")
    with pytest.raises(UsageError, match="no parameter of azure"):
        make("azure", tmp_path / "f.jsonl", "(confident=0.9)")


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from(["Female", "Male", None]), st.integers(1, 9)), max_size=5
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_faces_give_what_a_slow_count_gives(tmp_path_factory, pictures):
    folder = tmp_path_factory.mktemp("faces")
    told = {}
    for number, faces in enumerate(pictures):
        own = [face("azure", gender or "", size) for gender, size in faces]
        told[f"p{number}"] = own
    (folder / "f.json").write_text(json.dumps(told))
    items = Collection(tuple(told))
    genders = [[gender for gender, _ in faces if gender] for faces in pictures]
    if any(pictures) and not any(genders):
        with pytest.raises(DataError, match="has a gender"):
            make("azure", folder / "f.json")(items, "gender")
        return
    agreed = [-1 if len(set(said)) != 1 else ("Female", "Male").index(said[0]) for said in genders]
    assert make("azure", folder / "f.json")(items, "gender").codes.tolist() == agreed
    shares = make("azure", folder / "f.json", "(several=share)")(items, "gender").soft
    for row, said in zip(shares, genders, strict=True):
        assert row.tolist() == pytest.approx(
            [said.count(g) / max(len(said), 1) for g in ("Female", "Male")]
        )
