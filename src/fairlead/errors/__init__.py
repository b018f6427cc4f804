"""Everything that fairlead raises on purpose; ``errors.tree`` draws the tree."""

from fairlead.errors.disk import filling, told, unwritten, writing
from fairlead.errors.install import install_command
from fairlead.errors.tree import (
    CHECK_FAILED,
    EXIT_CODES,
    INCONCLUSIVE,
    OK,
    OUR_FAULT,
    BackendError,
    DataError,
    FairleadError,
    MissingExtra,
    UsageError,
    exit_code,
)
from fairlead.errors.wording import together, unknown_name, words_of

__all__ = [
    "CHECK_FAILED",
    "EXIT_CODES",
    "INCONCLUSIVE",
    "OK",
    "OUR_FAULT",
    "BackendError",
    "DataError",
    "FairleadError",
    "MissingExtra",
    "UsageError",
    "exit_code",
    "filling",
    "install_command",
    "together",
    "told",
    "unknown_name",
    "unwritten",
    "words_of",
    "writing",
]
