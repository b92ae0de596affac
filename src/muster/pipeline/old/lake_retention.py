"""Which rows of a table are old enough to go, and which of those must stay because they are still the state.

A committed offset may be a year old and still count: of old rows the newest of each key stays, as in Kafka's own compaction.
Works on Arrow tables; `lake_compact` applies it to files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class Retention:
    """Days by layer. Raw bytes go after `bronze`; that a record was there, and what it said, after `silver`."""

    bronze_days: float = 14
    silver_days: float = 90
    gold_days: float = 400

    def horizon(self, days: float, now_ms: int) -> int:
        return now_ms - int(days * _DAY_MS)


@dataclass(frozen=True, slots=True)
class Rule:
    """How the rows of one table get old: by which time, after how long, and which key keeps its newest row."""

    time: str
    layer: str  # bronze, silver
    key: tuple[str, ...] = ()
    order: str = "log_offset"
    only_plain: bool = False
    """Transactional commits never push others out: whether they count is known only with their marker."""


RULES: Final = {
    "b_log_record": Rule("record_ms", "silver"),
    "b_journal_event": Rule("at_ms", "silver"),
    "b_leo_sample": Rule("end_ms", "bronze", ("cluster", "topic", "partition"), "end_ms"),
    "s_offset_commit.rows": Rule("record_ms", "silver", ("cluster", "group_id", "topic", "partition"), only_plain=True),
    "s_group_generation.rows": Rule("record_ms", "silver", ("cluster", "group_id")),
    "s_member.rows": Rule("record_ms", "silver", ("cluster", "group_id")),
    "s_assignment.rows": Rule("record_ms", "silver", ("cluster", "group_id")),
    "s_group_epoch.rows": Rule("record_ms", "silver", ("cluster", "group_id", "record_type")),
    "s_member_epoch.rows": Rule("record_ms", "silver", ("cluster", "group_id", "member_id", "record_type")),
}
"""Tables that are not named keep everything: they are small."""

GOLD_TIMES: Final = {
    "g_lag_history": "minute_ms",
    "g_rebalance": "ended_ms",
    "g_rebalance_pause": "ended_ms",
    "g_rebalance_episode": "ended_ms",
    "g_assignment_balance": "at_ms",
    "g_hot_committers": "hour_ms",
}
"""Gold that is history. Rows from before silver's horizon cannot be computed again and are kept as they are."""


def newest_by_key(paths: list[str], rule: Rule) -> pa.Table | None:
    """For each key the order of its newest row, `_newest`; None if the rule has no key."""
    if not rule.key or not paths:
        return None
    plain = pc.field("is_transactional").is_null(nan_is_null=False) | ~pc.field("is_transactional")
    rows = ds.dataset(paths, format="parquet").to_table(
        [*rule.key, rule.order], filter=plain if rule.only_plain else None
    )
    newest = rows.group_by(list(rule.key)).aggregate([(rule.order, "max")])
    return newest.rename_columns([*rule.key, "_newest"])


def kept_rows(rows: pa.Table, rule: Rule, horizon_ms: int, newest: pa.Table | None) -> pa.Table:
    """The rows that stay: young ones, and of the old ones those that are the newest of their key."""
    old = pc.less(rows[rule.time], horizon_ms)
    if not pc.any(old).as_py():
        return rows
    if newest is None:
        return rows.filter(pc.invert(old))
    numbers = pa.array(range(rows.num_rows), pa.int64())
    places = rows.select([*rule.key, rule.order]).append_column("_row", numbers).filter(old)
    matched = places.join(newest, list(rule.key), join_type="left outer")
    current = pc.fill_null(pc.greater_equal(matched[rule.order], matched["_newest"]), True)
    stay = pa.concat_arrays(_arrays(matched.filter(current)["_row"]))
    return rows.filter(pc.or_(pc.invert(old), pc.is_in(numbers, stay)))


def without_bytes(rows: pa.Table, horizon_ms: int) -> pa.Table:
    """Bronze without the keys and values of old records: what remains says that they were there, and tells holes apart."""
    old = pc.less(rows["record_ms"], horizon_ms)
    for name in ("key", "value"):
        emptied = pc.if_else(old, pa.scalar(None, pa.binary()), rows[name])
        rows = rows.set_column(rows.schema.get_field_index(name), rows.schema.field(name), emptied)
    return rows


def _arrays(column: pa.ChunkedArray) -> Iterable[pa.Array]:
    return column.chunks or [pa.array([], column.type)]
