"""Gold of situations that are easy to get wrong, each a cluster of one run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pipeline.oracle.build import GoldSettings, build_gold
from tests.pipeline.oracle.silver import finish_silver
from tests.pipeline.tables.rows import Row, commit, frame, log_record, sample

NOW = 1_700_000_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
LOOKED_AT = (
    "g_lag",
    "g_group_lag",
    "g_status",
    "g_rebalance",
    "g_member",
    "g_data_quality",
    "g_hot_committers",
    "g_abandoned",
    "g_expiry",
)


def group(log_offset: int, at_ms: int, n_members: int = 1, **more: Any) -> Row:
    row = {"log_partition": 0, "log_offset": log_offset, "record_ms": at_ms, "group_id": "g", "generation": 1}
    return {**row, "protocol_type": "consumer", "protocol": "range", "n_members": n_members, "state_ms": at_ms, **more}


def member(log_offset: int, topics: list[str] | None) -> Row:
    row = {"log_partition": 0, "log_offset": log_offset, "record_ms": NOW - HOUR, "group_id": "g", "generation": 1}
    return {**row, "member_id": "m", "identity": "m", "topics": topics, "session_timeout_ms": 10_000}


def owns(log_offset: int, topic: str, partition: int) -> Row:
    row = {"log_partition": 0, "log_offset": log_offset, "record_ms": NOW - HOUR, "group_id": "g", "generation": 1}
    return {**row, "member_id": "m", "identity": "m", "topic": topic, "partition": partition}


def ends(*leos: int, every_ms: int = MINUTE, **more: Any) -> list[Row]:
    """Samples up to now."""
    return [sample(leo, NOW - (len(leos) - 1 - index) * every_ms, **more) for index, leo in enumerate(leos)]


def steady(offsets: list[int], every_ms: int = MINUTE, start: int = 0, **more: Any) -> list[Row]:
    """Commits up to now, minus five seconds."""
    last = NOW - 5_000
    return [
        commit(start + index, offset, last - (len(offsets) - 1 - index) * every_ms, **more)
        for index, offset in enumerate(offsets)
    ]


def epoch(log_offset: int, number: int, at_ms: int, record_type: int = 3) -> Row:
    place = {"log_partition": 0, "log_offset": log_offset, "record_ms": at_ms, "group_id": "g"}
    return {**place, "record_type": record_type, "epoch": number, "is_tombstone": False}


def about_member(log_offset: int, name: str, record_type: int, at_ms: int, **more: Any) -> Row:
    place = {"log_partition": 0, "log_offset": log_offset, "record_ms": at_ms, "group_id": "g", "member_id": name}
    return {**place, "record_type": record_type, "is_tombstone": False, "topics": ["t"], "state": "stable", **more}


METADATA, ASSIGNED = 5, 8

SITUATIONS: dict[str, dict[str, list[Row]]] = {
    "no position": {
        "s_offset_commit": [*steady([40, 50]), commit(2, -1, NOW, partition=1)],
        "b_leo_sample": [*ends(90, 100), *ends(90, 100, partition=1), *ends(0, 7, partition=2)],
        "s_group_generation": [group(3, NOW - HOUR)],
        "s_member": [member(3, ["t", "u"])],
        "s_assignment": [owns(3, "t", 0), owns(3, "t", 1), owns(3, "t", 2)],
    },
    "subscribed only": {
        "b_leo_sample": ends(5, 9, topic="u"),
        "s_group_generation": [group(0, NOW - HOUR)],
        "s_member": [member(0, ["u"])],
    },
    "ahead": {"s_offset_commit": steady([400, 500]), "b_leo_sample": [sample(40, NOW)]},
    "younger than the sample": {"s_offset_commit": steady([105]), "b_leo_sample": [sample(100, NOW - HOUR)]},
    "deleted unread": {
        "s_offset_commit": steady([40, 50]),
        "b_leo_sample": [sample(100, NOW - HOUR), sample(100, NOW, log_start=80)],
    },
    "late, then deleted unread": {
        "s_offset_commit": [commit(0, 50, NOW - 90 * MINUTE)],
        "b_leo_sample": [*ends(100, 200, every_ms=2 * HOUR), sample(300, NOW + 1, log_start=250)],
    },
    "no end": {"s_offset_commit": steady([50])},
    "orphaned": {
        "s_offset_commit": steady([50]),
        "b_leo_sample": ends(90, 100),
        "s_group_generation": [group(1, NOW - HOUR)],
        "s_member": [member(1, ["u"])],
    },
    "catching up": {"s_offset_commit": steady([0, 600, 1_200]), "b_leo_sample": ends(1_260, 1_320, 1_380)},
    "was fast, then left": {
        "s_offset_commit": steady([0, 600, 1_200]),
        "b_leo_sample": ends(1_260, 1_320, 1_380),
        "s_group_generation": [group(3, NOW - HOUR), group(4, NOW, 0)],
    },
    "slow": {"s_offset_commit": steady([10, 20, 30]), "b_leo_sample": ends(1_200, 1_800, 2_400)},
    "sampled once an hour": {
        "s_offset_commit": steady([340_000 - 5_400 * ago for ago in range(9, -1, -1)]),
        "b_leo_sample": ends(1_000, 361_000, every_ms=HOUR),
    },
    "sampled between its commits": {
        "s_offset_commit": steady([640, 740, 840, 940], every_ms=10_000),
        "b_leo_sample": ends(400, 700, 1_000, every_ms=30_000),
    },
    "stalled": {"s_offset_commit": steady([30, 30, 30]), "b_leo_sample": ends(1_200, 1_800, 2_400)},
    "made anew": {
        "s_offset_commit": steady([5]),
        "b_leo_sample": [sample(900, NOW - HOUR, topic_id="old"), *ends(0, 8, topic_id="new")],
    },
    "holes": {
        "s_offset_commit": [commit(0, 1, NOW - 2 * HOUR), commit(9, 50, NOW - MINUTE), commit(10, 50, NOW)],
        "b_leo_sample": ends(100),
    },
    "new protocol": {
        "s_offset_commit": [commit(30, 5, NOW - MINUTE), commit(31, 5, NOW - MINUTE, topic="u")],
        "b_leo_sample": ends(5, 9),
        "s_group_generation": [group(0, NOW - 9 * HOUR), {**group(1, NOW - 8 * HOUR, 0), "kind": "deleted"}],
        "s_group_epoch": [epoch(3, 1, NOW - 5 * HOUR), epoch(10, 2, NOW - 4 * HOUR), epoch(21, 3, NOW - 3 * HOUR)],
        "s_member_epoch": [
            about_member(2, "a", METADATA, NOW - 5 * HOUR),
            about_member(4, "a", ASSIGNED, NOW - 5 * HOUR + 500, member_epoch=1, n_assigned=4),
            about_member(9, "b", METADATA, NOW - 4 * HOUR),
            about_member(11, "a", ASSIGNED, NOW - 4 * HOUR + 1_000, member_epoch=2, n_assigned=2),
            about_member(12, "b", ASSIGNED, NOW - 4 * HOUR + 3_000, member_epoch=2, n_assigned=2),
            about_member(20, "a", METADATA, NOW - 3 * HOUR, is_tombstone=True),
            about_member(22, "b", ASSIGNED, NOW - 3 * HOUR + 700, member_epoch=3, n_assigned=4),
        ],
    },
    "new protocol, two lives": {
        "s_group_epoch": [
            *(epoch(1, 1, NOW - 5 * HOUR), epoch(5, 2, NOW - 4 * HOUR)),
            {**epoch(6, 0, NOW - 3 * HOUR), "epoch": None, "is_tombstone": True},
            epoch(8, 1, NOW - 2 * HOUR),
        ],
        "s_member_epoch": [
            about_member(0, "a", METADATA, NOW - 5 * HOUR, instance_id="one"),
            about_member(2, "a", ASSIGNED, NOW - 5 * HOUR + 500, member_epoch=1, n_assigned=4),
            about_member(4, "a", METADATA, NOW - 4 * HOUR, is_tombstone=True),
            about_member(7, "b", METADATA, NOW - 2 * HOUR),
            about_member(9, "b", ASSIGNED, NOW - 2 * HOUR + 900, member_epoch=1, n_assigned=4),
        ],
    },
    "new protocol, by expression": {
        "s_offset_commit": [commit(5, 5, NOW - MINUTE)],
        "b_leo_sample": ends(5, 9),
        "s_group_epoch": [epoch(1, 1, NOW - HOUR)],
        "s_member_epoch": [about_member(0, "a", METADATA, NOW - HOUR, topics=None)],
    },
    "clocks apart": {
        "s_offset_commit": [commit(0, 80, NOW - 3 * MINUTE), commit(1, 55, NOW - 90_000, group_id="other")],
        "b_leo_sample": ends(50, 60, 100, every_ms=MINUTE),
    },
    "abandoned": {
        "s_offset_commit": [commit(0, 5, NOW - 30 * DAY, group_id="console-consumer-4711")],
        "b_leo_sample": ends(90, 100),
    },
}


@pytest.fixture(scope="module")
def gold() -> dict[str, dict[str, list[Row]]]:
    """By table and situation."""
    names = (
        *("s_offset_commit", "b_leo_sample", "s_group_generation", "s_member", "s_assignment"),
        *("s_group_epoch", "s_member_epoch"),
    )
    given = {
        name: [{**row, "cluster": situation} for situation, rows in SITUATIONS.items() for row in rows.get(name, ())]
        for name in names
    }
    records = [
        log_record(row["log_offset"], row["record_ms"], cluster=row["cluster"])
        for row in given["s_offset_commit"] + given["s_group_generation"]
    ]
    place = {"cluster": "holes", "log_partition": 0}
    extra = {**place, "log_topic": "__consumer_offsets"}
    records.append(log_record(11, NOW, cluster="holes"))
    records.append(log_record(12, NOW, cluster="holes", is_transactional=True, producer_id=3))
    rows = {name: frame(name, of_name, decoded=True) for name, of_name in given.items()}
    rows["b_log_record"] = frame("b_log_record", records)
    rows["b_quarantine"] = frame("b_quarantine", [{**extra, "log_offset": 5, "reason": "cut short"}])
    rows["unknown_type"] = frame(
        "unknown_type", [{**place, "record_type": 17, "records": 1, "first_offset": 11, "last_offset": 11}]
    )
    silver = finish_silver(rows)
    built = build_gold({**rows, **silver}, GoldSettings(now_ms=NOW))
    found: dict[str, dict[str, list[Row]]] = {}
    for name in LOOKED_AT:
        found[name] = {situation: [] for situation in SITUATIONS}
        for row in built[name].to_dicts():
            found[name][row["cluster"]].append(row)
    return found


Gold = dict[str, dict[str, list[Row]]]


def one(gold: Gold, table: str, situation: str) -> Row:
    (row,) = gold[table][situation]
    return row


def test_partition_without_a_position_has_no_lag(gold: Gold) -> None:
    """Traps 18 and 21: committed -1, and a partition that nobody ever committed to, are not a lag of their end."""
    rows = {row["partition"]: row for row in gold["g_lag"]["no position"]}
    assert {number: (row["committed"], row["lag"], row["method"]) for number, row in rows.items()} == {
        0: (50, 50, "left_bound"),
        1: (None, None, "no_position"),
        2: (None, None, "no_position"),
    }
    assert {row["owner"] for row in rows.values()} == {"m"}
    group_lag = one(gold, "g_group_lag", "no position")
    assert (group_lag["n_partitions"], group_lag["n_no_position"], group_lag["lag_sum"]) == (3, 2, 50)
    assert {row["partition"]: row["status"] for row in gold["g_status"]["no position"]}[2] == "NO_POSITION"


def test_group_that_never_committed_is_there_by_its_subscription(gold: Gold) -> None:
    row = one(gold, "g_lag", "subscribed only")
    assert (row["topic"], row["method"], row["end"]) == ("u", "no_position", 9)


def test_age_of_a_commit_that_is_not_there_is_unknown(gold: Gold) -> None:
    rows = {row["partition"]: row for row in gold["g_lag"]["no position"]}
    assert rows[0]["commit_age_ms"] == 5_000
    for number in (1, 2):
        assert rows[number]["commit_ms"] is rows[number]["commit_age_ms"] is None


def test_commit_of_records_that_were_not_there_yet_shows_how_far_clocks_are_apart(gold: Gold) -> None:
    """Trap 19: by the coordinator's clock offset 80 was committed two minutes before an end of 60 was sampled. So the other
    group's commit came two minutes later than it says, or more: what it read last may have been there so much longer.
    """
    (row,) = [row for row in gold["g_lag"]["clocks apart"] if row["group_id"] == "other"]
    assert (row["lag_at_commit_lo_ms"], row["lag_at_commit_hi_ms"]) == (0, 30_000 + 2 * MINUTE)


def test_commit_ahead_of_the_end_is_said_and_has_no_time_lag(gold: Gold) -> None:
    """Trap 22: the topic was made anew; never a negative time."""
    row = one(gold, "g_lag", "ahead")
    assert (row["lag_raw"], row["lag"], row["method"], row["time_lag_lo_ms"]) == (-460, 0, "ahead", None)
    assert one(gold, "g_status", "ahead")["status"] == "AHEAD"


def test_commit_that_is_younger_than_the_sample_is_not_ahead(gold: Gold) -> None:
    """Trap 20."""
    row = one(gold, "g_lag", "younger than the sample")
    assert (row["lag_raw"], row["lag"], row["method"], row["time_lag_hi_ms"]) == (-5, 0, "caught_up", 0)


def test_records_that_were_deleted_unread_are_no_lag_but_a_loss(gold: Gold) -> None:
    """Trap 25: what can still be read begins at the log's start."""
    row = one(gold, "g_lag", "deleted unread")
    assert (row["lag_raw"], row["lag"]) == (50, 20)
    status = one(gold, "g_status", "deleted unread")
    assert status["status"] == "DATA_LOSS"
    assert "30 records" in status["evidence"]


