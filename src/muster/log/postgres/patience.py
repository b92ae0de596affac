"""Ends waits for a database that says nothing: a silent network gives no error, and a statement's own limit is the server's.

One thread for all connections of the process. It looks now and then which of them wait for too long, and cuts those:
whoever waits gets the same error as if the database had gone. It lives while there are connections.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

if TYPE_CHECKING:
    from muster.log.postgres.line import Line

LOOK_SECONDS: Final = 0.25

_lines: WeakSet[Line] = WeakSet()
_guard = threading.Lock()
_thread: threading.Thread | None = None


def watch(line: Line) -> None:
    """Until `line.is_open` is false."""
    global _thread
    with _guard:
        _lines.add(line)
        if _thread is None:
            _thread = threading.Thread(target=_look_on, name="muster-patience", daemon=True)
            _thread.start()


def _look_on() -> None:
    global _thread
    pause = threading.Event()
    while True:
        pause.wait(LOOK_SECONDS)
        with _guard:
            lines = list(_lines)
            for line in lines:
                if not line.is_open:
                    _lines.discard(line)
            if not _lines:
                _thread = None
                return
        for line in lines:
            if monotonic() > line.due_s:
                line.cut()
