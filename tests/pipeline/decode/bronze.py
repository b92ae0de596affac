"""Bronze batches for decoder tests, from keys and values, without a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from muster.core.records import LogRecord
from muster.log.record_codec import encode_record
from muster.pipeline.schemas import TABLES
from tests.pipeline.oracle.decode_batch import decode_batch

NOW_MS = 1_700_000_000_000
Pair = tuple[bytes | None, bytes | None]


def bronze_of(pairs: Sequence[Pair], partition: int = 0, **columns: Any) -> pa.RecordBatch:
    """One batch of records with offsets from 0 on; `columns` overrule for all rows."""
    rows = [
        {
            "cluster": "c",
            "log_topic": "__consumer_offsets",
            "log_partition": partition,
            "log_offset": offset,
            "record_ms": NOW_MS + offset,
            "key": key,
            "value": value,
            "batch_base_offset": 0,
            "batch_last_offset": len(pairs) - 1,
            "producer_id": -1,
            "producer_epoch": -1,
            "is_transactional": False,
            "is_control": False,
            "control_type": None,
            "compression": 0,
            "leader_epoch": 0,
            "source": "segment",
            "dt": "2023-11-14",
            **columns,
        }
        for offset, (key, value) in enumerate(pairs)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=TABLES["b_log_record"])


def decoded(
    *pairs: Pair, partition: int = 0, partition_count: int | None = None, **columns: Any
) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table."""
    made = decode_batch(bronze_of(pairs, partition, **columns), partition_count)
    return {name: rows.to_pylist() for name, rows in made.items()}


def encoded(*records: LogRecord) -> list[Pair]:
    return [encode_record(record) for record in records]
