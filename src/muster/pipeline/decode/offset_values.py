"""The values of offset commits as columns: versions 0 to 4, thousands at a time.

Values of one length and version nearly always have their fields at the same places. So they are sorted by length, each kind
becomes a matrix of bytes, and after a check of its fixed parts it is read by columns. Whatever does not fit exactly, or is
rare, goes through `muster.log.offset_value`, which also has the words for what is wrong. Knows layouts (spec 5.2);
tombstones and keys are the caller's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from muster.log.offset_value import decode_offset_value
from muster.log.record_fields import RecordError
from muster.pipeline.decode.keys import binary_parts
from muster.wire.special_values import TOPIC_ID_BYTES

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_NONE: Final = -1
_WORTH_A_MATRIX: Final = 24
"""Fewer values of one length than this are read one by one."""
_MOST_METADATA: Final = 4_096
_ONE_BYTE_LENGTH: Final = 0x80


@dataclass(slots=True, frozen=True)
class _Layout:
    """Where things are in a value with `text` bytes of metadata: fields before it at fixed places, the others behind it."""

    version: int
    before: int
    """Bytes before the metadata, its length included."""
    behind: int
    """Bytes behind the metadata."""
    has_epoch: bool = False
    has_expiry: bool = False
    has_topic_id: bool = False


_LAYOUTS: Final = (
    _Layout(4, before=15, behind=8 + 3 + TOPIC_ID_BYTES, has_epoch=True, has_topic_id=True),
    _Layout(4, before=15, behind=8 + 1, has_epoch=True),
    _Layout(3, before=16, behind=8, has_epoch=True),
    _Layout(2, before=12, behind=8),
    _Layout(1, before=12, behind=16, has_expiry=True),
    _Layout(0, before=12, behind=8),
)


@dataclass(slots=True)
class OffsetValues:
    """One element a value. Numbers of values in `problems` mean nothing."""

    versions: Numbers
    offsets: Numbers
    leader_epochs: Numbers
    commit_ms: Numbers
    expire_ms: Numbers
    metadata: dict[int, str]
    """Only where it is not empty."""
    topic_id: Numbers
    """An index into `topic_ids`; -1 where there is none."""
    topic_ids: dict[bytes, int]
    """The distinct ids, in the order of their indexes."""
    problems: dict[int, str]

    @classmethod
    def empty(cls, count: int) -> OffsetValues:
        return cls(
            versions=np.zeros(count, dtype=np.int32),
            offsets=np.zeros(count, dtype=np.int64),
            leader_epochs=np.full(count, _NONE, dtype=np.int32),
            commit_ms=np.zeros(count, dtype=np.int64),
            expire_ms=np.full(count, _NONE, dtype=np.int64),
            metadata={},
            topic_id=np.full(count, _NONE, dtype=np.int32),
            topic_ids={},
            problems={},
        )

    def index_of(self, topic_id: bytes) -> int:
        """All zeros is the field's default: none."""
        return self.topic_ids.setdefault(topic_id, len(self.topic_ids)) if any(topic_id) else _NONE


def read_offset_values(values: pa.Array) -> OffsetValues:
    """Every value of a binary array; null is the caller's to leave out (its row is a problem here)."""
    read = OffsetValues.empty(len(values))
    places, octets = binary_parts(values)
    sizes = np.diff(places)
    rest: list[Numbers] = []
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        if len(rows) < _WORTH_A_MATRIX:
            rest.append(rows)
        else:
            rest.extend(_read_equal_sizes(read, values, places, octets, rows, size))
    for rows in rest:
        _read_one_by_one(read, values, rows)
    return read


def _read_equal_sizes(
    read: OffsetValues, values: pa.Array, places: Numbers, octets: Numbers, rows: Numbers, size: int
) -> list[Numbers]:
    """Read what fits a layout; give back the rows that fit none."""
    if len(rows) == len(values):
        first = int(places[0])
        matrix = octets[first : first + len(rows) * size].reshape(len(rows), size)
    else:
        taken_places, taken = binary_parts(values.take(pa.array(rows)))
        matrix = taken[int(taken_places[0]) : int(taken_places[-1])].reshape(len(rows), size)
    left = np.arange(len(rows))
    for layout in _LAYOUTS:
        text = size - layout.before - layout.behind
        if not len(left) or not 0 <= text <= _MOST_METADATA:
            continue
        fits = _fitting(matrix if len(left) == len(rows) else matrix[left], layout, text)
        if fits.any():
            chosen = left[fits]
            part = matrix if len(chosen) == len(rows) else matrix[chosen]
            _read_matrix(read, part, rows[chosen], layout, text)
            left = left[~fits]
    return [rows[left]] if len(left) else []