def test_lateness_at_a_commit_is_unknown_once_what_was_unread_then_is_deleted(gold: Gold) -> None:
    """Record 50 was at least half an hour old; record 250, the oldest that is left, did not even exist."""
    row = one(gold, "g_lag", "late, then deleted unread")
    assert (row["lag_at_commit_lo_ms"], row["lag_at_commit_hi_ms"]) == (None, None)
    assert row["time_lag_hi_ms"] is not None


def test_topic_without_samples_has_no_end(gold: Gold) -> None:
    row, status = one(gold, "g_lag", "no end"), one(gold, "g_status", "no end")
    assert (row["method"], row["lag"], row["time_lag_lo_ms"]) == ("no_end", None, None)
    assert (status["status"], status["burrow_status"]) == ("NO_DATA", None)


def test_topic_that_nobody_subscribes_to_any_more_is_orphaned(gold: Gold) -> None:
    (row,) = [row for row in gold["g_status"]["orphaned"] if row["topic"] == "t"]
    assert row["status"] == "ORPHANED"


@pytest.mark.parametrize(
    ("situation", "burrow", "ours"),
    [
        ("catching up", "OK", "CATCHING_UP"),
        ("slow", "WARN", "SLOW"),
        ("stalled", "STALL", "STALLED"),
        # 90 a second of 100 are read. That each commit lies above an end of an hour ago does not show that it was caught up.
        ("sampled once an hour", "OK", "UNKNOWN"),
        ("sampled between its commits", "OK", "OK"),
    ],
)
def test_both_statuses_of_a_partition_with_lag(gold: Gold, situation: str, burrow: str, ours: str) -> None:
    row = one(gold, "g_status", situation)
    assert (row["burrow_status"], row["status"]) == (burrow, ours)


