"""Where a group lives and whether its coordinator may answer yet (spec 1.2 to 1.5, 11.1), asked over TCP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestGroupTopic
from tests.server.groups.group_client import GroupClient, codes, commit_request
from tests.server.groups.group_server import GroupServer

SHARE_KEY = "group:AAAAAAAAAAAAAAAAAAAAAQ:0"
INVALID_REQUEST_TEXT = (
    "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
    "incompatible broker. See the broker logs for more details."
)


def find(client: GroupClient, version: int, *keys: str, key_type: int = 0) -> Any:
    if version >= 4:
        return client.call("FindCoordinator", version, FindCoordinatorRequest("", key_type, keys)).coordinators
    return client.call("FindCoordinator", version, FindCoordinatorRequest(keys[0], key_type))


def ends(client: GroupClient, partitions: int) -> dict[int, int]:
    """The end offset of each partition of the offsets topic that has one above 0."""
    asked = [ListOffsetsRequestPartition(index, timestamp=-1) for index in range(partitions)]
    request = ListOffsetsRequest(topics=[ListOffsetsRequestTopic(CONSUMER_OFFSETS, asked)])
    (topic,) = client.call("ListOffsets", 5, request).topics
    return {each.partition_index: each.offset for each in topic.partitions if each.offset}


@pytest.mark.parametrize(
    ("group", "partition"),
    [("my-group", 12), ("polygenelubricants", 0), ("\U0001f600grp", 36), ("组-1", 16), ("", 0), ("test-group", 12)],
)
def test_a_groups_records_are_in_the_partition_of_its_java_hash(group: str, partition: int) -> None:
    """T001, T002, T003: negative hashes, the minimum int and surrogates, with the default of 50 partitions."""
    with GroupServer({"offsets.topic.num.partitions": "50"}) as server:
        client = server.client()
        assert client.commit(group, ("orders", 0, 1)) == [0]
        assert ends(client, 50) == {partition: 1}


# ---- FindCoordinator


def test_the_first_search_for_a_coordinator_makes_the_topic_and_the_next_one_finds_it() -> None:
    """T005."""
    with GroupServer(with_coordinator=False) as server:
        client = server.client()
        first = find(client, 3, "g")
        assert (first.error_code, first.node_id, first.host, first.port) == (15, -1, "", -1)
        assert first.error_message == "The coordinator is not available."
        server.settle()
        (found,) = find(client, 4, "g")
        assert (found.key, found.error_code, found.error_message) == ("g", 0, "")
        assert (found.node_id, found.host, found.port) == (server.node.node_id, "127.0.0.1", server.port)


def test_without_the_topic_every_other_api_says_not_coordinator_and_makes_nothing() -> None:
    """T005: only FindCoordinator makes the topic; ListGroups is NONE and empty."""
    with GroupServer(with_coordinator=False) as server:
        client = server.client()
        assert answers(client, "g") == WITHOUT_A_SHARD
        listed = client.groups()
        assert (listed.error_code, list(listed.groups)) == (0, [])
        server.settle()
        assert server.node.broker.topic(CONSUMER_OFFSETS) is None


def test_a_partition_without_leader_has_no_coordinator(server: GroupServer) -> None:
    """T006; other partitions are not touched by that."""
    server.lose("my-group")
    (entry,) = find(server.client(), 6, "my-group")
    assert (entry.node_id, entry.host, entry.port, entry.error_code) == (-1, "", -1, 15)
    assert server.partition_of("test-group") != server.partition_of("my-group")
    assert find(server.client(), 6, "test-group")[0].error_code == 0


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_unknown_key_type_is_an_invalid_request_with_its_text(server: GroupServer, version: int) -> None:
    """T008, T009."""
    reply = find(server.client(), version, "g", key_type=9)
    assert (reply.error_code, reply.error_message, reply.node_id) == (42, INVALID_REQUEST_TEXT, -1)


@pytest.mark.parametrize(
    ("version", "key_type", "text"), [(4, 9, INVALID_REQUEST_TEXT), (5, -1, INVALID_REQUEST_TEXT), (5, 2, "")]
)
def test_a_list_with_a_bad_key_type_is_refused_once_a_key(
    server: GroupServer, version: int, key_type: int, text: str
) -> None:
    """T008: share keys come with version 6. T009: in a list only an unknown type has the text."""
    entries = find(server.client(), version, "a", "b", "a", key_type=key_type)
    assert [(e.key, e.error_code, e.error_message) for e in entries] == [(key, 42, text) for key in "aba"]


@pytest.mark.parametrize(("version", "key", "error"), [(6, "just-a-group", 42), (5, SHARE_KEY, 42), (6, SHARE_KEY, 15)])
def test_share_groups_have_no_coordinator_here(server: GroupServer, version: int, key: str, error: int) -> None:
    """T008: the key must read group:topic id:partition, and version 6 is the first that knows it."""
    (entry,) = find(server.client(), version, key, key_type=2)
    assert (entry.error_code, entry.error_message, entry.node_id) == (error, "", -1)


@pytest.mark.parametrize("key_type", [0, 1, 9])
def test_no_keys_get_no_entries(server: GroupServer, key_type: int) -> None:
    assert list(find(server.client(), 4, key_type=key_type)) == []


def test_success_is_the_word_none_in_old_versions_and_nothing_in_lists(server: GroupServer) -> None:
    """T009."""
    assert find(server.client(), 2, "g").error_message == "NONE"
    assert find(server.client(), 4, "g")[0].error_message == ""


def test_the_empty_group_id_has_a_coordinator(server: GroupServer) -> None:
    assert find(server.client(), 3, "").error_code == 0


# ---- shards that cannot answer

OFFSETS = [("orders", 0, 1), ("orders", 1, 2)]


def answers(client: GroupClient, group: str) -> dict[str, Any]:
    """How every API that names a group answers about this one: its error where that API has it, and what is beside it."""
    joined = client.join(group, "me").answer()
    synced = client.sync(group, 1, "me").answer()
    left = client.leave(group, "me")
    described = client.describe(group)
    fetched = client.fetch_offsets(group, [("orders", [0])])
    old = client.old_fetch_offsets(group, [("orders", [0, 1])], version=1)
    deleted = client.call("DeleteGroups", 2, DeleteGroupsRequest([group]))
    partition = OffsetDeleteRequestPartition(0)
    erased = client.call(
        "OffsetDelete", 0, OffsetDeleteRequest(group, [OffsetDeleteRequestTopic("orders", [partition])])
    )
    return {
        "JoinGroup": (joined.error_code, joined.member_id, joined.generation_id, joined.leader),
        "SyncGroup": (synced.error_code, synced.assignment),
        "Heartbeat": client.beat(group, 1, "me"),
        "LeaveGroup": (left.error_code, list(left.members)),
        "OffsetCommit": codes(client.call("OffsetCommit", 9, commit_request(group, *OFFSETS))),
        "OffsetFetch": (fetched.groups[0].error_code, list(fetched.groups[0].topics)),
        "OffsetFetch v1": [each.error_code for each in old.topics[0].partitions],
        "DescribeGroups": (described.error_code, described.group_state, described.error_message),
        "DeleteGroups": [(each.group_id, each.error_code) for each in deleted.results],
        "OffsetDelete": (erased.error_code, list(erased.topics)),
    }


def everywhere(error: int, *, group: str, joined_as: str = "", sync: int | None = None, beat: int | None = None) -> Any:
    return {
        "JoinGroup": (error, joined_as, -1, ""),
        "SyncGroup": (error if sync is None else sync, b""),
        "Heartbeat": error if beat is None else beat,
        "LeaveGroup": (error, []),
        "OffsetCommit": [error, error],
        "OffsetFetch": (error, []),
        "OffsetFetch v1": [error, error],
        "DescribeGroups": (error, "", None),
        "DeleteGroups": [(group, error)],
        "OffsetDelete": (error, []),
    }


WITHOUT_A_SHARD = everywhere(16, group="g")


def test_each_api_says_not_coordinator_in_its_own_place_when_the_shard_is_elsewhere(server: GroupServer) -> None:
    """T013."""
    server.lose("g")
    assert answers(server.client(), "g") == WITHOUT_A_SHARD
    assert server.client().groups().error_code == 0, "shards that moved are listed elsewhere"


def test_each_api_says_coordinator_not_available_in_its_own_place_when_there_is_none(server: GroupServer) -> None:
    """T010."""
    server.run(server.node.coordinator.stop)
    client = server.client()
    assert answers(client, "g") == everywhere(15, group="g", joined_as="me")
    listed = client.groups()
    assert (listed.error_code, list(listed.groups)) == (15, [])


@contextmanager
def loading(server: GroupServer, group: str) -> Iterator[None]:
    """The group's shard stops in the middle of loading, and goes on afterwards."""
    coordinator = server.node.coordinator
    held: list[Callable[[], None]] = []
    usual = coordinator._call_soon
    server.lose(group)

    def begin() -> None:
        coordinator._call_soon = held.append
        coordinator.elect(server.partition_of(group), 100)
        coordinator._call_soon = usual

    server.run(begin)
    assert held, "the log was too short to stop in the middle"
    yield
    server.run(usual, held[0])
    server.settle()


