"""Encoders are tested from folders: nothing here may ask the hub."""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"
