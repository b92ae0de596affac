"""Coordinators that die, freeze, stop and are cut off, as a member sees it at the level of the protocol (issue 11, decision 0012).

Real processes, a real PostgreSQL. A member that has joined once is never made to join again: its generation (or its epoch, in the
consumer protocol) and its commits are in the log, and whoever takes over knows them.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from time import monotonic

import psycopg
import pytest

from muster.wire.errors import (
    COORDINATOR_NOT_AVAILABLE,
    NONE,
    NOT_COORDINATOR,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_LEADER_EPOCH,
)
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from tests.cluster.lone_consumer import LoneConsumer
from tests.cluster.lone_member import LoneClient, LoneMember
from tests.cluster.node_process import LEASE_MS
from tests.cluster.stage import ClusterStage, muster
from tests.interop.waiting import eventually
from tests.server.raw_client import RawClient, request_frame

pytestmark = pytest.mark.xdist_group("cluster")

SURELY_HELD_S = LEASE_MS / 4_000
"""For so long a lease holds that was there a moment ago: it is renewed six times in its length."""


CLASSIC = pytest.mark.parametrize("member", [LoneMember], indirect=True, ids=["classic"])
"""Tests in which the protocol of the group makes no difference, or is the point."""


@pytest.fixture(params=[LoneMember, LoneConsumer], ids=["classic", "consumer"])
def member(cluster: ClusterStage, request: pytest.FixtureRequest) -> Iterator[LoneClient]:
    """In a stable group, with offset 7 committed."""
    with closing(request.param(request.node.name)) as member:
        # A node may be said to lead before it has heard of it.
        for answer in (member.try_to_join, lambda port: member.commit(port, 7)):
            eventually(
                "a coordinator",
                lambda answer=answer: answer(coordinator_port(cluster, member)),  # type: ignore[misc]
                lambda code: code == NONE,
            )
        yield member


def coordinator_port(cluster: ClusterStage, member: LoneClient) -> int:
    return cluster.nodes[cluster.coordinator_of(member.group)].port


def ports(cluster: ClusterStage, *without: int) -> list[int]:
    return [cluster.nodes[node_id].port for node_id in cluster.running if node_id not in without]


def goes_on_elsewhere(cluster: ClusterStage, member: LoneClient, old: int) -> int:
    """Waits until another node than the old one takes the member's heartbeat and knows its offset; returns its port."""
    others = ports(cluster, old)
    eventually("a heartbeat to be accepted elsewhere", lambda: member.beats_somewhere(others))
    return keeper_of_its_offset(member, others)


def keeper_of_its_offset(member: LoneClient, ports: Sequence[int]) -> int:
    """Waits until the coordinator is one of these and knows the offset; returns its port. Whoever answers as the coordinator knows
    no other one. One that was sure a moment ago may have to give the group away: nodes hear of it one after the other."""

    def look() -> int | None:
        seen = member.knows_somewhere(ports)
        assert seen is None or seen[1] == 7, f"{seen[1]} is committed"
        return None if seen is None else seen[0]

    return eventually("the offset at the coordinator", look) or 0


def test_a_killed_coordinator_is_followed_by_one_that_knows_members_and_offsets(
    cluster: ClusterStage, member: LoneClient
) -> None:
    old = cluster.coordinator_of(member.group)
    cluster.nodes[old].kill()
    port = goes_on_elsewhere(cluster, member, old)
    assert member.commit(port, 8) == NONE


def test_a_node_killed_and_started_at_once_waits_for_its_own_lease_and_comes_back(
    cluster: ClusterStage, member: LoneClient
) -> None:
    """A supervisor restarts within milliseconds; the lease of the former life is still there then."""
    old = cluster.coordinator_of(member.group)
    cluster.nodes[old].kill()
    cluster.add(old)
    cluster.wait_for_owners(1, 2, 3)
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))


