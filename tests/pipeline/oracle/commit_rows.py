"""`s_offset_commit` of one log partition, finished with numpy: whose transaction was committed, what came before and after.

All of a group's records are in one log partition and in order, so neighbours are found by one stable sort of numbers there, about
1 µs a record. Offsets of an open or aborted transaction never count (traps 5 and 7). A committed one begins to count with its
marker but keeps its place in the log (trap 6, analytics 2.4): the marker's time, the record's order.

Needs about 300 bytes of memory for each record that it is given; of a longer partition it is given some keys at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from muster.pipeline.schemas import TABLES

Batches: TypeAlias = Callable[[], Iterable[pa.RecordBatch]]
"""Asked twice: for the narrow columns first, then for whole rows. In log order both times."""
_Longs: TypeAlias = npt.NDArray[np.int64]
_Flags: TypeAlias = npt.NDArray[np.bool_]

_SCHEMA: Final = TABLES["s_offset_commit"]
_COMMIT_MARKER: Final = 1
_NONE, _UNKNOWN, _COMMITTED, _ABORTED, _OPEN = range(5)
_STATES: Final = pa.array(["none", "unknown", "committed", "aborted", "open"])
NARROW: Final = (
    *("group_id", "topic", "partition", "log_offset", "record_ms", "committed_offset", "commit_ms"),
    *("is_tombstone", "is_transactional", "producer_id"),
)
"""The columns that the first look needs."""


def finished_commit_rows(
    narrow: Batches, whole: Batches, markers: pa.Table, faithful_from: int | None
) -> Iterator[pa.RecordBatch]:
    """Rows of one log partition, or of all records of some of its keys. In log order; texts stay dictionaries where they come
    as such. `markers` are its ends of transactions (`txn_marker`); `faithful_from` None: nothing is.
    """
    columns = _Narrow()
    for batch in narrow():
        columns.add(batch)
    filled = columns.filled_in(markers)
    start = 0
    for batch in whole():
        here = {name: column.slice(start, batch.num_rows) for name, column in filled.items()}
        if batch.num_rows:
            yield _whole(batch, here, faithful_from)
        start += batch.num_rows


class Keys:
    """Groups and topics as numbers that stay the same from batch to batch."""

    def __init__(self) -> None:
        self.groups: dict[str, int] = {}
        self.topics: dict[str, int] = {}

    def numbers(self, batch: pa.RecordBatch, column: str) -> _Longs:
        return _numbered(batch.column(column), self.groups if column == "group_id" else self.topics)

    def shares(self, batch: pa.RecordBatch, count: int) -> _Longs:
        """Which of `count` shares each row is in: all rows of a key are in the same."""
        mixed = self.numbers(batch, "group_id") * 31 + self.numbers(batch, "topic") * 7 + _longs(batch, "partition")
        which: _Longs = mixed % count
        return which


def _whole(batch: pa.RecordBatch, filled: dict[str, pa.Array], faithful_from: int | None) -> pa.RecordBatch:
    offsets = _longs(batch, "log_offset")
    faithful = offsets >= faithful_from if faithful_from is not None else np.zeros(len(offsets), dtype=bool)
    columns = {**filled, "faithful": pa.array(faithful)}
    arrays = []
    for field in _SCHEMA:
        column = columns[field.name] if field.name in columns else batch.column(field.name)
        arrays.append(column if pa.types.is_dictionary(column.type) else column.cast(field.type))
    return pa.RecordBatch.from_arrays(arrays, names=_SCHEMA.names)


class _Narrow:
    """What neighbours are found by, as numbers, for all records."""

    def __init__(self) -> None:
        self._keys = Keys()
        self._columns: dict[str, list[Any]] = {}

    def add(self, batch: pa.RecordBatch) -> None:
        found: dict[str, Any] = {
            "group": self._keys.numbers(batch, "group_id").astype(np.int32),
            "topic": self._keys.numbers(batch, "topic").astype(np.int32),
            "partition": _longs(batch, "partition").astype(np.int32),
            "tombstone": _flags(batch, "is_tombstone"),
            "transactional": _flags(batch, "is_transactional"),
            "cannot_tell": np.asarray(batch.column("is_transactional").is_null()),
            "no_commit_time": np.asarray(batch.column("commit_ms").is_null()),
        }
        for name in ("log_offset", "record_ms", "committed_offset", "commit_ms", "producer_id"):
            found[name] = _longs(batch, name)
        for name, values in found.items():
            self._columns.setdefault(name, []).append(values)

    def filled_in(self, markers: pa.Table) -> dict[str, pa.Array]:
        if not self._columns:
            return {}
        c = {name: np.concatenate(self._columns.pop(name)) for name in list(self._columns)}
        states, effective_ms, applied_at = _transactions(c, markers)
        positions = self._positions(c)
        effective = (states <= _COMMITTED) & ~_overtaken(positions, c["log_offset"], applied_at, states)
        return {
            "txn_state": pa.DictionaryArray.from_arrays(pa.array(states), _STATES),
            "effective_ms": pa.array(effective_ms, mask=~effective),
            "is_effective": pa.array(effective),
            **_neighbours(c, positions, effective),
        }

    def _positions(self, c: dict[str, Any]) -> _Longs:
        """One number for (group, topic, partition)."""
        pairs = c["group"].astype(np.int64) * max(1, len(self._keys.topics)) + c["topic"]
        # Partitions below 0 are no broker's, but a key may hold any number: it must not become another key's.
        lowest = int(c["partition"].min(initial=0))
        width = int(c["partition"].max(initial=0)) - lowest + 1
        if len(self._keys.groups) * len(self._keys.topics) * width >= 1 << 62:
            pairs = np.unique(pairs, return_inverse=True)[1]
        keys: _Longs = pairs * width + (c["partition"].astype(np.int64) - lowest)
        return keys


def _overtaken(positions: _Longs, offsets: _Longs, applied_at: _Longs, states: npt.NDArray[np.int8]) -> _Flags:
    """Commits of transactions that lie before what was applied for their position already, and those that their own transaction
    replaced: the coordinator passes them over.
    """
    late = np.zeros(len(offsets), dtype=bool)
    if not (states == _COMMITTED).any():
        return late
    applied = np.flatnonzero(states <= _COMMITTED)
    order = applied[np.lexsort((applied_at[applied], positions[applied]))]
    newest: dict[int, int] = {}
    before = (-1, -1, -1)
    columns = (order, positions[order], offsets[order], applied_at[order])
    for row, position, offset, marker in zip(*(each.tolist() for each in columns), strict=True):
        late[row] = offset < newest.get(position, -1)
        newest[position] = max(offset, newest.get(position, -1))
        if before[1:] == (position, marker):
            late[before[0]] = True
        before = (row, position, marker)
    return late


def _transactions(c: dict[str, Any], markers: pa.Table) -> tuple[npt.NDArray[np.int8], _Longs, _Longs]:
    """The state of each record, since when it counts and from which place in the log on: the first marker of its producer
    behind it decides.
    """
    states = np.where(c["cannot_tell"], _UNKNOWN, _NONE).astype(np.int8)
    effective_ms: _Longs = c["record_ms"].copy()
    applied_at: _Longs = c["log_offset"].copy()
    those = np.flatnonzero(c["transactional"])
    if not len(those):
        return states, effective_ms, applied_at
    producers, numbers = np.unique(
        np.concatenate([c["producer_id"][those], _longs(markers, "producer_id")]), return_inverse=True
    )
    width = int(max(c["log_offset"].max(), _longs(markers, "log_offset").max(initial=0))) + 1
    assert len(producers) * width < 1 << 62, "more producers times offsets than a number holds"
    places = numbers[: len(those)] * width + c["log_offset"][those]
    marks = numbers[len(those) :] * width + _longs(markers, "log_offset")
    order = np.argsort(marks)
    found = np.searchsorted(marks[order], places, side="right")
    ended = found < len(marks)
    behind = order[np.minimum(found, max(0, len(marks) - 1))] if len(marks) else np.zeros(len(those), dtype=np.int64)
    ended &= (numbers[len(those) :][behind] == numbers[: len(those)]) if len(marks) else False
    committed = ended & (_longs(markers, "control_type")[behind] == _COMMIT_MARKER if len(marks) else False)
    states[those] = np.where(committed, _COMMITTED, np.where(ended, _ABORTED, _OPEN))
    if len(marks):
        effective_ms[those] = _longs(markers, "record_ms")[behind]
        applied_at[those] = _longs(markers, "log_offset")[behind]
    return states, effective_ms, applied_at


def _neighbours(c: dict[str, Any], keys: _Longs, effective: _Flags) -> dict[str, pa.Array]:
    counted = np.flatnonzero(effective)
    order = counted[np.argsort(keys[counted], kind="stable")]
    sorted_keys = keys[order]
    follows = np.zeros(len(order), dtype=bool)
    follows[1:] = sorted_keys[1:] == sorted_keys[:-1]
    is_last = np.ones(len(order), dtype=bool)
    is_last[:-1] = ~follows[1:]
    lasts = np.flatnonzero(is_last)
    newer = np.repeat(lasts, np.diff(lasts, prepend=-1)) - np.arange(len(order))
    erased = _before_a_tombstone(c["tombstone"][order], np.diff(lasts, prepend=-1))

    offset, commit_ms = c["committed_offset"][order], c["commit_ms"][order]
    nothing, timeless = c["tombstone"][order], c["no_commit_time"][order]
    came_ms = np.where(timeless, c["record_ms"][order], commit_ms)
    has_offset, has_time = follows & ~_before(nothing), follows & ~_before(timeless)
    previous = _before(offset)
    same = has_offset & ~nothing
    return {
        "prev_offset": _scattered(effective, order, previous, has_offset),
        "prev_commit_ms": _scattered(effective, order, _before(commit_ms), has_time),
        "next_commit_ms": _scattered(effective, order, np.append(came_ms[1:], 0), ~is_last),
        "newer": _scattered(effective, order, newer, ~erased),
        "is_duplicate": _flags_of(effective, order, same & (offset == previous)),
        "is_rewind": _flags_of(effective, order, same & (offset < previous)),
    }


def _before_a_tombstone(tombstones: _Flags, lengths: _Longs) -> _Flags:
    """What a tombstone has erased is not part of what its position's later commits are compared with."""
    places = np.arange(len(tombstones))
    starts = np.cumsum(lengths) - lengths
    if not len(starts):
        return np.zeros(0, dtype=bool)
    last = np.maximum.reduceat(np.where(tombstones, places, -1), starts)
    erased: _Flags = places < np.repeat(last, lengths)
    return erased


