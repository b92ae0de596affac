"""What the oracle says of a whole log: its rows are decoded one by one in plain Python, and all tables are built from all rows."""

from __future__ import annotations

from typing import Any

import polars as pl

from tests.pipeline.fold.group_logs import GroupLog, Row
from tests.pipeline.oracle.build import GoldSettings, build_group_tables
from tests.pipeline.oracle.silver import finish_groups
from tests.pipeline.tables.rows import arrow

FACTS = (
    *("s_group_generation", "s_member", "s_assignment", "s_group_epoch", "s_member_epoch", "b_journal_event"),
    *("g_rebalance", "g_rebalance_pause", "g_rebalance_episode", "g_member", "g_member_churn", "g_assignment_balance"),
)
_PLACE = ("cluster", "log_partition", "log_offset", "record_ms", "group_id", "dt")


def oracle(log: GroupLog, settings: GoldSettings) -> dict[str, pl.DataFrame]:
    """The tables of `FACTS`, with the columns of `group_states` as the table `group`."""
    from muster.pipeline.tables.group_state import group_states, owners

    rows = decoded(log)
    silver = finish_groups(rows)
    every = {**rows, **silver}
    gold = build_group_tables(every, settings)
    names = ("s_group_generation", "s_member", "s_group_epoch", "s_member_epoch", "b_journal_event")
    states = group_states(*(every[name] for name in names))
    owned = (
        owners(states, silver["s_assignment"])
        .sort("topic", "partition")
        .group_by("group_id")
        .agg(owners=pl.struct("topic", "partition", "owner"))
    )
    tables = {name: (gold | every)[name] for name in FACTS}
    return tables | {"group": states.join(owned, on="group_id", how="left")}


def decoded(log: GroupLog) -> dict[str, pl.DataFrame]:
    rows: dict[str, list[Row]] = {name: [] for name in (*FACTS[:6], "s_offset_commit", "b_log_record")}
    for record in log.records:
        _decode(record, {name: record[name] for name in _PLACE}, rows)
    for event in log.events:
        place = {name: event[name] for name in _PLACE if name != "record_ms"}
        rows["b_journal_event"].append({**place, **event["event"]})
    return {name: pl.DataFrame(pl.from_arrow(arrow(name, of_name, decoded=True))) for name, of_name in rows.items()}


def _decode(record: Row, place: Row, rows: dict[str, list[Row]]) -> None:
    physical = {name: record.get(name) for name in ("log_topic", "is_control", "is_transactional", "producer_id")}
    rows["b_log_record"].append({**{name: place[name] for name in _PLACE if name != "group_id"}, **physical})
    match record["record_type"]:
        case 0 | 1:
            names = ("topic", "partition", "committed_offset", "commit_ms", "value_version", "is_tombstone")
            commit = {name: record[name] for name in names}
            rows["s_offset_commit"].append({**place, **commit, "is_transactional": False, "producer_id": -1})
        case 2 if record["is_tombstone"]:
            rows["s_group_generation"].append({**place, "kind": "deleted", "n_members": 0})
        case 2:
            _generation(record["generation"], place, rows)
        case 3 | 4 | 6:
            said = {"record_type": record["record_type"], "is_tombstone": record["is_tombstone"]}
            rows["s_group_epoch"].append({**place, **said, "epoch": record["epoch"]["epoch"]})
        case 5 | 7 | 8:
            said = {name: value for name, value in record["epoch"].items() if name != "epoch"}
            kind = {"record_type": record["record_type"], "is_tombstone": record["is_tombstone"]}
            rows["s_member_epoch"].append({**place, **kind, **said})


def _generation(said: Row, place: Row, rows: dict[str, list[Row]]) -> None:
    whole = {name: said[name] for name in ("generation", "protocol_type", "protocol", "leader", "state_ms")}
    rows["s_group_generation"].append({**place, **whole, "n_members": len(said["members"])})
    for member in said["members"]:
        identity = member["instance_id"] or member["member_id"]
        mine: dict[str, Any] = {name: value for name, value in member.items() if name != "assigned"}
        about = {**place, "generation": said["generation"], "identity": identity}
        rows["s_member"].append({**about, **mine})
        for owned in member["assigned"] or ():
            rows["s_assignment"].append({**about, "member_id": member["member_id"], **owned})
