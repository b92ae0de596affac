"""OffsetCommit: who may commit, what is stored, what is refused (spec 4.1, 4.2, 11.11)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
    GroupState,
)
from muster.core.offsets.commit import commit_offsets
from muster.core.records import OffsetCommitted, singly
from muster.core.requests import OffsetCommit
from muster.wire import errors
from tests.core.offsets.desk import NOW, TICKET, TOPIC_ID, Desk, commit, empty_group, group_of, is_simple, offset

FOO = offset("foo", 0, 100)


def member_commit(generation: int = 1, member: str = "m1", instance: str | None = None) -> OffsetCommit:
    return commit(FOO, generation=generation, member=member, instance=instance)


def test_unknown_group_without_generation_becomes_a_simple_group() -> None:
    """T152."""
    desk = Desk()
    assert desk.commit(commit(FOO)) == [errors.NONE]
    assert is_simple(desk.groups["grp"])
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 100, -1, "", 0)])]


def test_unknown_group_is_not_made_before_its_record_is_durable() -> None:
    """Law 2: the group exists because its offset does."""
    desk = Desk()
    outcome = commit_offsets(desk, commit(FOO), TICKET, NOW)
    assert len(outcome.records) == 1
    assert not desk.groups
    assert not desk.offsets.of_group("grp")


@pytest.mark.parametrize(
    ("not_found", "error"), [(False, errors.ILLEGAL_GENERATION), (True, errors.GROUP_ID_NOT_FOUND)]
)
def test_unknown_group_with_a_generation_is_refused_by_version(not_found: bool, error: int) -> None:
    """T153: version 9 tells more; the member id plays no part."""
    desk = Desk()
    request = commit(FOO, offset("foo", 1, 1), generation=3, member="m1", not_found=not_found)
    assert desk.commit(request) == [error, error]
    assert not desk.log
    assert not desk.groups


def test_stable_group_refuses_a_commit_without_ids() -> None:
    """T154."""
    desk = Desk()
    desk.put(group_of("m1"))
    assert desk.commit(commit(FOO)) == [errors.UNKNOWN_MEMBER_ID]


def test_empty_group_accepts_any_ids_without_generation() -> None:
    """T155: they are ignored."""
    desk = Desk()
    desk.put(empty_group())
    assert desk.commit(commit(FOO, member="anybody", instance="nobody")) == [errors.NONE]


def test_empty_group_refuses_a_generation() -> None:
    """T156: nobody is a member of it."""
    desk = Desk()
    desk.put(empty_group())
    assert desk.commit(member_commit(generation=1)) == [errors.UNKNOWN_MEMBER_ID]


def test_completing_rebalance_refuses_members_after_checking_who_they_are() -> None:
    """T157."""
    desk = Desk()
    desk.put(group_of("m1", state=COMPLETING_REBALANCE))
    assert desk.commit(member_commit()) == [errors.REBALANCE_IN_PROGRESS]
    assert desk.commit(member_commit(generation=2)) == [errors.ILLEGAL_GENERATION]
    assert desk.commit(member_commit(member="m2")) == [errors.UNKNOWN_MEMBER_ID]
    assert not desk.log


@pytest.mark.parametrize("state", [STABLE, PREPARING_REBALANCE])
def test_commits_of_the_current_generation_are_accepted_while_the_group_prepares_the_next(state: GroupState) -> None:
    """T158."""
    desk = Desk()
    desk.put(group_of("m1", state=state))
    assert desk.commit(member_commit()) == [errors.NONE]
    assert desk.commit(member_commit(generation=0)) == [errors.ILLEGAL_GENERATION]


def test_a_member_without_generation_is_illegal_in_a_group_that_is_not_empty() -> None:
    """Spec 4.1 row 3: a member id or an instance id alone already asks for the full check."""
    desk = Desk()
    desk.put(group_of("m1")).static_members["i1"] = "m1"
    assert desk.commit(member_commit(generation=-1)) == [errors.ILLEGAL_GENERATION]
    assert desk.commit(commit(FOO, instance="i1")) == [errors.FENCED_INSTANCE_ID]


def test_a_dead_group_is_not_available() -> None:
    desk = Desk()
    desk.put(group_of(state=DEAD))
    assert desk.commit(commit(FOO)) == [errors.COORDINATOR_NOT_AVAILABLE]


def test_instance_id_of_another_member_is_fenced() -> None:
    """T170; an instance that nobody has is simply unknown."""
    desk = Desk()
    desk.put(group_of("m1", "m2")).static_members["i2"] = "m2"
    assert desk.commit(member_commit(instance="i2")) == [errors.FENCED_INSTANCE_ID]
    assert desk.commit(member_commit(instance="i3")) == [errors.UNKNOWN_MEMBER_ID]
    assert desk.commit(member_commit(member="m2", instance="i2")) == [errors.NONE]


def test_metadata_that_are_too_long_are_refused_for_their_partition_only() -> None:
    """T159."""
    desk = Desk()
    assert desk.commit(commit(offset("foo", 0, 1, "x" * 4097), offset("foo", 1, 2, "x" * 4096))) == [
        errors.OFFSET_METADATA_TOO_LARGE,
        errors.NONE,
    ]
    assert [number for number, *_ in desk.fetch(None)[0][1]] == [1]


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ("\u7ec4" * 4096, errors.NONE),
        ("\u7ec4" * 4097, errors.OFFSET_METADATA_TOO_LARGE),
        ("\U0001f600" * 2048, errors.NONE),
        ("\U0001f600" * 2049, errors.OFFSET_METADATA_TOO_LARGE),
        ("\U0001f600" * 2048 + "x", errors.OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_the_length_of_metadata_is_counted_in_utf_16_units(metadata: str, error: int) -> None:
    """T160: not in bytes, although the setting is called offset.metadata.max.bytes."""
    assert Desk().commit(commit(offset("foo", 0, 1, metadata))) == [error]


def test_null_metadata_are_stored_as_nothing() -> None:
    """T161."""
    desk = Desk()
    assert desk.commit(commit(offset("foo", 0, 1, None))) == [errors.NONE]
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 1, -1, "", 0)])]


def test_an_unknown_group_whose_every_entry_is_too_large_exists_in_memory_only() -> None:
    """T163b."""
    desk = Desk()
    too_long = offset("foo", 0, 1, "x" * 5000)
    assert desk.commit(commit(too_long, too_long)) == [errors.OFFSET_METADATA_TOO_LARGE] * 2
    assert not desk.log
    assert desk.groups["grp"].state is EMPTY
    assert is_simple(desk.groups["grp"])
    assert desk.fetch(None) == []


def test_the_last_commit_counts_even_if_it_is_lower() -> None:
    """T164."""
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 200)))
    desk.commit(commit(offset("foo", 0, 100)))
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 100, -1, "", 0)])]


def test_of_repeated_entries_the_last_one_counts_and_each_has_its_record() -> None:
    """Spec 4.1: one record per entry, in request order; any int64 is stored."""
    desk = Desk()
    assert desk.commit(commit(offset("foo", 0, 7), offset("foo", 0, -2), offset("foo", 0, 5))) == [0, 0, 0]
    assert [record.offset for record in desk.log if isinstance(record, OffsetCommitted)] == [7, -2, 5]
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 5, -1, "", 0)])]


@pytest.mark.parametrize(("retention_ms", "expires_ms"), [(60_000, NOW + 60_000), (0, NOW), (-2, NOW - 2)])
def test_a_retention_of_the_client_becomes_an_expire_timestamp(retention_ms: int, expires_ms: int) -> None:
    """T165: leader epoch and topic id do not fit the record that can carry it."""
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 1, epoch=7), retention_ms=retention_ms))
    assert desk.log == [OffsetCommitted("grp", "foo", 0, 1, -1, "", NOW, expires_ms, None)]


def test_without_a_retention_the_record_has_the_topic_id_and_no_expiry() -> None:
    """T165, T207a."""
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 1, epoch=7)))
    assert desk.log == [OffsetCommitted("grp", "foo", 0, 1, 7, "", NOW, -1, TOPIC_ID)]


def test_a_retention_beyond_64_bits_means_for_ever() -> None:
    """The sum must fit the record."""
    desk = Desk()
    desk.commit(commit(FOO, retention_ms=2**63 - 1))
    (record,) = desk.log
    assert isinstance(record, OffsetCommitted)
    assert record.expire_timestamp_ms == 2**63 - 1


def test_the_leader_epoch_comes_back() -> None:
    """T166."""
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 1, epoch=7)))
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 1, 7, "", 0)])]


def test_the_empty_group_id_may_commit() -> None:
    """T167."""
    desk = Desk()
    assert desk.commit(commit(FOO, group="")) == [errors.NONE]
    assert desk.fetch([("foo", [0])], group="") == [("foo", [(0, 100, -1, "", 0)])]


def test_a_failed_append_leaves_the_old_value() -> None:
    """T168: facts change in replay only. (The error's mapping is the shard's.)"""
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 1)))
    lost = commit_offsets(desk, commit(offset("foo", 0, 2)), TICKET, NOW)
    assert len(lost.records) == 1
    assert desk.fetch([("foo", [0])]) == [("foo", [(0, 1, -1, "", 0)])]


@pytest.mark.parametrize("state", [STABLE, PREPARING_REBALANCE])
def test_an_accepted_commit_moves_the_session_deadline(state: GroupState) -> None:
    """Spec 4.1 row 6: also if every entry was too large."""
    desk = Desk()
    desk.put(group_of("m1", state=state))
    moved = [(("session", "grp", "m1"), NOW + 45_000)]
    assert commit_offsets(desk, member_commit(), TICKET, NOW).timers == moved
    too_long = commit(offset("foo", 0, 1, "x" * 5000), generation=1, member="m1")
    outcome = commit_offsets(desk, too_long, TICKET, NOW)
    assert outcome.timers == moved
    assert not outcome.records


def test_a_refused_commit_moves_no_deadline() -> None:
    desk = Desk()
    desk.put(group_of("m1", state=COMPLETING_REBALANCE))
    assert not commit_offsets(desk, member_commit(), TICKET, NOW).timers
    desk.put(empty_group())
    assert not commit_offsets(desk, commit(FOO, member="m1"), TICKET, NOW).timers


def test_all_records_of_a_request_leave_in_one_outcome_in_request_order() -> None:
    """Spec 4.3: appended atomically, in one batch."""
    desk = Desk()
    asked = [offset("b", 1, 1), offset("a", 0, 2), offset("b", 0, 3)]
    outcome = commit_offsets(desk, commit(*asked), TICKET, NOW)
    assert [(r.topic, r.partition) for r in singly(outcome.records) if isinstance(r, OffsetCommitted)] == [
        ("b", 1),
        ("a", 0),
        ("b", 0),
    ]
    assert desk.counters.offset_commits == 3


def test_a_commit_of_a_member_that_was_checked_is_the_same_but_for_its_timer() -> None:
    for metadata in ("", "m", "x" * 5_000):
        whole, short = Desk(), Desk()
        for desk in (whole, short):
            desk.put(group_of("m1"))
        request = commit(offset("foo", 0, 5, metadata=metadata), offset("foo", 1, 6), generation=1, member="m1")
        expected = commit_offsets(whole, request, TICKET, NOW)
        outcome = commit_offsets(short, request, TICKET, NOW, member_checked=True)
        assert (outcome.records, outcome.replies) == (expected.records, expected.replies)
        assert not outcome.timers
        assert len(expected.timers) == 1
        assert short.counters == whole.counters
        assert list(short.offsets.on_the_way()) == list(whole.offsets.on_the_way())
