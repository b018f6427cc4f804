"""Telemetry of the libraries that fairlead imports is off, by their own documented switches.

``import fairlead`` sets them, before any of those libraries can be loaded. A switch that the user
has set is left as it is.
"""

from __future__ import annotations

import os

SWITCHES = {
    # From 1.29 on, the Linux builds report sessions and keep a device's id, unless this is set.
    "onnxruntime": ("ORT_DISABLE_TELEMETRY", "1"),
    "huggingface_hub": ("HF_HUB_DISABLE_TELEMETRY", "1"),
    # Ray is no dependency, but an index or an encoder of the user's own may bring it.
    "ray": ("RAY_USAGE_STATS_ENABLED", "0"),
}
"""By library: the environment variable that it reads, and the value that switches it off."""


def switch_off() -> None:
    """Set every switch that the user has not set, for this process and those it starts."""
    for variable, value in SWITCHES.values():
        os.environ.setdefault(variable, value)


def is_off(library: str) -> bool:
    """Whether a library is told to report nothing."""
    variable, value = SWITCHES[library]
    return os.environ.get(variable) == value
