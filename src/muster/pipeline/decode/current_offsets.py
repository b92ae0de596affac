"""From a log straight to the newest offset of every key, without storing any row on the way.

Of each stretch of records only the last one of every key is kept, by Arrow and numpy; only what is left at the end is decoded.
Transactional commits wait for their marker (analytics 2.4: a commit counts from the record's place in the log, not the marker's).
Agrees with `s_current_offset` as made from bronze and silver; answers "where is every group now" several times as fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.decode.keys import Numbers, key_types, read_offset_keys
from muster.pipeline.decode.offset_rows import topic_id_texts
from muster.pipeline.decode.offset_values import read_offset_values
from muster.pipeline.decode.transaction_ends import Undecided
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.bronze_rows import LogPlace
from muster.pipeline.sources.log_directories import LogFolder
from muster.pipeline.sources.record_columns import Records, is_control
from muster.pipeline.sources.segment_files import PartitionReader
from muster.wire.batch import TRANSACTIONAL_BIT

_ROWS: Final = TABLES["s_current_offset"]
_PIECE: Final = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("offset", pa.int64())])
_LONGEST_KEY: Final = 1 << 17
"""Two strings of at most 32,767 bytes each fit in. Arrow 26 fails on slices without an end."""
_ROOM: Final = 400_000
"""Rows that may gather on top of those that were left by the last tidying up."""


def current_offsets(
    folders: Iterable[LogFolder], *, cluster: str = "default", partition_count: int | None = None
) -> pa.Table:
    """`s_current_offset` rows of these logs of `__consumer_offsets`."""
    tables = [_of_folder(folder, cluster, partition_count) for folder in folders]
    return pa.concat_tables(tables) if tables else _ROWS.empty_table()


def _of_folder(folder: LogFolder, cluster: str, partition_count: int | None) -> pa.Table:
    newest = NewestByKey()
    place = LogPlace(cluster, folder.topic, folder.partition, "segment")
    for records in PartitionReader(folder, place).records():
        newest.add(records)
    rows, has_problems = _decode(newest.rows(), place, partition_count)
    if not has_problems:
        return rows
    # An undecodable record must not hide the good one before it: once more, with every value looked at.
    newest = NewestByKey(careful=True)
    for records in PartitionReader(folder, place).records():
        newest.add(records)
    return _decode(newest.rows(), place, partition_count)[0]


class NewestByKey:
    """The last record of each key so far, tombstones included. `careful`: records that cannot be decoded do not count."""

    def __init__(self, careful: bool = False) -> None:
        self._careful = careful
        self._pieces: list[pa.RecordBatch] = []
        self._gathered = 0
        self._left = 0
        self._undecided = Undecided()

    def add(self, records: Records) -> None:
        """The next records of the log, in its order."""
        control = is_control(records.headers)[records.batch]
        types = key_types(records.keys)
        offsets = ((types == 0) | (types == 1)) & ~control
        in_transaction = (records.headers["attributes"] & TRANSACTIONAL_BIT != 0)[records.batch]
        piece = pa.RecordBatch.from_arrays([records.keys, records.values, pa.array(records.offsets)], schema=_PIECE)
        if not in_transaction.any():
            self._keep(piece if offsets.all() else piece.filter(pa.array(offsets)))
            return
        self._keep(piece.filter(pa.array(offsets & ~in_transaction)))
        producers = records.headers["producer_id"].astype(np.int64)[records.batch]
        waiting = offsets & in_transaction
        self._undecided.add(piece.filter(pa.array(waiting)), producers[waiting])
        self._keep(self._undecided.settle(_markers(records, control, producers)))

    def rows(self) -> pa.RecordBatch:
        self._tidy()
        return self._pieces[0] if self._pieces else pa.RecordBatch.from_pylist([], schema=_PIECE)

    def _keep(self, piece: pa.RecordBatch) -> None:
        if self._careful and piece.num_rows:
            problems = read_offset_values(piece.column("value")).problems
            bad = [row for row in problems if piece.column("value")[row].is_valid]
            good = np.ones(piece.num_rows, dtype=bool)
            good[bad] = False
            piece = piece.filter(pa.array(good))
        if not piece.num_rows:
            return
        piece = newest_of(piece)
        self._pieces.append(piece)
        self._gathered += piece.num_rows
        if self._gathered > self._left + max(_ROOM, self._left):
            self._tidy()

    def _tidy(self) -> None:
        if len(self._pieces) > 1:
            self._pieces = [newest_of(pa.concat_batches(self._pieces))]
        self._gathered = self._left = sum(piece.num_rows for piece in self._pieces)


def newest_of(piece: pa.RecordBatch) -> pa.RecordBatch:
    """The row with the highest log offset of each key. Types 0 and 1 name the same offset (spec 5.7): they are not compared."""
    names = pc.binary_slice(piece.column("key"), 2, _LONGEST_KEY).dictionary_encode()
    offsets = np.asarray(piece.column("offset"))
    rows = np.arange(len(offsets))
    if len(offsets) > 1 and (np.diff(offsets) < 0).any():
        rows = np.argsort(offsets, kind="stable")
    last = np.empty(len(names.dictionary), dtype=np.int64)
    last[np.asarray(names.indices)[rows]] = rows  # numpy: of several assignments to one place the last one stays
    last.sort()
    return piece.take(pa.array(last)) if len(last) < len(offsets) else piece


def _markers(records: Records, control: Numbers, producers: Numbers) -> Iterator[tuple[int, int, bool]]:
    """(producer, offset, committed) of every end of a transaction."""
    for row in np.flatnonzero(control).tolist():
        kind = (records.keys[row].as_py() or b"")[2:4]
        if kind in (b"\x00\x00", b"\x00\x01"):
            yield int(producers[row]), int(records.offsets[row]), kind == b"\x00\x01"


def _decode(piece: pa.RecordBatch, place: LogPlace, partition_count: int | None) -> tuple[pa.Table, bool]:
    """Rows for what was not erased; and whether a value could not be read. Misplaced and unreadable keys are left out."""
    piece = piece.filter(piece.column("value").is_valid())
    keys = read_offset_keys(piece.column("key"), place.partition, partition_count)
    values = read_offset_values(piece.column("value"))
    count = piece.num_rows
    columns: dict[str, Any] = {
        "cluster": pa.repeat(place.cluster, count),
        "group_id": keys.groups,
        "topic": keys.topics,
        "partition": pa.array(keys.partitions),
        "topic_id": topic_id_texts(values),
        "committed_offset": pa.array(values.offsets),
        "leader_epoch": pa.array(values.leader_epochs, mask=values.leader_epochs < 0),
        "metadata": pa.array([values.metadata.get(row, "") for row in range(count)], pa.string())
        if values.metadata
        else pa.repeat("", count),
        "commit_ms": pa.array(values.commit_ms),
        "expire_ms": pa.array(values.expire_ms, mask=values.expire_ms < 0),
        "log_partition": pa.array(np.full(count, place.partition, dtype=np.int32)),
        "log_offset": piece.column("offset"),
    }
    table = pa.Table.from_arrays([columns[name] for name in _ROWS.names], schema=_ROWS)
    problems = {**keys.problems, **values.problems}
    if problems:
        good = np.ones(count, dtype=bool)
        good[list(problems)] = False
        table = table.filter(pa.array(good))
    return table, bool(values.problems)
