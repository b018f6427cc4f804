"""How a file is opened that somebody gave us: pipes and devices are refused, not waited for, and no
more of it is read than is said.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from fairlead.store.limits import DOCUMENT


def opened(path: str | Path) -> BinaryIO:
    """The bytes of a file.

    Raises:
        OSError: Where there is none, or it is a folder, a pipe or a device.
    """
    # a pipe that is opened waits for its writer, who may never come
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device, not a file", str(path))
    return open(path, "rb")


def content_of(path: str | Path) -> bytes:
    """All bytes of a file that is read whole.

    Raises:
        OSError: Where it cannot be read.
        DataError: Where it is longer than is accepted.
    """
    with opened(path) as stream:
        content = stream.read(DOCUMENT.value + 1)
    DOCUMENT.check(len(content), Path(path).name)
    return content


def text_of(path: str | Path) -> str:
    """The text of a file that is read whole.

    Raises:
        OSError: Where it cannot be read.
        DataError: Where it is longer than is accepted.
        UnicodeDecodeError: Where it is no UTF-8.
    """
    return content_of(path).decode("utf-8-sig")
