"""When rows about groups are finished: as soon as nothing later can change them, and not before."""

from __future__ import annotations

from typing import Any

import pytest

from muster.pipeline.fold.state import KINDS
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.fold.group_checks import check_against_oracle, check_same
from tests.pipeline.fold.group_folds import Folding
from tests.pipeline.fold.group_logs import (
    GroupLog,
    Row,
    commit_record,
    epoch_record,
    event,
    generation_record,
    merged,
)

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
SETTINGS = GoldSettings(now_ms=10 * DAY)
START = 1_000_000


def read_until(log: GroupLog, *times: int, has_journal: bool = False) -> Folding:
    """One batch up to each of these times, in both logs; what was read is the oracle's after each."""
    folding = Folding(log, SETTINGS, has_journal=has_journal)
    for at in times:
        records = sum(row["record_ms"] <= at for row in log.records)
        folding.read(records, sum(row["record_ms"] <= at for row in log.events))
        check_against_oracle(folding)
    return folding


def check_any_cut(log: GroupLog, *, has_journal: bool = False) -> None:
    """A batch a record gives what one batch gives."""
    times = sorted({row["record_ms"] for row in (*log.records, *log.events)})
    check_same(read_until(log, *times, has_journal=has_journal), read_until(log, times[-1], has_journal=has_journal))


def finished(folding: Folding, table: str) -> list[Row]:
    return [row for frame in folding.finished.get(table, []) for row in frame.to_dicts()]


def arrival(group_id: str, member_id: str, epoch: int, at_ms: int) -> Row:
    said: dict[str, Any] = {"member_epoch": epoch, "state": "STABLE", "n_assigned": 1, "n_pending_revocation": 0}
    return epoch_record(group_id, 8, at_ms, member_id=member_id, **said)


def test_rebalance_is_finished_an_hour_after_its_record() -> None:
    log = merged(GroupLog([generation_record("g", 1, START, "a"), *_ticks(START + HOUR, START + HOUR + 1)]))
    folding = read_until(log, START, START + HOUR)
    assert (finished(folding, "g_rebalance"), len(folding.rows("g_rebalance"))) == ([], 1)
    folding.read(len(log.records), 0)
    assert len(finished(folding, "g_rebalance")) == 1
    assert folding.state["rebalance"].is_empty()
    check_any_cut(log)


def test_rebalance_waits_for_the_words_of_a_journal() -> None:
    """Without a journal nobody waits; a journal of which nothing was read yet may say everything."""
    ended = event("g", "rebalance_ended", START, generation=1, cause=None, result="stable", started_by="new_member")
    late = event("other", "group_loaded", START + 11 * MINUTE)
    log = merged(GroupLog([generation_record("g", 1, START, "a"), *_ticks(START + 2 * HOUR)], [ended, late]))
    assert len(finished(read_until(log, START + 2 * HOUR), "g_rebalance")) == 1
    folding = Folding(log, SETTINGS)
    for events in (0, 1):
        folding.read(len(log.records), events)
        check_against_oracle(folding)
        assert finished(folding, "g_rebalance") == []
    folding.read(len(log.records), 2)
    (row,) = finished(folding, "g_rebalance")
    assert (row["source"], row["cause"]) == ("journal", "first_member")


@pytest.mark.parametrize(("after_ms", "pause_ms"), [(HOUR, HOUR), (HOUR + 1, None)])
def test_commit_more_than_an_hour_later_is_no_pause(after_ms: int, pause_ms: int | None) -> None:
    commits = [commit_record("g", 0, n, START + n * SECOND) for n in range(3)]
    at = commits[-1]["record_ms"]
    log = merged(
        GroupLog(
            [*commits, generation_record("g", 1, at, "a"), commit_record("g", 0, 3, at + after_ms), *_ticks(at + DAY)]
        )
    )
    (row,) = finished(read_until(log, at, at + after_ms, at + DAY), "g_rebalance")
    assert row["pause_max_ms"] == (None if pause_ms is None else pause_ms - SECOND)
    check_any_cut(log)


def test_records_that_may_share_an_event_are_closed_together() -> None:
    """Two lives of one group: the second record's nearest event is the first one's, so it has none, although another one is left.
    That must not change when the first is an hour old and the second is not.
    """

    def told(at: int) -> Row:
        return event("g", "rebalance_ended", at, generation=1, result="stable", started_by="new_member")

    records = [
        generation_record("g", 1, START, "a"),
        generation_record("g", None, START + SECOND),
        generation_record("g", 1, START + 90 * SECOND, "b"),
    ]
    later = event("other", "group_loaded", START + DAY)
    log = merged(
        GroupLog([*records, *_ticks(START + HOUR + 2 * SECOND, START + DAY)], [told(START + 30 * SECOND)]),
        GroupLog([], [told(START + 210 * SECOND), later]),
    )
    folding = Folding(log, SETTINGS)
    for records_to in (len(log.records) - 1, len(log.records)):
        folding.read(records_to, len(log.events))
        check_against_oracle(folding)
    assert sorted(row["source"] for row in finished(folding, "g_rebalance")) == ["journal", "journal", "log"]
    check_any_cut(log, has_journal=True)


