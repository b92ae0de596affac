"""One writer at a time: a lock that the operating system takes back when its holder dies."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muster.pipeline.old.manifest import LakeError


@contextmanager
def only_writer(lock_file: Path) -> Iterator[None]:
    """Hold the lock of a lake, or say who has it."""
    with lock_file.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another run"
            raise LakeError(
                f"{lock_file.parent} is being written to by {holder}: wait for it, stop it, or write to another lake"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {socket.gethostname()}")
        lock.flush()
        yield
