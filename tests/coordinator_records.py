"""Coordinator records as a log has them, for tests and for measurements that write a log by themselves."""

from __future__ import annotations

from collections.abc import Iterable

from muster.core.records import Record, singly
from muster.log.record_codec import encode_record


def encode_records(records: Iterable[Record]) -> list[tuple[bytes, bytes | None]]:
    """The keys and values of the log's records, in their order."""
    return [encode_record(record) for record in singly(records)]
