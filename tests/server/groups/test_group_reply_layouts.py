"""Every version of every group API: one call that succeeds and one that does not, compared byte by byte (spec 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
)
from tests.server.groups.group_client import GroupClient, Waiting, commit_request, subscription
from tests.server.groups.group_server import GroupServer, Seat
from tests.server.groups.reply_layout import Body

META = subscription("orders")


def raw(waiting: Waiting) -> bytes:
    return waiting.client.read_frame()


def ask(client: GroupClient, api: str, version: int, request: object) -> bytes:
    return raw(client.begin(api, version, request))


# ---- FindCoordinator


def find_reply(version: int, key: str, node: tuple[int, str, int], error: int, text: str) -> Body:
    node_id, host, port = node
    body = Body(version, flexible_from=3).i32(0, since=1)
    body.i16(error, until=3).text(text or "NONE", since=1, until=3).i32(node_id, until=3)
    body.text(host, until=3).i32(port, until=3)
    return body.array([lambda b: b.text(key).i32(node_id).text(host).i32(port).i16(error).text("")], since=4)


@pytest.mark.parametrize("version", range(7))
def test_find_coordinator(server: GroupServer, version: int) -> None:
    """The message is the word NONE in v1-3 and empty in lists."""
    client = server.client()
    node = (server.node.node_id, "127.0.0.1", server.port)
    request = FindCoordinatorRequest("g", 0, ["g"])
    assert ask(client, "FindCoordinator", version, request) == find_reply(version, "g", node, 0, "").framed(1)
    server.lose("g")
    expected = find_reply(version, "g", (-1, "", -1), 15, "The coordinator is not available.")
    assert ask(client, "FindCoordinator", version, request) == expected.framed(2)


# ---- JoinGroup


def join_reply(
    version: int,
    error: int,
    member_id: str,
    *,
    generation: int = -1,
    protocol: tuple[str | None, str | None] = (None, None),
    leader: str = "",
    members: Sequence[tuple[str, str | None, bytes]] = (),
) -> Body:
    protocol_type, name = protocol
    body = Body(version, flexible_from=6).i32(0, since=2).i16(error).i32(generation)
    body.text(protocol_type, since=7).text(name if version >= 7 else name or "")
    body.text(leader).i8(0, since=9).text(member_id)

    def member(entry: tuple[str, str | None, bytes]) -> Any:
        return lambda b: b.text(entry[0]).text(entry[1], since=5).blob(entry[2])

    return body.array([member(entry) for entry in members])


@pytest.mark.parametrize("version", range(10))
def test_join_group(server: GroupServer, version: int) -> None:
    """Static from version 5 on; the name of no protocol is null since version 7 and empty before."""
    client = server.client()
    instance = "one" if version >= 5 else None
    if version == 4:
        given = client.join("g", version=4).answer().member_id
        join = client.join("g", given, version=4)
    else:
        join = client.join("g", version=version, instance=instance)
    server.settle()
    server.end_initial_window()
    (member,) = server.client().describe("g").members
    expected = join_reply(
        version,
        0,
        member.member_id,
        generation=1,
        protocol=("consumer", "range"),
        leader=member.member_id,
        members=[(member.member_id, instance, META)],
    )
    assert raw(join) == expected.framed(2 if version == 4 else 1)
    refused = client.join("g", "nobody", version=version)
    assert raw(refused) == join_reply(version, 25, "nobody").framed(3 if version == 4 else 2)


@pytest.mark.parametrize("version", range(4, 10))
def test_join_group_gives_an_id_first(server: GroupServer, version: int) -> None:
    """KIP-394, as in the golden bodies of spec 2.5."""
    reply = raw(server.client().join("g", version=version))
    flexible = version >= 6
    length = 1 if flexible else 2
    head = len(join_reply(version, 79, "").framed(1)) - length - (1 + 1 if flexible else 4)
    member_id = reply[head + length : head + length + len("raw-") + 36].decode()
    assert reply == join_reply(version, 79, member_id).framed(1)


# ---- SyncGroup


def sync_reply(version: int, error: int, protocol: tuple[str | None, str | None], assignment: bytes) -> Body:
    body = Body(version, flexible_from=4).i32(0, since=1).i16(error)
    return body.text(protocol[0], since=5).text(protocol[1], since=5).blob(assignment)


@pytest.mark.parametrize("version", range(6))
def test_sync_group(server: GroupServer, version: int) -> None:
    """An error has no protocol and zero bytes, not null."""
    (member,) = server.gather("g")
    client = server.client()
    refused = client.sync("g", 9, member.member_id, version=version)
    assert raw(refused) == sync_reply(version, 22, (None, None), b"").framed(1)
    plan = [(member.member_id, b"part")]
    sync = client.sync("g", 1, member.member_id, plan, version=version)
    assert raw(sync) == sync_reply(version, 0, ("consumer", "range"), b"part").framed(2)


# ---- Heartbeat, LeaveGroup


@pytest.mark.parametrize("version", range(5))
def test_heartbeat(server: GroupServer, version: int) -> None:
    (member,) = server.form("g", instances=["one"])
    client = server.client()
    instance = "one" if version >= 3 else None
    for correlation_id, (generation, error) in enumerate([(1, 0), (2, 22)], start=1):
        request = HeartbeatRequest("g", generation, member.member_id, instance)
        expected = Body(version, flexible_from=4).i32(0, since=1).i16(error)
        assert ask(client, "Heartbeat", version, request) == expected.framed(correlation_id)


def leave_reply(version: int, error: int, member: tuple[str, str | None, int]) -> Body:
    own = member[2] if version < 3 else error
    body = Body(version, flexible_from=4).i32(0, since=1).i16(own)
    return body.array([lambda b: b.text(member[0]).text(member[1]).i16(member[2])], since=3)


@pytest.mark.parametrize("version", range(6))
def test_leave_group(server: GroupServer, version: int) -> None:
    """v0-2 have one error, later ones an error for each member; the instance id is repeated as it was asked."""
    (member,) = server.form("g", instances=["one"])
    client = server.client()
    instance = "one" if version >= 3 else None
    for correlation_id, (member_id, error) in enumerate([("nobody", 82 if instance else 25), (member.member_id, 0)], 1):
        request = LeaveGroupRequest("g", member_id, [LeaveGroupRequestMember(member_id, instance)])
        expected = leave_reply(version, 0, (member_id, instance, error))
        assert ask(client, "LeaveGroup", version, request) == expected.framed(correlation_id)


# ---- OffsetCommit, OffsetFetch


def commit_reply(version: int, topic_id: bytes, error: int) -> Body:
    def topic(b: Body) -> Body:
        return b.text("orders", until=9).uuid(topic_id, since=10).array([lambda p: p.i32(2).i16(error)])

    return Body(version, flexible_from=8).i32(0, since=3).array([topic])


@pytest.mark.parametrize("version", range(2, 11))
def test_offset_commit(server: GroupServer, version: int) -> None:
    client = server.client()
    topic_id = server.topic_id("orders")
    for correlation_id, (group, error) in enumerate([("g", 0), ("h", 22 if version < 9 else 69)], start=1):
        generation = -1 if group == "g" else 3
        request = commit_request(
            group,
            ("orders", 2, 5),
            generation=generation,
            topic_ids={"orders": topic_id if version >= 10 else bytes(16)},
        )
        expected = commit_reply(version, topic_id, error).framed(correlation_id)
        assert ask(client, "OffsetCommit", version, request) == expected


def old_fetch_reply(version: int, offset: int, epoch: int, metadata: str, error: int, *, topics: bool = True) -> Body:
    def partition(b: Body) -> Body:
        return b.i32(2).i64(offset).i32(epoch, since=5).text(metadata).i16(error if version == 1 else 0)

    body = Body(version, flexible_from=6).i32(0, since=3)
    body.array([lambda b: b.text("orders").array([partition])] if topics else [])
    return body.i16(error, since=2)


@pytest.mark.parametrize("version", range(1, 8))
def test_offset_fetch_of_one_group(server: GroupServer, version: int) -> None:
    """v1 shows a group's error on the partitions, later ones at the top with no topics."""
    client = server.client()
    client.commit("g", ("orders", 2, 5), leader_epoch=7, metadata="note")
    request = OffsetFetchRequest("g", [OffsetFetchRequestTopic("orders", [2])])
    reply = ask(client, "OffsetFetch", version, request)
    assert reply == old_fetch_reply(version, 5, 7, "note", 0).framed(2)
    server.lose("g")
    reply = ask(client, "OffsetFetch", version, request)
    assert reply == old_fetch_reply(version, -1, -1, "", 16, topics=version == 1).framed(3)