def _before(values: Any) -> Any:
    """Each place's predecessor; the first one's is whatever."""
    return np.concatenate([values[:1], values[:-1]])


def _scattered(effective: _Flags, order: _Longs, values: _Longs, known: _Flags) -> pa.Array:
    """From sorted places back to the log's; null where it is not known and in rows that do not count."""
    column, missing = np.zeros(len(effective), dtype=np.int64), np.ones(len(effective), dtype=bool)
    column[order], missing[order] = values, ~known
    return pa.array(column, mask=missing)


def _flags_of(effective: _Flags, order: _Longs, values: _Flags) -> pa.Array:
    column = np.zeros(len(effective), dtype=bool)
    column[order] = values
    return pa.array(column)


def _numbered(texts: pa.Array, known: dict[str, int]) -> _Longs:
    """Texts as numbers that stay the same from batch to batch."""
    encoded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
    numbers = np.array([known.setdefault(text, len(known)) for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    places = encoded.indices.to_numpy(zero_copy_only=False)
    return numbers[places] if len(numbers) else np.zeros(0, dtype=np.int64)


def _longs(rows: pa.RecordBatch | pa.Table, name: str) -> _Longs:
    """Nulls are 0: whoever cares asks for them too."""
    column = rows.column(name)
    values = column.fill_null(0) if column.null_count else column
    return np.asarray(
        values.to_numpy() if isinstance(column, pa.ChunkedArray) else values.to_numpy(zero_copy_only=False)
    ).astype(np.int64)


def _flags(rows: pa.RecordBatch, name: str) -> _Flags:
    flags: _Flags = rows.column(name).fill_null(False).to_numpy(zero_copy_only=False)
    return flags
