"""Batches to put into logs, and the few steps that every log test repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muster.log.contract import LogConfig, LogStore, PartitionLog, StorageError
from muster.wire.batch import Record, decode_records, encode_batch, iterate_batches, parse_header

TOPIC_ID = bytes(range(16))


def batch_of(*values: str, timestamp_ms: int = 1_000, step_ms: int = 0, key: bytes | None = b"k") -> bytes:
    records = [Record(index, timestamp_ms + index * step_ms, key, value.encode()) for index, value in enumerate(values)]
    return encode_batch(records)


def stage(log: PartitionLog, *values: str, timestamp_ms: int = 1_000, step_ms: int = 0, epoch: int = 0) -> int:
    batch = batch_of(*values, timestamp_ms=timestamp_ms, step_ms=step_ms)
    return log.append(batch, parse_header(batch), epoch, now_ms=timestamp_ms)


def commit(store: LogStore) -> Sequence[tuple[PartitionLog, StorageError | None]]:
    pending = store.begin_commit()
    if pending is None:
        return ()
    pending.run()
    return pending.finish()


def put(store: LogStore, log: PartitionLog, *values: str, timestamp_ms: int = 1_000, step_ms: int = 0) -> int:
    """Append one batch and make it durable."""
    offset = stage(log, *values, timestamp_ms=timestamp_ms, step_ms=step_ms)
    failures = [failure for _, failure in commit(store)]
    assert failures == [None], failures
    return offset


def open_log(store: LogStore, topic: str = "t", partition: int = 0, **config: Any) -> PartitionLog:
    return store.open(topic, partition, TOPIC_ID, LogConfig(**config))


def records_in(batches: bytes) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for position, header in iterate_batches(batches):
        for record in decode_records(batches, header, position):
            assert record.value is not None
            found.append((record.offset, record.value.decode()))
    return found


def all_records(log: PartitionLog) -> list[tuple[int, str]]:
    """Everything a reader sees, by reading small pieces until the end."""
    found: list[tuple[int, str]] = []
    offset = log.start_offset
    while offset < log.durable_offset:
        piece = records_in(log.read(offset, 200))
        assert piece, f"nothing at {offset} of {log}"
        found += [record for record in piece if record[0] >= offset]
        offset = piece[-1][0] + 1
    return found
