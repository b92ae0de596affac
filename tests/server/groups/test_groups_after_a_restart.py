"""What a client finds after the server has stopped, or was killed, and came back with the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.movable_clock import MovableClock
from tests.server.groups.group_client import commit_request, subscription
from tests.server.groups.group_server import GroupServer
from tests.server.groups.muster_process import MusterProcess

META = subscription("orders")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {"muster.storage": "files", "muster.data": str(tmp_path / "data")}


def test_offsets_and_a_stable_group_are_there_again_after_a_stop(files: dict[str, str]) -> None:
    clock = MovableClock()
    with GroupServer(files, clock=clock) as server:
        leader, follower = server.form("g", 2, instances=[None, "two"])
        client = server.client()
        assert client.commit(
            "g", ("orders", 0, 5), leader_epoch=3, metadata="note", generation=1, member_id=leader.member_id
        ) == [0]
        assert client.commit("simple", ("orders", 1, 6)) == [0]
    with GroupServer(files, clock=clock) as server:
        client = server.client()
        described = client.describe("g")
        assert (described.group_state, described.protocol_type, described.protocol_data) == (
            "Stable",
            "consumer",
            "range",
        )
        shown = [
            (m.member_id, m.group_instance_id, m.client_id, m.client_host, m.member_metadata, m.member_assignment)
            for m in described.members
        ]
        assert shown == [
            (leader.member_id, None, "client-0", "/127.0.0.1", META, b"part 0"),
            (follower.member_id, "two", "client-1", "/127.0.0.1", META, b"part 1"),
        ]
        assert client.beat("g", 1, leader.member_id) == client.beat("g", 1, follower.member_id, "two") == 0
        assert client.sync("g", 1, leader.member_id).answer().assignment == b"part 0"
        (topic,) = client.fetch_offsets("g", None).groups[0].topics
        (partition,) = topic.partitions
        assert (topic.name, partition.committed_offset, partition.committed_leader_epoch, partition.metadata) == (
            "orders",
            5,
            3,
            "note",
        )
        assert client.committed("simple", "orders", 1) == 6
        assert sorted(group.group_id for group in client.groups().groups) == ["g", "simple"]


def test_a_group_loaded_after_a_stop_goes_on_with_the_next_generation(files: dict[str, str]) -> None:
    clock = MovableClock()
    with GroupServer(files, clock=clock) as server:
        leader, follower = server.form("g", 2)
    with GroupServer(files, clock=clock) as server:
        joins = [server.taken(server.client().join("g", seat.member_id)) for seat in (leader, follower)]
        replies = [each.answer() for each in joins]
        assert [reply.generation_id for reply in replies] == [2, 2]
        assert {reply.leader for reply in replies} == {leader.member_id}


def test_a_deleted_group_stays_deleted(files: dict[str, str]) -> None:
    from muster.wire.generated.delete_groups import DeleteGroupsRequest

    with GroupServer(files) as server:
        client = server.client()
        client.commit("g", ("orders", 0, 5))
        assert client.call("DeleteGroups", 2, DeleteGroupsRequest(["g"])).results[0].error_code == 0
    with GroupServer(files) as server:
        assert server.client().state("g") == "Dead"
        assert server.client().committed("g") == -1


def test_the_number_of_offsets_partitions_stays_what_it_was(files: dict[str, str]) -> None:
    """T004: the topic has 4, the setting says 50."""
    with GroupServer(files) as server:
        server.client().commit("my-group", ("orders", 0, 5))
    with GroupServer({**files, "offsets.topic.num.partitions": "50"}) as server:
        assert server.node.coordinator.partition_count == 4
        assert server.client().committed("my-group") == 5


# ---- killed


@pytest.fixture(params=["fsync", "os"])
def durability(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path, durability: str) -> None:
    """Commits are on their way when the process dies: none that was acknowledged may be missing."""
    data = tmp_path / "data"
    with MusterProcess(data, "--durability", durability) as server:
        server.create_topic("orders", 3)
        with server.client() as client:
            assert client.commit("g", ("orders", 1, 77), metadata="kept") == [0]
            commits = [
                client.begin("OffsetCommit", 9, commit_request("g", ("orders", 0, offset))) for offset in range(400)
            ]
            for waiting in commits[:100]:
                assert waiting.answer().topics[0].partitions[0].error_code == 0
            server.kill()
    with MusterProcess(data, "--durability", durability) as server, server.client() as client:
        assert client.committed("g", "orders", 1) == 77
        assert 99 <= client.committed("g", "orders", 0) < 400
        assert client.state("g") == "Empty"


def test_a_stable_group_is_there_after_a_kill_and_a_rebalance_under_way_is_not(tmp_path: Path) -> None:
    """T018 with a real crash."""
    data = tmp_path / "data"
    with MusterProcess(data) as server:
        server.create_topic("orders", 3)
        with server.client() as client, server.client() as other:
            joined = client.join("g", instance="one", session_ms=60_000).answer()
            sync = client.sync("g", 1, joined.member_id, [(joined.member_id, b"all")], instance="one").answer()
            assert (joined.generation_id, sync.assignment) == (1, b"all")
            newcomer = other.enter("g")
            again = client.join("g", joined.member_id, instance="one").answer()
            assert again.generation_id == newcomer.answer().generation_id == 2
            server.kill()
    with MusterProcess(data) as server, server.client() as client:
        described = client.describe("g")
        assert described.group_state == "Stable"
        assert [(m.member_id, m.member_assignment) for m in described.members] == [(joined.member_id, b"all")]
        assert client.beat("g", 2, joined.member_id, "one") == 22
        assert client.beat("g", 1, joined.member_id, "one") == 0
