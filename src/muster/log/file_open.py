"""Opening a partition's directory: which segments are there, which of them need checking, where the log begins and ends.

Called by `files` for every partition at start-up, so a log that was closed cleanly costs a directory listing and a look
at the end of its last segment.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from typing import Final

from muster.log.checkpoints import LEADER_EPOCHS, PARTITION_METADATA, format_partition_metadata, parse_epochs
from muster.log.checkpoints import parse_partition_metadata as parse_topic_id
from muster.log.contract import LogConfig, StorageError
from muster.log.disk import write_file
from muster.log.file_access import FileAccess
from muster.log.file_compaction import finish_interrupted_swaps
from muster.log.offline_mark import offline_reason
from muster.log.recovery import recover_segment
from muster.log.segment import ALL_SUFFIXES, LOG_SUFFIX, TRANSACTION_INDEX_SUFFIX, Segment
from muster.log.transaction_recovery import recover_aborted
from muster.wire.late_dataclass import dataclass

_SEGMENT_FILE = re.compile(r"(?P<base>[0-9]{20})(?P<suffix>\.[a-z]+)")
_UNFINISHED_SUFFIX: Final = ".tmp"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class OpenedDirectory:
    segments: list[Segment]
    epochs: list[tuple[int, int]]
    is_new: bool
    """No commit has made it durable yet, also if a clean stop came since it was made."""


def open_directory(
    path: str,
    topic_id: bytes,
    config: LogConfig,
    access: FileAccess,
    *,
    clean: bool,
    recovery_point: int,
    start_offset: int,
) -> OpenedDirectory:
    """The segments of the log in `path`, checked as far as the last stop makes it necessary; a new log if there is none."""
    try:
        reason = offline_reason(path)
        if reason is not None:
            raise StorageError(reason)
        is_new = _make_directory(path, topic_id, access)
        segments = list_segments(path, config, access)
        if not segments:
            return OpenedDirectory([_empty(path, start_offset, config, access)], [], is_new=True)
        epochs = _load_epochs(path)
        if not clean:
            epochs = _recover(segments, recovery_point, epochs, config, access)
        elif epochs is None:
            epochs = _epochs_of(segments)
        if segments[-1].index.next_offset < start_offset:
            segments, epochs = _restart_at(start_offset, segments, config, access), []
        segments[-1].load_first_time()
        return OpenedDirectory(segments, epochs, is_new)
    except OSError as error:
        raise StorageError(f"{path}: cannot be opened: {error.strerror or error}") from error


def read_topic_id(path: str) -> bytes | None:
    file_path = os.path.join(path, PARTITION_METADATA)
    try:
        with open(file_path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    # Synced by the first commit only: of an empty log's a power failure may leave no more than the name.
    return parse_topic_id(content, file_path) if content.strip(b"\0") else None


def _make_directory(path: str, topic_id: bytes, access: FileAccess) -> bool:
    """Whether the directory or the id in it is new. Nothing is synced yet: an empty log that a power failure takes is simply
    made again. The first commit syncs."""
    is_new = not os.path.isdir(path)
    if is_new:
        access.disk.make_directory(path)
    kept = read_topic_id(path)
    if kept is None:
        # Beside it first: a disk that is full half-way leaves no id that cannot be read, which would keep the log shut for ever.
        file_path = os.path.join(path, PARTITION_METADATA)
        write_file(access.disk, file_path + _UNFINISHED_SUFFIX, format_partition_metadata(topic_id), sync=False)
        access.disk.rename(file_path + _UNFINISHED_SUFFIX, file_path)
        is_new = True
    elif kept != topic_id:
        raise StorageError(
            f"{path}: belongs to the topic with id {kept.hex()}, not {topic_id.hex()}. A topic of the same name was"
            " deleted and made again; move the directory away if its records are not needed"
        )
    return is_new


def list_segments(path: str, config: LogConfig, access: FileAccess) -> list[Segment]:
    """The segments in their order, after an interrupted compaction was finished and unfinished files were removed."""
    sizes: dict[int, int] = {}
    index_bases: list[tuple[int, str]] = []
    with_transactions: set[int] = set()
    finish_interrupted_swaps(access.disk, path)
    for entry in _entries(path):
        if entry.name.endswith(_UNFINISHED_SUFFIX):
            access.disk.remove(entry.path)
        elif match := _SEGMENT_FILE.fullmatch(entry.name):
            if match["suffix"] == LOG_SUFFIX:
                sizes[int(match["base"])] = entry.stat().st_size
            elif match["suffix"] in ALL_SUFFIXES:
                index_bases.append((int(match["base"]), entry.path))
                if match["suffix"] == TRANSACTION_INDEX_SUFFIX:
                    with_transactions.add(int(match["base"]))
    for base, index_path in index_bases:
        if base not in sizes:
            access.disk.remove(index_path)
    interval = config.index_interval_bytes
    segments = [
        Segment(path, base, access.disk, access.readers, interval, size) for base, size in sorted(sizes.items())
    ]
    for segment in segments:
        segment.has_transaction_index = segment.base_offset in with_transactions
    return segments


def newest_segment_base(path: str) -> int | None:
    """The first offset of the newest segment; None if there is none, or no such directory."""
    try:
        names = os.listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    matches = (_SEGMENT_FILE.fullmatch(name) for name in names)
    return max((int(match["base"]) for match in matches if match and match["suffix"] == LOG_SUFFIX), default=None)


def _entries(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _empty(path: str, base_offset: int, config: LogConfig, access: FileAccess) -> Segment:
    return Segment(path, base_offset, access.disk, access.readers, config.index_interval_bytes)


def _recover(
    segments: list[Segment],
    recovery_point: int,
    known_epochs: list[tuple[int, int]] | None,
    config: LogConfig,
    access: FileAccess,
) -> list[tuple[int, int]]:
    """Check the segments that reach to the recovery point or beyond; returns the log's leader epochs."""
    first = 0
    while first + 1 < len(segments) and segments[first + 1].base_offset <= recovery_point:
        first += 1
    if known_epochs is None:
        known_epochs = _epochs_of(segments[:first])
    epochs = [entry for entry in known_epochs if entry[1] < segments[first].base_offset]
    for segment in segments[first:]:
        is_last = segment is segments[-1]
        found = recover_segment(
            segment, access.disk, config.index_interval_bytes, is_last=is_last, recovery_point=recovery_point
        )
        _join_epochs(epochs, found)
    recover_aborted(segments, first, access.disk)
    return epochs


