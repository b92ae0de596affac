"""Two other implementations of record batches, to read what we write and write what we read."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

from muster.wire.batch import Record

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import aiokafka.record.memory_records as aiokafka_records
    from aiokafka.record.default_records import DefaultRecordBatchBuilder as AiokafkaBuilder
    from kafka.record import MemoryRecords as KafkaPythonRecords
    from kafka.record import MemoryRecordsBuilder as KafkaPythonBuilder

Reader: TypeAlias = Callable[[bytes], list[Record]]
Writer: TypeAlias = Callable[[list[Record], int], bytes]


def _drain(records: Any) -> list[Record]:
    found: list[Record] = []
    while records.has_next():
        batch = records.next_batch()
        assert batch.validate_crc()
        found += [
            Record(
                record.offset,
                record.timestamp,
                None if record.key is None else bytes(record.key),
                None if record.value is None else bytes(record.value),
                tuple(record.headers),
            )
            for record in batch
        ]
    return found


def read_with_aiokafka(batches: bytes) -> list[Record]:
    return _drain(aiokafka_records.MemoryRecords(batches))


def read_with_kafka_python(batches: bytes) -> list[Record]:
    return _drain(KafkaPythonRecords(batches))


def write_with_aiokafka(records: list[Record], compression: int) -> bytes:
    builder = AiokafkaBuilder(
        magic=2,
        compression_type=compression,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1_000_000,
    )
    for record in records:
        builder.append(record.offset, record.timestamp_ms, record.key, record.value, list(record.headers))
    return bytes(builder.build())


def write_with_kafka_python(records: list[Record], compression: int, magic: int = 2) -> bytes:
    builder = KafkaPythonBuilder(magic, compression, 1_000_000)
    for record in records:
        builder.append(record.timestamp_ms, record.key, record.value, list(record.headers))
    builder.close()
    return bytes(builder.buffer())