def _fitting(matrix: Numbers, layout: _Layout, text: int) -> Numbers:
    """The rows that have this version, this length of metadata and, in version 4, these tagged fields."""
    fixed: dict[int, int] = {0: 0, 1: layout.version}
    if layout.version < 4:
        fixed[layout.before - 2], fixed[layout.before - 1] = text >> 8, text & 0xFF
    elif text + 1 >= _ONE_BYTE_LENGTH:
        return np.zeros(len(matrix), dtype=bool)
    else:
        tags = layout.before + text + 8
        fixed[layout.before - 1] = text + 1
        fixed[tags] = int(layout.has_topic_id)
        if layout.has_topic_id:
            fixed[tags + 1], fixed[tags + 2] = 0, TOPIC_ID_BYTES
    fits: Numbers = np.ones(len(matrix), dtype=bool)
    for at, byte in fixed.items():
        fits &= matrix[:, at] == byte
    return fits


def _read_matrix(read: OffsetValues, matrix: Numbers, rows: Numbers, layout: _Layout, text: int) -> None:
    where: Numbers | slice = slice(None) if len(rows) == len(read.versions) else rows
    behind = layout.before + text
    read.versions[where] = layout.version
    read.offsets[where] = _numbers(matrix, 2, ">i8")
    if layout.has_epoch:
        read.leader_epochs[where] = _numbers(matrix, 10, ">i4")
    read.commit_ms[where] = _numbers(matrix, behind, ">i8")
    if layout.has_expiry:
        read.expire_ms[where] = _numbers(matrix, behind + 8, ">i8")
    if text:
        column = np.ascontiguousarray(matrix[:, layout.before : behind]).tobytes()
        for index, row in enumerate(rows.tolist()):
            read.metadata[row] = column[index * text : (index + 1) * text].decode("utf-8", "replace")
    if layout.has_topic_id:
        _note_topic_ids(read, matrix[:, behind + 11 : behind + 27], rows)


def _numbers(matrix: Numbers, at: int, kind: str) -> Numbers:
    """A column of big-endian numbers."""
    width = np.dtype(kind).itemsize
    if matrix.flags.c_contiguous:
        stride = matrix.shape[1]
        return np.ndarray(len(matrix), dtype=kind, buffer=matrix, offset=at, strides=(stride,))
    return np.ascontiguousarray(matrix[:, at : at + width]).view(kind)[:, 0]


def _note_topic_ids(read: OffsetValues, ids: Numbers, rows: Numbers) -> None:
    """Make the ids distinct: as two numbers each, which numpy can compare."""
    halves = np.ascontiguousarray(ids).view(">u8").astype(np.uint64)
    mixed = halves[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ halves[:, 1]
    _, firsts, which = np.unique(mixed, return_index=True, return_inverse=True)
    if (halves != halves[firsts][which]).any():  # two ids that look alike when mixed
        _, firsts, which = np.unique(halves, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
    indexes = np.array([read.index_of(ids[first].tobytes()) for first in firsts.tolist()], dtype=np.int32)
    read.topic_id[rows] = indexes[which]


def _read_one_by_one(read: OffsetValues, values: pa.Array, rows: Numbers) -> None:
    for row, value in zip(rows.tolist(), values.take(pa.array(rows)).to_pylist(), strict=True):
        if value is None:
            read.problems[row] = "a tombstone has no value to read"
            continue
        try:
            record = decode_offset_value("", "", 0, value)
        except RecordError as error:
            read.problems[row] = str(error).partition(": ")[2]
            continue
        read.versions[row] = int.from_bytes(value[:2], "big")
        read.offsets[row] = record.offset
        read.leader_epochs[row] = record.leader_epoch
        read.commit_ms[row] = record.commit_timestamp_ms
        read.expire_ms[row] = record.expire_timestamp_ms
        if record.metadata:
            read.metadata[row] = record.metadata
        if record.topic_id is not None:
            read.topic_id[row] = read.index_of(record.topic_id)
