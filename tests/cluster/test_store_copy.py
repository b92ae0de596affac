"""`muster store copy`: everything moves, from a data directory to a PostgreSQL and back, through kills and torn files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from muster.log.files import FileStore
from muster.server.identity import claim
from muster.topics.broker import Broker
from muster.topics.copying.mark import MARK
from muster.topics.produce import ProduceTerms
from tests.cli.command import Told
from tests.cluster.killed_copy import EXIT_CODE
from tests.cluster.node_process import NodeProcess
from tests.cluster.postgres_process import PostgresProcess
from tests.interop.broker_process import BrokerProcess
from tests.interop.client_confluent import QUIET
from tests.interop.waiting import PATIENCE_SECONDS
from tests.topics.bench_broker import NOW_MS, batch, commit, numbered, send_durably, started, with_topic

pytestmark = pytest.mark.xdist_group("cluster")


def muster(*arguments: str) -> Told:
    done = subprocess.run([sys.executable, "-m", "muster", *arguments], capture_output=True, text=True, check=False)
    return Told(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresProcess]:
    with PostgresProcess() as running:
        yield running


@pytest.fixture
def url(server: PostgresProcess) -> str:
    """Of a database with tables and nothing in them."""
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS muster CASCADE")
    muster("store", "migrate", server.url).done()
    return server.url


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two partitions, of which one has several segments, is compacted and begins inside of one; an idempotent producer; an
    empty topic."""
    path = tmp_path / "source"
    store = FileStore(str(path), "os")
    claim(store, 1, "moving-cluster", lambda: "x")
    broker = started(store, segment_bytes="700")
    with_topic(broker, "t", 2, cleanup_policy="compact,delete", retention_ms="-1")
    with_topic(broker, "empty")
    for number in range(20):
        send_durably(broker, batch(b"%d" % number * 50, key=b"%d" % (number % 3)))
        send_durably(broker, numbered(5, number))
    compact(broker)
    broker.delete_records("t", 0, 7)
    fill_second(broker)
    store.close()
    return path


def compact(broker: Broker) -> None:
    under_way = broker.partition("t", 0).log.begin_compaction(NOW_MS)
    while under_way.settle() is None:
        under_way.work(1_000_000)


def fill_second(broker: Broker) -> None:
    broker.produce("t", 1, batch(b"a", b"b", compression=1), ProduceTerms(), NOW_MS)
    commit(broker)


def test_a_copy_that_is_killed_again_and_again_goes_on_where_it_was_in_both_directions(
    directory: Path, url: str, tmp_path: Path
) -> None:
    back = tmp_path / "back"
    for source, target in ((str(directory), url), (url, str(back))):
        for pieces in range(3):
            died = subprocess.run(
                [sys.executable, "-m", "tests.cluster.killed_copy", source, target, str(pieces)], check=False
            )
            assert died.returncode == EXIT_CODE
            for torn in sorted(back.glob("t-0/*.log"))[-1:]:
                torn.write_bytes(torn.read_bytes() + b"half of a batch")
        assert "muster store copy" in muster("serve", *serving(target)).refused(1)
        muster("store", "copy", source, target).done()
    assert not (back / MARK).exists()
    told = [muster("store", "copy", str(side), url).refused(1) for side in (directory, back)]
    assert ["is not empty: it holds 3 partitions" in line for line in told] == [True, True]


def serving(place: str) -> tuple[str, ...]:
    flag = "--store" if place.startswith("postgresql:") else "--data"
    return (flag, place, "--listen", "127.0.0.1:0")


def test_what_a_copy_counts_is_the_same_on_every_way(directory: Path, url: str, tmp_path: Path) -> None:
    there = muster("store", "copy", str(directory), url, "--json").done().rows
    back = muster("store", "copy", url, str(tmp_path / "back"), "--json").done().rows
    assert there == back
    assert [(row["partition"], row["start_offset"], row["end_offset"]) for row in there] == [
        ("empty-0", 0, 0),
        ("t-0", 7, 40),
        ("t-1", 0, 2),
    ]