def test_rates_and_the_time_to_catch_up(gold: Gold) -> None:
    """Reads 10 a second, 1 is written: 180 records last 20 s. That is not the time lag."""
    row = one(gold, "g_lag", "catching up")
    assert (row["consume_rate"], row["produce_rate"], row["lag"], row["eta_ms"]) == (10.0, 1.0, 180, 20_000)
    assert one(gold, "g_lag", "slow")["eta_ms"] is None


def test_whoever_has_left_never_catches_up(gold: Gold) -> None:
    row, status = one(gold, "g_lag", "was fast, then left"), one(gold, "g_status", "was fast, then left")
    assert (row["consume_rate"], row["lag"], row["eta_ms"]) == (10.0, 180, None)
    assert status["status"] == "STOPPED"


def test_time_lag_never_reaches_into_an_earlier_topic_of_the_same_name(gold: Gold) -> None:
    row = one(gold, "g_lag", "made anew")
    assert (row["lag"], row["method"], row["time_lag_hi_ms"]) == (3, "bracket", MINUTE)


def test_quality_counts_holes_unknown_types_quarantine_and_open_transactions(gold: Gold) -> None:
    row = one(gold, "g_data_quality", "holes")
    assert (row["records"], row["gaps"], row["faithful_from"], row["last_offset"]) == (5, 1, 9, 12)
    assert (row["unknown_records"], row["quarantined"], row["open_transactions"]) == (1, 1, 1)


