"""After a stop that was not clean: give the logs back what only the sync journal kept, then drop the journal.

A commit that was acknowledged is in its segment's file, or in the journal, or in both; a power failure can take any of the
former that was not synced yet. Runs before any log is opened, under the directory's lock. Only the newest segment of a log can
lack anything: older ones were synced when they were closed. What is sound in a segment counts, whatever the journal says. A log
that cannot be given back what it lacks is marked as offline; the others are served.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Final

from muster.log.contract import StorageError
from muster.log.directory import journal_files, partition_path
from muster.log.disk import Disk, is_of_the_machine, sync_existing, write_at
from muster.log.file_open import newest_segment_base, read_topic_id
from muster.log.index import SegmentIndex
from muster.log.offline_mark import leave_offline_mark
from muster.log.open_files import OpenFiles
from muster.log.recovery import first_trouble
from muster.log.segment import Segment
from muster.log.sync_checks import impossible, impossible_place
from muster.log.sync_frames import FILE_KIND, FILE_START, Frame
from muster.log.sync_reading import FILE_START_1, JournalContent, LostFrame, read_journal
from muster.wire.batch import HEADER_SIZE, parse_header

_INDEX_INTERVAL: Final = 4_096
_READERS: Final = 8
_KEPT_SUFFIX: Final = ".kept"

LogName = tuple[str, int, bytes]
logger = logging.getLogger(__name__)


class NotGivenBack(Exception):
    """A log lacks something that was acknowledged, and the journal does not hold it; says what."""


def settle_journals(directory: str, disk: Disk, *, is_clean: bool, owner: int | None = None) -> None:
    """Nothing of the journal is needed afterwards, and it is gone. `is_clean`: the logs lack nothing.

    Whatever could not be read of it, or given back, may be all that is left of something acknowledged: those files get another
    name, for whoever restores a log.
    """
    try:
        paths = journal_files(directory, owner)
        if not paths:
            return
        kept = set() if is_clean else _give_back_all(directory, disk, paths)
        for path in paths:
            if path in kept:
                kept_path = _kept_path(path)
                disk.rename(path, kept_path)
                logger.warning("%s: is kept as %s; remove it when nothing is missing", path, kept_path)
            else:
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
        self._lost: dict[int, LostFrame] = {}

    def add(self, frame: Frame) -> None:
        self._end_at(frame.segment_base, frame.position).append(frame)
        # Commits only ever append: if this one finds its place, nothing before it is missing.
        self._lost.pop(frame.segment_base, None)

    def add_lost(self, lost: LostFrame) -> None:
        """It was acknowledged, but its batches are not to be had here."""
        self._end_at(lost.segment_base, lost.position)
        self._lost[lost.segment_base] = lost

    def _end_at(self, segment_base: int, position: int) -> list[Frame]:
        frames = self._frames.setdefault(segment_base, [])
        while frames and frames[-1].position >= position:
            frames.pop()
        if frames and frames[-1].end > position:
            last = frames.pop()
            rest = last.batches[: position - last.position]
            if len(rest) >= HEADER_SIZE:
                frames.append(last._replace(batches=rest))
        return frames

    def of_segment(self, base_offset: int) -> Sequence[Frame]:
        return self._frames.get(base_offset, ())

    def lost_at_the_end(self, base_offset: int) -> LostFrame | None:
        """The segment's last frame, if that is one whose batches cannot be read."""
        return self._lost.get(base_offset)

    @property
    def newest_segment(self) -> int:
        return max(self._frames)


def _give_back_all(directory: str, disk: Disk, journals: Sequence[str]) -> set[str]:
    """Logs that lack something for good are marked as offline. Returns which files of the journal are to be kept."""
    to_keep: set[str] = set()
    for name, tail in _tails(journals, to_keep).items():
        topic, partition, _ = name
        path = partition_path(directory, topic, partition)
        try:
            _give_back(path, disk, name, tail)
        except (NotGivenBack, StorageError) as problem:
            if is_of_the_machine(problem):
                raise  # the journal stays, and the next start tries again: a mark would outlast what was the matter
            kept = ", ".join(_kept_path(journal) for journal in journals)
            reason = (
                f"{problem}. Restore the log from a backup and remove {path}/muster.offline, or accept the loss with"
                f" 'muster log repair' on the data directory. What the sync journal held is kept in {kept}"
            )
            logger.error("%s-%d lacks records that were acknowledged: %s", topic, partition, reason)
            leave_offline_mark(disk, path, reason)
            to_keep.update(journals)
    return to_keep


