"""Being asked to end: by Ctrl-C, or by SIGTERM.

Python answers a signal between two of its own steps, and a single call into a library may take
minutes. So a thread waits for signals as well: where the process has not ended in time by itself,
the thread removes what is being written, ends the processes we started, and leaves at once. All
that is kept is written so that it survives even a kill.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from fairlead.cli.saying import say

PATIENCE = 0.5
"""Seconds in which a process may end by itself."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(eq=False)
class Interrupts:
    """The signals by which this process is asked to end, as they come in.

    Attributes:
        words: What is said then.
        asked: The signals so far.
    """

    words: Callable[[], str]
    asked: list[int] = field(default_factory=list)
    _saying: threading.Lock = field(default_factory=threading.Lock)

    def watch(self) -> None:
        """Answer them from now on."""
        for number in _SIGNALS:
            signal.signal(number, self._interrupted)
        reader, writer = os.pipe()
        if os.name == "posix":
            # Python refuses to write signals to what could block
            os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=self._wait, args=(reader,), daemon=True).start()

    def say(self) -> None:
        """Say once that the run was stopped."""
        # Kept for good: the process ends after it.
        if not self._saying.acquire(blocking=False):
            return
        if threading.current_thread() is threading.main_thread():
            say(self.words(), err=True)
            return
        # past the buffer, which the main thread may hold
        with suppress(OSError):
            os.write(2, f"{self.words()}\n".encode())

    def _interrupted(self, number: int, _: object) -> None:
        self.asked.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    def _wait(self, reader: int) -> None:
        while (number := os.read(reader, 1)[0]) not in _SIGNALS:
            pass
        time.sleep(PATIENCE)
        self._leave(number)

    def _leave(self, number: int) -> NoReturn:
        # What was never loaded has nothing to clean up.
        store = sys.modules.get("fairlead.store.atomic")
        processes = sys.modules.get("multiprocessing")
        with suppress(Exception):
            if store is not None:
                store.drop_begun()
            if processes is not None:
                for child in processes.active_children():
                    child.terminate()
        self.say()
        os._exit(128 + number)