@pytest.mark.parametrize("version", range(8, 11))
def test_offset_fetch_of_several_groups(server: GroupServer, version: int) -> None:
    client = server.client()
    client.commit("g", ("orders", 2, 5), leader_epoch=7, metadata="note")
    topic_id = server.topic_id("orders")
    asked = OffsetFetchRequestGroupTopic(
        "orders" if version < 10 else "", topic_id if version >= 10 else bytes(16), [2, 1]
    )
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=[asked])])

    def topic(b: Body) -> Body:
        found = [
            lambda p: p.i32(2).i64(5).i32(7).text("note").i16(0),
            lambda p: p.i32(1).i64(-1).i32(-1).text("").i16(0),
        ]
        return b.text("orders", until=9).uuid(topic_id, since=10).array(found)

    expected = Body(version, flexible_from=6).i32(0).array([lambda b: b.text("g").array([topic]).i16(0)])
    assert ask(client, "OffsetFetch", version, request) == expected.framed(2)
    server.lose("g")
    expected = Body(version, flexible_from=6).i32(0).array([lambda b: b.text("g").array([]).i16(16)])
    assert ask(client, "OffsetFetch", version, request) == expected.framed(3)


# ---- DescribeGroups, ListGroups, DeleteGroups, OffsetDelete


def described(version: int, seat: Seat) -> Any:
    def member(b: Body) -> Body:
        b.text(seat.member_id).text("one", since=4).text("client-0").text("/127.0.0.1")
        return b.blob(META).blob(b"part 0")

    def group(b: Body) -> Body:
        b.i16(0).text(None, since=6).text("g").text("Stable").text("consumer").text("range")
        return b.array([member]).i32(3400, since=3)

    return group


