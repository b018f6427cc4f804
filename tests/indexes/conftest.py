"""Portraits as files, as for the tests of embedding."""

from tests.embed.conftest import photos, portraits

__all__ = ["photos", "portraits"]