def test_each_api_says_loading_in_its_own_place_but_heartbeat_and_sync() -> None:
    """T011: a heartbeat is blindly accepted. T012: SyncGroup is told to join again, 14 would end the Java client."""
    with GroupServer({"offsets.load.buffer.size": "1"}) as server:
        client = server.client()
        for offset in range(5):
            client.commit("g", ("orders", 0, offset))
        with loading(server, "g"):
            assert answers(client, "g") == everywhere(14, group="g", sync=27, beat=0)
            listed = client.groups()
            assert (listed.error_code, list(listed.groups)) == (14, [])
        assert client.committed("g") == 4
        assert client.groups().error_code == 0


def test_of_two_groups_the_one_whose_shard_is_ready_is_answered() -> None:
    """T014."""
    with GroupServer({"offsets.load.buffer.size": "1"}) as server:
        client = server.client()
        assert server.partition_of("my-group") != server.partition_of("test-group")
        for offset in range(3):
            client.commit("my-group", ("orders", 0, offset))
        client.commit("test-group", ("orders", 0, 7))
        with loading(server, "my-group"):
            asked = [
                OffsetFetchRequestGroup(name, topics=[OffsetFetchRequestGroupTopic("orders", partition_indexes=[0])])
                for name in ("my-group", "test-group")
            ]
            reply = client.call("OffsetFetch", 8, OffsetFetchRequest(groups=asked))
        assert [(g.group_id, g.error_code) for g in reply.groups] == [("my-group", 14), ("test-group", 0)]
        assert reply.groups[1].topics[0].partitions[0].committed_offset == 7