@pytest.mark.parametrize("version", range(7))
def test_describe_groups(server: GroupServer, version: int) -> None:
    """An unknown group is no error below version 6, so it shows the operations there."""
    (seat,) = server.form("g", instances=["one"])
    request = DescribeGroupsRequest(["g", "x"], version >= 3)

    def unknown(b: Body) -> Body:
        b.i16(0 if version < 6 else 69).text("Group x not found.", since=6).text("x").text("Dead")
        return b.text("").text("").array([]).i32(3400 if version < 6 else -2147483648, since=3)

    expected = Body(version, flexible_from=5).i32(0, since=1).array([described(version, seat), unknown])
    assert ask(server.client(), "DescribeGroups", version, request) == expected.framed(1)


def test_describe_groups_of_any_version_after_any_other(server: GroupServer) -> None:
    """The bytes of members are kept for the next one who asks in the same layout."""
    (seat,) = server.form("g", instances=["one"])
    client = server.client()
    for number, version in enumerate((5, 6, 4, 3, 0, 4, 0, 6, 5), start=1):
        expected = Body(version, flexible_from=5).i32(0, since=1).array([described(version, seat)])
        request = DescribeGroupsRequest(["g"], version >= 3)
        assert ask(client, "DescribeGroups", version, request) == expected.framed(number)


@pytest.mark.parametrize("version", range(6))
def test_list_groups(server: GroupServer, version: int) -> None:
    server.form("g")
    client = server.client()
    expected = Body(version, flexible_from=3).i32(0, since=1).i16(0)
    expected.array([lambda b: b.text("g").text("consumer").text("Stable", since=4).text("classic", since=5)])
    assert ask(client, "ListGroups", version, ListGroupsRequest()) == expected.framed(1)
    server.run(server.node.coordinator.stop)
    expected = Body(version, flexible_from=3).i32(0, since=1).i16(15).array([])
    assert ask(client, "ListGroups", version, ListGroupsRequest()) == expected.framed(2)


@pytest.mark.parametrize("version", range(3))
def test_delete_groups(server: GroupServer, version: int) -> None:
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    request = DeleteGroupsRequest(["g"])
    expected = Body(version, flexible_from=2).i32(0).array([lambda b: b.text("g").i16(0)])
    assert ask(client, "DeleteGroups", version, request) == expected.framed(2)
    expected = Body(version, flexible_from=2).i32(0).array([lambda b: b.text("g").i16(69)])
    assert ask(client, "DeleteGroups", version, request) == expected.framed(3)


def test_offset_delete(server: GroupServer) -> None:
    """The error comes before the throttle time here."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    topic = OffsetDeleteRequestTopic("orders", [OffsetDeleteRequestPartition(0)])
    expected = Body(0, flexible_from=99).i16(0).i32(0)
    expected.array([lambda b: b.text("orders").array([lambda p: p.i32(0).i16(0)])])
    assert ask(client, "OffsetDelete", 0, OffsetDeleteRequest("g", [topic])) == expected.framed(2)
    expected = Body(0, flexible_from=99).i16(69).i32(0).array([])
    assert ask(client, "OffsetDelete", 0, OffsetDeleteRequest("x", [topic])) == expected.framed(3)
