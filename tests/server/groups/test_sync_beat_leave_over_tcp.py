"""SyncGroup, Heartbeat and LeaveGroup over TCP (spec 11.6 to 11.8)."""

from __future__ import annotations

import pytest

from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from tests.server.groups.group_server import GroupServer
from tests.server.groups.log_faults import SlowLog, commits_in_a_thread, refusing_log

# ---- SyncGroup


def test_sync_to_an_unknown_group_is_an_unknown_member(server: GroupServer) -> None:
    """T094."""
    reply = server.client().sync("nobody", 1, "me").answer()
    assert (reply.error_code, reply.assignment) == (25, b"")


@pytest.mark.parametrize("protocol", [("consumer", None), (None, "range"), (None, None)])
def test_since_version_5_the_protocol_must_be_named(
    server: GroupServer, protocol: tuple[str | None, str | None]
) -> None:
    """T095: told before anything else is looked at, even an empty group id."""
    assert server.client().sync("", 1, "me", protocol=protocol).answer().error_code == 23


def test_a_protocol_that_is_not_the_groups_is_inconsistent(server: GroupServer) -> None:
    """T096: older versions do not say it and are accepted."""
    (member,) = server.gather("g")
    assert member.sync(protocol=("connect", "range")).answer().error_code == 23
    assert member.sync(protocol=("consumer", "sticky")).answer().error_code == 23
    assert member.sync(version=4).answer().error_code == 0


def test_an_unknown_member_is_told_before_a_wrong_generation(server: GroupServer) -> None:
    """T097, T116."""
    (member,) = server.gather("g")
    client = server.client()
    assert client.sync("g", 99, member.member_id).answer().error_code == 22
    assert client.sync("g", 99, "nobody").answer().error_code == 25
    assert client.beat("g", 99, member.member_id) == 22
    assert client.beat("g", 99, "nobody") == 25


def test_sync_while_the_group_gathers_is_told_to_rejoin(server: GroupServer) -> None:
    """T098."""
    leader, follower = server.form("g", 2)
    leader.rejoin()
    server.settle()
    assert follower.sync().answer().error_code == 27


def test_followers_wait_for_the_leaders_plan(server: GroupServer) -> None:
    """T099, T101, T102, T109: who is left out gets nothing, who is not there is ignored, so is a follower's plan."""
    leader, second, third = server.gather("g", 3)
    early = second.sync([(second.member_id, b"mine")])
    assert server.is_parked(early)
    plan = [(leader.member_id, b"old"), (leader.member_id, b"L"), (second.member_id, b"S"), ("nobody", b"N")]
    replies = [leader.sync(plan).answer(), early.answer(), third.sync().answer()]
    assert [reply.error_code for reply in replies] == [0, 0, 0]
    assert [reply.assignment for reply in replies] == [b"L", b"S", b""]
    assert {(reply.protocol_type, reply.protocol_name) for reply in replies} == {("consumer", "range")}


def test_a_late_follower_gets_its_part_at_once_and_that_is_no_sign_of_life(server: GroupServer) -> None:
    """T100."""
    leader, follower = server.gather("g", 2, session_ms=6_000)
    assert leader.sync([(follower.member_id, b"F")]).answer().error_code == 0
    server.pass_time(5_000)
    leader.beat()
    assert follower.sync().answer().assignment == b"F"
    server.pass_time(1_000)
    assert follower.beat() == 25


def test_a_newcomer_that_comes_while_the_plan_is_being_stored_waits_for_it() -> None:
    """T103: events of a group queue behind its own records, so the plan is delivered and the rebalance comes after it.

    Deviates: Kafka would answer REBALANCE_IN_PROGRESS; here it is as if the newcomer had come a moment later.
    """
    with GroupServer(prepare=commits_in_a_thread) as server:
        leader, follower = server.gather("g", 2)
        given = server.client().join("g").answer().member_id
        with SlowLog(server) as log:
            syncs = [server.taken(follower.sync()), leader.sync([(follower.member_id, b"F")])]
            log.wait_for_a_write()
            newcomer = server.client().join("g", given)
            assert all(server.has_in_work(each) for each in [*syncs, newcomer])
            log.release()
            assert [each.answer().error_code for each in syncs] == [0, 0]
        assert leader.beat() == follower.beat() == 27
        assert server.is_parked(newcomer)


