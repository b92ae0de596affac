"""Our own reader and Spark's Kafka connector over the same real Apache Kafka: equal tables, and the figures of Kafka's own tools.

The log holds what Muster does not write: KIP-848 and share groups, transactions with their markers, one of them open during the
first run (`kafka_history` says what happens). The readers may differ in what docs/pipeline.md says of them: the connector sees no
markers and nothing behind an open transaction. And each run samples the topics' ends at a moment of its own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.log_schema import COMMIT_TYPES
from tests.pipeline.cluster.kafka_history import (
    ABORTED,
    ALTERED,
    AUDIT,
    BILLING,
    BLOCKED,
    COMMITTED,
    HELD_UP,
    LATE,
    LOG_PARTITIONS,
    MODERN,
    SHARERS,
    STUCK,
    log_partition,
)
from tests.pipeline.cluster.needs import Missing
from tests.pipeline.cluster.real_kafka import CONNECTED, OWN, READERS, Figures, Stage, Story, Tables, tell_story

Rows = list[dict[str, Any]]

OF_SAMPLES = {
    "at_ms",
    *("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms", "time_lag_max_ms", "method"),
    *("lag_at_commit_lo_ms", "lag_at_commit_hi_ms", "produce_rate", "consume_rate", "eta_ms"),
}
"""Columns that rest on when the topics' ends were sampled."""
OF_HOLES = {"coverage", "faithful"}
"""Columns that rest on where the log has holes; `coverage` counts from the last one to the newest sample."""
WITHOUT_SAMPLES = {
    *("s_current_offset", "s_group_generation", "s_member", "s_assignment", "s_group_epoch", "s_member_epoch"),
    *("g_lag", "g_group_lag", "g_rebalance", "g_rebalance_pause", "g_rebalance_episode", "g_member", "g_member_churn"),
    *("g_assignment_balance", "g_expiry", "g_abandoned"),
}
"""Tables that say the same whenever the ends were sampled, but for those columns. Lag by minute and statuses do not."""
UNSEEN_BY_CONNECTOR = {
    *("batch_base_offset", "batch_last_offset", "producer_id", "producer_epoch", "is_transactional"),
    *("compression", "batch_leader_epoch", "source"),
}
WITH_MARKERS = {log_partition(group) for group in (COMMITTED, ABORTED, STUCK)}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    try:
        return tell_story(tmp_path_factory.mktemp("real-kafka"))
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def figures(tables: Tables) -> Figures:
    """Of every position that there is. Kafka's tool does not list partitions without a commit."""
    return {
        (row["group_id"], row["topic"], row["partition"]): (row["committed"], row["end"], row["lag"])
        for row in tables["g_lag"]
        if row["committed"] is not None
    }


def quality(tables: Tables, column: str) -> list[Any]:
    """By log partition."""
    rows = sorted(tables["g_data_quality"], key=lambda row: row["log_partition"])
    assert [(row["log_topic"], row["log_partition"]) for row in rows] == [
        (CONSUMER_OFFSETS, number) for number in range(LOG_PARTITIONS)
    ]
    return [row[column] for row in rows]


def without(columns: set[str], rows: Rows) -> list[str]:
    """Comparable, whatever the order."""
    return sorted(repr({name: value for name, value in row.items() if name not in columns}) for row in rows)


def assert_same(these: Tables, those: Tables, unlike: set[str]) -> None:
    assert these.keys() >= WITHOUT_SAMPLES
    for table in sorted(WITHOUT_SAMPLES):
        assert without(unlike, these[table]) == without(unlike, those[table]), table


def place(row: dict[str, Any]) -> tuple[int, int]:
    return row["log_partition"], row["log_offset"]


# -- the figures


def test_lag_is_what_kafkas_own_tool_says(story: Story, reader: str) -> None:
    """KIP-848 groups and transactions included. The group that was deleted is gone from both."""
    said = story.second.figures
    assert {group for group, _, _ in said} == {BILLING, MODERN, COMMITTED, ABORTED, STUCK, BLOCKED, LATE}
    assert figures(story.second.tables[reader]) == said


def test_offsets_are_those_that_count(story: Story) -> None:
    """An aborted commit never moved its group (trap 7); one in a transaction keeps the place of its record (trap 6)."""
    said = story.second.figures
    offsets = {group: said[group, "orders", 0][0] for group in (ABORTED, COMMITTED, STUCK, BLOCKED)}
    assert offsets == {ABORTED: 1, COMMITTED: 9, STUCK: 3, BLOCKED: 6}
    assert said[STUCK, "orders", 1][0] == 8


def test_topic_that_ends_in_a_marker_has_lag_1_as_kafkas_tool_says(story: Story, reader: str) -> None:
    """Trap 9: nobody commits past it, and nothing is left to read."""
    tables = story.second.tables[reader]
    assert figures(tables)[LATE, "payments", 0][2] == 1
    (row,) = [row for row in tables["g_lag"] if (row["group_id"], row["topic"]) == (LATE, "payments")]
    assert (row["stable_lag"], row["stable_end"], row["method"]) == (0, row["end"], "caught_up")


def test_offsets_of_an_open_transaction_are_pending_where_transactions_are_seen(story: Story) -> None:
    wanted = {(row["group_id"], row["partition"], row["pending_offset"]) for row in _pending(story.first, OWN)}
    assert wanted == {(STUCK, 0, 8), (STUCK, 1, 8)}
    assert _pending(story.first, CONNECTED) == _pending(story.second, OWN) == []


def _pending(stage: Stage, reader: str) -> Rows:
    return stage.tables[reader]["s_pending_offset"]