def test_a_frozen_coordinator_finds_itself_replaced_when_it_wakes_and_answers_what_waited_for_it(
    cluster: ClusterStage, member: LoneClient
) -> None:
    old = cluster.coordinator_of(member.group)
    beat, commit = member.heartbeat(), member.offset_commit(99)
    with RawClient(cluster.nodes[old].port) as beating, RawClient(cluster.nodes[old].port) as committing:
        cluster.nodes[old].freeze()
        beating.send(request_frame(*beat))
        committing.send(request_frame(*commit))
        goes_on_elsewhere(cluster, member, old)
        cluster.nodes[old].thaw()
        assert beating.read(beat.api, beat.version).error_code == NOT_COORDINATOR
        assert committing.read(commit.api, commit.version).topics[0].partitions[0].error_code == NOT_COORDINATOR
    cluster.wait_for_owners(1, 2, 3)
    assert f"node {old} gives up" in cluster.nodes[old].log
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))
    keeper_of_its_offset(member, ports(cluster))  # what the frozen node was asked in vain never happened


@CLASSIC
def test_a_frozen_leader_tells_no_stale_end_of_a_log_when_it_wakes(cluster: ClusterStage, member: LoneClient) -> None:
    """A reader that believed it would think its own position beyond the end, and begin anew."""
    old = cluster.coordinator_of(member.group)
    with psycopg.connect(cluster.database.url) as connection:
        row = connection.execute(
            "SELECT partition, epoch FROM muster.partitions WHERE topic = '__consumer_offsets' AND owner = %s LIMIT 1",
            (old,),
        ).fetchone()
    assert row is not None
    index, epoch = row
    asked = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=0,
        topics=[
            ListOffsetsRequestTopic(
                name="__consumer_offsets",
                partitions=[
                    ListOffsetsRequestPartition(partition_index=index, current_leader_epoch=epoch, timestamp=-1)
                ],
            )
        ],
    )
    with RawClient(cluster.nodes[old].port) as reader:
        eventually(
            "it to have opened the log",
            lambda: reader.ask("ListOffsets", 4, asked).topics[0].partitions[0].error_code,
            lambda code: code == NONE,
        )
        cluster.nodes[old].freeze()
        reader.send(request_frame("ListOffsets", 4, asked))
        goes_on_elsewhere(cluster, member, old)
        cluster.nodes[old].thaw()
        assert reader.read("ListOffsets", 4).topics[0].partitions[0].error_code in (
            NOT_LEADER_OR_FOLLOWER,
            UNKNOWN_LEADER_EPOCH,
        )


@CLASSIC
def test_a_node_that_is_stopped_hands_over_and_tells_whoever_asks_it_so(
    cluster: ClusterStage, member: LoneClient
) -> None:
    """A join that waits for others gets NOT_COORDINATOR, not a closed connection (spec 1.4)."""
    old = cluster.coordinator_of(member.group)
    late = JoinGroupRequest(
        group_id=member.group,
        session_timeout_ms=30_000,
        rebalance_timeout_ms=30_000,
        member_id="",
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
    )
    with RawClient(cluster.nodes[old].port) as waiting:
        # The heartbeat is looked at when the join is answered, and no later: a node that has handed over is not there for long.
        waiting.send(request_frame("JoinGroup", 3, late) + request_frame(*member.heartbeat()))
        eventually("the rebalance to begin", lambda: member.beat(cluster.nodes[old].port) != NONE)
        cluster.nodes[old].signal(signal.SIGTERM)
        assert waiting.read("JoinGroup", 3).error_code == NOT_COORDINATOR
        assert waiting.read("Heartbeat", 2).error_code == NOT_COORDINATOR
        cluster.nodes[old].wait_until_stopped()
    keeper_of_its_offset(member, ports(cluster, old))
    assert old not in cluster.status()


def test_a_node_cut_off_from_the_database_stops_speaking_before_another_does_and_comes_back(
    cluster: ClusterStage, member: LoneClient
) -> None:
    """Its lease ends for itself before it ends for the others: at no moment do two nodes take heartbeats."""
    old = cluster.coordinator_of(member.group)
    old_port = cluster.nodes[old].port
    others = ports(cluster, old)
    cut_at_s = monotonic()
    cluster.cables[old].cut()
    answers: list[tuple[bool, int]] = [(False, member.beat(old_port))]
    if monotonic() - cut_at_s < SURELY_HELD_S:
        assert answers == [(False, NONE)], "it speaks for as long as its lease holds"

    def both() -> bool:
        elsewhere = member.beats_somewhere(others)
        answers.append((elsewhere, member.beat(old_port)))
        return elsewhere

    eventually("another node to take the heartbeat", both)
    assert answers[-1] == (True, NOT_COORDINATOR)
    assert {code for _, code in answers} <= {NONE, NOT_COORDINATOR}
    cluster.cables[old].mend()
    cluster.wait_for_owners(1, 2, 3)
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))