def test_epoch_is_open_for_as_long_as_members_may_arrive() -> None:
    """KIP-848: what nobody has reached yet is overtaken only when nobody can reach it any more."""
    records = [
        epoch_record("k", 5, START, member_id="a", topics=["t"]),
        epoch_record("k", 3, START, epoch=1),
        epoch_record("k", 3, START + MINUTE, epoch=2),
        arrival("k", "a", 2, START + 2 * MINUTE),
        arrival("k", "a", 1, START + HOUR),
        epoch_record("k", 3, START + 2 * HOUR, epoch=3),
        arrival("k", "a", 3, START + 3 * HOUR + 1),
        epoch_record("k", 3, START + 4 * HOUR, epoch=4),
        arrival("k", "a", 4, START + 4 * HOUR),
    ]
    log = merged(GroupLog([*records, *_ticks(START + DAY)]))
    rows = {row["generation"]: row for row in finished(read_until(log, START + DAY), "g_rebalance")}
    assert {epoch: row["aborted_generations"] for epoch, row in rows.items()} == {1: 0, 2: 0, 4: 1}
    check_any_cut(log)


def test_row_of_a_member_waits_for_the_rebalance_that_missed_it() -> None:
    """KIP-848: it was removed at once, but the others needed 50 minutes to get over it."""
    records = [
        epoch_record("k", 5, START, member_id="a", topics=["t"]),
        epoch_record("k", 5, START, member_id="b", topics=["t"]),
        epoch_record("k", 3, START, epoch=1),
        arrival("k", "a", 1, START),
        arrival("k", "b", 1, START),
        epoch_record("k", 5, START + HOUR, member_id="a", is_tombstone=True),
        epoch_record("k", 3, START + HOUR, epoch=2),
        arrival("k", "b", 2, START + HOUR + 50 * MINUTE),
    ]
    log = merged(GroupLog([*records, *_ticks(START + 2 * HOUR + MINUTE, START + DAY)]))
    folding = read_until(log, START + 2 * HOUR + MINUTE)
    assert finished(folding, "g_member") == []
    (row,) = finished(read_until(log, START + DAY), "g_member")
    assert (row["identity"], row["last_seen_ms"]) == ("a", START + HOUR + 50 * MINUTE)
    check_any_cut(log)


def test_dynamic_member_that_went_is_finished_and_a_static_one_may_come_back() -> None:
    records = [
        generation_record("g", 1, START, "a", "b/one"),
        generation_record("g", 2, START + MINUTE, "c"),
        generation_record("g", 3, START + 2 * DAY, "c", "d/one"),
    ]
    log = merged(GroupLog([*records, *_ticks(START + 4 * HOUR, START + 8 * DAY)]))
    folding = read_until(log, START, START + MINUTE, START + 4 * HOUR)
    assert [row["identity"] for row in finished(folding, "g_member")] == ["a"]
    folding = read_until(log, START + 8 * DAY)
    one = next(row for row in folding.rows("g_member") if row["identity"] == "one")
    assert (one["n_restarts"], one["is_present"], one["n_generations"]) == (1, True, 2)
    check_any_cut(log)


def test_farewell_is_kept_until_the_members_records_are_read() -> None:
    """The journal may be read further than the offsets log."""
    left = event("g", "member_left", START + MINUTE, member_id="a", cause="member_left")
    records = [generation_record("g", 1, START, "a", "b"), generation_record("g", 2, START + MINUTE, "b")]
    later = event("other", "group_loaded", START + DAY)
    log = merged(GroupLog([*records, *_ticks(START + DAY)], [left, later]))
    folding = Folding(log, SETTINGS)
    for records_to in (0, 1, len(log.records)):
        folding.read(records_to, len(log.events))
        check_against_oracle(folding)
    (row,) = finished(folding, "g_member")
    assert (row["identity"], row["left_because"], row["last_seen_ms"]) == ("a", "member_left", START + MINUTE)
    assert folding.state["farewell"].is_empty()


def test_episode_is_finished_by_the_next_one_and_a_day_two_days_later() -> None:
    records = [generation_record("g", n, START + at, "a") for n, at in ((1, 0), (2, SECOND), (3, HOUR))]
    log = merged(GroupLog([*records, *_ticks(START + 2 * HOUR, START + 2 * HOUR + 2, START + 4 * DAY)]))
    assert finished(read_until(log, START + 2 * HOUR), "g_rebalance_episode") == []
    folding = read_until(log, START + 2 * HOUR + 2)
    (episode,) = finished(folding, "g_rebalance_episode")
    assert (episode["episode"], episode["n_rebalances"]) == (1, 2)
    assert finished(folding, "g_member_churn") == []
    assert [row["rebalances"] for row in finished(read_until(log, START + 4 * DAY), "g_member_churn")] == [3]
    check_any_cut(log)


def test_no_kind_of_state_is_named_like_a_column() -> None:
    """Rows of the state and of all tables are written as one wide table."""
    assert KINDS.keys().isdisjoint(name for schema in TABLES.values() for name in schema.names)


def _ticks(*times: int) -> list[Row]:
    """Somebody else's commits: the log goes on."""
    return [commit_record("other", 0, at, at) for at in times]
