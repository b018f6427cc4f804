"""A mitigated run is held against the chance level of the candidates it was made from."""

from __future__ import annotations

import numpy as np
import pytest

import fairlead


@pytest.fixture
def files() -> tuple[dict, dict]:
    rng = np.random.default_rng(0)
    run = {f"q{q}": {f"i{q}-{i}": float(-i) for i in range(30)} for q in range(12)}
    labels = {
        item: {"gender": str(rng.choice(["female", "male"], p=[0.2, 0.8]))}
        for items in run.values()
        for item in items
    }
    return run, labels


def test_mitigated_run_shares_the_chance_level_of_the_plain_one(files: tuple[dict, dict]) -> None:
    run, labels = files
    plain = fairlead.score(run, labels, metric="AbsBias@10")
    mitigated = fairlead.rerank(run, labels, mitigate="detgreedy", k=10)
    shown = {
        record["query"]: {item: -float(i) for i, item in enumerate(record["items"])}
        for record in mitigated.to_dict()["results"]
    }
    alone = fairlead.score(shown, labels, metric="AbsBias@10")
    against = fairlead.score(shown, labels, metric="AbsBias@10", against=run)
    assert against.rows[0].null == plain.rows[0].null
    assert alone.rows[0].null != plain.rows[0].null
    assert against.rows[0].mean == alone.rows[0].mean
    assert any("second run" in w for w in against.warnings)


def test_run_with_other_candidates_keeps_its_own_chance_level(files: tuple[dict, dict]) -> None:
    run, labels = files
    other = {q: dict(list(items.items())[:20]) for q, items in run.items()}
    assert (
        fairlead.score(run, labels, metric="AbsBias@10", against=other).rows[0].null
        == fairlead.score(run, labels, metric="AbsBias@10").rows[0].null
    )


def test_clusters_widen_the_interval_and_must_name_every_query(
    files: tuple[dict, dict], tmp_path
) -> None:
    run, labels = files
    path = tmp_path / "clusters.csv"
    path.write_text("query,cluster\n" + "".join(f"q{q},c{q // 4}\n" for q in range(12)))
    clustered = fairlead.score(run, labels, metric="AbsBias@10", clusters=path)
    assert "clusters" in clustered.rows[0].notes[0]
    with pytest.raises(fairlead.DataError, match="has no cluster"):
        fairlead.score(run, labels, metric="AbsBias@10", clusters={"q0": "a"})


def test_source_of_labels_is_printed_beside_every_number(files: tuple[dict, dict]) -> None:
    run, labels = files
    assert (
        fairlead.score(run, labels, metric="AbsBias@10", source="panel of three").rows[0].source
        == "panel of three"
    )