def test_two_nodes_that_believe_to_own_a_partition_and_the_database_takes_the_appends_of_one(
    cluster: ClusterStage, member: LoneClient
) -> None:
    """The partition is given away while its owner is cut off and its lease still holds: both believe. The commit that the old
    one sends reaches the database when the cable is mended, names the old epoch and is refused."""
    old = cluster.coordinator_of(member.group)
    others = ports(cluster, old)
    new = next(node_id for node_id in cluster.running if node_id != old)
    assert member.beat(cluster.nodes[old].port) == NONE
    commit = member.offset_commit(99)
    with RawClient(cluster.nodes[old].port) as committing:
        cluster.cables[old].cut()
        committing.send(request_frame(*commit))
        with psycopg.connect(cluster.database.url, autocommit=True) as connection:
            connection.execute(
                "UPDATE muster.partitions SET owner = %s, epoch = epoch + 1 "
                "WHERE topic IN ('__consumer_offsets', '__group_journal') AND owner = %s",
                (new, old),
            )
            connection.execute("UPDATE muster.cluster SET changes = changes + 1")
            connection.execute("NOTIFY muster")
        # Mostly the new one; the nodes spread the partitions again as soon as they see that they are uneven.
        eventually("another owner to commit", lambda: member.commits_somewhere(others, 8))
        cluster.cables[old].mend()
        assert committing.read(commit.api, commit.version).topics[0].partitions[0].error_code == NOT_COORDINATOR

    def look_up() -> tuple[int, int] | None:
        """At whoever coordinates now: it may move once more."""
        seen = member.knows_somewhere(ports(cluster))
        assert seen is None or seen[1] != 99, "what the database refused"
        return seen

    eventually("the offset", look_up, lambda seen: seen is not None and seen[1] == 8)


def test_a_database_that_is_away_means_retriable_errors_and_its_return_needs_no_restart(
    cluster: ClusterStage, member: LoneClient
) -> None:
    port = coordinator_port(cluster, member)
    cluster.database.stop()
    try:
        code = member.commit(port, 8)
        assert code in (NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE), "both make every client look again"
        eventually("the lease to end", lambda: member.beat(port), lambda answer: answer == NOT_COORDINATOR)
        eventually("nobody to be named", lambda: member.coordinator_port(ports(cluster)), lambda named: named is None)
    finally:
        cluster.database.start()
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))
    cluster.wait_for_owners(1, 2, 3)
    keeper_of_its_offset(member, ports(cluster))


@CLASSIC
def test_a_node_id_that_is_taken_is_refused_and_the_node_that_has_it_is_not_disturbed(
    cluster: ClusterStage, member: LoneClient
) -> None:
    command = cluster.nodes[1].command()
    for flag in ("--listen", "--metrics-listen"):
        command[command.index(flag) + 1] = "127.0.0.1:0"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "node 1 is already running: choose another --node-id" in done.stderr
    assert "Traceback" not in done.stderr
    assert cluster.status()[1]["state"] == "live"
    assert member.beats_somewhere(ports(cluster))


def test_a_node_that_is_added_gets_its_share_and_drained_it_gives_it_back(
    cluster: ClusterStage, member: LoneClient
) -> None:
    cluster.add(4)
    cluster.wait_for_owners(1, 2, 3, 4)
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))
    assert "node 4 is drained" in muster("cluster", "drain", "4", cluster.database.url)
    status = cluster.status()
    assert status[4]["state"] == "drained"
    assert status[4]["partitions_led"] == 0
    cluster.nodes[4].stop()
    eventually("a heartbeat to be accepted", lambda: member.beats_somewhere(ports(cluster)))
    keeper_of_its_offset(member, ports(cluster))
