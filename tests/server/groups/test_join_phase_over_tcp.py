"""The join phase over TCP: the initial delay, who is waited for, who leads (spec 11.4)."""

from __future__ import annotations

import pytest

from tests.server.groups.group_client import Waiting, subscription
from tests.server.groups.group_server import GroupServer, seated

META = subscription("orders")
DELAY = {"group.initial.rebalance.delay.ms": "3000"}


def test_a_lone_member_is_answered_after_the_initial_delay_as_leader_of_generation_1() -> None:
    """T063, T065: the delay counts even if the rebalance timeout is shorter."""
    with GroupServer(DELAY) as server:
        join = server.client().enter("g", rebalance_ms=1_000)
        server.pass_time(2_999)
        assert server.is_parked(join)
        server.pass_time(1)
        reply = join.answer()
        assert (reply.error_code, reply.generation_id, reply.leader) == (0, 1, reply.member_id)


def test_newcomers_extend_the_initial_delay_up_to_the_rebalance_timeout() -> None:
    """T064: one in each window, so it ends at 10000 exactly."""
    with GroupServer(DELAY) as server:
        joins = [server.client().enter("g", rebalance_ms=10_000)]
        for _ in range(3):
            server.pass_time(2_000)
            joins.append(server.client().enter("g", rebalance_ms=10_000))
            server.pass_time(1_000)
        server.pass_time(999)
        assert all(server.is_parked(each) for each in joins)
        server.pass_time(1)
        assert [each.answer().generation_id for each in joins] == [1] * 4


def test_without_further_newcomers_the_initial_delay_ends_with_the_second_window() -> None:
    """T064."""
    with GroupServer(DELAY) as server:
        first = server.client().enter("g", rebalance_ms=10_000)
        server.pass_time(1_000)
        second = server.client().enter("g", rebalance_ms=10_000)
        server.pass_time(4_999)
        assert server.is_parked(first)
        server.pass_time(1)
        assert len(first.answer().members) == 2
        assert second.answer().error_code == 0


def test_the_initial_delay_is_not_cut_short_when_everybody_known_has_joined() -> None:
    """T066: nor by an id that was pending and leaves, nor by a re-join."""
    with GroupServer(DELAY) as server:
        join = server.client().enter("g")
        pending = server.client().join("g").answer().member_id
        server.client().leave("g", pending)
        assert server.is_parked(join)
        server.pass_time(2_999)
        assert server.is_parked(join)


def test_an_initial_window_that_everybody_left_ends_in_an_empty_group() -> None:
    """T067."""
    with GroupServer(DELAY) as server:
        client = server.client()
        join = server.client().join("g", version=3)
        assert server.is_parked(join)
        (member,) = client.describe("g").members
        assert client.leave("g", member.member_id).members[0].error_code == 0
        left = join.answer()
        assert (left.error_code, left.member_id) == (25, "")
        assert client.state("g") == "PreparingRebalance"
        server.pass_time(3_000)
        assert client.state("g") == "Empty"
        again = client.enter("g")
        server.pass_time(3_000)
        assert again.answer().generation_id == 2


def test_a_group_that_was_emptied_waits_for_company_again() -> None:
    """T068."""
    with GroupServer(DELAY) as server:
        (member,) = server.form("g")
        client = server.client()
        client.leave("g", member.member_id)
        assert client.state("g") == "Empty"
        first = client.enter("g")
        server.pass_time(2_000)
        second = server.client().enter("g")
        server.pass_time(3_999)
        assert server.is_parked(first)
        server.pass_time(1)
        assert first.answer().generation_id == second.answer().generation_id == member.generation + 2


def test_one_of_two_that_leaves_in_the_initial_window_ends_nothing() -> None:
    """T131."""
    with GroupServer(DELAY) as server:
        stays, goes = (server.taken(server.client().enter("g")) for _ in range(2))
        assert server.is_parked(goes)
        member_id = server.client().describe("g").members[1].member_id
        server.client().leave("g", member_id)
        assert goes.answer().error_code == 25
        assert server.is_parked(stays)


def test_a_later_join_phase_ends_when_the_last_missing_member_joins(server: GroupServer) -> None:
    """T069."""
    members = server.form("g", 3)
    rejoins = [server.taken(seat.rejoin()) for seat in members[:2]]
    assert all(server.is_parked(each) for each in rejoins)
    rejoins.append(members[2].rejoin())
    assert [each.answer().generation_id for each in rejoins] == [2, 2, 2]


def test_a_dynamic_member_that_does_not_join_again_is_out(server: GroupServer) -> None:
    """T070."""
    leader, late = server.form("g", 2, rebalance_ms=20_000, session_ms=60_000)
    rejoin = leader.rejoin(rebalance_ms=20_000)
    server.pass_time(20_000)
    reply = rejoin.answer()
    assert (reply.generation_id, [member.member_id for member in reply.members]) == (2, [leader.member_id])
    assert late.beat() == 25


