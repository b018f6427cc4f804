"""What processes are given to prepare pictures with; a module of its own, so that they can import
it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np


def darkest(image: Any) -> np.ndarray:
    """Prepares a picture, refusing black ones."""
    pixels = np.asarray(image.resize((4, 4)))
    if not pixels.any():
        raise ValueError("too dark")
    return pixels


def dying(image: Any) -> np.ndarray:
    """Ends the process that prepares."""
    os._exit(3)
