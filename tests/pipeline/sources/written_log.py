"""A log partition that a test writes batch by batch, as files in a data directory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from muster.pipeline.sources.bronze_rows import LogPlace
from muster.pipeline.sources.log_directories import LogFolder, log_folders
from muster.pipeline.sources.segment_files import PartitionReader
from muster.wire.batch import Record, encode_batch

TOPIC = "__consumer_offsets"
NOW_MS = 1_700_000_000_000
ABORT, COMMIT = b"\x00\x00\x00\x00", b"\x00\x00\x00\x01"
Pair = tuple[bytes | None, bytes | None]


class WrittenLog:
    """`end` is the offset of the next record; `batches` are (file, position, bytes) of what was written."""

    def __init__(self, directory: Path, topic: str = TOPIC, partition: int = 0) -> None:
        self.directory = directory
        self.topic = topic
        self.partition = partition
        self.path = directory / f"{topic}-{partition}"
        self.path.mkdir(parents=True)
        self.end = 0
        self.batches: list[tuple[Path, int, bytes]] = []
        self.roll()

    @property
    def folder(self) -> LogFolder:
        return LogFolder(self.topic, self.partition, str(self.path))

    def roll(self) -> None:
        """Begin the next segment."""
        self.file = self.path / f"{self.end:020d}.log"
        self.file.touch()

    def skip(self, offsets: int) -> None:
        """As if compaction had taken whole batches."""
        self.end += offsets

    def append(
        self,
        *pairs: Pair,
        at_ms: int = NOW_MS,
        compression: int = 0,
        producer: int = -1,
        transactional: bool = False,
        append_ms: int | None = None,
    ) -> int:
        """One batch; the offset of its first record."""
        records = [Record(self.end + index, at_ms + index, *pair) for index, pair in enumerate(pairs)]
        return self.write(
            records,
            encode_batch(
                records,
                compression=compression,
                producer_id=producer,
                producer_epoch=-1 if producer < 0 else 0,
                transactional=transactional,
                leader_epoch=3,
                log_append_time_ms=append_ms,
            ),
        )

    def append_compacted(self, kept: Sequence[tuple[int, Pair]], last_delta: int) -> int:
        """A batch of which only some offset deltas survived."""
        records = [Record(self.end + delta, NOW_MS, *pair) for delta, pair in kept]
        batch = encode_batch(records, base_offset=self.end, last_offset_delta=last_delta)
        first = self.end
        self._put(batch)
        self.end = first + last_delta + 1
        return first

    def end_transaction(self, producer: int, marker: bytes, at_ms: int = NOW_MS) -> int:
        record = Record(self.end, at_ms, marker, b"\0" * 6)
        batch = encode_batch([record], producer_id=producer, producer_epoch=0, transactional=True, control=True)
        return self.write([record], batch)

    def write(self, records: Sequence[Record], batch: bytes) -> int:
        first = self.end
        self._put(batch)
        self.end = records[-1].offset + 1
        return first

    def _put(self, batch: bytes) -> None:
        self.batches.append((self.file, self.file.stat().st_size, batch))
        with self.file.open("ab") as file:
            file.write(batch)

    def damage(self, index: int, at: int, content: bytes) -> None:
        """Overwrite bytes of a batch that was written, counted from its begin."""
        file, position, _ = self.batches[index]
        with file.open("r+b") as stream:
            stream.seek(position + at)
            stream.write(content)


def pairs(count: int, prefix: bytes = b"k") -> list[Pair]:
    return [(prefix + str(index).encode(), b"v" * (index % 7)) for index in range(count)]


def reader_of(folder: LogFolder, start: int = 0, end: int = 1 << 62) -> PartitionReader:
    return PartitionReader(folder, LogPlace("test", folder.topic, folder.partition, "segment"), start, end)


def read_all(reader: PartitionReader) -> list[tuple[int, int, bytes | None, bytes | None]]:
    """(offset, time, key, value) of every record."""
    rows: list[tuple[int, int, bytes | None, bytes | None]] = []
    for records in reader.records():
        rows += zip(
            records.offsets.tolist(),
            records.timestamps.tolist(),
            records.keys.to_pylist(),
            records.values.to_pylist(),
            strict=True,
        )
    return rows


def offsets_in(directories: Iterable[Path]) -> list[tuple[int, int]]:
    """(log partition, offset) of every record in these directories."""
    folders = log_folders([str(each) for each in directories], TOPIC)
    return [(folder.partition, row[0]) for folder in folders for row in read_all(reader_of(folder))]
