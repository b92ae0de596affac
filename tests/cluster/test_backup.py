"""A `pg_dump` that is taken while a cluster works restores to a cluster: all that was acknowledged before is there, and fits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from tests.cluster.load import PARTITIONS, TOPIC, Acknowledged, Writer
from tests.cluster.lone_member import LoneMember
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage, muster
from tests.interop.client_confluent import QUIET
from tests.interop.waiting import PATIENCE_SECONDS, eventually

pytestmark = [pytest.mark.interop, pytest.mark.xdist_group("cluster")]

NONE = 0


class Committer(threading.Thread):
    """Commits one number after the other for a group."""

    def __init__(self, coordinator: Callable[[], int], member: LoneMember) -> None:
        super().__init__(name="committer", daemon=True)
        self._coordinator = coordinator
        self._member = member
        self._stop_asked = threading.Event()
        self.newest = -1
        """What was acknowledged last."""

    def run(self) -> None:
        port, number = self._coordinator(), 0
        while not self._stop_asked.is_set():
            if self._member.commit(port, number) == NONE:
                self.newest = number
                number += 1
            else:
                port = self._coordinator()

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(PATIENCE_SECONDS)


@pytest.mark.parametrize("options", [(), ("--exclude-table-data=muster.nodes",)], ids=["with nodes", "without nodes"])
def test_what_was_acknowledged_before_a_dump_of_a_working_cluster_is_in_the_restored_one(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    told = Acknowledged()
    member = LoneMember("keeper")
    with PostgresProcess() as database, ClusterStage(tmp_path, database) as stage:
        stage.add(1, 2)
        stage.coordinator_of(member.group)
        stage.wait_for_owners(1, 2)
        muster("topics", "create", TOPIC, "--partitions", str(PARTITIONS), "--bootstrap", stage.bootstrap)

        def coordinator() -> int:
            return stage.nodes[stage.coordinator_of(member.group)].port

        eventually("the member to join", lambda: member.try_to_join(coordinator()) == NONE)
        writer, committer = Writer(stage.bootstrap, told), Committer(coordinator, member)
        writer.start()
        committer.start()
        told.wait_for_newer()
        eventually("commits", lambda: committer.newest > 10)
        with told.changed:
            records, committed = dict(told.records), committer.newest
        dump = database.dump(*options)
        told.wait_for_newer()  # nobody was held up
        writer.stop()
        committer.stop()
        member.close()
    home = tmp_path / "restored"
    home.mkdir()
    with PostgresProcess() as database:
        database.restore(dump)
        with ClusterStage(home, database) as stage:
            stage.add(1, 3)  # one of the old ids, and one that is new
            stage.wait_for_owners(1, 3)
            again = LoneMember("keeper")
            port = stage.nodes[stage.coordinator_of(again.group)].port
            error, found = eventually("its offsets", lambda: again.committed(port), lambda seen: seen[0] == NONE)
            assert (error, found >= committed) == (NONE, True), (found, committed)
            again.close()
            stored = everything(stage.bootstrap)
            assert {at: stored.get(at) for at in records} == records
            assert_whole(database)


def everything(bootstrap: str) -> dict[tuple[int, int], str]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "auditor", **QUIET})
    partitions = [TopicPartition(TOPIC, partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)]
    consumer.assign(partitions)
    total = sum(consumer.get_watermark_offsets(each, timeout=PATIENCE_SECONDS)[1] for each in partitions)
    found: dict[tuple[int, int], str] = {}
    while len(found) < total:
        message = consumer.poll(PATIENCE_SECONDS)
        assert message is not None, f"only {len(found)} of {total} records can be read"
        if message.error() is None:
            found[message.partition(), message.offset()] = message.value().decode()
    consumer.close()
    return found


def assert_whole(database: PostgresProcess) -> None:
    """Every log ends where its last batch does, and has no gap: nothing here was compacted yet."""
    with psycopg.connect(database.url) as connection:
        torn = connection.execute(
            "SELECT topic, partition FROM muster.partitions LEFT JOIN (SELECT partition_id, max(next_offset) AS ended,"
            " sum(next_offset - base_offset) AS held FROM muster.batches GROUP BY partition_id) AS logs"
            " ON partition_id = id WHERE end_offset <> coalesce(ended, 0) OR end_offset <> coalesce(held, 0)"
        ).fetchall()
    assert torn == []
