"""Static members over TCP: restarts without a rebalance, and fencing (KIP-345, spec 11.5)."""

from __future__ import annotations

import pytest

from tests.server.groups.group_client import subscription
from tests.server.groups.group_server import GroupServer
from tests.server.groups.log_faults import refusing_log

META = subscription("orders")


def test_a_static_follower_that_restarts_gets_a_new_id_and_nobody_rebalances(server: GroupServer) -> None:
    """T081."""
    leader, follower = server.form("g", 2, instances=[None, "two"])
    reply = server.client().join("g", instance="two").answer()
    assert (reply.error_code, reply.generation_id, reply.leader) == (0, follower.generation, leader.member_id)
    assert (list(reply.members), reply.skip_assignment) == ([], False)
    assert reply.member_id != follower.member_id
    described = server.client().describe("g")
    assert described.group_state == "Stable"
    assert {m.member_id: m.member_assignment for m in described.members} == {
        leader.member_id: b"part 0",
        reply.member_id: b"part 1",
    }
    sync = server.client().sync("g", reply.generation_id, reply.member_id, instance="two").answer()
    assert (sync.error_code, sync.assignment) == (0, b"part 1")


def test_that_new_id_is_in_the_log(server: GroupServer) -> None:
    """T081: after a failover the new id counts and the old one is fenced."""
    _, follower = server.form("g", 2, instances=[None, "two"])
    reply = server.client().join("g", instance="two").answer()
    server.lose("g")
    server.take_over("g")
    assert server.client().beat("g", reply.generation_id, reply.member_id, "two") == 0
    assert follower.beat() == 82


def test_a_static_leader_that_restarts_is_told_to_skip_the_assignment(server: GroupServer) -> None:
    """T082, KIP-814: since version 9."""
    leader, follower = server.form("g", 2, instances=["one"])
    reply = server.client().join("g", instance="one").answer()
    assert reply.error_code == 0
    assert reply.member_id != leader.member_id
    assert (reply.leader, reply.skip_assignment) == (reply.member_id, True)
    assert [(m.member_id, m.group_instance_id, m.metadata) for m in reply.members] == [
        (reply.member_id, "one", META),
        (follower.member_id, None, META),
    ]
    assert follower.beat() == 0


@pytest.mark.parametrize("version", [5, 6, 7, 8])
def test_a_static_leader_with_an_older_client_hears_of_its_old_id(server: GroupServer, version: int) -> None:
    """T083: it must not believe that it leads, or it would assign."""
    leader, follower = server.form("g", 2, instances=["one"])
    reply = server.client().join("g", instance="one", version=version).answer()
    assert (reply.error_code, reply.leader, list(reply.members)) == (0, leader.member_id, [])
    assert reply.protocol_name == "range"
    assert follower.beat() == 0


def test_the_old_process_is_fenced_whatever_it_asks(server: GroupServer) -> None:
    """T084, T091: only the last of two restarts counts; T170."""
    _, old = server.form("g", 2, instances=[None, "two"])
    first = server.client().join("g", instance="two").answer().member_id
    second = server.client().join("g", instance="two").answer().member_id
    assert len({old.member_id, first, second}) == 3
    client = server.client()
    for member_id in (old.member_id, first):
        assert client.beat("g", old.generation, member_id, "two") == 82
        assert client.sync("g", old.generation, member_id, instance="two").answer().error_code == 82
        assert client.commit("g", ("orders", 0, 1), **{**old.ids, "member_id": member_id}) == [82]
        joined = client.join("g", member_id, instance="two").answer()
        assert (joined.error_code, joined.member_id) == (82, member_id)
    assert client.beat("g", old.generation, second, "two") == 0


def test_a_parked_join_of_the_old_id_is_fenced(server: GroupServer) -> None:
    """T085, and T093: the replacement was the last one missing."""
    leader, follower = server.form("g", 2, instances=["one", "two"])
    old_join = leader.rejoin()
    assert server.is_parked(old_join)
    new_join = server.client().join("g", instance="one")
    fenced = old_join.answer()
    assert (fenced.error_code, fenced.member_id, fenced.leader) == (82, leader.member_id, "")
    assert (fenced.protocol_type, fenced.protocol_name) == (None, None)
    assert server.is_parked(new_join)
    last = server.client().join("g", instance="two")
    assert new_join.answer().generation_id == last.answer().generation_id == follower.generation + 1


