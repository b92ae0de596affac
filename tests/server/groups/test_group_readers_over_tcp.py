"""DescribeGroups, ListGroups, DeleteGroups and OffsetDelete over TCP (spec 11.9, 11.10)."""

from __future__ import annotations

from typing import Any

import pytest

from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.server.groups.group_client import GroupClient, subscription
from tests.server.groups.group_server import GroupServer
from tests.server.groups.log_faults import SlowLog, commits_in_a_thread

META = subscription("orders")
NOT_SHOWN = -2147483648


def delete(client: GroupClient, *groups: str) -> list[tuple[str, int]]:
    reply = client.call("DeleteGroups", 2, DeleteGroupsRequest(groups))
    return [(each.group_id, each.error_code) for each in reply.results]


def delete_offsets(client: GroupClient, group: str, *topics: tuple[str, list[int]]) -> Any:
    asked = [
        OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(index) for index in indexes])
        for name, indexes in topics
    ]
    return client.call("OffsetDelete", 0, OffsetDeleteRequest(group, asked))


def results(reply: Any) -> dict[str, list[tuple[int, int]]]:
    return {topic.name: [(p.partition_index, p.error_code) for p in topic.partitions] for topic in reply.topics}


# ---- DescribeGroups


@pytest.mark.parametrize("version", range(7))
def test_an_unknown_group_is_dead(server: GroupServer, version: int) -> None:
    """T133: since version 6 it is an error with a text too."""
    entry = server.client().describe("nobody", version=version)
    assert (entry.group_id, entry.group_state, list(entry.members)) == ("nobody", "Dead", [])
    expected = (69, "Group nobody not found.") if version == 6 else (0, None)
    assert (entry.error_code, entry.error_message) == expected


def test_a_stable_group_shows_everything_and_another_state_only_what_members_still_hold(server: GroupServer) -> None:
    """T134."""
    leader, follower = server.form("g", 2)
    entry = server.client().describe("g")
    assert (entry.error_code, entry.group_state, entry.protocol_type, entry.protocol_data) == (
        0,
        "Stable",
        "consumer",
        "range",
    )
    assert [(m.member_id, m.member_metadata, m.member_assignment) for m in entry.members] == [
        (leader.member_id, META, b"part 0"),
        (follower.member_id, META, b"part 1"),
    ]
    leader.rejoin()
    server.settle()
    entry = server.client().describe("g")
    assert (entry.group_state, entry.protocol_type, entry.protocol_data) == ("PreparingRebalance", "consumer", "")
    assert [(m.member_metadata, m.member_assignment) for m in entry.members] == [(b"", b"part 0"), (b"", b"part 1")]


@pytest.mark.parametrize("version", range(7))
def test_operations_are_shown_since_version_3_and_only_when_asked_for(server: GroupServer, version: int) -> None:
    """T136: READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS are 3400."""
    server.form("g")
    client = server.client()
    assert client.describe("g", version=version).authorized_operations == NOT_SHOWN
    asked = version >= 3
    shown = client.describe("g", version=version, operations=asked).authorized_operations
    assert shown == (3400 if asked else NOT_SHOWN)
    dead = client.describe("nobody", version=version, operations=asked).authorized_operations
    assert dead == (3400 if asked and version < 6 else NOT_SHOWN), "an entry with an error shows none"


@pytest.mark.parametrize("client_id", ["me", "", None])
def test_a_member_is_shown_with_its_client_id_and_host(server: GroupServer, client_id: str | None) -> None:
    """T137: the host is Java's text; no client id is the empty one."""
    join = server.client(client_id).enter("g")
    server.end_initial_window()
    join.answer()
    (member,) = server.client().describe("g").members
    assert (member.client_id, member.client_host) == (client_id or "", "/127.0.0.1")


def test_pending_ids_are_not_shown(server: GroupServer) -> None:
    client = server.client()
    client.join("g").answer()
    server.settle()
    entry = client.describe("g")
    assert (entry.group_state, entry.protocol_type, list(entry.members)) == ("Empty", "", [])
    assert [(g.group_id, g.protocol_type, g.group_state) for g in client.groups().groups] == [("g", "", "Empty")]


