"""After a stop that was not clean: give the logs back what only the sync journal kept, then drop the journal.

A commit that was acknowledged is in its segment's file, or in the journal, or in both; a power failure can take any of the
former that was not synced yet. Runs before any log is opened, under the directory's lock. Only the newest segment of a log can
lack anything: older ones were synced when they were closed. What is sound in a segment counts, whatever the journal says.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Final

from muster.log.contract import StorageError
from muster.log.directory import journal_files, partition_path
from muster.log.disk import Disk, sync_existing, write_at
from muster.log.file_open import newest_segment_base, read_topic_id
from muster.log.index import SegmentIndex
from muster.log.open_files import OpenFiles
from muster.log.recovery import first_trouble
from muster.log.segment import Segment
from muster.log.sync_frames import FILE_HEAD, FILE_KIND, Frame, read_journal
from muster.wire.batch import parse_header

_INDEX_INTERVAL: Final = 4_096
_READERS: Final = 8

LogName = tuple[str, int, bytes]
logger = logging.getLogger(__name__)


def settle_journals(directory: str, disk: Disk, *, is_clean: bool, owner: int | None = None) -> None:
    """Nothing of the journal is needed afterwards, and it is gone. `is_clean`: the logs lack nothing."""
    try:
        paths = journal_files(directory, owner)
        if not paths:
            return
        if not is_clean:
            for name, tail in _tails(paths).items():
                _give_back(directory, disk, name, tail, paths)
        for path in paths:
            disk.remove(path)
        disk.sync_directory(directory)
    except OSError as error:
        raise StorageError(
            f"{directory}: its sync journal cannot be worked off: {error.strerror or error}. It is kept; the next start tries"
            " again"
        ) from error


class Tail:
    """The end of a log as the journal knows it: a later frame counts, and ends what an earlier one said of its place."""

    def __init__(self) -> None:
        self._frames: dict[int, list[Frame]] = {}

    def add(self, frame: Frame) -> None:
        frames = self._frames.setdefault(frame.segment_base, [])
        while frames and frames[-1].position >= frame.position:
            frames.pop()
        if frames and frames[-1].end > frame.position:
            last = frames.pop()
            frames.append(last._replace(batches=last.batches[: frame.position - last.position]))
        frames.append(frame)

    def of_segment(self, base_offset: int) -> Sequence[Frame]:
        return self._frames.get(base_offset, ())


def _tails(paths: Sequence[str]) -> dict[LogName, Tail]:
    tails: dict[LogName, Tail] = {}
    for path in paths:
        for frame in _frames_of(path):
            tails.setdefault((frame.topic, frame.partition, frame.topic_id), Tail()).add(frame)
    return tails


def _frames_of(path: str) -> list[Frame]:
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(FILE_KIND) and len(content) >= len(FILE_HEAD) and not content.startswith(FILE_HEAD):
        raise StorageError(
            f"{path}: is a sync journal of another release. Start the release that wrote it, or move the file"
            " away: commits that a power failure took from their logs are given up with it"
        )
    frames, damage = read_journal(content)
    for position in damage:
        logger.error("%s: damaged at position %d, where later commits follow", path, position)
    return frames


def _give_back(directory: str, disk: Disk, name: LogName, tail: Tail, journals: Sequence[str]) -> None:
    topic, partition, topic_id = name
    path = partition_path(directory, topic, partition)
    base_offset = newest_segment_base(path)
    if base_offset is None or read_topic_id(path) != topic_id:
        return  # deleted since then, or made again under the same name: a log's first commit has its id synced
    frames = tail.of_segment(base_offset)
    if not frames:
        return
    readers = OpenFiles(_READERS, disk.open_for_read, disk.close)
    try:
        size = os.stat(os.path.join(path, f"{base_offset:020d}.log")).st_size
        segment = Segment(path, base_offset, disk, readers, _INDEX_INTERVAL, size)
        end = _mend(segment, disk, frames)
        if frames[-1].position > end:
            raise _unreachable(segment, end, frames[-1], journals)
        sync_existing(disk, segment.log_path)
    finally:
        readers.close()


def _mend(segment: Segment, disk: Disk, frames: Sequence[Frame]) -> int:
    """Write what is missing behind the sound batches; returns where those end."""
    index = SegmentIndex(segment.base_offset, _INDEX_INTERVAL)
    # Everything before the first frame was synced before the journal was begun.
    index.size = min(frames[0].position, segment.size)
    index.next_offset = parse_header(frames[0].batches).base_offset
    end = _sound_end(segment, index)
    for frame in frames:
        known = end - frame.position
        if not 0 <= known < len(frame.batches) or segment.read_at(frame.position, known) != frame.batches[:known]:
            continue
        write_at(disk, segment.log_path, frame.batches[known:], end)
        logger.warning(
            "%s: gave back %d bytes from the sync journal at position %d",
            segment.log_path,
            len(frame.batches) - known,
            end,
        )
        segment.size = max(segment.size, frame.end)
        end = _sound_end(segment, index)
    return end


def _sound_end(segment: Segment, index: SegmentIndex) -> int:
    trouble = first_trouble(segment, index, [])
    return segment.size if trouble is None else trouble.position


def _unreachable(segment: Segment, end: int, frame: Frame, journals: Sequence[str]) -> StorageError:
    return StorageError(
        f"{segment.log_path}: ends at position {end}, but the sync journal knows of acknowledged batches from position"
        f" {frame.position} on, and not of those between. Restore the log or the journal ({', '.join(journals)}) from a backup, or"
        " move the journal away: what only it holds is given up then"
    )
