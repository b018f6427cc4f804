"""Everything fairlead raises on purpose.

    FairleadError
    ├── UsageError      a request that cannot be understood: unknown name, impossible plan
    ├── DataError       a file or value that is not what it claims to be
    ├── MissingExtra    a heavy part that is not installed; the message names the extra
    └── BackendError    a foreign system (database, model, index, disk) failed

Every message says what was wrong with the value; ``hint`` says what is accepted or what to do next.
``EXIT_CODES`` is the only map from errors to process exit codes.
"""

from __future__ import annotations

from fairlead.errors.install import WITH_TORCH, install_command

OK, CHECK_FAILED, INCONCLUSIVE, OUR_FAULT = 0, 1, 3, 70


class FairleadError(Exception):
    """Base of all errors raised on purpose."""

    kind = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(FairleadError):
    """A request that cannot be understood, or a place that may not be written."""

    kind = "usage"


class DataError(FairleadError):
    """A file or value that is not what it claims to be."""

    kind = "data"


class MissingExtra(FairleadError):
    """A heavy part that is not installed."""

    kind = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        hint = f"Install it: {install_command(extra)}"
        if extra in WITH_TORCH:
            cpu_first = "Without a GPU, install the CPU build of torch first: it is much smaller."
            hint = f"{cpu_first} {hint}"
        super().__init__(f"{what} needs the extra '{extra}'.", hint)
        self.extra = extra


class BackendError(FairleadError):
    """A foreign system failed, a full disk among them."""

    kind = "backend"


EXIT_CODES: dict[type[FairleadError], int] = {
    UsageError: 2,
    DataError: 4,
    MissingExtra: 5,
    BackendError: 6,
}


def exit_code(error: BaseException) -> int:
    """The process exit code of an error; anything not raised on purpose is our fault (70)."""
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), OUR_FAULT)