def test_a_plan_that_cannot_be_stored_sends_everybody_back(server: GroupServer) -> None:
    """T104: with the mapped error; nobody has an assignment."""
    leader, follower = server.gather("g", 2)
    with refusing_log(server):
        syncs = [server.taken(follower.sync()), leader.sync([(follower.member_id, b"F")])]
        replies = [each.answer() for each in syncs]
    assert [(reply.error_code, reply.assignment, reply.protocol_name) for reply in replies] == [(16, b"", None)] * 2
    described = server.client().describe("g")
    assert described.group_state == "PreparingRebalance"
    assert {member.member_assignment for member in described.members} == {b""}
    again = [leader.rejoin(), follower.rejoin()]
    assert [each.answer().generation_id for each in again] == [2, 2]


def test_a_plan_that_is_too_large_is_an_unknown_server_error_and_a_new_rebalance() -> None:
    """T105."""
    with GroupServer({"message.max.bytes": "5000"}) as server:
        leader, follower = server.gather("g", 2)
        syncs = [server.taken(follower.sync()), leader.sync([(follower.member_id, bytes(6_000))])]
        assert [each.answer().error_code for each in syncs] == [-1, -1]
        assert server.client().state("g") == "PreparingRebalance"


def test_a_follower_that_never_syncs_is_put_out_after_the_rebalance_timeout(server: GroupServer) -> None:
    """T106: also from a Stable group, and although it sends heartbeats."""
    leader, silent = server.gather("g", 2, rebalance_ms=20_000)
    assert leader.sync().answer().error_code == 0
    for _ in range(3):
        server.pass_time(5_000)
        assert (leader.beat(), silent.beat()) == (0, 0)
    server.pass_time(4_999)
    assert server.client().state("g") == "Stable"
    server.pass_time(1)
    assert silent.beat() == 25
    assert leader.beat() == 27
    assert [member.member_id for member in leader.rejoin().answer().members] == [leader.member_id]


def test_a_leader_that_never_syncs_is_put_out_and_somebody_else_leads(server: GroupServer) -> None:
    """T107, T110: a parked follower is not expired meanwhile."""
    leader, follower = server.gather("g", 2, rebalance_ms=20_000, session_ms=6_000)
    sync = follower.sync()
    for _ in range(4):
        server.pass_time(4_000)
        assert leader.beat() == 0
    assert server.is_parked(sync)
    server.pass_time(4_000)
    assert sync.answer().error_code == 27
    assert follower.rejoin().answer().leader == follower.member_id


def test_when_everybody_has_synced_the_sync_timer_is_gone(server: GroupServer) -> None:
    """T108."""
    members = server.form("g", 2, rebalance_ms=5_000, session_ms=60_000)
    server.pass_time(20_000)
    assert [seat.beat() for seat in members] == [0, 0]


def test_the_parked_sync_of_a_member_that_is_taken_out_is_answered(server: GroupServer) -> None:
    """T111."""
    _, follower = server.gather("g", 2)
    sync = follower.sync()
    assert server.is_parked(sync)
    assert server.client().leave("g", follower.member_id).members[0].error_code == 0
    assert sync.answer().error_code == 25


# ---- Heartbeat


def test_a_heartbeat_keeps_a_member_and_silence_loses_it(server: GroupServer) -> None:
    """T112, T118."""
    quiet, other = server.form("g", 2, session_ms=6_000)
    server.pass_time(5_999)
    assert (quiet.beat(), other.beat()) == (0, 0)
    server.pass_time(5_999)
    assert other.beat() == 0
    server.pass_time(1)
    assert quiet.beat() == 25
    assert other.beat() == 27


