"""Last stable offset and readable end of partitions, asked of a broker, are those of its files: after random transactions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.broker_tails import Bounds, readable_ends
from muster.pipeline.sources.end_offsets import by_leader, sample_of_leader
from muster.server.running import RunningServer
from tests.interop.transactional import ConfluentTransactions
from tests.pipeline.decode.test_muster_log import server_on
from tests.pipeline.sources.segment_ends import segment_end_offsets

PARTITIONS = 6
SEEN = ("leo", "lso", "readable_end")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    from confluent_kafka.admin import AdminClient, NewTopic

    with server_on(tmp_path) as running:
        admin = AdminClient({"bootstrap.servers": running.address, "log_level": 0})
        admin.create_topics([NewTopic("orders", PARTITIONS)])["orders"].result(30)
        yield running


def asked(server: RunningServer) -> dict[int, tuple[Any, ...]]:
    with BrokerClient(server.address) as client:
        ((leader, partitions),) = by_leader(client.metadata()).items()
        rows = sample_of_leader(client, leader, partitions, "c", lambda: 0)
    return {row["partition"]: tuple(row[name] for name in SEEN) for row in rows}


def read(data: Path) -> dict[int, tuple[Any, ...]]:
    rows = segment_end_offsets([str(data)], read_at_ms=1 << 50).to_pylist()
    return {row["partition"]: tuple(row[name] for name in SEEN) for row in rows if row["end_ms"] == 1 << 50}


class Writers:
    """Three transactional producers that begin, write and end at random; each is in one transaction at a time."""

    def __init__(self, address: str, random: Random) -> None:
        self._random = random
        self._producers = [ConfluentTransactions(address, f"tx-{number}") for number in range(3)]
        self._open: set[int] = set()

    def step(self) -> None:
        random = self._random
        number = random.randrange(3)
        producer = self._producers[number]
        if number not in self._open:
            producer.begin()
            self._open.add(number)
        elif random.random() < 0.3:
            (producer.commit if random.random() < 0.5 else producer.abort)()
            self._open.discard(number)
            return
        sizes = [random.choice((1, 50, 5_000)) for _ in range(random.randint(1, 3))]
        producer.send("orders", random.randrange(PARTITIONS), *(b"v" * size for size in sizes))


@pytest.mark.parametrize("seed", [5, 6])
def test_broker_and_files_agree_after_random_transactions(server: RunningServer, tmp_path: Path, seed: int) -> None:
    writers = Writers(server.address, Random(seed))
    for _ in range(12):
        for _ in range(12):
            writers.step()
        assert asked(server) == read(tmp_path)


def test_markers_of_transactions_that_were_committed_are_not_readable(server: RunningServer) -> None:
    producer = ConfluentTransactions(server.address, "tx")
    producer.begin()
    producer.send("orders", 0, b"one", b"two")
    assert asked(server)[0] == (2, 0, 0)
    producer.commit()
    assert asked(server)[0] == (3, 3, 2)
    producer.begin()
    producer.send("orders", 0, b"three")
    producer.abort()
    assert asked(server)[0] == (5, 5, 2)


def test_aborted_transactions_that_overlap_are_passed_to_the_last_readable_record(server: RunningServer) -> None:
    """The marker of the first lies among the records of the second, and what it aborted lies before them."""
    first, second, third = (ConfluentTransactions(server.address, name) for name in ("tx-1", "tx-2", "tx-3"))

    def write(producer: ConfluentTransactions, value: bytes) -> None:
        producer.begin()
        for partition in (0, 1):  # two, for a broker sends large batches of one partition only
            producer.send("orders", partition, value)

    write(third, b"readable")
    third.commit()
    write(first, b"v" * 5_000)
    write(second, b"v" * 5_000)
    first.abort()
    second.abort()
    write(third, b"v")
    third.abort()
    found = asked(server)
    assert (found[0], found[1]) == ((8, 8, 1), (8, 8, 1))


def test_aborted_transaction_that_is_longer_than_what_is_looked_at_is_not_guessed(server: RunningServer) -> None:
    producer = ConfluentTransactions(server.address, "tx")
    producer.begin()
    for _ in range(3):
        producer.send("orders", 0, b"v" * 500_000)
    producer.abort()
    assert asked(server)[0] == (4, 4, None)


def test_partition_that_is_not_there_is_left_out(server: RunningServer) -> None:
    with BrokerClient(server.address) as client:
        assert readable_ends(client, client.metadata().partitions[0].leader, {("nowhere", 0): Bounds(0, 5, 5)}) == {}
