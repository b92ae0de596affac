"""`__group_journal`, read by a consumer: its records alone tell what happened to a group, why, and how long it took."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muster.core.internal_topics import GROUP_JOURNAL
from muster.wire.batch import decode_records, iterate_batches
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from tests.server.groups.group_server import GroupServer, seated

DELAY = {"group.initial.rebalance.delay.ms": "3000"}


def journal(server: GroupServer, group: str) -> list[dict[str, Any]]:
    """Every event of the group, in order, fetched like any topic. Checks key and time of each record on the way."""
    server.settle()
    partition = FetchRequestPartition(server.partition_of(group), fetch_offset=0, partition_max_bytes=1_000_000)
    request = FetchRequest(
        max_wait_ms=0, min_bytes=0, topics=[FetchRequestTopic(GROUP_JOURNAL, partitions=[partition])]
    )
    (topic,) = server.client().call("Fetch", 11, request).responses
    (answer,) = topic.partitions
    assert answer.error_code == 0
    content = bytes(answer.records or b"")
    events = []
    for position, header in iterate_batches(content):
        for record in decode_records(content, header, position):
            event = json.loads(record.value or b"")
            assert (record.key or b"").decode() == event["group"]
            assert record.timestamp_ms >= event["at_ms"]
            events.append(event)
    return [event for event in events if event["group"] == group]


def told(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["kind"], event["cause"]) for event in events]


def only(events: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    (event,) = [event for event in events if event["kind"] == kind]
    return event


def test_the_journal_tells_a_first_rebalance() -> None:
    with GroupServer(DELAY) as server:
        began_ms = server.clock.now_ms()
        client = server.client("first")
        join = client.enter("g", reason="fresh start")
        server.pass_time(3_000)
        seat = seated("g", join)
        server.pass_time(400)
        assert seat.sync([(seat.member_id, b"\1\2")]).answer().error_code == 0
        events = journal(server, "g")
    assert told(events) == [
        ("group_created", "new_member"),
        ("member_id_given", "new_member"),
        ("member_joined", "new_member"),
        ("rebalance_started", "first_member"),
        ("state_changed", "first_member"),
        ("state_changed", "initial_delay_over"),
        ("leader_elected", "first_leader"),
        ("join_completed", "initial_delay_over"),
        ("state_changed", "assignment_stored"),
        ("rebalance_ended", "assignment_stored"),
    ]
    started = only(events, "rebalance_started")
    assert (started["member"], started["client"], started["host"]) == (seat.member_id, "first", "/127.0.0.1")
    assert (started["reason"], started["at_ms"], started["generation"]) == ("fresh start", began_ms, 0)
    completed = only(events, "join_completed")
    assert (completed["join_phase_ms"], completed["members"], completed["leader"]) == (3_000, 1, seat.member_id)
    assert (completed["protocol"], completed["generation"]) == ("range", 1)
    ended = only(events, "rebalance_ended")
    assert (ended["result"], ended["join_phase_ms"], ended["sync_phase_ms"]) == ("stable", 3_000, 400)
    assert (ended["assignments"], ended["at_ms"]) == ({seat.member_id: "AQI="}, began_ms + 3_400)
    moves = [(event["from"], event["to"]) for event in events if event["kind"] == "state_changed"]
    assert moves == [
        ("Empty", "PreparingRebalance"),
        ("PreparingRebalance", "CompletingRebalance"),
        ("CompletingRebalance", "Stable"),
    ]


def test_the_journal_tells_who_caused_a_rebalance_and_who_was_waited_for(server: GroupServer) -> None:
    quick, slow = server.form("g", 2)
    before = len(journal(server, "g"))
    newcomer = server.client("third").enter("g", reason="scaled up")
    server.pass_time(200)
    rejoins = [quick.rejoin()]
    server.pass_time(500)
    rejoins.append(slow.rejoin())
    third = seated("g", newcomer)
    seats = [seated("g", rejoins[0]), seated("g", rejoins[1]), third]
    server.pass_time(300)
    server.assign(seats)
    events = journal(server, "g")[before:]
    started = only(events, "rebalance_started")
    assert (started["cause"], started["member"], started["reason"]) == ("new_member", third.member_id, "scaled up")
    completed = only(events, "join_completed")
    assert (completed["cause"], completed["started_by"]) == ("all_joined", "new_member")
    assert (completed["waited_for"], completed["waited_ms"]) == (slow.member_id, 700)
    assert (completed["join_phase_ms"], completed["dropped"]) == (700, [])
    ended = only(events, "rebalance_ended")
    assert (ended["result"], ended["sync_phase_ms"], len(ended["assignments"])) == ("stable", 300, 3)
    assert "leader_elected" not in {event["kind"] for event in events}


def test_the_journal_tells_why_members_are_gone(server: GroupServer) -> None:
    """One says so itself, one falls silent, one does not come back in time."""
    leader, leaver, silent, late = server.form(
        "g", 4, rebalance_ms=20_000, join_each=[{"session_ms": ms} for ms in (60_000, 60_000, 6_000, 60_000)]
    )
    before = len(journal(server, "g"))
    server.pass_time(6_000)
    server.client().leave("g", leaver.member_id, reason="shutting down")
    rejoin = leader.rejoin(rebalance_ms=20_000)
    server.pass_time(20_000)
    assert len(rejoin.answer().members) == 1
    events = journal(server, "g")[before:]
    expelled = {event["member"]: event["cause"] for event in events if event["kind"] == "member_expelled"}
    assert expelled == {silent.member_id: "session_expired", late.member_id: "rejoin_missed"}
    left = only(events, "member_left")
    assert (left["member"], left["reason"]) == (leaver.member_id, "shutting down")
    completed = only(events, "join_completed")
    assert completed["cause"] == "join_timeout"
    assert set(completed["dropped"]) == {leaver.member_id, late.member_id}
    assert only(events, "rebalance_started")["cause"] == "session_expired"


def test_the_journal_tells_of_a_static_member_that_came_back(server: GroupServer) -> None:
    (seat,) = server.form("g", instances=["one"])
    reply = server.client().join("g", instance="one", reason="deployed").answer()
    event = only(journal(server, "g"), "static_replaced")
    assert (event["member"], event["old_member_id"], event["instance"]) == (reply.member_id, seat.member_id, "one")
    assert (event["was_leader"], event["reason"], event["cause"]) == (True, "deployed", "static_member_returned")


def test_the_journal_tells_of_the_end_of_a_group(server: GroupServer) -> None:
    from muster.wire.generated.delete_groups import DeleteGroupsRequest

    (seat,) = server.form("g")
    client = server.client()
    client.leave("g", seat.member_id)
    client.call("DeleteGroups", 2, DeleteGroupsRequest(["g"]))
    events = journal(server, "g")
    assert told(events)[-2:] == [("rebalance_ended", "nobody_left"), ("group_removed", "deleted")]
    assert events[-2]["result"] == "empty"


@pytest.mark.parametrize("version", [7, 8])
def test_reasons_come_with_version_8_of_join(server: GroupServer, version: int) -> None:
    client = server.client()
    client.join("g", version=version, reason="because").answer()
    event = only(journal(server, "g"), "member_id_given")
    assert event.get("reason") == ("because" if version >= 8 else None)


def test_heartbeats_and_commits_are_no_events(server: GroupServer) -> None:
    (seat,) = server.form("g")
    before = journal(server, "g")
    assert seat.beat() == 0
    assert seat.client.commit("g", ("orders", 0, 1), generation=1, member_id=seat.member_id) == [0]
    assert journal(server, "g") == before
