"""The public surface: its names, what an import costs, and how results show themselves in a
notebook and as tables.
"""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap

import pytest

import fairlead
from fairlead.results.score import PerQuery, Row, ScoreResult

PUBLIC = [
    "Annotator", "Audit", "BackendError", "Benchmark", "Training", "CheckResult", "Collection", "DataError", "Decision", "Decisions", "Embeddings",
    "Encoder", "Evidence", "FairleadError", "Groups", "Index", "Labelled", "Lists", "Metric", "MissingExtra", "MitigatedList", "Mitigator", "PairedRow",
    "PerQuery", "Probe", "Projection", "Queries", "Ranking", "Relevant", "RerankResult", "Reranker", "Row", "Runner",
    "ScoreResult", "SearchResult", "Searcher", "Sets", "Spec", "Target", "UsageError", "annotate", "audit", "check", "cross", "decide",
    "calibrate", "compare_labellers", "demo", "entries", "evaluate_annotator", "human", "index", "neutralise", "simulate", "train",
    "FrontierResult", "doctor", "embed", "frontier", "make", "parse", "queries_needed", "remove", "replay", "reproduce", "rerank", "score", "search", "visible_difference",
]  # fmt: skip


def _python(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_public_names_are_pinned():
    assert sorted(fairlead.__all__) == sorted(PUBLIC)
    assert dir(fairlead) == sorted([*PUBLIC, "__version__"])


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_is_real_and_says_what_it_is(name):
    thing = getattr(fairlead, name)
    assert thing.__doc__
    assert thing.__module__.startswith("fairlead.")


def test_public_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'debias'"):
        _ = fairlead.debias


def test_import_loads_nothing_heavy():
    code = """
        import sys, fairlead
        heavy = {"torch", "pandas", "polars", "scipy", "pyarrow", "numpy", "pydantic", "rich", "click", "jinja2"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert _python(code).stdout.strip() == "[]"


def test_import_of_the_nouns_needs_numpy_alone():
    code = """
        import sys
        from fairlead import Groups, Ranking, Evidence, UsageError
        heavy = {"torch", "pandas", "polars", "scipy", "pyarrow", "pydantic", "rich", "click", "jinja2"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert _python(code).stdout.strip() == "[]"


def test_score_and_rerank_load_no_torch_and_nothing_for_show(example):
    code = f"""
        import sys, fairlead
        from pathlib import Path
        here = Path({str(example)!r})
        fairlead.score(here / "run.csv", here / "labels.csv", metric="AbsBias@10")
        fairlead.rerank(here / "run.csv", here / "labels.csv", attribute="gender", mitigate="pbm", k=5)
        print(sorted({{"torch", "polars", "jinja2", "rich", "click"}} & set(sys.modules)))
    """
    done = _python(code)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.fixture(scope="module")
def result(example) -> ScoreResult:
    return fairlead.score(
        example / "run.csv",
        example / "labels.csv",
        qrels=example / "qrels.txt",
        metric=["nDCG@20", "AbsBias@20", "NDKL@20"],
        against=example / "run.csv",
    )


def test_notebook_shows_the_headline_and_every_row(result):
    html = result._repr_html_()
    assert html.count("<tr>") == 1 + len(result.rows)
    assert "worse than chance in 5 of 24 queries" in html
    assert "AbsBias@20" in html and "nDCG@20" in html
    assert "tied with a neighbour" in html


def test_notebook_escapes_names():
    row = Row(
        "AbsBias@1",
        "<script>x</script>",
        1,
        0.5,
        (math.nan, math.nan),
        1,
        0,
        "lower",
        null={"kind": "target", "mean": 0.5, "sd": 0.1},
    )
    html = ScoreResult((row,), (), ("q",), {"warnings": ["<b>bold</b>"]})._repr_html_()
    assert "<script>" not in html and "<b>" not in html
    assert "&lt;script&gt;" in html


def test_text_of_a_result_is_the_table_of_the_command(result, example, door, monkeypatch):
    monkeypatch.chdir(example)
    text = str(result)
    assert text.startswith("AbsBias@20 on gender is")
    for title in ("Who is shown", "How relevant it is", "First run against second"):
        assert title in text
    assert max(map(len, text.splitlines())) <= 132


def test_check_and_rerank_results_show_themselves(example):
    seen = fairlead.check(example / "run.csv", example / "labels.csv")
    assert "24 queries, 1,440 entries, 60 deep" in str(seen)
    assert seen._repr_html_().startswith("<pre>24 queries")
    new = fairlead.rerank(
        example / "run.csv", example / "labels.csv", attribute="gender", mitigate="pbm", k=5
    )
    assert "pbm: 24 queries" in str(new)
    assert "plain first 5" in str(new)
    assert new._repr_html_().startswith("<pre>")


def test_arrow_tables_have_every_column_whatever_the_first_row(result):
    table = result.to_arrow()
    assert table.num_rows == len(result.rows)
    assert {
        "metric",
        "attribute",
        "mean",
        "ci_low",
        "ci_high",
        "null_kind",
        "null_mean",
        "excess",
        "excess_ci_low",
        "p",
        "q",
    } <= {*table.column_names}
    by_metric = {r["metric"] + (r["attribute"] or ""): r for r in table.to_pylist()}
    assert by_metric["nDCG@20"]["null_kind"] is None
    assert by_metric["AbsBias@20gender"]["null_kind"] == "gallery"
    assert result.to_arrow("per_query").num_rows == 24 * len(result.rows)
    assert result.to_arrow("paired").column("difference").to_pylist() == [0.0] * len(result.rows)


def test_arrow_tables_of_check_and_rerank(example):
    assert fairlead.check(example / "run.csv", example / "labels.csv").to_arrow().column(
        "attribute"
    ).to_pylist() == ["gender", "skin"]
    table = fairlead.rerank(
        example / "run.csv", example / "labels.csv", attribute="gender", mitigate="pbm", k=5
    ).to_arrow()
    assert table.column_names == ["query", "rank", "item"]
    assert table.num_rows == 24 * 5


def test_table_that_is_not_there_is_told(result, example):
    with pytest.raises(fairlead.UsageError, match=r"'per_qery'.*Did you mean per_query"):
        result.to_arrow("per_qery")
    alone = fairlead.score(example / "run.csv", example / "labels.csv", metric="AbsBias@20")
    with pytest.raises(fairlead.UsageError, match="'paired'"):
        alone.to_arrow("paired")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_table_of_a_library_that_is_missing_names_the_extra(library):
    code = f"""
        import sys

        class Absent:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == {library!r}:
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Absent())
        import fairlead
        result = fairlead.score({{"q": {{"a": 2.0, "b": 1.0}}}}, {{"a": {{"g": "x"}}, "b": {{"g": "y"}}}}, metric="AbsBias@1")
        try:
            result.to_{library}()
        except fairlead.MissingExtra as error:
            print(error)
    """
    done = _python(code)
    assert f"A {library} table needs the extra '{library}'." in done.stdout, done.stderr
    assert f'[{library}]"' in done.stdout


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_table_of_a_library_that_is_there(library, result):
    pytest.importorskip(library)
    frame = getattr(result, f"to_{library}")("per_query")
    assert list(frame["query"])[:2] == ["architect", "baker"]


def test_values_per_query_without_chance_have_no_null_fields():
    import numpy as np

    (record,) = PerQuery("nDCG@1", None, np.array([math.nan])).records(("q",))
    assert record == {"query": "q", "metric": "nDCG@1", "attribute": None, "value": None}
