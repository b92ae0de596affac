"""Expiration: by the state of the group, from which moment, and when the group itself goes (spec 4.7, 11.14; KIP-211)."""

from __future__ import annotations

import pytest

from muster.core.classic.group import PendingId
from muster.core.classic.states import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
    GroupState,
)
from muster.core.config import GroupConfig
from muster.core.contract import Outcome
from muster.core.offsets.commit import commit_offsets
from muster.core.offsets.expire import MORE_TO_EXPIRE_DELAY_MS, expire_offsets
from muster.core.records import GroupErased, OffsetErased
from muster.core.steps import TellJournal
from tests.coordinator_records import encode_records
from tests.core.offsets.desk import NOW, TICKET, Desk, commit, empty_group, group_of, offset

DAY = 24 * 3600 * 1000
WEEK = GroupConfig().offsets_retention_ms


def committed(at_ms: int = NOW, *, retention_ms: int | None = None, desk: Desk | None = None) -> Desk:
    desk = desk or Desk()
    desk.commit(commit(offset("foo", 0, 1), offset("bar", 0, 2), retention_ms=retention_ms), at_ms)
    desk.log.clear()
    return desk


def run(desk: Desk, now_ms: int) -> Outcome:
    outcome = expire_offsets(desk, now_ms)
    desk.carry_out(outcome, now_ms)
    return outcome


FOO, BAR, GROUP = OffsetErased("grp", "foo", 0), OffsetErased("grp", "bar", 0), GroupErased("grp")


def test_a_week_after_it_became_empty_a_group_goes_with_all_its_offsets() -> None:
    """T194, T201: exactly the retention is enough, a millisecond less is not."""
    desk = committed(NOW - 30 * DAY)
    desk.put(empty_group(since_ms=NOW))
    assert not run(desk, NOW + WEEK - 1).records
    assert run(desk, NOW + WEEK).records == [FOO, BAR, GROUP]
    assert not desk.groups
    assert desk.offsets.count == 0