def _tails(paths: Sequence[str], unread: set[str]) -> dict[LogName, Tail]:
    """Puts into `unread` which files are damaged."""
    tails: dict[LogName, Tail] = {}
    for path in paths:
        found = _read(path)
        if found.damage or found.goes_on:
            unread.add(path)
        for frame in _usable(path, found):
            tail = tails.setdefault((frame.topic, frame.partition, frame.topic_id), Tail())
            if isinstance(frame, LostFrame):
                tail.add_lost(frame)
            else:
                tail.add(frame)
    return tails


def _read(path: str) -> JournalContent:
    with open(path, "rb") as file:
        content = file.read()
    if _is_of_another_release(content):
        raise StorageError(
            f"{path}: is a sync journal of another release. Start the release that wrote it, or move the file"
            " away: commits that a power failure took from their logs are given up with it"
        )
    found = read_journal(content)
    for lost in found.damage:
        logger.error("%s: damaged at position %d, where later commits follow", path, lost.place)
    if found.goes_on:
        logger.error(
            "%s: damaged at position %d: later commits are among the %d bytes from there on, which cannot be used",
            path,
            found.end,
            found.unfinished_bytes,
        )
    elif found.unfinished_bytes:
        logger.warning(
            "%s: %d bytes of an unfinished write at position %d are not used", path, found.unfinished_bytes, found.end
        )
    return found


def _usable(path: str, found: JournalContent) -> list[Frame | LostFrame]:
    """What can be true, in its order. The rest is reported: at most a line a kind of problem and file."""
    in_order: list[Frame | LostFrame] = list(found.frames)
    for lost in reversed(found.damage):
        in_order.insert(lost.frames_before, lost)
    usable: list[Frame | LostFrame] = []
    skipped: Counter[str] = Counter()
    for frame in in_order:
        problem = impossible_place(frame) if isinstance(frame, LostFrame) else impossible(frame)
        if problem is None:
            usable.append(frame)
        else:
            skipped[problem] += 1
    if skipped:
        first = next(iter(skipped))
        logger.error("%s: %d frames that cannot be applied are skipped; the first: %s", path, skipped.total(), first)
    return usable


def _is_of_another_release(content: bytes) -> bool:
    is_whole = len(content) >= len(FILE_START)
    return is_whole and content.startswith(FILE_KIND) and not content.startswith((FILE_START, FILE_START_1))


def _kept_path(path: str) -> str:
    """Another name, which no start reads."""
    return next(
        kept for kept in (f"{path}{_KEPT_SUFFIX}{number or ''}" for number in count()) if not os.path.exists(kept)
    )


def _give_back(path: str, disk: Disk, name: LogName, tail: Tail) -> None:
    """StorageError or NotGivenBack if this log cannot be made whole, OSError if the disk does not do what it should."""
    topic, partition, topic_id = name
    base_offset = newest_segment_base(path)
    if base_offset is None or read_topic_id(path) != topic_id:
        # Deleted since then, or made again under the same name: a log's first commit has its id synced.
        logger.info("the sync journal names %s-%d of another life: its frames are skipped", topic, partition)
        return
    if tail.newest_segment > base_offset:
        logger.error(
            "the sync journal names segment %d of %s-%d, whose newest is %d: its frames are skipped",
            tail.newest_segment,
            topic,
            partition,
            base_offset,
        )
    frames = tail.of_segment(base_offset)
    lost = tail.lost_at_the_end(base_offset)
    if not frames and lost is None:
        return
    readers = OpenFiles(_READERS, disk.open_for_read, disk.close)
    try:
        size = os.stat(os.path.join(path, f"{base_offset:020d}.log")).st_size
        segment = Segment(path, base_offset, disk, readers, _INDEX_INTERVAL, size)
        end = _mend(segment, disk, frames)
        if lost is not None and lost.end > end:
            raise NotGivenBack(
                f"{segment.log_path}: is sound up to position {end}, but batches were acknowledged up to position {lost.end}, and"
                " what the sync journal has of them is damaged"
            )
        if frames and frames[-1].position > end:
            raise NotGivenBack(
                f"{segment.log_path}: ends at position {end}, but the sync journal knows of acknowledged batches from position"
                f" {frames[-1].position} on, and not of those between"
            )
        sync_existing(disk, segment.log_path)
    finally:
        readers.close()


def _mend(segment: Segment, disk: Disk, frames: Sequence[Frame]) -> int:
    """Write what is missing behind the sound batches; returns where those end."""
    index = SegmentIndex(segment.base_offset, _INDEX_INTERVAL)
    if frames:
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