def test_heartbeats_while_the_group_gathers_keep_a_member_that_is_still_revoking(server: GroupServer) -> None:
    """T113."""
    leader, slow = server.form("g", 2, session_ms=6_000, rebalance_ms=60_000)
    rejoin = leader.rejoin(rebalance_ms=60_000)
    for _ in range(3):
        server.pass_time(5_000)
        assert slow.beat() == 27
    slow_rejoin = slow.rejoin(rebalance_ms=60_000)
    assert len(rejoin.answer().members) == 2
    assert slow_rejoin.answer().error_code == 0


def test_heartbeats_are_fine_while_the_group_waits_for_the_plan(server: GroupServer) -> None:
    """T114: not REBALANCE_IN_PROGRESS, as very old brokers said."""
    members = server.gather("g", 2)
    assert server.client().state("g") == "CompletingRebalance"
    assert [seat.beat() for seat in members] == [0, 0]


def test_heartbeats_to_an_empty_group_are_of_an_unknown_member(server: GroupServer) -> None:
    """T115."""
    (member,) = server.form("g")
    server.client().leave("g", member.member_id)
    assert server.client().state("g") == "Empty"
    assert member.beat() == 25


def test_a_heartbeat_that_comes_before_the_timer_in_the_same_instant_saves_the_member(server: GroupServer) -> None:
    """T119: the clock stands at the deadline, the timer has not been looked at, the heartbeat is first."""
    (member,) = server.form("g", session_ms=6_000)
    server.settle()
    server.run(setattr, server.clock, "_now_ms", server.clock.now_ms() + 6_000)
    assert member.beat() == 0
    server.pass_time(0)
    assert member.beat() == 0
    server.pass_time(5_999)
    assert member.beat() == 0


def test_a_commit_is_a_sign_of_life_and_a_fetch_is_not(server: GroupServer) -> None:
    """T120."""
    (member,) = server.form("g", session_ms=6_000)
    client = server.client()
    server.pass_time(5_000)
    assert client.commit("g", ("orders", 0, 1), **member.ids) == [0]
    server.pass_time(5_000)
    assert client.committed("g") == 1
    assert client.state("g") == "Stable"
    server.pass_time(1_000)
    assert client.state("g") == "Empty"


def test_a_member_that_expires_while_the_group_gathers_may_be_the_last_one_missing(server: GroupServer) -> None:
    """T121."""
    leader, _ = server.form("g", 2, session_ms=6_000, rebalance_ms=60_000)
    rejoin = leader.rejoin(rebalance_ms=60_000)
    server.pass_time(5_999)
    assert server.is_parked(rejoin)
    server.pass_time(1)
    assert len(rejoin.answer().members) == 1