def test_a_group_whose_first_record_is_on_its_way_is_not_listed_and_its_description_waits() -> None:
    """Spec 3.13: readers see committed groups. A member that was just told its id asks about the group: Kafka says Empty."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        client = server.client()
        with SlowLog(server) as log:
            assert server.client().join("g").answer().error_code == 79, "the answer does not wait for the record"
            log.wait_for_a_write()
            assert list(client.groups().groups) == []
            described = client.begin("DescribeGroups", 6, DescribeGroupsRequest(["g"]))
            assert server.has_in_work(described), "somebody who was told of the group must find it"
        (entry,) = described.answer().groups
        assert (entry.error_code, entry.group_state) == (0, "Empty")


# ---- ListGroups


@pytest.fixture
def three_groups(server: GroupServer) -> GroupServer:
    """stable (Stable), waiting (PreparingRebalance), simple (Empty, without protocol type)."""
    server.form("stable")
    server.form("waiting", 2)[0].rejoin()
    server.client().commit("simple", ("orders", 0, 1))
    server.settle()
    return server


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([], "simple stable waiting"),
        (["stable", " EMPTY "], "simple stable"),
        (["foo"], ""),
        ([""], ""),
        (["foo", "preparingREBALANCE"], "waiting"),
    ],
)
def test_states_are_compared_trimmed_and_in_any_case(
    three_groups: GroupServer, states: list[str], expected: str
) -> None:
    """T138."""
    listed = three_groups.client().groups(states=states)
    assert listed.error_code == 0
    assert sorted(group.group_id for group in listed.groups) == expected.split()


@pytest.mark.parametrize(
    ("types", "count"), [([], 3), (["CLASSIC"], 3), (["Consumer"], 0), (["x"], 0), ([""], 0), ([" classic "], 0)]
)
def test_types_are_compared_in_any_case_and_not_trimmed(
    three_groups: GroupServer, types: list[str], count: int
) -> None:
    """T139."""
    listed = three_groups.client().groups(types=types)
    assert (listed.error_code, len(listed.groups)) == (0, count)


@pytest.mark.parametrize("version", range(6))
def test_states_and_types_are_shown_since_their_versions(three_groups: GroupServer, version: int) -> None:
    """T140, T141: a simple group has no protocol type and is Empty."""
    listed = three_groups.client().groups(version=version)
    by_id = {group.group_id: (group.protocol_type, group.group_state, group.group_type) for group in listed.groups}
    state = (lambda text: text) if version >= 4 else (lambda text: "")
    kind = "classic" if version >= 5 else ""
    assert by_id == {
        "stable": ("consumer", state("Stable"), kind),
        "waiting": ("consumer", state("PreparingRebalance"), kind),
        "simple": ("", state("Empty"), kind),
    }


# ---- DeleteGroups


def test_only_empty_groups_are_deleted_and_repeats_are_answered_once(three_groups: GroupServer) -> None:
    """T143, T146a."""
    client = three_groups.client()
    answered = delete(client, "stable", "simple", "nobody", "stable", "simple")
    assert sorted(answered) == [("nobody", 69), ("simple", 0), ("stable", 68)]
    assert sorted(group.group_id for group in client.groups().groups) == ["stable", "waiting"]


def test_a_deleted_group_is_gone_for_everybody(server: GroupServer) -> None:
    """T145; also after a failover."""
    (member,) = server.form("g")
    client = server.client()
    client.commit("g", ("orders", 0, 5), generation=member.generation, member_id=member.member_id)
    client.leave("g", member.member_id)
    assert delete(client, "g") == [("g", 0)]
    for _ in range(2):
        assert member.beat() == 25
        assert client.committed("g") == -1
        assert client.state("g") == "Dead"
        server.lose("g")
        server.take_over("g")


def test_an_id_that_was_handed_out_does_not_keep_a_group(server: GroupServer) -> None:
    """T146."""
    client = server.client()
    given = client.join("g").answer().member_id
    assert delete(client, "g") == [("g", 0)]
    assert client.join("g", given).answer().error_code == 25


def test_the_empty_group_id_can_be_deleted(server: GroupServer) -> None:
    """Spec 3.15."""
    client = server.client()
    assert client.commit("", ("orders", 0, 5)) == [0]
    assert delete(client, "") == [("", 0)]
    assert client.committed("") == -1


def test_several_groups_on_several_partitions(server: GroupServer) -> None:
    """T146a: Describe answers repeats in any order, OffsetFetch in the order of the request; none of none."""
    client = server.client()
    assert server.partition_of("a") != server.partition_of("b")
    for offset, group in enumerate("ab"):
        client.commit(group, ("orders", 0, offset))
    described = client.call("DescribeGroups", 5, DescribeGroupsRequest(["b", "a", "a"])).groups
    assert sorted((entry.group_id, entry.group_state) for entry in described) == [("a", "Empty")] * 2 + [("b", "Empty")]
    asked = [OffsetFetchRequestGroup(group, topics=None) for group in "baab"]
    fetched = client.call("OffsetFetch", 8, OffsetFetchRequest(groups=asked)).groups
    assert [(g.group_id, g.topics[0].partitions[0].committed_offset) for g in fetched] == [
        ("b", 1),
        ("a", 0),
        ("a", 0),
        ("b", 1),
    ]
    assert list(client.call("DescribeGroups", 5, DescribeGroupsRequest([])).groups) == []
    assert delete(client) == []
    assert list(client.call("OffsetFetch", 8, OffsetFetchRequest(groups=[])).groups) == []


def test_a_deletion_on_its_way_is_answered_when_the_shard_goes() -> None:
    """Spec 1.4: writes that wait are failed with NOT_COORDINATOR, also the parts of an answer about several groups."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        client, other = server.client(), server.client()
        client.commit("g", ("orders", 0, 1))
        with SlowLog(server) as log:
            deletion = client.begin("DeleteGroups", 2, DeleteGroupsRequest(["g"]))
            log.wait_for_a_write()
            fetch = other.begin(
                "OffsetFetch", 8, OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g")], require_stable=True)
            )
            assert server.has_in_work(fetch)
            server.run(server.node.coordinator.resign, server.partition_of("g"))
            assert [each.error_code for each in deletion.answer().results] == [16]
            assert fetch.answer().groups[0].error_code == 16


