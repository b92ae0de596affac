"""Logs of one log partition as rows of `log`: scripted histories, several groups side by side, KIP-848 groups, holes.

A `GroupLog` holds plain rows in log order. It is read in two ways: as the frames that the fold gets, batch by batch, and as the
decoded rows that the oracle (`finish_groups`, `build_group_tables`) looks through as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa

from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.log_schema import LOG
from muster.pipeline.schemas import TABLES
from tests.pipeline.tables.scripted import Script

Row = dict[str, Any]
CLUSTER = "c"
OFFSETS, JOURNAL = "__consumer_offsets", "__muster_journal"


@dataclass
class GroupLog:
    """`records` of the offsets log and `events` of the journal, both in log order. Offsets that are missing are holes."""

    records: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)

    def runs(self) -> dict[int, int]:
        """The run of each offset: a hole begins another one."""
        found: dict[int, int] = {}
        run, before = 0, None
        for row in self.records:
            if before is not None and row["log_offset"] != before + 1:
                run += 1
            before = row["log_offset"]
            found[before] = run
        return found

    def without(self, offsets: Iterable[int], events: Iterable[int] = ()) -> GroupLog:
        """As compaction leaves it."""
        gone, unheard = set(offsets), set(events)
        return GroupLog(
            [row for row in self.records if row["log_offset"] not in gone],
            [row for row in self.events if row["log_offset"] not in unheard],
        )


def of_script(script: Script, group_id: str = "g", shift_ms: int = 0, *, journal: bool = True) -> GroupLog:
    """What a script wrote, at another time and under another name."""
    bronze = pa.RecordBatch.from_pylist(script.bronze(CLUSTER), schema=TABLES["b_log_record"])
    records = [_moved(row, group_id, shift_ms) for row in log_rows(bronze).to_pylist()]
    events = [_event(row, group_id, shift_ms) for row in script.journal_rows(CLUSTER)] if journal else []
    return GroupLog(records, events)


def _moved(row: Row, group_id: str, shift_ms: int) -> Row:
    row = {**row, "group_id": group_id, "record_ms": row["record_ms"] + shift_ms}
    if row["commit_ms"] is not None:
        row["commit_ms"] += shift_ms
    if row["generation"] is not None and row["generation"]["state_ms"] is not None:
        row["generation"] = {**row["generation"], "state_ms": row["generation"]["state_ms"] + shift_ms}
    return row


def _event(row: Row, group_id: str, shift_ms: int) -> Row:
    fields = [each.name for each in LOG.field("event").type]
    event = {name: row[name] for name in fields} | {"at_ms": row["at_ms"] + shift_ms}
    place = {"cluster": CLUSTER, "log_topic": JOURNAL, "log_partition": 0, "log_offset": row["log_offset"]}
    return {
        **place,
        "record_ms": event["at_ms"],
        "group_id": group_id,
        "is_tombstone": False,
        "event": event,
        "dt": row["dt"],
    }


def merged(*logs: GroupLog) -> GroupLog:
    """Groups side by side in one log, in the order of time, with offsets of their own."""
    return GroupLog(
        _in_order([row for log in logs for row in log.records]), _in_order([row for log in logs for row in log.events])
    )


def _in_order(rows: list[Row]) -> list[Row]:
    rows = sorted(rows, key=lambda row: row["record_ms"])
    return [{**row, "log_offset": offset} for offset, row in enumerate(rows)]


def epoch_record(group_id: str, record_type: int, at_ms: int, *, is_tombstone: bool = False, **said: Any) -> Row:
    """A record of a KIP-848 group; its offset is given when logs are merged."""
    fields = dict.fromkeys(each.name for each in LOG.field("epoch").type)
    return {
        "cluster": CLUSTER,
        "log_topic": OFFSETS,
        "log_partition": 0,
        "log_offset": -1,
        "record_ms": at_ms,
        "is_control": False,
        "is_transactional": False,
        "record_type": record_type,
        "group_id": group_id,
        "is_tombstone": is_tombstone,
        "epoch": {**fields, **said},
        "dt": "1970-01-01",
    }


def generation_record(group_id: str, generation: int | None, at_ms: int, *members: str) -> Row:
    """A group record; generation None is a tombstone. A member `name/instance` is static."""
    record = {**epoch_record(group_id, 2, at_ms, is_tombstone=generation is None), "epoch": None}
    if generation is None:
        return {**record, "generation": None}
    said = {"generation": generation, "protocol_type": "consumer", "protocol": "range", "state_ms": at_ms}
    return {**record, "generation": {**said, "leader": None, "members": [_seat(*name.split("/")) for name in members]}}


def _seat(member_id: str, instance_id: str | None = None) -> Row:
    fields = dict.fromkeys(each.name for each in LOG.field("generation").type.field("members").type.value_type)
    said = {"member_id": member_id, "instance_id": instance_id, "client_id": "app", "client_host": "/h"}
    return {**fields, **said, "session_timeout_ms": 10_000, "topics": ["t"], "assigned": []}


def event(group_id: str, kind: str, at_ms: int, **said: Any) -> Row:
    """An event of the journal; details that have no column of their own are in its payload."""
    fields = dict.fromkeys(each.name for each in LOG.field("event").type)
    known = {name: value for name, value in said.items() if name in fields}
    payload = json.dumps({name: value for name, value in said.items() if name not in fields})
    row = {**fields, **known, "at_ms": at_ms, "kind": kind, "payload": payload, "log_offset": -1, "dt": "1970-01-01"}
    return _event(row, group_id, 0)


def commit_record(group_id: str, partition: int, offset: int | None, at_ms: int) -> Row:
    """A plain commit to `t`; offset None is a tombstone."""
    return {
        **epoch_record(group_id, 1, at_ms, is_tombstone=offset is None),
        "epoch": None,
        "topic": "t",
        "partition": partition,
        "committed_offset": offset,
        "commit_ms": None if offset is None else at_ms,
        "value_version": 3,
        "producer_id": -1,
    }


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(pa.Table.from_pylist(rows, schema=LOG)))