def test_a_heartbeat_behind_a_log_that_hangs_hears_so_after_the_commit_timeout() -> None:
    """Spec 1.4: a request that runs behind writes waits for them, but not beyond offsets.commit.timeout.ms."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        leader, follower = server.gather("g", 2, session_ms=60_000)
        with SlowLog(server) as log:
            leader.sync()
            log.wait_for_a_write()
            request = HeartbeatRequest("g", follower.generation, follower.member_id)
            beat = follower.client.begin("Heartbeat", 4, request)
            server.barrier()
            server.run(server.clock.advance, 5_000)
            assert not server.has_in_work(beat)


# ---- LeaveGroup


@pytest.mark.parametrize("version", range(6))
def test_an_unknown_member_that_leaves_is_told_where_its_version_looks(server: GroupServer, version: int) -> None:
    """T122, T123: for an unknown group it is the same."""
    server.form("g")
    client = server.client()
    for group in ("g", "nobody"):
        request = LeaveGroupRequest(group, "x", [LeaveGroupRequestMember("x")])
        reply = client.call("LeaveGroup", version, request)
        if version < 3:
            assert reply.error_code == 25
        else:
            assert reply.error_code == 0
            assert [(m.member_id, m.group_instance_id, m.error_code) for m in reply.members] == [("x", None, 25)]


def test_when_the_last_member_leaves_the_group_is_empty_at_once(server: GroupServer) -> None:
    """T124: one generation later; and so it is in the log."""
    (member,) = server.form("g")
    client = server.client()
    assert client.leave("g", member.member_id).error_code == 0
    assert client.state("g") == "Empty"
    server.lose("g")
    server.take_over("g")
    described = client.describe("g")
    assert (described.group_state, described.protocol_type, list(described.members)) == ("Empty", "consumer", [])
    join = client.enter("g")
    server.end_initial_window()
    assert join.answer().generation_id == member.generation + 2


def test_several_that_leave_together_cause_one_rebalance(server: GroupServer) -> None:
    """T125."""
    seats = server.form("g", 5)
    client = server.client()
    before = server.run(lambda: sum(shard.counters.started_rebalances for shard in server.node.coordinator.shards()))
    reply = client.leave("g", *[seat.member_id for seat in seats[:3]])
    assert [member.error_code for member in reply.members] == [0, 0, 0]
    after = server.run(lambda: sum(shard.counters.started_rebalances for shard in server.node.coordinator.shards()))
    assert after == before + 1
    rejoins = [seat.rejoin() for seat in seats[3:]]
    assert [each.answer().generation_id for each in rejoins] == [2, 2]


def test_each_entry_of_a_leave_has_an_answer_of_its_own(server: GroupServer) -> None:
    """T126, T127, T128: by instance id alone, with the wrong id, with neither; and one named twice."""
    one, two = server.form("g", 2, instances=["one", "two"])
    entries = [("", "one"), (one.member_id, "two"), ("", None), ("", "three"), ("", "one"), (two.member_id, None)]
    request = LeaveGroupRequest("g", "", [LeaveGroupRequestMember(member, instance) for member, instance in entries])
    reply = server.client().call("LeaveGroup", 5, request)
    assert [(m.member_id, m.group_instance_id) for m in reply.members] == entries
    assert [m.error_code for m in reply.members] == [0, 82, 25, 25, 25, 0]
    assert server.client().state("g") == "Empty"


def test_a_pending_id_that_leaves_shakes_a_stable_group(server: GroupServer) -> None:
    """T129."""
    (member,) = server.form("g")
    client = server.client()
    given = client.join("g").answer().member_id
    assert client.leave("g", given).members[0].error_code == 0
    assert member.beat() == 27


def test_the_parked_join_of_a_member_that_is_taken_out_is_answered(server: GroupServer) -> None:
    """T130."""
    leader, follower = server.form("g", 2)
    rejoin = leader.rejoin()
    assert server.is_parked(rejoin)
    server.client().leave("g", leader.member_id)
    reply = rejoin.answer()
    assert (reply.error_code, reply.member_id) == (25, "")
    assert follower.beat() == 27


@pytest.mark.parametrize("version", range(6))
def test_leaving_a_group_without_a_name_is_an_invalid_group_id(server: GroupServer, version: int) -> None:
    """T132."""
    reply = server.client().call("LeaveGroup", version, LeaveGroupRequest("", "x", [LeaveGroupRequestMember("x")]))
    assert (reply.error_code, list(reply.members)) == (24, [])


def test_nobody_leaving_changes_nothing(server: GroupServer) -> None:
    """Spec 3.12."""
    (member,) = server.form("g")
    reply = server.client().leave("g")
    assert (reply.error_code, list(reply.members)) == (0, [])
    assert member.beat() == 0


def test_a_leave_that_cannot_be_stored_is_told_and_the_group_is_empty_all_the_same(server: GroupServer) -> None:
    """Spec 3.7: the error stands at the top, no members."""
    (member,) = server.form("g")
    with refusing_log(server):
        reply = server.client().leave("g", member.member_id)
    assert (reply.error_code, list(reply.members)) == (16, [])
    assert server.client().state("g") == "Empty"