# ---- OffsetDelete


def test_offsets_of_subscribed_topics_cannot_be_deleted_and_others_can(server: GroupServer) -> None:
    """T147."""
    (member,) = server.form("g")
    client = server.client()
    assert client.commit("g", ("orders", 0, 1), ("returns", 0, 2), ("returns", 1, 3), **member.ids) == [0, 0, 0]
    reply = delete_offsets(client, "g", ("orders", [0, 1]), ("returns", [0]))
    assert reply.error_code == 0
    assert results(reply) == {"orders": [(0, 86), (1, 86)], "returns": [(0, 0)]}
    assert client.committed("g", "orders") == 1
    assert client.committed("g", "returns") == -1
    assert client.committed("g", "returns", 1) == 3


def test_a_live_group_of_another_protocol_type_keeps_its_offsets(server: GroupServer) -> None:
    """T148."""
    server.form("g", protocol_type="connect")
    reply = delete_offsets(server.client(), "g", ("orders", [0]))
    assert (reply.error_code, list(reply.topics)) == (68, [])


def test_everything_of_an_empty_group_can_be_deleted(server: GroupServer) -> None:
    """T149: also what is not there; twice is answered twice, unknown partitions come first, empty topics not at all."""
    client = server.client()
    client.commit("g", ("orders", 0, 1))
    reply = delete_offsets(client, "g", ("orders", [0, 1, 9, 0]), ("nothing", [0]), ("returns", []))
    assert reply.error_code == 0
    assert results(reply) == {"orders": [(9, 3), (0, 0), (1, 0), (0, 0)], "nothing": [(0, 3)]}
    assert client.committed("g") == -1
    assert client.state("g") == "Empty", "it stays until the next look for expired groups"


def test_a_group_whose_metadata_cannot_be_read_counts_as_subscribed_to_everything(server: GroupServer) -> None:
    """T150."""
    server.form("g", protocols=[("range", b"\0\0\xff")])
    reply = delete_offsets(server.client(), "g", ("orders", [0]), ("returns", [0]))
    assert results(reply) == {"orders": [(0, 86)], "returns": [(0, 86)]}


@pytest.mark.parametrize(("group", "error"), [("nobody", 69), ("", 24)])
def test_the_error_of_the_group_replaces_those_of_partitions(server: GroupServer, group: str, error: int) -> None:
    """T151."""
    reply = delete_offsets(server.client(), group, ("nothing", [0]))
    assert (reply.error_code, list(reply.topics)) == (error, [])


def test_a_topic_listed_several_times_is_answered_as_it_was_asked(server: GroupServer) -> None:
    """Kafka 4.3.1 answers each entry, in order. Only together with a refused partition it merges them, refused ones first."""
    client = server.client()
    client.commit("g", ("orders", 0, 1), ("orders", 1, 1), ("returns", 0, 1))
    reply = delete_offsets(client, "g", ("orders", [0]), ("returns", [0]), ("orders", [1, 0]))
    shown = [(topic.name, [(p.partition_index, p.error_code) for p in topic.partitions]) for topic in reply.topics]
    assert shown == [("orders", [(0, 0)]), ("returns", [(0, 0)]), ("orders", [(1, 0), (0, 0)])]
    reply = delete_offsets(client, "g", ("orders", [0]), ("returns", [0]), ("orders", [1, 99]))
    shown = [(topic.name, [(p.partition_index, p.error_code) for p in topic.partitions]) for topic in reply.topics]
    assert shown == [("orders", [(99, 3), (0, 0), (1, 0)]), ("returns", [(0, 0)])]
