"""The SQLite file behind human labels: how it is opened, its tables, and its faults in words.

Write-ahead log, synchronous: a commit that returned survives the death of every process, and
several processes may write at once. Answers are never changed; triggers refuse it, and refuse
removal too, except to the one function that removes on request.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlead.errors import BackendError, DataError, FairleadError, UsageError, unwritten, words_of
from fairlead.store.shapes import TORN
from fairlead.store.versions import refuse_other, version_of

APPLICATION = 0x464C4844
"""Stands in the head of the file, so that a foreign database is known before anything is written to
it.
"""
_PAUSE = 0.02
_UNFIT = (
    "SQLITE_NOTADB",
    "SQLITE_CORRUPT",
    "SQLITE_SCHEMA",
    "SQLITE_CONSTRAINT",
    "SQLITE_MISMATCH",
    "SQLITE_FORMAT",
    "SQLITE_TOOBIG",
)
AGAIN = "From an export it is made anew: fairlead annotate human import {place} ANSWERS."
KEEPING = (
    "CREATE TABLE IF NOT EXISTS keeping (seq INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT "
    "NULL, days INTEGER NOT NULL)"
)
"""How long answers are kept, with its history; files from before this table have none until
somebody says so.
"""
_SCHEMA = (
    "CREATE TABLE schema (version INTEGER NOT NULL, secret BLOB NOT NULL)",
    """CREATE TABLE task (
        attribute TEXT NOT NULL, version INTEGER NOT NULL, groups TEXT NOT NULL,
        instructions TEXT NOT NULL, raters INTEGER NOT NULL, price REAL NOT NULL,
        seconds REAL NOT NULL, time TEXT NOT NULL,
        PRIMARY KEY (attribute, version)) WITHOUT ROWID""",
    """CREATE TABLE asked (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, attribute TEXT NOT NULL, item TEXT NOT NULL,
        time TEXT NOT NULL, UNIQUE (attribute, item))""",
    """CREATE TABLE answer (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, alias TEXT NOT NULL UNIQUE,
        attribute TEXT NOT NULL, item TEXT NOT NULL, rater TEXT NOT NULL, answer TEXT NOT NULL,
        version INTEGER NOT NULL, time TEXT NOT NULL, seconds REAL, counts_as TEXT,
        FOREIGN KEY (attribute, version) REFERENCES task (attribute, version))""",
    "CREATE INDEX answer_by_item ON answer (attribute, item, rater, time, seq)",
    "CREATE INDEX answer_by_rater ON answer (rater)",
    (
        "CREATE TABLE removal (seq INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, by "
        "TEXT NOT NULL, answers INTEGER NOT NULL)"
    ),
    "CREATE TABLE permit (one INTEGER NOT NULL)",
    KEEPING,
    (
        "CREATE TRIGGER answer_fixed BEFORE UPDATE ON answer BEGIN SELECT RAISE(ABORT, "
        "'answers are never changed'); END"
    ),
    """CREATE TRIGGER answer_kept BEFORE DELETE ON answer WHEN NOT EXISTS (SELECT 1 FROM permit)
        BEGIN SELECT RAISE(ABORT, 'answers are only removed on request'); END""",
)


def connect(path: Path, *, create: bool, wait: float) -> sqlite3.Connection:
    """Open the file, and make it where asked to.

    Raises:
        UsageError: Where there is no file, or its place cannot be written.
        DataError: Where the file is something else, or newer than this program.
        BackendError: Where another process holds it for longer than ``wait`` seconds.
    """
    if not path.exists() and not create:
        raise UsageError(
            f"There is no file {path}.",
            "Make it with: fairlead annotate human task FILE --attribute NAME --group A --group B",
        )
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file.", "Give the path of a file for human labels.")
    with telling(path, wait):
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        mode = "rwc" if create else "rw"
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=wait, isolation_level=None
        )
        try:
            _refuse_foreign(connection, path)
            _prepare(connection, path, wait)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, wait: float) -> None:
    """Prepare the log and the tables; several processes may do so at once."""
    # any process may be killed on the way: every step can be repeated
    # FULL: an acknowledged answer must outlive a power cut, not the death of a process alone.
    # What is deleted is overwritten, because people may ask that nothing of theirs is left.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    _use_log(connection, path, wait)
    if not _tables(connection):
        with transaction(connection):
            # another process may have made them while this one waited for its turn
            if not _tables(connection):
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO schema VALUES (?, ?)",
                    (version_of("human"), secrets.token_bytes(16)),
                )
    if not _counts(connection):
        with transaction(connection):
            if not _counts(connection):
                connection.execute("ALTER TABLE answer ADD COLUMN counts_as TEXT")
    with decoding(path):
        (version,) = connection.execute("SELECT version FROM schema").fetchone() or (None,)
    refuse_other("human", version, path.name)


def _counts(connection: sqlite3.Connection) -> bool:
    """Whether answers say what they count as; those of files from before go by their time alone."""
    return any(row[1] == "counts_as" for row in connection.execute("PRAGMA table_info(answer)"))


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not ours and not empty, before anything is written to it."""
    # tables first: ours are made together with their mark, in one transaction
    foreign = connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,)
    # ours has no views, and one in place of a table can be made to never end
    views = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'view'").fetchone()
    if _tables(connection) and (foreign or views[0]):
        raise DataError(
            f"{path.name} is a database of something else.",
            "Choose another file; this one is left as it is.",
        )


def _tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _use_log(connection: sqlite3.Connection, path: Path, wait: float) -> None:
    """Switch to the write-ahead log."""
    # SQLite does not wait for other processes while it switches, so we do
    end = time.monotonic() + wait
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if not _name(error).startswith("SQLITE_BUSY") or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
            continue
        if mode != "wal":
            raise BackendError(
                f"{path} lies on a disk without a write-ahead log (it gives '{mode}').",
                "Choose a local disk.",
            )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block or nothing of it, on disk when the block has ended."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some faults roll back by themselves
            connection.execute("ROLLBACK")
        raise


@contextmanager
def telling(path: Path, wait: float) -> Iterator[None]:
    """Turn faults of SQLite and of the disk into errors that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _told(error, path, wait) from error
    except UnicodeDecodeError as error:
        # sqlite3 itself decodes names and messages that stand in the file
        raise _broken(path, error) from error
    except OSError as error:
        raise unwritten(path, error) from error


@contextmanager
def decoding(path: Path) -> Iterator[None]:
    """Turn what rows hold that we never wrote into an error about the file."""
    try:
        yield
    except (*TORN, UsageError) as error:
        raise _broken(path, error) from error


def _broken(path: Path, error: BaseException) -> DataError:
    return DataError(
        f"{path.name} is no database of human labels, or a broken one ({words_of(error)}).",
        f"Choose another file, or a backup. {AGAIN.format(place=path)}",
    )


def _told(error: sqlite3.Error, path: Path, wait: float) -> FairleadError:
    name = _name(error)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BackendError(
            f"{path} is locked: another process has been at it for {wait:g} s.",
            "Wait until it is done, and try again.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return UsageError(
            f"{path} cannot be opened for writing ({error}).",
            "Human labels need a file and a folder you may write to.",
        )
    # Our statements are sound: where they do not fit, tables or columns are not ours. Bytes that
    # are no text are told without a code.
    if name.startswith(_UNFIT) or name == "SQLITE_ERROR" or "Could not decode" in str(error):
        return _broken(path, error)
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return BackendError(
            f"The disk of {path} failed: {error}.",
            "What was acknowledged is safe; make room, and try again.",
        )
    return BackendError(f"{path}: {error}.")


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or ""
