"""The rules every registered mitigation on weights keeps, and that towers are found by name."""

from __future__ import annotations

import importlib.util

import pytest

from fairlead.errors import UsageError
from fairlead.protocols import registry

ABSENT = [n for n in ("torch", "onnx", "onnxscript") if importlib.util.find_spec(n) is None]
pytestmark = pytest.mark.skipif(
    bool(ABSENT), reason=f"the extra 'train' is not installed: no {', '.join(ABSENT)}"
)
SETTINGS = {
    "adversarial": ["adversarial", "adversarial(weight=0.2)"],
    "prompt_array": ["prompt_array", "prompt_array(text=true,tokens=3)"],
    "fair_sample": ["fair_sample", "fair_sample(negatives=matched,images=true)"],
}
SPECS = [text for name in registry.entries("training") for text in SETTINGS.get(name, [name])]


@pytest.mark.parametrize("text", SPECS)
def test_training_keeps_the_laws(text: str) -> None:
    from fairlead.testing import training_laws

    training_laws(registry.make("training", text))


def test_encoder_without_towers_is_told_which_can_be_trained_on(tmp_path) -> None:
    from fairlead.commands.train_mitigated import train_mitigated

    with pytest.raises(UsageError, match="Models that can: phantom, open_clip"):
        train_mitigated("fair_sample", tmp_path / "out", model="phantom_ideal")
