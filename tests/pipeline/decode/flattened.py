"""Rows of `log` taken apart again into the tables that single records make, for comparison with `decode_batch`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from muster.pipeline.decode.consumer_group_rows import GROUP_EPOCH_TYPES, MEMBER_EPOCH_TYPES
from muster.pipeline.decode.row_schemas import ROW_TABLES

Row = dict[str, Any]
Tables = dict[str, list[Row]]
_DECODED = (0, 1, 2, *GROUP_EPOCH_TYPES, *MEMBER_EPOCH_TYPES)


def tables_of_log(log: Iterable[Row]) -> Tables:
    """Every table of `ROW_TABLES` from rows of the coordinator's log, and quarantine: one row a record with a problem."""
    made: Tables = {name: [] for name in ROW_TABLES}
    unknown: dict[tuple[int, int], list[Row]] = {}
    for row in log:
        if row["control_type"] is not None and row["is_control"]:
            made["txn_marker"].append(_row("txn_marker", row))
        if row["problem"] is not None:
            made["b_quarantine"].append(_row("b_quarantine", row, where=row["place"], reason=row["problem"]))
        if row["group_id"] is not None:
            _add(made, row)
        elif row["record_type"] is not None and row["record_type"] not in _DECODED:
            unknown.setdefault((row["log_partition"], row["record_type"]), []).append(row)
    for (_, record_type), rows in unknown.items():
        offsets = [row["log_offset"] for row in rows]
        made["unknown_type"].append(
            _row(
                "unknown_type",
                rows[0],
                record_type=record_type,
                records=len(rows),
                first_offset=offsets[0],
                last_offset=offsets[-1],
            )
        )
    return made


def _add(made: Tables, row: Row) -> None:
    record_type = row["record_type"]
    if record_type in (0, 1):
        made["s_offset_commit"].append(_row("s_offset_commit", row, key_version=record_type))
    elif record_type in GROUP_EPOCH_TYPES:
        made["s_group_epoch"].append(_row("s_group_epoch", row, **row["epoch"]))
    elif record_type in MEMBER_EPOCH_TYPES:
        made["s_member_epoch"].append(_row("s_member_epoch", row, **row["epoch"]))
    elif row["is_tombstone"]:
        made["s_group_generation"].append(_row("s_group_generation", row, kind="deleted", n_members=0, generation=None))
    else:
        _add_generation(made, row)


def _add_generation(made: Tables, row: Row) -> None:
    said = row["generation"]
    members, state_ms = said["members"], said["state_ms"]
    sync_ms = max(0, row["record_ms"] - state_ms) if state_ms is not None and members else None
    made["s_group_generation"].append(_row("s_group_generation", row, **said, n_members=len(members), sync_ms=sync_ms))
    for member in members:
        who = {**member, "identity": member["instance_id"] or member["member_id"], "generation": said["generation"]}
        made["s_member"].append(_row("s_member", row, **who))
        for place in member["assigned"] or ():
            made["s_assignment"].append(_row("s_assignment", row, **who, **place))


def _row(table: str, row: Row, **more: Any) -> Row:
    both = {**row, **more}
    return {name: both.get(name) for name in ROW_TABLES[table].names}
