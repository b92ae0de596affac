"""Whole lives of groups over TCP: another protocol type, and a large one."""

from __future__ import annotations

from muster.wire.generated.list_groups import ListGroupsRequest
from tests.server.groups.group_client import GroupClient
from tests.server.groups.group_server import GroupServer, seated

MANY = 200


def test_a_group_of_another_protocol_type_lives_like_any_other(server: GroupServer) -> None:
    """Kafka Connect's workers: the bytes are theirs, the coordinator only carries them."""
    protocols = [("sessioned", b"\0\1worker"), ("compatible", b"\0\0worker")]
    one, two = server.form("connect-cluster", 2, protocol_type="connect", protocols=protocols)
    assert one.joined.protocol_type == two.joined.protocol_type == "connect"
    assert one.joined.protocol_name == "sessioned", "both prefer it"
    client = server.client()
    described = client.describe("connect-cluster")
    assert (described.group_state, described.protocol_type, described.protocol_data) == (
        "Stable",
        "connect",
        "sessioned",
    )
    assert [member.member_metadata for member in described.members] == [b"\0\1worker"] * 2
    assert [member.member_assignment for member in described.members] == [b"part 0", b"part 1"]
    assert client.join("connect-cluster", protocol_type="consumer").answer().error_code == 23
    assert client.commit("connect-cluster", ("orders", 0, 5), generation=1, member_id=one.member_id) == [0]

    assert client.leave("connect-cluster", one.member_id).members[0].error_code == 0
    assert two.beat() == 27
    again = seated("connect-cluster", two.rejoin(protocol_type="connect", protocols=protocols))
    assert again.leads
    sync = again.sync([(again.member_id, b"all")], protocol=("connect", "sessioned")).answer()
    assert (sync.error_code, sync.assignment, sync.protocol_type) == (0, b"all", "connect")

    assert client.leave("connect-cluster", again.member_id).members[0].error_code == 0
    (listed,) = client.groups().groups
    assert (listed.protocol_type, listed.group_state) == ("connect", "Empty")
    assert client.committed("connect-cluster") == 5


def test_two_hundred_members_on_as_many_connections_form_in_one_generation() -> None:
    """And leave in one LeaveGroup."""
    with GroupServer({"group.initial.rebalance.delay.ms": "3000"}) as server:
        clients: list[GroupClient] = [server.client(f"worker-{number}") for number in range(MANY)]
        asked = [client.join("large") for client in clients]
        ids = [each.answer().member_id for each in asked]
        assert len(set(ids)) == MANY
        joins = [client.join("large", member_id) for client, member_id in zip(clients, ids, strict=True)]
        server.settle()
        server.pass_time(6_000)
        seats = [seated("large", each) for each in joins]
        assert {seat.generation for seat in seats} == {1}
        (leader,) = [seat for seat in seats if seat.leads]
        assert {member.member_id for member in leader.joined.members} == set(ids)
        server.assign(seats)
        assert {seat.beat() for seat in seats} == {0}
        described = clients[0].describe("large")
        assert (described.group_state, len(described.members)) == ("Stable", MANY)
        left = clients[0].leave("large", *ids)
        assert {member.error_code for member in left.members} == {0}
        listed = clients[0].call("ListGroups", 4, ListGroupsRequest(["Empty"]))
        assert [group.group_id for group in listed.groups] == ["large"]


def test_many_groups_at_once_do_not_get_in_each_others_way(server: GroupServer) -> None:
    seats = {name: server.form(name, 2) for name in (f"g{number}" for number in range(20))}
    for name, members in seats.items():
        assert [seat.beat() for seat in members] == [0, 0]
        assert {seat.generation for seat in members} == {1}
        assert {member.member_id for member in server.client().describe(name).members} == {
            seat.member_id for seat in members
        }
