"""What a command says in passing: quotes that were forgotten, how a stopped run goes on."""

from __future__ import annotations

import pytest

from fairlead.cli.main import _interrupted, main
from fairlead.report.saving import check_folder_name


def test_interrupted_embed_says_how_it_goes_on_and_score_does_not():
    assert "same command again" in _interrupted(["embed", "photos", "-o", "out"])
    assert "same command again" in _interrupted(["annotate", "photos", "--with", "face"])
    assert _interrupted(["score", "run.csv"]) == "Interrupted."
    assert _interrupted([]) == "Interrupted."


@pytest.mark.parametrize("name", ["phantom_ideal(dose-0.5)", "runs/v0.5", "run"])
def test_folder_with_a_dot_in_its_name_is_a_folder(name, tmp_path):
    check_folder_name(tmp_path / name)


@pytest.mark.parametrize("name", ["run.csv", "run.htmlx", "run.yaml"])
def test_name_with_the_suffix_of_a_file_is_refused(name, tmp_path):
    with pytest.raises(Exception, match="suffix names no format"):
        check_folder_name(tmp_path / name)


def test_search_of_single_words_says_that_they_were_several_queries(capsys):
    with pytest.raises(SystemExit) as left:
        main(["search", "a", "nurse", "--collection", "phantom(seeds=2)", "--json"])
    assert left.value.code in (0, None)
    assert 'quote it: "a nurse"' in capsys.readouterr().err


def test_list_of_mitigations_holds_those_of_lists_vectors_and_weights(capsys):
    with pytest.raises(SystemExit):
        main(["list", "mitigations"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("pbm", "leace", "adversarial"))
