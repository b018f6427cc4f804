"""What is written never takes the place of what is read, whatever the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlead.cli.main import main
from fairlead.cli.sparing import refuse_lost
from fairlead.errors import UsageError


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from PIL import Image

    monkeypatch.chdir(tmp_path)
    (tmp_path / "pics").mkdir()
    for number in range(3):
        Image.new("RGB", (32, 32), (80 * number, 60, 30)).save(tmp_path / "pics" / f"{number}.png")
    (tmp_path / "table.csv").write_text(
        "image,caption\n" + "".join(f"pics/{n}.png,a woman\n" for n in range(3))
    )
    (tmp_path / "link.csv").symlink_to("table.csv")
    return tmp_path


@pytest.mark.parametrize("line", [
    "annotate table.csv --with caption --attribute gender -o table.csv",
    "annotate table.csv --with caption --attribute gender -o ./pics/../table.csv",
    "annotate table.csv --with caption --attribute gender -o link.csv",
    "annotate neutral table.csv -o table.csv",
    "search --image pics/0.png --collection table.csv --sheet pics/0.png",
    "search person --collection pics --sheet pics/1.png",
])  # fmt: skip
def test_command_that_would_write_over_its_input_is_refused_and_nothing_changes(desk, capsys, line):
    before = {path: path.read_bytes() for path in desk.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit) as left:
        main(line.split())
    assert (
        left.value.code == 2
        and "is an input of this command; it would be lost" in capsys.readouterr().err
    )
    assert {path: path.read_bytes() for path in desk.rglob("*") if path.is_file()} == before


def test_file_beside_the_inputs_may_be_replaced(desk):
    (desk / "pics" / "labels.csv").write_text("earlier")
    refuse_lost({"out": "pics/labels.csv", "collection": "pics", "groups": None, "least": 5})
    refuse_lost({"out": None, "sheet": "new.png", "image": ("pics/0.png",)})
    refuse_lost({"out": "pics", "collection": "pics"})  # a folder: who writes into it decides
    with pytest.raises(UsageError, match="an input"):
        refuse_lost({"out": "table.csv", "files": ("other.csv", "link.csv")})