def _epochs_of(segments: Iterable[Segment]) -> list[tuple[int, int]]:
    epochs: list[tuple[int, int]] = []
    for segment in segments:
        headers = (header for _, header in segment.headers_from(0))
        _join_epochs(epochs, ((header.partition_leader_epoch, header.base_offset) for header in headers))
    return epochs


def _join_epochs(epochs: list[tuple[int, int]], found: Iterable[tuple[int, int]]) -> None:
    for epoch, start in found:
        if epoch > (epochs[-1][0] if epochs else -1):
            epochs.append((epoch, start))


def _load_epochs(path: str) -> list[tuple[int, int]] | None:
    file_path = os.path.join(path, LEADER_EPOCHS)
    try:
        with open(file_path, "rb") as file:
            return parse_epochs(file.read(), file_path)
    except FileNotFoundError:
        return None
    except StorageError as problem:
        logger.info("%s; it is made anew from the log", problem)
        return None


def _restart_at(start_offset: int, segments: list[Segment], config: LogConfig, access: FileAccess) -> list[Segment]:
    """The log lost its end and with it everything after its start (only `durability = os` can): begin at the start."""
    directory = segments[0].directory
    logger.warning(
        "%s: ends at offset %d, before its start offset %d: the records between were lost; it begins anew there",
        directory,
        segments[-1].index.next_offset,
        start_offset,
    )
    for segment in segments:
        segment.remove_files()
    return [_empty(directory, start_offset, config, access)]
