"""One partition is damaged in the middle: it alone goes offline. It used to keep the server from starting at all."""

from __future__ import annotations

from pathlib import Path

from muster.cli.main import main
from muster.core.hashing import partition_for
from muster.wire.errors import (
    COORDINATOR_NOT_AVAILABLE,
    KAFKA_STORAGE_ERROR,
    LEADER_NOT_AVAILABLE,
    NONE,
    NOT_COORDINATOR,
)
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.security.attacks.asking import fetch, find_coordinator, free_port, list_latest, metric, produce, said
from tests.server.groups.group_client import GroupClient
from tests.server.groups.muster_process import MusterProcess

FIRST = "00000000000000000000.log"
LOST, SERVED = next(
    (lost, served)
    for lost in map(str, range(99))
    for served in map(str, range(99))
    if partition_for(lost, 4) != partition_for(served, 4)
)


def damage(log: Path, position: int = 65) -> None:
    content = bytearray(log.read_bytes())
    content[position] ^= 0x41
    log.write_bytes(content)


def filled(data: Path) -> None:
    with MusterProcess(data) as server:
        server.create_topic("orders", 2)
        for group in (LOST, SERVED):
            with server.client(group) as client:
                for offset in range(3):
                    assert client.commit(group, ("orders", 0, offset)) == [NONE]
        with GroupClient(server.port) as client:
            for partition in range(2):
                for _ in range(3):
                    assert produce(client, "orders", partition, b"v")[0] == NONE


def leaders(client: GroupClient) -> list[tuple[int, int]]:
    """Error code and leader of each partition."""
    (topic,) = client.call("Metadata", 9, MetadataRequest([MetadataRequestTopic(name="orders")])).topics
    return [(partition.error_code, partition.leader_id) for partition in topic.partitions]


def test_a_damaged_partition_is_refused_and_every_other_is_served(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    damage(data / "orders-0" / FIRST)
    port = free_port()
    with MusterProcess(data, "--metrics-listen", f"127.0.0.1:{port}") as server, server.client(LOST) as client:
        assert leaders(client) == [(LEADER_NOT_AVAILABLE, -1), (NONE, 1)]
        assert produce(client, "orders", 0, b"v")[0] == KAFKA_STORAGE_ERROR
        assert fetch(client, "orders", 0)[0] == KAFKA_STORAGE_ERROR
        assert list_latest(client, "orders", 0)[0] == KAFKA_STORAGE_ERROR
        assert produce(client, "orders", 1, b"v") == (NONE, 3)
        assert fetch(client, "orders", 1)[0] == NONE
        assert client.committed(LOST) == client.committed(SERVED) == 2
        assert metric(port, "muster_offline_partitions") == 1
    (line,) = [line for line in said(data).splitlines() if "is offline" in line]
    assert "orders-0 is offline" in line
    assert "'muster log repair'" in line
    assert "damaged at position 0, offset 0" in line
    assert "Traceback" not in said(data)


def test_groups_of_a_damaged_coordinator_partition_are_told_to_wait_and_others_go_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    filled(data)
    damage(data / f"__consumer_offsets-{partition_for(LOST, 4)}" / FIRST)
    with MusterProcess(data) as server, server.client(SERVED) as client:
        assert client.committed(SERVED) == 2
        assert client.commit(SERVED, ("orders", 0, 3)) == [NONE]
        assert find_coordinator(client, LOST) == COORDINATOR_NOT_AVAILABLE
        assert client.commit(LOST, ("orders", 0, 3)) == [NOT_COORDINATOR]
        assert client.fetch_offsets(LOST, None).groups[0].error_code == NOT_COORDINATOR
        assert client.join(LOST).answer().error_code == NOT_COORDINATOR
        assert SERVED in [group.group_id for group in client.groups().groups]
    # Another start changes nothing; a repair brings back what lies before the damage.
    with MusterProcess(data) as server, server.client(SERVED) as client:
        assert find_coordinator(client, LOST) == COORDINATOR_NOT_AVAILABLE
    assert main(["log", "repair", str(data), "--yes"]) == 0
    with MusterProcess(data) as server, server.client(LOST) as client:
        assert client.commit(LOST, ("orders", 0, 9)) == [NONE]
        assert client.committed(SERVED) == 3


def test_a_damaged_partition_can_be_deleted_with_its_topic(tmp_path: Path) -> None:
    from muster.wire.generated.delete_topics import DeleteTopicsRequest

    data = tmp_path / "data"
    filled(data)
    damage(data / "orders-0" / FIRST)
    with MusterProcess(data) as server, GroupClient(server.port) as client:
        reply = client.call("DeleteTopics", 4, DeleteTopicsRequest(topic_names=["orders"], timeout_ms=5_000))
        assert reply.responses[0].error_code == NONE
        server.create_topic("orders", 1)
        assert produce(client, "orders", 0, b"v") == (NONE, 0)
