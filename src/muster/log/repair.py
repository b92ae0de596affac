"""What is wrong in a data directory that no server is using, and the one thing that can be done about it: cut there.

Looks at every batch of every segment. A torn end of the last segment is no damage, the next start cuts it; anything else
is, also a mark that a start left, and giving up what lies behind it is the operator's decision. `muster log repair` asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from muster.log.checkpoints import CLEAN_OFFSETS, LEADER_EPOCHS, RECOVERY_POINTS, format_offsets, parse_offsets
from muster.log.contract import LogConfig, StorageError
from muster.log.directory import CLEAN_MARK, has_clean_mark, partition_directories, partition_path
from muster.log.disk import Disk, replace_file, sync_file
from muster.log.file_access import file_access
from muster.log.file_open import list_segments
from muster.log.index import SegmentIndex
from muster.log.offline_mark import offline_reason, remove_offline_mark
from muster.log.recovery import Trouble, first_trouble, why_not_torn
from muster.log.segment import ALL_SUFFIXES, INDEX_SUFFIX, TIME_INDEX_SUFFIX, Segment
from muster.log.sync_recovery import settle_journals


@dataclass(slots=True, frozen=True)
class Damage:
    """The first place in a log that is not a sound batch, and what goes if the log is cut there."""

    topic: str
    partition: int
    path: str
    position: int
    offset: int
    problem: str
    bytes_behind: int
    """In the same file, from the trouble on."""
    why_not_torn: str | None
    """What shows that it is not the end of an unfinished write, if that is in the same file."""
    later_segments: tuple[str, ...]
    end_offset: int | None
    """Where the log ends now, if its last segment can be read."""
    is_marked: bool = False
    """The batches that are there are sound, but a start found that some behind them are missing, and left a mark."""

    @property
    def is_torn_tail(self) -> bool:
        """What a crash leaves: nothing acknowledged is in it, and the next start cuts it by itself."""
        return self.why_not_torn is None and not self.later_segments and not self.is_marked

    def __str__(self) -> str:
        where = f"{self.path}: position {self.position}, offset {self.offset}: {self.problem}"
        if self.is_marked:
            return f"{where}\n  agreeing to the cut gives up what is missing there; the partition is served again"
        if self.is_torn_tail:
            return f"{where}; {self.bytes_behind} bytes of an unfinished write, which the next start cuts by itself"
        behind = [f"{self.bytes_behind} bytes from there on in this file"]
        if self.why_not_torn is not None:
            behind.append(self.why_not_torn)
        if self.later_segments:
            behind.append(f"{len(self.later_segments)} later segments")
        end = "the end" if self.end_offset is None else str(self.end_offset - 1)
        return f"{where}\n  behind it: {', '.join(behind)}\n  cutting there gives up offsets {self.offset} to {end}"


def find_damage(directory: str, only: tuple[str, int] | None = None) -> list[Damage]:
    """The first trouble of every log that has one. The caller holds the directory's lock.

    What a start does first is done: what only the sync journal kept is given back to its logs, and the journal goes, so
    that a log that is cut stays cut; an interrupted compaction is finished.
    """
    settle_journals(directory, Disk(), is_clean=has_clean_mark(directory))
    points = _read_offsets(os.path.join(directory, RECOVERY_POINTS))
    found: list[Damage] = []
    for topic, partition in sorted(partition_directories(directory)):
        if only is None or only == (topic, partition):
            damage = _look_at(directory, topic, partition, points.get((topic, partition), 0))
            if damage is not None:
                found.append(damage)
    return found


def _look_at(directory: str, topic: str, partition: int, recovery_point: int) -> Damage | None:
    access = file_access(Disk(), "fsync")
    path = partition_path(directory, topic, partition)
    try:
        segments = list_segments(path, LogConfig(), access)
        next_offset = 0
        for at, segment in enumerate(segments):
            index = SegmentIndex(segment.base_offset, LogConfig().index_interval_bytes)
            trouble = first_trouble(segment, index, [])
            if trouble is None and segment.size and segment.base_offset < next_offset:
                problem = f"the segment begins at offset {segment.base_offset}, which the one before it has already"
                trouble = Trouble(0, segment.base_offset, problem)
            if trouble is not None:
                return _damage(topic, partition, segment, trouble, segments[at + 1 :], recovery_point)
            next_offset = index.next_offset
        reason = offline_reason(path)
        if reason is not None and segments:
            last = segments[-1]
            return Damage(
                topic, partition, last.log_path, last.size, next_offset, reason, 0, None, (), None, is_marked=True
            )
    finally:
        access.readers.close()
    return None


def _damage(
    topic: str, partition: int, segment: Segment, trouble: Trouble, later: Sequence[Segment], recovery_point: int
) -> Damage:
    end_offset: int | None = None
    with suppress(StorageError):
        end_offset = (later[-1] if later else segment).index.next_offset
    return Damage(
        topic,
        partition,
        segment.log_path,
        trouble.position,
        trouble.next_offset,
        trouble.problem,
        segment.size - trouble.position,
        why_not_torn(segment, trouble, recovery_point),
        tuple(each.log_path for each in later),
        end_offset,
    )


def cut(directory: str, damage: Damage, disk: Disk | None = None) -> None:
    """Give up everything from the damage on. Stopped half-way, it can be done again: checkpoints first, newest file first."""
    disk = disk or Disk()
    try:
        _lower_checkpoints(disk, directory, damage)
        for path in reversed(damage.later_segments):
            _remove_segment(disk, path)
        disk.truncate(damage.path, damage.position)
        sync_file(disk, damage.path)
        # The index of transactions stays: that it is there says something, and the recovery that follows makes it anew.
        for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
            _remove(disk, damage.path.removesuffix(".log") + suffix)
        remove_offline_mark(disk, os.path.dirname(damage.path))
        disk.sync_directory(os.path.dirname(damage.path))
    except OSError as error:
        raise StorageError(f"{damage.path}: cannot be cut: {error.strerror or error}") from error


def _lower_checkpoints(disk: Disk, directory: str, damage: Damage) -> None:
    """Whatever says that the log reaches further, or was compacted further, would be wrong about what is written next."""
    _remove(disk, os.path.join(directory, CLEAN_MARK))
    _remove(disk, os.path.join(os.path.dirname(damage.path), LEADER_EPOCHS))
    key = (damage.topic, damage.partition)
    for name in (RECOVERY_POINTS, CLEAN_OFFSETS):
        path = os.path.join(directory, name)
        offsets = _read_offsets(path)
        if offsets.pop(key, None) is not None:
            replace_file(disk, path, format_offsets(offsets))


def _read_offsets(path: str) -> dict[tuple[str, int], int]:
    try:
        with open(path, "rb") as file:
            return parse_offsets(file.read(), path)
    except FileNotFoundError:
        return {}


def _remove_segment(disk: Disk, log_path: str) -> None:
    stem = log_path.removesuffix(".log")
    for suffix in ALL_SUFFIXES:
        _remove(disk, stem + suffix)


def _remove(disk: Disk, path: str) -> None:
    with suppress(FileNotFoundError):
        disk.remove(path)
