"""What the attacks on storage ask of a running server: produce, fetch, list offsets, who coordinates, the metrics page."""

from __future__ import annotations

import socket
import urllib.request
from pathlib import Path

from muster.wire.batch import Record, encode_batch
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.list_offsets import (
    ListOffsetsRequest,
    ListOffsetsRequestPartition,
    ListOffsetsRequestTopic,
)
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.server.groups.group_client import GroupClient


def produce(client: GroupClient, topic: str, partition: int, value: bytes, key: bytes | None = b"k") -> tuple[int, int]:
    """Error code and base offset."""
    batch = encode_batch([Record(0, 1_000, key, value)])
    topics = [ProduceRequestTopic(topic, partition_data=[ProduceRequestPartition(partition, batch)])]
    reply = client.call("Produce", 9, ProduceRequest(None, -1, 5_000, topics))
    answer = reply.responses[0].partition_responses[0]
    return answer.error_code, answer.base_offset


def fetch(client: GroupClient, topic: str, partition: int) -> tuple[int, int]:
    """Error code and how many bytes there are from offset 0 on."""
    asked = FetchRequestPartition(partition=partition, fetch_offset=0, partition_max_bytes=1 << 20)
    request = FetchRequest(max_bytes=1 << 20, topics=[FetchRequestTopic(topic=topic, partitions=[asked])])
    answer = client.call("Fetch", 11, request).responses[0].partitions[0]
    return answer.error_code, len(answer.records or b"")


def list_latest(client: GroupClient, topic: str, partition: int) -> tuple[int, int]:
    """Error code and offset."""
    asked = ListOffsetsRequestPartition(partition_index=partition, timestamp=-1)
    request = ListOffsetsRequest(-1, topics=[ListOffsetsRequestTopic(topic, [asked])])
    answer = client.call("ListOffsets", 5, request).topics[0].partitions[0]
    return answer.error_code, answer.offset


def find_coordinator(client: GroupClient, group: str) -> int:
    code: int = client.call("FindCoordinator", 3, FindCoordinatorRequest(group, 0, [group])).error_code
    return code


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def metric(port: int, name: str) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as reply:
        lines = reply.read().decode().splitlines()
    (value,) = [line.rpartition(" ")[2] for line in lines if line.startswith(f"{name} ")]
    return float(value)


def said(data: Path) -> str:
    """What the server process has logged."""
    return (data.parent / "stderr").read_text()