def test_survivors_of_compaction_are_no_rate(gold: Gold) -> None:
    """Trap 3: the commit before the hole counts neither for rates nor as a committer's; coverage says how much is whole."""
    assert one(gold, "g_lag", "holes")["consume_rate"] == 0.0
    assert one(gold, "g_lag", "holes")["coverage"] == pytest.approx(0.1)
    assert sum(row["commits"] for row in gold["g_hot_committers"]["holes"]) == 2
    assert sum(row["useless"] for row in gold["g_hot_committers"]["holes"]) == 1


def test_forgotten_console_consumer_is_abandoned_with_evidence(gold: Gold) -> None:
    row = one(gold, "g_abandoned", "abandoned")
    assert row["score"] == pytest.approx(0.3 + 0.15 + 0.15 + 0.1)
    assert row["evidence"] == "no commit for 720.0 h; lag 95 and growing; its name looks generated; never moved on"
    assert gold["g_abandoned"]["slow"] == []


def test_rebalance_of_the_new_protocol_lasts_until_the_last_member_has_arrived(gold: Gold) -> None:
    """KIP-848: all of it is in the log. The tombstone of the classic group was its upgrade, not its end (trap 2)."""
    rows = sorted(
        (row for row in gold["g_rebalance"]["new protocol"] if row["protocol"] == "consumer"),
        key=lambda row: row["generation"],
    )
    assert [
        (row["generation"], row["cause"], row["trigger_member"], row["ended_ms"] - row["started_ms"]) for row in rows
    ] == [
        (1, "first_member", "a", 500),
        (2, "new_member", "b", 3_000),
        (3, "left_or_expired", "a", 700),
    ]
    assert [(row["joined"], row["gone"], row["members_after"]) for row in rows] == [
        (["a"], [], 1),
        (["b"], [], 2),
        ([], ["a"], 1),
    ]
    assert all(row["source"] == "log" and row["confidence"] < 1 for row in rows)