def test_a_parked_sync_of_the_old_id_is_fenced_and_the_group_starts_over(server: GroupServer) -> None:
    """T086."""
    leader, follower = server.gather("g", 2, instances=[None, "two"])
    sync = follower.sync()
    assert server.is_parked(sync)
    join = server.client().join("g", instance="two")
    fenced = sync.answer()
    assert (fenced.error_code, fenced.assignment) == (82, b"")
    assert server.is_parked(join)
    assert leader.beat() == 27


def test_a_replacement_that_changes_the_selected_protocol_rebalances(server: GroupServer) -> None:
    """T087."""
    both = [("range", META), ("roundrobin", META)]
    leader, _ = server.form("g", 2, instances=["one", "two"], protocols=both)
    assert leader.joined.protocol_name == "range"
    join = server.client().join("g", instance="two", protocols=[("roundrobin", META)])
    assert server.is_parked(join)
    other = server.client().join("g", instance="one", protocols=[("roundrobin", META), ("range", META)])
    assert {join.answer().protocol_name, other.answer().protocol_name} == {"roundrobin"}


def test_a_replacement_with_other_metadata_but_the_same_protocol_does_not_rebalance(server: GroupServer) -> None:
    """Spec 3.9: DescribeGroups shows the new metadata all the same."""
    _, _ = server.form("g", 2, instances=["one", "two"])
    reply = server.client().join("g", instance="two", protocols=[("range", b"other")]).answer()
    assert reply.error_code == 0
    described = server.client().describe("g")
    assert [m.member_metadata for m in described.members] == [META, b"other"]


def test_a_replacement_that_cannot_be_stored_leaves_the_old_id_in_force(server: GroupServer) -> None:
    """T088: with its protocols and timeouts; a broken disk is NOT_COORDINATOR to clients."""
    _, old = server.form("g", 2, instances=[None, "two"], session_ms=10_000)
    with refusing_log(server):
        reply = server.client().join("g", instance="two", session_ms=60_000, protocols=[("range", b"new")]).answer()
    assert (reply.error_code, reply.member_id) == (16, "")
    assert (reply.generation_id, reply.protocol_name) == (old.generation, "range")
    assert old.beat() == 0
    described = server.client().describe("g")
    assert [m.member_id for m in described.members][1] == old.member_id
    assert [m.member_metadata for m in described.members] == [META, META]
    server.pass_time(9_999)
    assert old.beat() == 0
    server.pass_time(10_000)
    assert old.beat() == 25


def test_instance_ids_are_checked_against_member_ids(server: GroupServer) -> None:
    """T089, T090, T117."""
    one, two = server.form("g", 2, instances=["one", "two"])
    client = server.client()
    assert client.join("g", one.member_id, instance="three").answer().error_code == 25
    assert client.join("g", one.member_id, instance="two").answer().error_code == 82
    assert client.beat("g", 99, one.member_id, "two") == 82
    assert two.beat() == 0


def test_the_session_timer_of_a_replaced_id_has_no_effect(server: GroupServer) -> None:
    """T092: and the new id has a session of its own."""
    server.form("g", 1, instances=["one"], session_ms=6_000)
    server.pass_time(5_000)
    reply = server.client().join("g", instance="one", session_ms=6_000).answer()
    client = server.client()
    server.pass_time(5_999)
    assert client.state("g") == "Stable"
    assert client.beat("g", reply.generation_id, reply.member_id, "one") == 0


@pytest.mark.parametrize("instance", ["", " ", "a/b", "x" * 300])
def test_any_text_is_an_instance_id(server: GroupServer, instance: str) -> None:
    """Spec 3.1, observed on a real broker."""
    (member,) = server.form("g", instances=[instance])
    assert member.member_id.startswith(f"{instance}-")
    (described,) = server.client().describe("g").members
    assert described.group_instance_id == instance


def test_client_id_and_host_stay_those_of_the_first_request(server: GroupServer) -> None:
    """Spec 3.1."""
    server.form("g", instances=["one"])
    server.client("somebody else").join("g", instance="one").answer()
    (member,) = server.client().describe("g").members
    assert (member.client_id, member.client_host) == ("client-0", "/127.0.0.1")