def test_a_bad_session_timeout_is_told_before_a_shard_that_is_elsewhere(server: GroupServer) -> None:
    """T031; the empty group id comes before both, and both echo the member id."""
    server.lose("g")
    client = server.client()
    refused = client.join("g", "me", session_ms=5_999).answer()
    assert (refused.error_code, refused.member_id) == (26, "me")
    refused = client.join("", "me", session_ms=5_999).answer()
    assert (refused.error_code, refused.member_id) == (24, "me")


# ---- unload and failover


def test_parked_joins_hear_not_coordinator_with_their_own_ids_when_the_shard_unloads(server: GroupServer) -> None:
    """T016."""
    server.form("g", 1)
    newcomers = [server.client().enter("g"), server.client().join("g", instance="i")]
    assert all(server.is_parked(each) for each in newcomers)
    before = {member.member_id for member in server.client().describe("g").members}
    server.lose("g")
    replies = [each.answer() for each in newcomers]
    assert [reply.error_code for reply in replies] == [16, 16]
    assert all(reply.member_id in before for reply in replies)
    assert replies[1].member_id.startswith("i-")


def test_a_parked_sync_hears_not_coordinator_when_the_shard_unloads(server: GroupServer) -> None:
    """T017."""
    _, follower = server.gather("g", 2)
    parked = follower.sync()
    assert server.is_parked(parked)
    server.lose("g")
    reply = parked.answer()
    assert (reply.error_code, reply.assignment) == (16, b"")


def test_a_clean_stop_answers_parked_joins_and_then_closes(server: GroupServer) -> None:
    """Spec 1.4: whoever waits is told to look elsewhere before the connection goes."""
    server.form("g", 1)
    parked = server.client().enter("g")
    assert server.is_parked(parked)
    server.stop()
    assert parked.answer().error_code == 16
    assert parked.client.is_closed_by_server()


def test_failover_in_the_middle_of_a_rebalance_falls_back_to_the_stored_generation(server: GroupServer) -> None:
    """T018: what was not stored never was; a pending id is gone too."""
    leader, follower = server.form("g", 2)
    given = server.client().join("g").answer()
    rejoins = [server.taken(leader.rejoin()), server.taken(follower.rejoin())]
    server.client().leave("g", given.member_id)
    replies = [each.answer() for each in rejoins]
    assert [reply.generation_id for reply in replies] == [leader.generation + 1] * 2
    server.lose("g")
    server.take_over("g")
    client = server.client()
    described = client.describe("g")
    assert described.group_state == "Stable"
    assert {member.member_id for member in described.members} == {leader.member_id, follower.member_id}
    assert client.beat("g", leader.generation + 1, leader.member_id) == 22
    assert leader.beat() == 0
    assert client.join("g", given.member_id).answer().error_code == 25


def test_members_of_a_loaded_group_expire_one_session_after_the_load(server: GroupServer) -> None:
    """T019."""
    server.form("g", 1, session_ms=6_000)
    server.pass_time(3_000)
    server.lose("g")
    server.take_over("g")
    client = server.client()
    server.pass_time(5_999)
    assert client.state("g") == "Stable"
    server.pass_time(1)
    assert client.state("g") == "Empty"
