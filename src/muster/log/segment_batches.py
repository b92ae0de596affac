"""Every batch of a segment file, read by a file handle of its own and checked: for work away from the loop's thread.

Compaction reads closed segments with it, opening a log checks what an interrupted compaction left, `muster log` looks
at any file. Readers that serve clients use `segment`, which trusts what was checked before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muster.log.contract import StorageError
from muster.log.disk import Disk, read_fully
from muster.wire.batch import HEADER_SIZE, BatchHeader, check_crc, parse_header
from muster.wire.errors import WireError

_CHUNK_BYTES: Final = 512 * 1024


def checked_batches(disk: Disk, path: str, size: int) -> Iterator[tuple[BatchHeader, bytes]]:
    """Header and bytes of every batch in the first `size` bytes. StorageError where one is not sound."""
    fd = disk.open_for_read(path)
    try:
        position = 0
        chunk, at = b"", 0
        while position < size:
            if at + HEADER_SIZE > len(chunk):
                chunk, at = read_fully(disk, fd, min(_CHUNK_BYTES, size - position), position), 0
            try:
                header = parse_header(chunk, at)
                if at + header.size > len(chunk):
                    wanted = min(max(header.size, _CHUNK_BYTES), size - position)
                    chunk, at = read_fully(disk, fd, wanted, position), 0
                check_crc(chunk, header, at)
            except WireError as error:
                raise damaged_batch(path, position, str(error)) from error
            yield header, chunk[at : at + header.size]
            at += header.size
            position += header.size
    finally:
        disk.close(fd)


def damaged_batch(path: str, position: int, problem: str) -> StorageError:
    return StorageError(
        f"{path}: damaged at position {position}: {problem}. Restore the file from a backup, or stop the server and let"
        " 'muster log repair' on the data directory show what can be saved"
    )
