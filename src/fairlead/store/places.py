"""Where things are kept on a machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where things are kept between runs: ``$FAIRLEAD_CACHE``, or the platform's cache folder."""
    if chosen_folder := os.environ.get("FAIRLEAD_CACHE"):
        return Path(chosen_folder).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "fairlead"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "fairlead" / "cache"
    # set but empty counts as not set, as the standard of these folders says
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairlead"