def test_new_life_of_a_group_of_the_new_protocol_has_its_epochs_again(gold: Gold) -> None:
    """Trap 31. The last member's leaving is a rebalance that is over at once, not one that was cut short."""
    rows = sorted(gold["g_rebalance"]["new protocol, two lives"], key=lambda row: row["started_ms"])
    assert [(row["group_life"], row["generation"], row["ended_ms"] - row["started_ms"]) for row in rows] == [
        (0, 1, 500),
        (0, 2, 0),
        (1, 1, 900),
    ]
    assert [(row["joined"], row["gone"], row["members_after"]) for row in rows] == [
        (["one"], [], 1),
        ([], ["one"], 0),
        (["b"], [], 1),
    ]
    assert [row["aborted_generations"] for row in rows] == [0, 0, 0]


def test_subscription_by_expression_is_unknown_and_neither_orphans_nor_expires(gold: Gold) -> None:
    """KIP-848: the broker resolves the expression; what it matches is not in the member's record."""
    assert one(gold, "g_status", "new protocol, by expression")["status"] not in ("ORPHANED", "NO_POSITION")
    expiry = one(gold, "g_expiry", "new protocol, by expression")
    assert (expiry["expires_ms"], expiry["reason"]) == (None, "kept: nobody can read what the members subscribe to")


def test_members_of_the_new_protocol(gold: Gold) -> None:
    rows = {row["identity"]: row for row in gold["g_member"]["new protocol"]}
    assert {name: (row["is_present"], row["n_generations"], row["n_partitions"]) for name, row in rows.items()} == {
        "a": (False, 2, None),
        "b": (True, 2, 4),
    }
    assert rows["a"]["left_because"] == "left_or_expired"


def test_offsets_of_the_new_protocol_age_from_their_commit_unless_subscribed(gold: Gold) -> None:
    """Analytics 2.8: also when the group has only just become empty."""
    rows = {row["topic"]: row for row in gold["g_expiry"]["new protocol"]}
    assert rows["t"]["expires_ms"] is None
    assert rows["u"]["expires_ms"] == NOW - MINUTE + 7 * DAY
    assert rows["u"]["group_state"] == "Stable"
