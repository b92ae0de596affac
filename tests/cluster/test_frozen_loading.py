"""A database that says nothing while a node loads shards that it has taken over: only their groups wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg

from muster.core.hashing import partition_for
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS, NONE, NOT_COORDINATOR
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_commit import OffsetCommitRequest
from tests.cluster.frozen_stage import PATIENT, frozen
from tests.cluster.lone_member import TOPIC, LoneMember
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import eventually

BEATS = 20
PARTITIONS = int(PATIENT["offsets.topic.num.partitions"])
LARGE = "x" * 4_000
"""PostgreSQL keeps a row with this beside the table."""


def test_groups_of_shards_that_are_being_loaded_are_told_so_and_heartbeats_of_all_others_are_answered(
    tmp_path: Path,
) -> None:
    with PostgresProcess() as database, ClusterStage(tmp_path, database, PATIENT) as stage, ExitStack() as open_ones:
        stage.add(1)
        stage.coordinator_of("the first who asks")
        members = [open_ones.enter_context(closing(each)) for each in one_member_a_partition()]
        for member in members:
            eventually("it to join", lambda member=member: member.try_to_join(stage.nodes[1].port) == NONE)  # type: ignore[misc]
            commit_much(stage, member)
        with no_large_rows(database):
            stage.add(2)
            eventually(
                "node 2 to lead its share", lambda: sorted(leaders(stage)), lambda led: led == [1, 1, 1, 2, 2, 2]
            )
            led = leaders(stage)
            here, moved = [
                [member for member in members if led[partition_for(member.group, PARTITIONS)] == node_id]
                for node_id in (1, 2)
            ]
            first, second = (stage.nodes[node_id].port for node_id in (1, 2))
            for member in moved:
                eventually("its shard to be loaded", lambda member=member: is_loading(member, second))  # type: ignore[misc]
            with frozen(database):
                for _ in range(BEATS):
                    assert [member.beat(first) for member in here] == [NONE] * len(here)
                    assert [member.beat(second) for member in moved] == [NONE] * len(moved), "nobody knows better now"
                    assert [member.beat(first) for member in moved] == [NOT_COORDINATOR] * len(moved)
                    assert all(is_loading(member, second) for member in moved)
            assert all(is_loading(member, second) for member in moved), "it waits for its rows still"
        for member in moved:
            eventually("the group to be served", lambda member=member: not is_loading(member, second))  # type: ignore[misc]
            assert member.committed(second) == (NONE, 1)
            assert member.beat(second) == NONE
        assert [member.beat(first) for member in here] == [NONE] * len(here)
        for node in stage.nodes.values():
            assert "Traceback" not in node.log, node.log


def one_member_a_partition() -> list[LoneMember]:
    groups: dict[int, str] = {}
    number = 0
    while len(groups) < PARTITIONS:
        groups.setdefault(partition_for(f"group-{number}", PARTITIONS), f"group-{number}")
        number += 1
    return [LoneMember(group) for group in groups.values()]


def commit_much(stage: ClusterStage, member: LoneMember) -> None:
    api, version, message = member.offset_commit(1)
    assert isinstance(message, OffsetCommitRequest)
    message.topics[0].partitions[0].committed_metadata = LARGE
    answer = stage.ask(1, api, version, message)
    assert answer.topics[0].partitions[0].error_code == NONE


@contextmanager
def no_large_rows(database: PostgresProcess) -> Iterator[None]:
    """Whoever asks for one waits. Everything else about partitions can be read, as who opens them does."""
    with psycopg.connect(database.url) as connection:
        row = connection.execute(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE relname = 'batches'"
        ).fetchone()
        assert row is not None
        connection.execute(f"REINDEX TABLE {row[0]}".encode())
        yield


def leaders(stage: ClusterStage) -> list[int]:
    """Of the coordinators' partitions, as the first node sees them."""
    (topic,) = stage.ask(1, "Metadata", 7, MetadataRequest([MetadataRequestTopic(name=TOPIC)])).topics
    return [each.leader_id for each in sorted(topic.partitions, key=lambda each: each.partition_index)]


def is_loading(member: LoneMember, port: int) -> bool:
    """Heartbeats do not tell: while a shard is loaded all of them are answered NONE (T011)."""
    return member.committed(port)[0] == COORDINATOR_LOAD_IN_PROGRESS
