"""One segment of a log on disk: `<base offset>.log` and its indexes, for reading.

Knows how to find a batch by offset or time and how to read whole batches. Writing is `file_commit`'s, checking after a
crash is `recovery`'s. Used from the loop's thread only; `size` counts durable bytes, more may be in the file already.
"""

from __future__ import annotations

import logging
import os
import struct
from collections.abc import Iterator
from typing import Final

from muster.log.contract import StorageError, TimestampOffset
from muster.log.disk import Disk, read_fully, write_file
from muster.log.index import IndexDamaged, SegmentIndex
from muster.log.open_files import OpenFiles
from muster.log.segment_batches import checked_batches, damaged_batch
from muster.log.staging import StagedBatch
from muster.log.timestamps import first_at_or_after
from muster.log.transaction_index import AbortedTransaction, decode_entries, encode_entries
from muster.wire.batch import HEADER_SIZE, BatchHeader, parse_header
from muster.wire.batch_header import LENGTH_END
from muster.wire.errors import WireError

LOG_SUFFIX: Final = ".log"
INDEX_SUFFIX: Final = ".index"
TIME_INDEX_SUFFIX: Final = ".timeindex"
TRANSACTION_INDEX_SUFFIX: Final = ".txnindex"
ALL_SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX)
_LOOK_AHEAD_BYTES: Final = 32 * 1024
_LENGTH = struct.Struct(">i")
_BEFORE_LENGTH: Final = 8
_HOP = struct.Struct(">qi11xi")
"""Base offset, length, last offset delta."""

logger = logging.getLogger(__name__)