def test_an_append_of_the_other_store_goes_on_at_the_same_offset_and_knows_the_producer(
    directory: Path, url: str, tmp_path: Path
) -> None:
    muster("store", "copy", str(directory), url).done()
    muster("store", "copy", url, str(tmp_path / "back")).done()
    store = FileStore(str(tmp_path / "back"), "os")
    assert store.was_clean
    broker = started(store)
    assert send_durably(broker, numbered(5, 20)).base_offset == 40
    assert send_durably(broker, numbered(5, 19)).base_offset == 39  # a repeated one is found
    store.close()


def test_stores_in_use_of_another_copy_or_of_nobody_are_refused_in_one_line(
    directory: Path, url: str, tmp_path: Path
) -> None:
    filled = tmp_path / "filled"
    filled.mkdir()
    (filled / "letter.txt").write_text("dear")
    assert "is not empty (it holds letter.txt)" in muster("store", "copy", str(directory), str(filled)).refused(1)
    assert "no meta.properties" in muster("store", "copy", str(filled), url).refused(1)
    assert "password" in muster("store", "copy", "postgresql://a:b@localhost/x", str(filled)).refused(2)
    held = FileStore(str(directory), "os")
    assert "in use by process" in muster("store", "copy", str(directory), url).refused(1)
    held.close()
    (filled / "letter.txt").unlink()
    (filled / MARK).write_text('{"copy_of_cluster": "another"}')
    assert "unfinished copy of cluster another" in muster("store", "copy", str(directory), str(filled)).refused(1)


@pytest.mark.interop
def test_clients_find_their_records_offsets_users_and_quotas_on_the_cluster_and_back_on_one_server(
    url: str, tmp_path: Path
) -> None:
    first = BrokerProcess(tmp_path)
    with first:
        admin = AdminClient({"bootstrap.servers": first.address, **QUIET})
        admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result(PATIENCE_SECONDS)
        work(first.address, range(10))
        muster("quotas", "set", "producer_byte_rate=9000000", "--for-user", "ann", "--bootstrap", first.address).done()
    muster("store", "copy", str(tmp_path / "data"), url).done()
    node = NodeProcess(tmp_path, url, 1)
    node.start()
    assert found(node.address) == (list(range(10)), 10)
    assert "running on it" in muster("store", "copy", url, str(tmp_path / "early")).err.replace(
        "run on it", "running on it"
    )
    work(node.address, range(10, 15))
    assert "ann" in muster("quotas", "list", "--bootstrap", node.address).done().out
    node.stop()
    home = tmp_path / "again"
    home.mkdir()
    muster("store", "copy", url, str(home / "data")).done()
    with BrokerProcess(home) as last:
        assert found(last.address) == (list(range(15)), 15)
        assert "ann" in muster("quotas", "list", "--bootstrap", last.address).done().out


def work(address: str, numbers: range) -> None:
    """Records, in transactions of which every second one is aborted again, and a commit of the group."""
    producer = Producer({"bootstrap.servers": address, "transactional.id": "mover", **QUIET})
    producer.init_transactions(PATIENCE_SECONDS)
    for number in numbers:
        producer.begin_transaction()
        producer.produce("orders", f"aborted {number}", partition=0)
        producer.flush(PATIENCE_SECONDS)
        producer.abort_transaction(PATIENCE_SECONDS)
        producer.begin_transaction()
        producer.produce("orders", str(number), partition=0)
        producer.commit_transaction(PATIENCE_SECONDS)
    consumer = Consumer({"bootstrap.servers": address, "group.id": "movers", **QUIET})
    consumer.commit(offsets=[TopicPartition("orders", 1, numbers.stop)], asynchronous=False)
    consumer.close()


def found(address: str) -> tuple[list[int], int]:
    """The committed records of partition 0, and what the group has committed."""
    consumer = Consumer({"bootstrap.servers": address, "group.id": "movers", "enable.partition.eof": True, **QUIET})
    consumer.assign([TopicPartition("orders", 0, 0)])
    values = []
    while True:
        message = consumer.poll(PATIENCE_SECONDS)
        assert message is not None, "no end of the partition"
        if message.error() is not None:
            break
        values.append(int(message.value()))
    (at,) = consumer.committed([TopicPartition("orders", 1)], timeout=PATIENCE_SECONDS)
    consumer.close()
    return values, at.offset