def test_a_fresh_commit_does_not_keep_an_empty_group() -> None:
    """T195: its age counts from when the group became Empty."""
    desk = Desk()
    desk.put(empty_group(since_ms=NOW))
    committed(NOW + WEEK - DAY // 10, desk=desk)
    assert run(desk, NOW + WEEK).records == [FOO, BAR, GROUP]


def test_an_empty_group_with_an_unknown_time_ages_from_its_commits() -> None:
    """Spec 4.7: loaded from a record of version 0 or 1."""
    desk = committed(NOW)
    desk.put(empty_group(since_ms=-1))
    desk.commit(commit(offset("bar", 0, 3)), NOW + DAY)
    assert run(desk, NOW + WEEK).records == [FOO]


def test_a_stable_group_loses_old_offsets_of_topics_that_it_does_not_read() -> None:
    """T196: never the group itself, not even if nothing is left."""
    desk = committed(NOW)
    desk.put(group_of("m1", topics={"foo"}, since_ms=NOW - 100 * DAY))
    assert not run(desk, NOW + WEEK - 1).records
    assert run(desk, NOW + WEEK).records == [BAR]
    desk.put(group_of("m1", topics={"baz"}))
    assert run(desk, NOW + WEEK).records == [FOO]
    assert "grp" in desk.groups


@pytest.mark.parametrize(
    ("state", "protocol_type", "known"),
    [
        (PREPARING_REBALANCE, "consumer", True),
        (COMPLETING_REBALANCE, "consumer", True),
        (STABLE, "connect", False),
        (STABLE, "consumer", False),
        (DEAD, "consumer", True),
    ],
)
def test_nothing_expires_where_nobody_can_tell_what_is_read(state: GroupState, protocol_type: str, known: bool) -> None:
    """T197."""
    desk = committed(NOW)
    desk.put(group_of("m1", state=state, protocol_type=protocol_type, topics=set() if known else None))
    assert not run(desk, NOW + 10 * WEEK).records


def test_offsets_of_a_simple_group_age_each_from_its_own_commit() -> None:
    """T198: and the group goes with the last one."""
    desk = committed(NOW)
    desk.commit(commit(offset("bar", 0, 3)), NOW + DAY)
    assert run(desk, NOW + WEEK).records == [FOO]
    assert "grp" in desk.groups
    assert run(desk, NOW + WEEK + DAY).records == [BAR, GROUP]


@pytest.mark.parametrize("protocol_type", ["consumer", None])
def test_an_empty_group_without_offsets_goes_at_once(protocol_type: str | None) -> None:
    """T199; T207c: a tombstone is written whether or not it ever had a record."""
    desk = Desk()
    desk.put(empty_group(protocol_type=protocol_type))
    outcome = run(desk, NOW)
    assert outcome.records == [GROUP]
    assert not desk.groups
    assert isinstance(outcome.step, TellJournal)
    (event,) = outcome.step.events
    assert (event.kind, event.cause, event.group_id, event.at_ms) == ("group_removed", "expired", "grp", NOW)


def test_an_expire_timestamp_counts_instead_of_the_retention() -> None:
    """T200: shorter or longer than the retention, and although the group was just emptied."""
    early = committed(NOW, retention_ms=60_000)
    early.put(empty_group(since_ms=NOW + 60_000))
    assert not run(early, NOW + 59_999).records
    assert run(early, NOW + 60_000).records == [FOO, BAR, GROUP]
    late = committed(NOW, retention_ms=2 * WEEK)
    assert not run(late, NOW + 2 * WEEK - 1).records
    assert run(late, NOW + 2 * WEEK).records == [FOO, BAR, GROUP]


def test_a_group_with_only_a_pending_id_goes() -> None:
    """T203a: the returning id is then unknown."""
    desk = Desk()
    desk.put(empty_group(protocol_type=None)).pending_joins["m1"] = PendingId("c", "/127.0.0.1")
    assert run(desk, NOW).records == [GROUP]


def test_an_expired_offset_of_a_subscribed_topic_stays_until_the_group_is_empty() -> None:
    """T203b."""
    desk = committed(NOW, retention_ms=0)
    desk.put(group_of("m1", topics={"foo", "bar"}))
    assert not run(desk, NOW + WEEK).records
    desk.put(empty_group(since_ms=NOW + WEEK))
    assert run(desk, NOW + WEEK).records == [FOO, BAR, GROUP]


def test_the_longest_retention_does_not_overflow() -> None:
    """T204: offsets.retention.minutes = 2147483647."""
    desk = committed(NOW)
    desk.config = GroupConfig(offsets_retention_ms=2_147_483_647 * 60_000)
    assert not run(desk, NOW + 1000 * WEEK).records


def test_each_run_sets_the_timer_of_the_next() -> None:
    """Spec 6.2: whether or not there was anything to do."""
    desk = committed(NOW)
    for now_ms in (NOW, NOW + WEEK):
        assert run(desk, now_ms).timers == [(("expire",), now_ms + 600_000)]


def test_an_emptied_group_keeps_its_type_and_ages_from_its_state_timestamp() -> None:
    """T213: an empty-group record after offsets; base time is the state's, not the commit's."""
    desk = committed(NOW - 6 * DAY)
    desk.put(empty_group(since_ms=NOW))
    assert not run(desk, NOW + DAY).records
    assert desk.groups["grp"].state is EMPTY


def test_groups_are_looked_at_in_the_order_of_their_making() -> None:
    """Law 7."""
    desk = Desk()
    for name in ("c", "a", "b"):
        desk.put(empty_group(group_id=name))
    assert run(desk, NOW).records == [GroupErased("c"), GroupErased("a"), GroupErased("b")]
    assert desk.counters.offset_expirations == 0


def test_an_old_offset_with_a_commit_on_its_way_stays() -> None:
    """Spec 4.7: a tombstone behind that commit in the log would take back what the client is told is stored."""
    desk = committed(NOW)
    fresh = commit_offsets(desk, commit(offset("foo", 0, 9)), TICKET, NOW + WEEK)
    assert not run(desk, NOW + WEEK).records
    desk.carry_out(fresh, NOW + WEEK)
    assert run(desk, NOW + WEEK).records == [BAR]


def test_an_empty_group_whose_first_commit_is_on_its_way_stays() -> None:
    desk = Desk()
    desk.put(empty_group())
    first = commit_offsets(desk, commit(offset("foo", 0, 9)), TICKET, NOW)
    assert not run(desk, NOW).records
    desk.offsets.lost(first.records)
    assert run(desk, NOW).records == [GROUP]


def test_what_does_not_fit_one_batch_follows_soon() -> None:
    """Spec 4.3: tombstones of expired offsets may be split; a batch is bounded by max.message.bytes."""
    desk = Desk()
    desk.commit(commit(*(offset("é" * 249, number, 1) for number in range(3_000))))
    now_ms = NOW + WEEK
    runs = 0
    while desk.groups:
        outcome = run(desk, now_ms)
        assert sum(len(key) + 20 for key, _ in encode_records(outcome.records)) < 1_000_000
        delay_ms = MORE_TO_EXPIRE_DELAY_MS if desk.groups else 600_000
        assert outcome.timers == [(("expire",), now_ms + delay_ms)]
        runs += 1
    assert runs == 4
    assert desk.counters.offset_expirations == 3_000