def test_a_static_member_that_does_not_join_again_stays_while_its_session_lives(server: GroupServer) -> None:
    """T071."""
    leader, late = server.form("g", 2, instances=[None, "late"], rebalance_ms=20_000, session_ms=60_000)
    rejoin = leader.rejoin(rebalance_ms=20_000)
    server.pass_time(20_000)
    reply = rejoin.answer()
    assert reply.generation_id == 2
    assert [(m.member_id, m.group_instance_id) for m in reply.members] == [
        (leader.member_id, None),
        (late.member_id, "late"),
    ]


def test_a_static_leader_that_is_absent_hands_over_to_somebody_who_is_there(server: GroupServer) -> None:
    """T072."""
    absent, present = server.form("g", 2, instances=["absent"], rebalance_ms=20_000, session_ms=60_000)
    rejoin = present.rejoin(rebalance_ms=20_000, protocols=[("range", b"changed")])
    server.pass_time(20_000)
    reply = rejoin.answer()
    assert reply.leader == present.member_id
    assert [member.member_id for member in reply.members] == [absent.member_id, present.member_id]


def test_only_absent_static_members_keep_the_generation_until_their_sessions_end(server: GroupServer) -> None:
    """T073."""
    statics = server.form("g", 2, instances=["one", "two"], rebalance_ms=20_000, session_ms=90_000)
    client = server.client()
    newcomer = client.enter("g", rebalance_ms=20_000)
    assert server.is_parked(newcomer)
    (gone,) = [m.member_id for m in server.client().describe("g").members if not m.group_instance_id]
    server.client().leave("g", gone)
    assert newcomer.answer().error_code == 25
    server.pass_time(45_000)
    assert client.state("g") == "PreparingRebalance"
    assert statics[0].beat() == 27, "the old generation still counts"
    server.pass_time(90_000)
    assert client.state("g") == "Empty"


def test_when_the_leader_leaves_somebody_else_leads(server: GroupServer) -> None:
    """T074."""
    leader, follower = server.form("g", 2)
    server.client().leave("g", leader.member_id)
    assert follower.rejoin().answer().leader == follower.member_id


@pytest.mark.parametrize(
    ("lists", "selected"),
    [
        (["range roundrobin", "range roundrobin", "roundrobin range"], "range"),
        (["a b", "b a"], "a"),
        (["range sticky", "sticky range"], "sticky"),
        (["sticky range", "range sticky"], "sticky"),
    ],
)
def test_the_protocol_with_most_votes_is_selected_and_ties_go_by_hash(
    server: GroupServer, lists: list[str], selected: str
) -> None:
    """T075, T076: the same for everybody, whoever leads. T077: the leader gets the metadata of that protocol."""
    each = [{"protocols": [(name, name.encode()) for name in text.split()]} for text in lists]
    seats = server.gather("g", len(lists), join_each=each)
    assert {seat.joined.protocol_name for seat in seats} == {selected}
    assert {member.metadata for member in seats[0].joined.members} == {selected.encode()}
    assert all(list(seat.joined.members) == [] for seat in seats[1:])


def test_a_new_member_is_not_kept_waiting_beyond_300_seconds(server: GroupServer) -> None:
    """T078: static members hold the phase up for ten minutes, the newcomer hears after five."""
    members = server.form("g", 1, instances=["slow"], rebalance_ms=600_000, session_ms=1_800_000)
    newcomer = server.client().join("g", version=3, rebalance_ms=600_000, session_ms=6_000)
    server.pass_time(299_999, step_ms=60_000)
    assert server.is_parked(newcomer)
    server.pass_time(1)
    reply = newcomer.answer()
    assert (reply.error_code, reply.member_id) == (25, "")
    assert [m.member_id for m in server.client().describe("g").members] == [members[0].member_id]


def test_a_member_that_waits_in_a_join_is_not_expired(server: GroupServer) -> None:
    """T079."""
    leader, _ = server.form("g", 2, instances=[None, "absent"], rebalance_ms=60_000, session_ms=6_000)
    rejoin: Waiting = leader.rejoin(rebalance_ms=60_000, session_ms=6_000)
    server.pass_time(5_999)
    assert server.is_parked(rejoin)
    server.pass_time(10_000)
    again = seated("g", rejoin)
    assert again.member_id == leader.member_id


def test_a_new_members_session_counts_from_the_end_of_the_join_phase(server: GroupServer) -> None:
    """T080."""
    (member,) = server.gather("g", session_ms=6_000)
    server.pass_time(5_999)
    assert len(server.client().describe("g").members) == 1
    server.pass_time(1)
    assert member.beat() == 25


@pytest.mark.parametrize("rebalance_ms", [0, -1])
def test_a_member_without_time_to_rebalance_is_out_before_it_can_sync(server: GroupServer, rebalance_ms: int) -> None:
    """Spec 3.5: accepted all the same; the group is Empty one generation later."""
    client = server.client()
    join = client.enter("g", rebalance_ms=rebalance_ms)
    server.pass_time(0)
    server.pass_time(0)
    joined = join.answer()
    assert (joined.error_code, joined.generation_id) == (0, 1)
    assert client.sync("g", 1, joined.member_id).answer().error_code == 25
    assert client.state("g") == "Empty"
