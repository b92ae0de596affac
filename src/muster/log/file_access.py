"""What every log of one data directory shares: the disk and the two bounded sets of open files."""

from __future__ import annotations

from typing import Final

from muster.log.contract import Durability
from muster.log.disk import Disk
from muster.log.open_files import OpenFiles

MAX_OPEN_FOR_READING: Final = 256
MAX_OPEN_FOR_WRITING: Final = 256


class FileAccess:
    __slots__ = ("disk", "durability", "readers", "writers")

    def __init__(self, disk: Disk, readers: OpenFiles, writers: OpenFiles, durability: Durability) -> None:
        self.disk = disk
        self.readers = readers
        """The loop's thread."""
        self.writers = writers
        """The thread that runs commits."""
        self.durability: Durability = durability


def file_access(disk: Disk, durability: Durability) -> FileAccess:
    return FileAccess(
        disk,
        OpenFiles(MAX_OPEN_FOR_READING, disk.open_for_read, disk.close),
        OpenFiles(MAX_OPEN_FOR_WRITING, disk.open_for_append, disk.close),
        durability,
    )