class Segment:
    """A run of consecutive batches in one file."""

    def __init__(
        self,
        directory: str,
        base_offset: int,
        disk: Disk,
        readers: OpenFiles,
        index_interval: int,
        size: int | None = None,
    ) -> None:
        self.directory = directory
        self.base_offset = base_offset
        self.log_path = self.path(LOG_SUFFIX)
        self.size = size or 0
        self.on_disk = size is not None
        """A new segment's file is made by the first commit that writes to it."""
        self._disk = disk
        self._readers = readers
        self._index_interval = index_interval
        self._index = None if size else SegmentIndex(base_offset, index_interval)
        self._first_time_ms: int | None = None
        self._last_append_ms: int | None = None
        self.has_transaction_index = False
        """Its `.txnindex` is there, perhaps empty: the log had transactions when, or before, the segment was begun."""
        self.has_transactional_batches = False
        """Said by a recovery that found some."""
        self._aborted: list[AbortedTransaction] | None = None

    def __repr__(self) -> str:
        return f"<Segment {self.path(LOG_SUFFIX)} {self.size} bytes>"

    def path(self, suffix: str) -> str:
        return os.path.join(self.directory, f"{self.base_offset:020d}{suffix}")

    # What the rules ask

    @property
    def first_time_ms(self) -> int | None:
        if self._first_time_ms is None:
            self.load_first_time()
        return self._first_time_ms

    @property
    def last_time_ms(self) -> int | None:
        if not self.size:
            return None
        if self.max_timestamp >= 0:
            return self.max_timestamp
        return self._last_append_ms if self._last_append_ms is not None else self._file_time_ms()

    @property
    def max_timestamp(self) -> int:
        return self.index.max_timestamp

    def _file_time_ms(self) -> int:
        return int(os.stat(self.log_path).st_mtime * 1000)

    def load_first_time(self) -> None:
        if self.size:
            timestamp = self.header_at(0).max_timestamp
            self._first_time_ms = timestamp if timestamp >= 0 else self._file_time_ms()

    # Growing

    def add(self, batches: list[StagedBatch], noted: SegmentIndex | None) -> None:
        """Batches are durable behind what was there. `noted`: the index that has them already, if it was forecast."""
        if self._first_time_ms is None and not self.size:
            self._first_time_ms = batches[0].time_ms
        if noted is not None:
            self.index = noted
        else:
            index = self.index
            for batch in batches:
                index.note(batch.next_offset - 1, batch.max_timestamp, len(batch.bytes))
        self.size += sum(len(batch.bytes) for batch in batches)
        self.on_disk = True
        self._last_append_ms = batches[-1].now_ms

    # The indexes

    @property
    def index(self) -> SegmentIndex:
        if self._index is None:
            self._index = self._load_index() or self.rebuild_index()
        return self._index

    @index.setter
    def index(self, index: SegmentIndex) -> None:
        self._index = index

    def _load_index(self) -> SegmentIndex | None:
        if self.size <= self._index_interval:
            return None  # too small for an entry
        index = SegmentIndex(self.base_offset, self._index_interval)
        try:
            index.load(self._small_file(INDEX_SUFFIX), self._small_file(TIME_INDEX_SUFFIX), self.size)
            for _, header in self.headers_from(index.resume_at_last_entry()):
                index.note_header(header)
        except (FileNotFoundError, IndexDamaged, StorageError) as problem:
            logger.info("%s: making its indexes anew: %s", self.log_path, problem)
            return None
        return index

    def rebuild_index(self) -> SegmentIndex:
        """Both indexes, from the log alone."""
        index = SegmentIndex(self.base_offset, self._index_interval)
        for _, header in self.headers_from(0):
            index.note_header(header)
        self._index = index
        return index

    def save_indexes(self) -> None:
        """Synced, because a clean stop means that they will be trusted. A segment too small for entries needs none."""
        self.save_aborted()
        if not len(self.index) and not os.path.exists(self.path(INDEX_SUFFIX)):
            return
        for suffix, content in zip((INDEX_SUFFIX, TIME_INDEX_SUFFIX), self.index.to_files(), strict=True):
            write_file(self._disk, self.path(suffix), content, sync=True)

    # The aborted transactions whose markers are here

    @property
    def aborted(self) -> list[AbortedTransaction]:
        """By their markers, ascending. IndexDamaged if the file has to be made anew from the log."""
        if self._aborted is None:
            self._aborted = self._load_aborted()
        return self._aborted

    @aborted.setter
    def aborted(self, aborted: list[AbortedTransaction]) -> None:
        self._aborted = aborted

    def save_aborted(self) -> None:
        """Write the `.txnindex`, if it may differ from the file."""
        if self.has_transaction_index and self._aborted is not None:
            write_file(self._disk, self.path(TRANSACTION_INDEX_SUFFIX), encode_entries(self._aborted), sync=True)

    @property
    def loaded_aborted(self) -> list[AbortedTransaction] | None:
        """None: nothing was added to what the file says."""
        return self._aborted

    def _load_aborted(self) -> list[AbortedTransaction]:
        if not self.has_transaction_index:
            return []
        try:
            content = self._small_file(TRANSACTION_INDEX_SUFFIX)
        except FileNotFoundError:
            raise IndexDamaged("it is not there") from None
        return decode_entries(content, self.base_offset, self.index.next_offset)

    def _small_file(self, suffix: str) -> bytes:
        with open(self.path(suffix), "rb") as file:
            return file.read()

    # Reading

    def read_at(self, position: int, size: int) -> bytes:
        path = self.log_path
        try:
            return read_fully(self._disk, self._readers.get(path), size, position)
        except OSError as error:
            raise StorageError(f"{path}: cannot be read at position {position}: {error.strerror}") from error

    def headers_from(self, position: int) -> Iterator[tuple[int, BatchHeader]]:
        """(position, header) of every durable batch from `position` on, reading ahead but not all of the records."""
        end = self.size
        while position < end:
            chunk = self.read_at(position, min(_LOOK_AHEAD_BYTES, end - position))
            at = 0
            while at + HEADER_SIZE <= len(chunk):
                header = self._parse(chunk, at, position)
                yield position + at, header
                at += header.size
            if at == 0:
                raise self.damaged(position, "a batch header is cut off")
            position += at
        if position != end:
            raise self.damaged(end, "the last batch is cut off")

    def find(self, offset: int) -> int | None:
        """The position of the first batch that ends at or after `offset`."""
        position = self.index.floor_position(offset)
        if position and not self._begins_at_or_before(offset, position):
            logger.warning("%s: its index leads astray; making it anew", self.log_path)
            position = self.rebuild_index().floor_position(offset)
        return self._first_reaching(offset, position)

    def _first_reaching(self, offset: int, position: int) -> int | None:
        """Hops from batch to batch by the three fields that matter: whole headers would take four times as long."""
        end = self.size
        while position < end:
            chunk = self.read_at(position, min(_LOOK_AHEAD_BYTES, end - position))
            at = 0
            while at + HEADER_SIZE <= len(chunk):
                base_offset, length, last_delta = _HOP.unpack_from(chunk, at)
                if base_offset + last_delta >= offset:
                    return position + at
                if length < HEADER_SIZE - LENGTH_END:
                    raise self.damaged(position + at, f"a batch of {length} bytes cannot be")
                at += length + LENGTH_END
            if at == 0:
                raise self.damaged(position, "a batch header is cut off")
            position += at
        return None

    def _begins_at_or_before(self, offset: int, position: int) -> bool:
        """Whether the index tells the truth: a sound batch is there, and it does not begin behind `offset`."""
        try:
            return self.header_at(position).base_offset <= offset
        except StorageError:
            return False

    def header_at(self, position: int) -> BatchHeader:
        return self._parse(self.read_at(position, HEADER_SIZE), 0, position)

    def read_batches(self, position: int, max_bytes: int, *, at_least_one: bool) -> bytes:
        """Whole batches from `position`, which is the start of one, to the durable end at most."""
        left = self.size - position
        chunk = self.read_at(position, min(left, max(max_bytes, HEADER_SIZE)))
        if len(chunk) == left <= max_bytes:
            return chunk
        whole = 0
        while whole + LENGTH_END <= len(chunk):
            size = _LENGTH.unpack_from(chunk, whole + _BEFORE_LENGTH)[0] + LENGTH_END
            if size < HEADER_SIZE:
                raise self.damaged(position + whole, f"a batch of {size} bytes cannot be")
            if whole + size > max_bytes:
                if whole == 0 and at_least_one:
                    return self.read_at(position, min(size, left))
                break
            whole += size
        return chunk[:whole]

    def find_timestamp(self, timestamp_ms: int, from_offset: int) -> TimestampOffset | None:
        """The first record at or after `from_offset` whose timestamp is at least `timestamp_ms`."""
        for position, header in self.headers_from(self.index.position_before_time(timestamp_ms)):
            if header.max_timestamp >= timestamp_ms and header.last_offset >= from_offset:
                batch = self.read_at(position, header.size)
                found = first_at_or_after(batch, header, timestamp_ms, from_offset, self.log_path)
                if found is not None:
                    return found
        return None

    def damaged(self, position: int, problem: str) -> StorageError:
        return damaged_batch(self.log_path, position, problem)

    def _parse(self, chunk: bytes, at: int, position: int) -> BatchHeader:
        try:
            return parse_header(chunk, at)
        except WireError as error:
            raise self.damaged(position + at, str(error)) from error

    def all_batches(self) -> Iterator[tuple[BatchHeader, bytes]]:
        """Every batch of a closed segment, checked, for another thread than the loop's."""
        return checked_batches(self._disk, self.log_path, self.size)

    def remove_files(self) -> None:
        """Forget the segment and its bytes; the log file goes first, indexes without it are cleared away at open."""
        self._readers.drop(self.log_path)
        for suffix in ALL_SUFFIXES:
            try:
                self._disk.remove(self.path(suffix))
            except FileNotFoundError:
                continue
