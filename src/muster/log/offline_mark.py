"""A file in a partition's directory that keeps the partition offline: something acknowledged is missing in it, for sure.

Left by a start that found it out from the sync journal. Without it the next start, which has that journal no more, would take
the log for whole. `muster log repair` shows the reason and removes it after asking.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from muster.log.disk import Disk, replace_file

OFFLINE_MARK: Final = "muster.offline"
_MOST_BYTES: Final = 10_000


def leave_offline_mark(disk: Disk, path: str, reason: str) -> None:
    """OSError if it cannot be written."""
    replace_file(disk, os.path.join(path, OFFLINE_MARK), reason.encode("utf-8", "replace"))


def offline_reason(path: str) -> str | None:
    """Why the partition in this directory has to stay offline; None if it need not. OSError if it cannot be read."""
    try:
        with open(os.path.join(path, OFFLINE_MARK), "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace").strip() or "it was marked as damaged"
    except FileNotFoundError:
        return None


def remove_offline_mark(disk: Disk, path: str) -> None:
    with suppress(FileNotFoundError):
        disk.remove(os.path.join(path, OFFLINE_MARK))
