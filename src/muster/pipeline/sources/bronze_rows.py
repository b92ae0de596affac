"""Rows of `b_log_record` and `b_quarantine` from records that a reader has taken out of their batches.

Knows the columns of the two tables, nothing of files, sockets or coordinator records. Called by the readers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from muster.core.time_units import DAY_MS
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.record_columns import Numbers, Records, is_control
from muster.wire.batch import COMPRESSION_MASK, TRANSACTIONAL_BIT

_BRONZE: Final = TABLES["b_log_record"]
_QUARANTINE: Final = TABLES["b_quarantine"]
_CONTROL_TYPES: Final = {b"\x00\x00": 0, b"\x00\x01": 1}


@dataclass(slots=True, frozen=True)
class LogPlace:
    """One log partition of one cluster, as its rows name it."""

    cluster: str
    topic: str
    partition: int
    source: str


_ALL: Final = 1 << 62


def bronze_rows(place: LogPlace, records: Records, start: int = 0, end: int = _ALL) -> pa.RecordBatch:
    """One row a record, control records included; those of a batch that are outside [start, end) are left out."""
    headers, batch = records.headers, records.batch
    count = len(records.offsets)
    attributes = headers["attributes"]
    columns = [
        pa.repeat(place.cluster, count),
        pa.repeat(place.topic, count),
        pa.array(np.full(count, place.partition, dtype=np.int32)),
        pa.array(records.offsets),
        pa.array(records.timestamps),
        records.keys,
        records.values,
        pa.array(headers["base_offset"].astype(np.int64)[batch]),
        pa.array((headers["base_offset"].astype(np.int64) + headers["last_offset_delta"])[batch]),
        pa.array(headers["producer_id"].astype(np.int64)[batch]),
        pa.array(headers["producer_epoch"].astype(np.int32)[batch]),
        pa.array((attributes & TRANSACTIONAL_BIT != 0)[batch]),
        pa.array(is_control(headers)[batch]),
        _control_types(records),
        pa.array((attributes & COMPRESSION_MASK).astype(np.int32)[batch]),
        pa.array(headers["leader_epoch"].astype(np.int32)[batch]),
        pa.repeat(place.source, count),
        dates_of(records.timestamps),
    ]
    rows = pa.RecordBatch.from_arrays(columns, schema=_BRONZE)
    if count and (records.offsets[0] < start or records.offsets[-1] >= end):
        first, behind = np.searchsorted(records.offsets, (start, end)).tolist()
        rows = rows.slice(first, behind - first)
    return rows


def _control_types(records: Records) -> pa.Array:
    """Of a control record's key the second half says what it is: abort, commit, or something newer that gets no name."""
    flagged = is_control(records.headers)[records.batch]
    if not flagged.any():
        return pa.nulls(len(flagged), pa.int32())
    kinds: list[int | None] = [None] * len(flagged)
    for row in np.flatnonzero(flagged).tolist():
        key = records.keys[row].as_py()
        kinds[row] = _CONTROL_TYPES.get((key or b"")[2:4])
    return pa.array(kinds, pa.int32())


def dates_of(times_ms: Numbers) -> pa.Array:
    """The UTC date of each time, as text; a time that is not known (-1) counts as 1970-01-01."""
    days = np.maximum(times_ms, 0) // DAY_MS
    if not len(days):
        return pa.array([], pa.string())
    if days[0] == days[-1] and days.min() == days.max():
        return pa.repeat(_date(days[0]), len(days))
    distinct, which = np.unique(days, return_inverse=True)
    return pa.array([_date(day) for day in distinct], pa.string()).take(pa.array(which.astype(np.int64)))


def date_text(time_ms: int) -> str:
    return _date(max(time_ms, 0) // DAY_MS)


def _date(day: int) -> str:
    return str(np.datetime64(int(day), "D"))


@dataclass(slots=True, frozen=True)
class Quarantined:
    """Something that could not be read or decoded: where, why, and its bytes."""

    place: LogPlace
    offset: int
    where: str
    reason: str
    key: bytes | None = None
    value: bytes | None = None
    at_ms: int = 0


def quarantine_rows(found: list[Quarantined]) -> pa.RecordBatch:
    times = np.array([each.at_ms for each in found], dtype=np.int64)
    columns = [
        pa.array([each.place.cluster for each in found], pa.string()),
        pa.array([each.place.topic for each in found], pa.string()),
        pa.array([each.place.partition for each in found], pa.int32()),
        pa.array([each.offset for each in found], pa.int64()),
        pa.array([each.where for each in found], pa.string()),
        pa.array([each.reason for each in found], pa.string()),
        pa.array([each.key for each in found], pa.binary()),
        pa.array([each.value for each in found], pa.binary()),
        dates_of(times),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_QUARANTINE)
