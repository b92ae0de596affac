"""Keyed records, a round of compaction from beginning to end, and the plain dict that a compacted log must equal."""

from __future__ import annotations

from collections.abc import Iterable

from muster.log.contract import Compaction, CompactionReport, LogConfig, LogStore, PartitionLog
from muster.wire.batch import BatchHeader, Record, decode_records, encode_batch, iterate_batches, parse_header
from tests.log.batches import TOPIC_ID, commit

Pair = tuple[str | None, str | None]
"""Key and value; a value of None is a tombstone."""

DAY_MS = 86_400_000


def open_compacted(store: LogStore, segment_bytes: int = 300, **config: object) -> PartitionLog:
    settings = {"cleanup_compact": True, "cleanup_delete": False, "min_cleanable_dirty_ratio": 0.0} | config
    return store.open("t", 0, TOPIC_ID, LogConfig(segment_bytes=segment_bytes, **settings))  # type: ignore[arg-type]


def pairs_batch(pairs: Iterable[Pair], timestamp_ms: int = 1_000, **batch: object) -> bytes:
    records = [
        Record(at, timestamp_ms + at, None if key is None else key.encode(), None if value is None else value.encode())
        for at, (key, value) in enumerate(pairs)
    ]
    return encode_batch(records, **batch)  # type: ignore[arg-type]


def add(store: LogStore, log: PartitionLog, *pairs: Pair, timestamp_ms: int = 1_000, **batch: object) -> int:
    """One durable batch; returns its base offset."""
    return add_batch(store, log, pairs_batch(pairs, timestamp_ms, **batch))


def add_batch(store: LogStore, log: PartitionLog, batch: bytes) -> int:
    header = parse_header(batch)
    offset = log.append(batch, header, 0, now_ms=max(0, header.max_timestamp))
    assert [failure for _, failure in commit(store)] == [None]
    return offset


def marker(producer_id: int, *, committed: bool, epoch: int = 0) -> bytes:
    key = b"\0\0" + (b"\0\1" if committed else b"\0\0")
    record = Record(0, 1_000, key, b"\0\0\0\0\0\0")
    return encode_batch([record], producer_id=producer_id, producer_epoch=epoch, transactional=True, control=True)


def compact(log: PartitionLog, now_ms: int = 10_000, piece_bytes: int = 150) -> CompactionReport:
    """A whole round in small pieces."""
    return finish(log.begin_compaction(now_ms), piece_bytes)


def finish(round_: Compaction, piece_bytes: int = 400) -> CompactionReport:
    while True:
        round_.work(piece_bytes)
        report = round_.settle()
        if report is not None:
            return report


def headers(log: PartitionLog) -> list[BatchHeader]:
    return [header for _, header in log.read_headers(log.start_offset)]


def content(log: PartitionLog) -> list[Record]:
    """Every record a reader sees, without control records, reading on from where each piece ended."""
    found: list[Record] = []
    offset = log.start_offset
    while offset < log.durable_offset:
        piece = log.read(offset, 200)
        assert piece, f"nothing at {offset} of {log}"
        for position, header in iterate_batches(piece):
            if not header.is_control:
                found += [record for record in decode_records(piece, header, position) if record.offset >= offset]
            offset = header.next_offset
    return found


def shown(log: PartitionLog) -> list[tuple[int, str | None, str | None]]:
    return [(record.offset, _text(record.key), _text(record.value)) for record in content(log)]


def latest(log: PartitionLog) -> dict[str, str]:
    """What a reader that starts at the beginning ends up knowing."""
    known: dict[str, str] = {}
    for _, key, value in shown(log):
        if key is not None and value is not None:
            known[key] = value
        elif key is not None:
            known.pop(key, None)
    return known


def _text(field: bytes | None) -> str | None:
    return None if field is None else field.decode()
