"""One bronze batch becomes rows of every table that can be made of single records.

Sorts records by what they are: offsets go by columns, everything else one by one; what cannot be decoded goes to quarantine with
its bytes and the reason, types that nobody here reads are counted. Never raises for the sake of a record. Plain Arrow:
Spark's part is `muster.pipeline.decode.spark`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muster.log.record_fields import RecordError
from muster.pipeline.decode.consumer_group_rows import (
    GROUP_EPOCH_TYPES,
    MEMBER_EPOCH_TYPES,
    group_epoch_row,
    member_epoch_row,
)
from muster.pipeline.decode.group_rows import RecordPlace, Row, assignment_rows, member_row, read_group
from muster.pipeline.decode.keys import GROUP_TYPE, NO_TYPE, KeyProblem, Numbers, group_and_member, key_types
from muster.pipeline.decode.keys import refuse_misplaced as refuse_misplaced_group
from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.schemas import TABLES
from muster.wire.errors import WireError
from tests.pipeline.oracle.group_rows import deleted_row, generation_row
from tests.pipeline.oracle.offset_rows import offset_rows

CONSUMER_OFFSETS: Final = "__consumer_offsets"
_BRONZE: Final = TABLES["b_log_record"]
_PLACE: Final = ("cluster", "log_partition", "log_offset", "record_ms", "dt")
_MARKER_COLUMNS: Final = ROW_TABLES["txn_marker"].names


def decode_batch(bronze: pa.RecordBatch, partition_count: int | None = None) -> dict[str, pa.RecordBatch]:
    """The rows of `ROW_TABLES` that these records make. `partition_count` turns the check for misplaced groups on."""
    made: dict[str, list[pa.RecordBatch]] = {name: [] for name in ROW_TABLES}
    for part in _by_log_partition(bronze):
        for name, rows in _PartitionDecoder(part, partition_count).decode().items():
            made[name].append(rows)
    return {name: _one(batches, name) for name, batches in made.items()}


def _by_log_partition(bronze: pa.RecordBatch) -> list[pa.RecordBatch]:
    topics = bronze.column("log_topic")
    if pc.any(pc.not_equal(topics, CONSUMER_OFFSETS)).as_py():
        bronze = bronze.filter(pc.equal(topics, CONSUMER_OFFSETS))
    if not bronze.num_rows:
        return []
    numbers = np.asarray(bronze.column("log_partition"))
    if numbers[0] == numbers[-1] and (numbers == numbers[0]).all():
        return [bronze]
    return [bronze.filter(pa.array(numbers == each)) for each in np.unique(numbers)]


def _one(batches: list[pa.RecordBatch], name: str) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    if not batches:
        return pa.RecordBatch.from_pylist([], schema=ROW_TABLES[name])
    return pa.concat_batches(batches)


class _PartitionDecoder:
    """The records of one log partition, and the rows that were made of them so far."""

    def __init__(self, bronze: pa.RecordBatch, partition_count: int | None) -> None:
        self.bronze = bronze
        self.log_partition: int = bronze.column("log_partition")[0].as_py()
        self.partition_count = partition_count
        self.rows: dict[str, list[Row]] = {name: [] for name in ROW_TABLES}

    def decode(self) -> dict[str, pa.RecordBatch]:
        control = np.asarray(self.bronze.column("is_control").fill_null(False))
        types = key_types(_plain_binary(self.bronze.column("key")))
        offsets = ((types == 0) | (types == 1)) & ~control
        made: dict[str, pa.RecordBatch] = {}
        if offsets.any():
            made["s_offset_commit"] = self._offsets(types, offsets)
        others = np.flatnonzero(~offsets & ~control)
        if others.size:
            self._others(types, others)
        if control.any():
            made["txn_marker"] = self._markers(control)
        for name, rows in self.rows.items():
            if rows:
                made[name] = pa.RecordBatch.from_pylist(rows, schema=ROW_TABLES[name])
        return made

    def _offsets(self, types: Numbers, chosen: Numbers) -> pa.RecordBatch:
        part = self.bronze
        if not chosen.all():
            part = part.filter(pa.array(chosen))
            types = types[chosen]
        rows, problems = offset_rows(_with_plain_binary(part), types, self.log_partition, self.partition_count)
        for row, reason in sorted(problems.items()):
            self._quarantine(part.slice(row, 1).to_pylist()[0], reason)
        return rows

    def _markers(self, control: Numbers) -> pa.RecordBatch:
        known = pc.and_(pa.array(control), self.bronze.column("control_type").is_valid())
        return self.bronze.filter(known).select(_MARKER_COLUMNS)

    def _others(self, types: Numbers, rows: Numbers) -> None:
        unknown: dict[int, list[int]] = {}
        for record_type, record in zip(types[rows].tolist(), self.bronze.take(pa.array(rows)).to_pylist(), strict=True):
            decode = _DECODERS.get(record_type)
            if decode is not None:
                self._one_record(decode, record_type, record)
            elif record_type == NO_TYPE:
                self._quarantine(record, "the record has no key, or one too short for a record type")
            else:
                unknown.setdefault(record_type, []).append(record["log_offset"])
        for record_type, found in unknown.items():
            self.rows["unknown_type"].append(
                {
                    "cluster": self.bronze.column("cluster")[0].as_py(),
                    "log_partition": self.log_partition,
                    "record_type": record_type,
                    "records": len(found),
                    "first_offset": found[0],
                    "last_offset": found[-1],
                }
            )

    def _one_record(self, decode: _Decoder, record_type: int, record: Row) -> None:
        place = {name: record[name] for name in _PLACE}
        try:
            group_id, member_id = group_and_member(record["key"])
            refuse_misplaced_group(group_id, self.log_partition, self.partition_count)
            decode(self, place, record_type, group_id, member_id, record)
        except (KeyProblem, RecordError) as problem:
            self._quarantine(record, str(problem))

    def _group(self, place: RecordPlace, _: int, group_id: str, __: str | None, record: Row) -> None:
        if record["value"] is None:
            self.rows["s_group_generation"].append(deleted_row(place, group_id))
            return
        group = read_group(group_id, record["value"])
        self.rows["s_group_generation"].append(generation_row(place, group))
        for member in group.members:
            self.rows["s_member"].append(member_row(place, group, member))
            try:
                self.rows["s_assignment"].extend(assignment_rows(place, group, member))
            except WireError as error:
                self._quarantine({**record, "value": member.assignment}, f"member {member.member_id!r}: {error}")

    def _group_epoch(self, place: RecordPlace, record_type: int, group_id: str, _: str | None, record: Row) -> None:
        self.rows["s_group_epoch"].append(group_epoch_row(place, record_type, group_id, record["value"]))

    def _member_epoch(
        self, place: RecordPlace, record_type: int, group_id: str, member: str | None, record: Row
    ) -> None:
        if member is None:
            raise KeyProblem("the key ends before its member id")
        self.rows["s_member_epoch"].append(member_epoch_row(place, record_type, group_id, member, record["value"]))

    def _quarantine(self, record: Row, reason: str) -> None:
        self.rows["b_quarantine"].append(
            {
                "cluster": record["cluster"],
                "log_topic": record["log_topic"],
                "log_partition": record["log_partition"],
                "log_offset": record["log_offset"],
                "where": f"{record['source']} {record['log_topic']}-{record['log_partition']} offset {record['log_offset']}",
                "reason": reason,
                "key": record["key"],
                "value": record["value"],
                "dt": record["dt"],
            }
        )


_Decoder = Callable[[_PartitionDecoder, RecordPlace, int, str, "str | None", Row], None]
_DECODERS: Final[dict[int, _Decoder]] = {
    GROUP_TYPE: _PartitionDecoder._group,
    **dict.fromkeys(GROUP_EPOCH_TYPES, _PartitionDecoder._group_epoch),
    **dict.fromkeys(MEMBER_EPOCH_TYPES, _PartitionDecoder._member_epoch),
}


def _plain_binary(array: Any) -> pa.Array:
    """Spark may hand over the large form of binary columns, whose offsets have 64 bits."""
    return array if array.type == pa.binary() else array.cast(pa.binary())


def _with_plain_binary(bronze: pa.RecordBatch) -> pa.RecordBatch:
    return bronze if bronze.schema.equals(_BRONZE) else bronze.cast(_BRONZE)
