"""State rows and ends as the fold would have left them, from finished silver and the old tables' own helpers.

A reference that is told in frames of everything at once: what is remembered of each position, group and log partition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import ENDS
from muster.pipeline.ends.steps import folded
from muster.pipeline.fold.kernel import state_schema
from muster.pipeline.fold.state import PENDING, WINDOW
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.columns import GROUP, POSITION
from muster.pipeline.tables.group_state import group_states, owners
from tests.pipeline.oracle.columns import no_rows
from tests.pipeline.oracle.log_extent import log_extent

Frames = Mapping[str, pl.DataFrame]
MINUTE_MS = 60_000
_PLACE = ("cluster", "log_partition", "log_offset")


def given(rows: Frames, name: str) -> pl.DataFrame:
    return rows.get(name, no_rows(name))


def state_of(rows: Frames, silver: Frames) -> pa.Table:
    """`rows` are decoded, with bronze; `silver` is finished."""
    written_by = given(rows, "s_offset_commit").select(*_PLACE, "producer_id", "is_transactional")
    commits = silver["s_offset_commit"].with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String))
    commits = commits.join(written_by, on=_PLACE, how="left")
    kinds = {
        "position": _positions(commits),
        "group": _groups(rows, silver, commits),
        "extent": _extents(rows),
    }
    tables = [_table(kind, found) for kind, found in kinds.items() if found]
    return pa.concat_tables(tables) if tables else state_schema().empty_table()


def ends_of(rows: Frames) -> pa.Table:
    return folded(ENDS.empty_table(), given(rows, "b_leo_sample").to_arrow().cast(TABLES["b_leo_sample"]))


def minutes_of(silver: Frames) -> pl.DataFrame:
    """A row for each stretch that has ended: a commit that held from its minute into a later one."""
    minute = pl.col("commit_ms") - pl.col("commit_ms") % MINUTE_MS
    until = pl.col("next_commit_ms") - pl.col("next_commit_ms") % MINUTE_MS
    counts = pl.col("is_effective") & ~pl.col("is_tombstone") & (pl.col("committed_offset") >= 0)
    found = silver["s_offset_commit"].filter(counts & (until > minute))
    return found.select(
        *(pl.col(name).cast(pl.String) for name in ("cluster", "group_id", "topic")),
        *("log_partition", "log_offset", "partition"),
        committed="committed_offset",
        minute_ms=minute,
        until_ms=until,
        marked_ms=pl.lit(None, pl.Int64),
    )


def _table(kind: str, rows: list[dict[str, Any]]) -> pa.Table:
    schema = state_schema()
    names = [each.name for each in schema.field(kind).type]
    full = [
        {
            "cluster": row["cluster"],
            "log_partition": row["log_partition"],
            "kind": kind,
            kind: {name: row.get(name) for name in names},
        }
        for row in rows
    ]
    return pa.Table.from_pylist(full, schema=schema)


def _positions(commits: pl.DataFrame) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in commits.sort("log_offset").iter_rows(named=True):
        key = tuple(row[name] for name in POSITION)
        position = found.setdefault(key, {**{name: row[name] for name in POSITION}, "window": [], "pending": []})
        position["log_partition"] = row["log_partition"]
        if row["txn_state"] == "open":
            position["pending"].append({name: row.get(name) for name in PENDING.names})
        if not row["is_effective"]:
            continue
        if row["is_tombstone"]:
            position["window"] = []
            continue
        position |= {name: row[name] for name in ("topic_id", "leader_epoch", "metadata", "expire_ms")}
        commit = {name: row[name] for name in ("log_offset", "record_ms", "commit_ms", "committed_offset")}
        position["window"] = [*position["window"], commit][-WINDOW:]
    return [position for position in found.values() if position["window"] or position["pending"]]


def _groups(rows: Frames, silver: Frames, commits: pl.DataFrame) -> list[dict[str, Any]]:
    states = group_states(
        given(silver, "s_group_generation"),
        given(silver, "s_member"),
        given(silver, "s_group_epoch"),
        given(silver, "s_member_epoch"),
        given(rows, "b_journal_event"),
    )
    owned: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in owners(states, given(silver, "s_assignment")).iter_rows(named=True):
        place = {"topic": row["topic"], "partition": row["partition"], "owner": row["owner"]}
        owned.setdefault((row["cluster"], row["group_id"]), []).append(place)
    moves = pl.col("is_effective") & (pl.col("committed_offset") > pl.col("prev_offset")).fill_null(False)
    moved = commits.group_by(GROUP).agg(moved=moves.any(), log_partition=pl.col("log_partition").first())
    both = states.join(moved.rename({"log_partition": "_log"}), on=GROUP, how="full", coalesce=True)
    both = both.with_columns(log_partition=pl.coalesce("log_partition", "_log").fill_null(0))
    return [{**row, "owners": owned.get((row["cluster"], row["group_id"]), [])} for row in both.iter_rows(named=True)]


def _extents(rows: Frames) -> list[dict[str, Any]]:
    found = {
        (row["cluster"], row["log_topic"], row["log_partition"]): row
        for row in log_extent(given(rows, "b_log_record")).iter_rows(named=True)
    }
    for row in found.values():
        row |= {"unknown_records": 0, "quarantined": 0, "open_producers": [0] * row["open_transactions"]}
    for table, count in (("b_quarantine", "quarantined"), ("unknown_type", "unknown_records")):
        for row in given(rows, table).iter_rows(named=True):
            place = (row["cluster"], row.get("log_topic") or "__consumer_offsets", row["log_partition"])
            found[place][count] += row.get("records", 1)
    return list(found.values())