def test_own_reader_sees_behind_an_open_transaction(story: Story) -> None:
    tables = story.first.tables[OWN]
    assert figures(tables) == story.first.figures
    assert quality(tables, "open_transactions") == [
        int(number == log_partition(STUCK)) for number in range(LOG_PARTITIONS)
    ]
    assert quality(story.second.tables[OWN], "open_transactions") == [0] * LOG_PARTITIONS


def test_connector_stops_at_an_open_transaction_and_only_there(story: Story) -> None:
    """Trap 5: the groups of that log partition are as they were before it, all others are right."""
    found, said = figures(story.first.tables[CONNECTED]), story.first.figures
    assert _but_held_up(found) == _but_held_up(said)
    held_up = {group: found[group, "orders", 0] for group in HELD_UP}
    assert held_up == {STUCK: (1, 20, 19), BLOCKED: (2, 20, 18)}
    assert log_partition(STUCK) == log_partition(BLOCKED)


def _but_held_up(those: Figures) -> Figures:
    return {position: each for position, each in those.items() if position[0] not in HELD_UP}


# -- the records


def test_every_kind_of_record_was_there_and_none_was_lost(story: Story, reader: str) -> None:
    """Types 0 to 8 are decoded, those of share groups are counted (trap 12), and nothing is in quarantine."""
    tables = story.second.tables[reader]
    types = Counter(row["record_type"] for row in tables["log"])
    assert set(types) - {None} >= {1, 2, 3, 5, 6, 7, 8, 10}
    of_share_groups = sum(count for kind, count in types.items() if kind is not None and kind > 8)
    assert quality(tables, "unknown_records") == [
        of_share_groups * (number == log_partition(SHARERS)) for number in range(LOG_PARTITIONS)
    ]
    assert quality(tables, "quarantined") == [0] * LOG_PARTITIONS
    assert not [row for row in tables["log"] if row["problem"] is not None]
    epochs = {row["group_id"] for table in ("s_group_epoch", "s_member_epoch") for row in tables[table]}
    assert epochs == {MODERN}


def test_deleted_groups_left_tombstones(story: Story, reader: str) -> None:
    """Both kinds (traps 1 and 2): of their offsets, and of the groups."""
    tables = story.second.tables[reader]
    tombstones = [row for row in tables["log"] if row["is_tombstone"] and row["record_type"] <= 2]
    of_offsets = {row["group_id"] for row in tombstones if row["record_type"] in COMMIT_TYPES}
    of_groups = {row["group_id"] for row in tombstones if row["record_type"] not in COMMIT_TYPES}
    assert of_offsets == of_groups == {AUDIT, ALTERED}
    assert not [row for row in tables["s_current_offset"] if row["group_id"] in of_groups]
    altered = [row["committed_offset"] for row in story.first.tables[reader]["log"] if row["group_id"] == ALTERED]
    assert altered == [9, 9, 2], "the administrator's change is a commit like any other"


def test_markers_are_rows_of_our_own_reader_and_holes_of_the_connector(story: Story) -> None:
    """Trap 8. Three transactions were committed, one was aborted."""
    own, connected = story.second.tables[OWN], story.second.tables[CONNECTED]
    markers = [row for row in own["log"] if row["is_control"]]
    assert Counter(row["control_type"] for row in markers) == {1: 3, 0: 1}
    assert {row["log_partition"] for row in markers} == WITH_MARKERS
    assert quality(own, "gaps") == [0] * LOG_PARTITIONS
    assert {number for number, gaps in enumerate(quality(connected, "gaps")) if gaps} == WITH_MARKERS


# -- the tables


def test_log_of_the_connector_is_that_of_our_own_reader_without_markers_and_aborted_commits(story: Story) -> None:
    own, connected = story.second.tables[OWN]["log"], story.second.tables[CONNECTED]["log"]
    aborted = {place(row) for row in own if row["group_id"] == ABORTED and row["is_transactional"]}
    assert len(aborted) == 1
    visible = [row for row in own if not row["is_control"] and place(row) not in aborted]
    assert without(UNSEEN_BY_CONNECTOR, connected) == without(UNSEEN_BY_CONNECTOR, visible)


def test_both_readers_give_equal_tables(story: Story) -> None:
    own, connected = story.second.tables[OWN], story.second.tables[CONNECTED]
    assert_same(own, connected, OF_SAMPLES | OF_HOLES)
    # Committers are counted from the last hole on, so they are equal where no transactions are.
    committers = [
        [row for row in tables["g_hot_committers"] if row["log_partition"] not in WITH_MARKERS]
        for tables in (own, connected)
    ]
    assert committers[0]
    assert without(set(), committers[0]) == without(set(), committers[1])


def test_second_run_goes_on_where_the_first_one_stopped(story: Story, reader: str) -> None:
    before, after = ([place(row) for row in stage.tables[reader]["log"]] for stage in _stages(story))
    assert len(set(after)) == len(after), "no record twice"
    assert set(before) < set(after)


def _stages(story: Story) -> tuple[Stage, Stage]:
    return story.first, story.second


def test_two_runs_equal_one_run_over_everything(story: Story) -> None:
    two = story.second.tables[OWN]
    assert without(set(), two["log"]) == without(set(), story.anew["log"])
    assert_same(two, story.anew, OF_SAMPLES)
    for table in ("g_hot_committers", "g_data_quality"):
        assert without(set(), two[table]) == without(set(), story.anew[table]), table


def test_two_runs_equal_a_rebuild(story: Story) -> None:
    two = story.second.tables[CONNECTED]
    assert without(set(), two["log"]) == without(set(), story.rebuilt["log"])
    assert_same(two, story.rebuilt, OF_SAMPLES | {"coverage"})
    for table in ("g_lag_history", "g_hot_committers", "g_data_quality"):
        assert without(set(), two[table]) == without(set(), story.rebuilt[table]), table
