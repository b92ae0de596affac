"""The columns of every table of the lake: the contract between who writes a table and who reads it.

Arrow types are the one definition; Spark's are derived from them (`spark_schema`). Times are milliseconds since 1970
in columns that end in `_ms`, durations too and they say so; text enums are listed beside their column. `dt` (UTC date
of the row's time) is what files are partitioned by, never group or topic. Order within a log partition is
`log_offset`, never a time.

Bronze is raw and append-only, silver is decoded, one row a fact, gold answers questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_text, _bytes, _flag = pa.string(), pa.binary(), pa.bool_()
_int, _long, _real = pa.int32(), pa.int64(), pa.float64()


def _table(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in columns])


_PLACE = (("cluster", _text), ("log_partition", _int), ("log_offset", _long), ("record_ms", _long))
_GROUP_PARTITION = (("cluster", _text), ("group_id", _text), ("topic", _text), ("partition", _int))

TABLES: Final[dict[str, pa.Schema]] = {
    # ---- bronze
    "b_log_record": _table(
        ("cluster", _text),
        ("log_topic", _text),
        ("log_partition", _int),
        ("log_offset", _long),
        ("record_ms", _long),
        ("key", _bytes),
        ("value", _bytes),
        ("batch_base_offset", _long),
        ("batch_last_offset", _long),
        ("producer_id", _long),
        ("producer_epoch", _int),
        ("is_transactional", _flag),
        ("is_control", _flag),
        ("control_type", _int),  # 0 abort, 1 commit
        ("compression", _int),
        ("leader_epoch", _int),
        ("source", _text),  # segment, broker, kafka
        ("dt", _text),
    ),
    "b_journal_event": _table(
        ("cluster", _text),
        ("log_partition", _int),
        ("log_offset", _long),
        ("at_ms", _long),
        ("kind", _text),
        ("group_id", _text),
        ("generation", _int),
        ("cause", _text),
        ("member_id", _text),
        ("instance_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("reason", _text),
        ("payload", _text),  # the whole event as JSON
        ("dt", _text),
    ),
    "b_leo_sample": _table(
        ("cluster", _text),
        ("topic", _text),
        ("partition", _int),
        ("topic_id", _text),
        ("leo", _long),
        (
            "lso",
            _long,
        ),  # last stable offset: before it every transaction is decided; null: not known, or not the newest
        ("readable_end", _long),  # behind the last record before it that is neither a marker nor aborted
        ("log_start", _long),
        ("max_timestamp_ms", _long),
        ("max_timestamp_offset", _long),
        ("leader_epoch", _int),
        ("begin_ms", _long),  # the sample was true at some moment in [begin_ms, end_ms]
        ("end_ms", _long),
        ("sampler", _text),  # list_offsets, segment (exact append times: begin_ms = end_ms), batch_begin and batch_end
        ("dt", _text),
    ),
    "b_quarantine": _table(
        ("cluster", _text),
        ("log_topic", _text),
        ("log_partition", _int),
        ("log_offset", _long),  # -1 for a batch that cannot be read
        ("where", _text),  # file and position, or broker
        ("reason", _text),
        ("key", _bytes),
        ("value", _bytes),
        ("dt", _text),
    ),
    # ---- silver
    "s_offset_commit": _table(
        *_PLACE,
        ("group_id", _text),
        ("topic", _text),
        ("partition", _int),
        ("topic_id", _text),
        ("committed_offset", _long),  # null in a tombstone
        ("leader_epoch", _int),
        ("metadata", _text),
        ("commit_ms", _long),
        ("expire_ms", _long),
        ("key_version", _int),
        ("value_version", _int),
        ("is_tombstone", _flag),
        ("txn_state", _text),  # none, committed, aborted, open, unknown
        ("effective_ms", _long),  # when it began to count: the record's time, or the COMMIT marker's
        ("is_effective", _flag),
        ("batch_base_offset", _long),
        ("faithful", _flag),  # no record is missing between here and the end of the log
        ("prev_offset", _long),
        ("prev_commit_ms", _long),
        ("is_duplicate", _flag),
        ("is_rewind", _flag),
        ("next_commit_ms", _long),  # when the next effective record of the same key came; null: this is the newest
        (
            "newer",
            _int,
        ),  # how many effective records of the same key came later: 0 is the current one; null: erased since
        ("dt", _text),
    ),
    "s_current_offset": _table(
        *_GROUP_PARTITION,
        ("topic_id", _text),
        ("committed_offset", _long),
        ("leader_epoch", _int),
        ("metadata", _text),
        ("commit_ms", _long),
        ("expire_ms", _long),
        ("log_partition", _int),
        ("log_offset", _long),
    ),
    "s_pending_offset": _table(  # offsets that open transactions want to commit
        *_GROUP_PARTITION,
        ("producer_id", _long),
        (
            "pending_offset",
            _long,
        ),  # becomes the committed one with the COMMIT marker, unless a newer record counts by then
        ("leader_epoch", _int),
        ("metadata", _text),
        ("commit_ms", _long),
        ("since_ms", _long),  # when the transaction first asked for this position
        ("log_partition", _int),
        ("log_offset", _long),
    ),
    "s_group_generation": _table(
        *_PLACE,
        ("group_id", _text),
        ("group_life", _int),  # counts up when the group was removed and came again
        ("generation", _int),
        ("protocol_type", _text),
        ("protocol", _text),
        ("leader", _text),
        ("state_ms", _long),
        ("n_members", _int),
        ("sync_ms", _long),
        ("kind", _text),  # rebalance, empty, static_replace, created, deleted, unknown_prev
        ("d_generation", _int),
        ("faithful", _flag),
        ("dt", _text),
    ),
    "s_member": _table(
        *_PLACE,
        ("group_id", _text),
        ("generation", _int),
        ("member_id", _text),
        ("instance_id", _text),
        ("identity", _text),  # instance id, else member id
        ("client_id", _text),
        ("client_host", _text),
        ("rebalance_timeout_ms", _int),
        ("session_timeout_ms", _int),
        ("topics", pa.list_(_text)),  # null: not the consumer protocol, or undecodable
        ("owned_partitions", _int),
        ("rack_id", _text),
        ("dt", _text),
    ),
    "s_assignment": _table(
        *_PLACE,
        ("group_id", _text),
        ("generation", _int),
        ("member_id", _text),
        ("identity", _text),
        ("topic", _text),
        ("partition", _int),
        ("dt", _text),
    ),
    "s_group_epoch": _table(  # KIP-848: types 3, 4 and 6
        *_PLACE,
        ("group_id", _text),
        ("record_type", _int),
        ("epoch", _int),
        ("is_tombstone", _flag),
        ("dt", _text),
    ),
    "s_member_epoch": _table(  # KIP-848: types 5, 7 and 8
        *_PLACE,
        ("group_id", _text),
        ("member_id", _text),
        ("record_type", _int),
        ("member_epoch", _int),
        ("state", _text),
        ("instance_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("topics", pa.list_(_text)),  # null: by a regular expression, so only the broker knows
        ("n_assigned", _int),
        ("n_pending_revocation", _int),
        ("is_tombstone", _flag),
        ("dt", _text),
    ),
    "s_leo": _table(
        ("cluster", _text),
        ("topic", _text),
        ("partition", _int),
        ("topic_epoch", _int),  # counts up when the topic was deleted and made again
        ("leo", _long),
        ("log_start", _long),
        ("begin_ms", _long),
        ("end_ms", _long),
        ("sampler", _text),  # of the newest sample; `missed_once`, `missed`: the last rounds did not find the partition
    ),
    # ---- gold
    "g_lag": _table(
        *_GROUP_PARTITION,
        ("at_ms", _long),  # the time of the newest end-offset sample that was used
        ("committed", _long),  # null: no position
        ("end", _long),
        ("log_start", _long),
        ("lag_raw", _long),  # signed
        ("lag", _long),  # not below 0
        ("stable_end", _long),  # the last stable offset; null: not known
        (
            "stable_lag",
            _long,
        ),  # records before it, without the markers and aborted records behind the last committed one
        ("time_lag_lo_ms", _long),
        ("time_lag_hi_ms", _long),  # null: at least lo, nobody knows more
        ("time_lag_est_ms", _long),
        ("method", _text),  # bracket, left_bound, caught_up, ahead, no_position, no_end
        ("commit_ms", _long),
        ("commit_age_ms", _long),
        ("lag_at_commit_lo_ms", _long),
        ("lag_at_commit_hi_ms", _long),
        ("produce_rate", _real),  # records a second
        ("consume_rate", _real),
        ("eta_ms", _long),
        ("owner", _text),
        ("coverage", _real),
        ("provisional", _flag),
    ),
    "g_lag_history": _table(
        *_GROUP_PARTITION,
        ("minute_ms", _long),
        ("committed", _long),
        ("end", _long),
        ("lag", _long),
        ("time_lag_lo_ms", _long),
        ("time_lag_hi_ms", _long),
        ("time_lag_est_ms", _long),
        ("method", _text),
    ),
    "g_group_lag": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("at_ms", _long),
        ("n_partitions", _int),
        ("n_no_position", _int),
        ("n_no_end", _int),  # committed to, and in none of the sums: where they end is not known, or not any more
        (
            "n_time_open",
            _int,
        ),  # behind, or with no end, and nobody knows how late at most: time_lag_max_ms is at least that
        ("lag_sum", _long),
        ("lag_max", _long),
        ("stable_lag_sum", _long),
        ("time_lag_max_ms", _long),
        ("skew", _real),
    ),
    "g_status": _table(
        *_GROUP_PARTITION,
        ("at_ms", _long),
        ("burrow_status", _text),  # OK, WARN, STALL, STOP, REWIND
        # OK, IDLE, CATCHING_UP, SLOW, STALLED, STOPPED, REWOUND, UNOWNED, ORPHANED, AT_RISK, DATA_LOSS, AHEAD,
        # NO_POSITION, NO_DATA, UNKNOWN
        ("status", _text),
        ("evidence", _text),
    ),
    "g_rebalance": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("group_life", _int),
        ("generation", _int),
        ("episode", _int),
        ("log_offset", _long),
        ("started_ms", _long),  # null without a journal
        ("ended_ms", _long),
        ("join_phase_ms", _long),
        ("sync_phase_ms", _long),
        ("cause", _text),  # docs/explain.md lists them
        ("trigger_member", _text),
        ("client_reason", _text),
        ("waited_for", _text),
        ("waited_ms", _long),
        ("source", _text),  # journal, log
        ("confidence", _real),
        ("members_before", _int),
        ("members_after", _int),
        ("joined", pa.list_(_text)),
        ("gone", pa.list_(_text)),
        ("partitions_moved", _int),
        ("excess_moves", _int),
        ("stickiness", _real),
        ("aborted_generations", _int),
        ("pause_p50_ms", _long),
        ("pause_max_ms", _long),
        ("protocol", _text),
        ("faithful", _flag),
    ),
    "g_rebalance_pause": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("group_life", _int),
        ("generation", _int),
        ("ended_ms", _long),
        ("topic", _text),
        ("partition", _int),
        ("owner", _text),  # who has it since; null where the log does not tell
        ("last_commit_ms", _long),
        ("next_commit_ms", _long),
        ("pause_ms", _long),  # how much longer than usual; partitions without one have no row
    ),
    "g_rebalance_episode": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("episode", _int),
        ("started_ms", _long),
        ("ended_ms", _long),
        ("n_rebalances", _int),
        ("causes", pa.list_(_text)),
        ("kind", _text),  # single, cooperative, rolling_restart, storm, several
        ("pause_max_ms", _long),
    ),
    "g_member": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("identity", _text),
        ("member_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("is_static", _flag),
        ("first_seen_ms", _long),
        ("last_seen_ms", _long),
        ("is_present", _flag),
        ("n_generations", _int),
        ("n_restarts", _int),
        ("n_partitions", _int),
        ("left_because", _text),
    ),
    "g_member_churn": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("dt", _text),
        ("joins", _int),
        ("leaves", _int),
        ("expiries", _int),
        ("static_restarts", _int),
        ("rebalances", _int),
    ),
    "g_assignment_balance": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("generation", _int),
        ("at_ms", _long),
        ("n_members", _int),
        ("n_partitions", _int),
        ("n_idle_members", _int),
        ("max_over_mean", _real),
        ("spread", _int),
        ("cv", _real),
        ("gini", _real),
        ("effective_members", _real),
    ),
    "g_expiry": _table(
        *_GROUP_PARTITION,
        ("committed", _long),
        ("base_ms", _long),
        ("expires_ms", _long),  # null: never, under the present circumstances
        ("reason", _text),
        ("at_risk_records", _long),
        ("group_state", _text),
    ),
    "g_abandoned": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("score", _real),
        ("empty_since_ms", _long),
        ("last_commit_ms", _long),
        ("lag", _long),
        ("evidence", _text),
    ),
    "g_hot_committers": _table(
        ("cluster", _text),
        ("group_id", _text),
        ("hour_ms", _long),
        ("log_partition", _int),
        ("commits", _long),
        ("useless", _long),
        ("useless_share", _real),
        ("records_per_commit", _real),
        ("bytes", _long),
        ("share_of_log_partition", _real),
    ),
    "g_data_quality": _table(
        ("cluster", _text),
        ("log_topic", _text),
        ("log_partition", _int),
        ("records", _long),
        ("unknown_records", _long),
        ("quarantined", _long),
        ("gaps", _long),
        ("first_offset", _long),
        ("last_offset", _long),
        ("faithful_from", _long),
        ("open_transactions", _int),
    ),
}

GOLD: Final = tuple(name for name in TABLES if name.startswith("g_"))


def spark_schema(table: str) -> StructType:
    """The same columns as Spark knows them."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(TABLES[table])
