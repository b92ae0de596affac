"""What every log of one data directory shares: the disk and the two bounded sets of open files."""

from __future__ import annotations

from typing import Final

from muster.log.contract import Durability
from muster.log.disk import Disk
from muster.log.open_files import OpenFiles
from muster.wire.late_dataclass import dataclass

MAX_OPEN_FOR_READING: Final = 256
MAX_OPEN_FOR_WRITING: Final = 256


@dataclass(slots=True, frozen=True)
class FileAccess:
    disk: Disk
    readers: OpenFiles
    """The loop's thread."""
    writers: OpenFiles
    """The thread that runs commits."""
    durability: Durability


def file_access(disk: Disk, durability: Durability) -> FileAccess:
    return FileAccess(
        disk,
        OpenFiles(MAX_OPEN_FOR_READING, disk.open_for_read, disk.close),
        OpenFiles(MAX_OPEN_FOR_WRITING, disk.open_for_append, disk.close),
        durability,
    )
