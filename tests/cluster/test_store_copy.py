"""`muster store copy`: everything moves, from a data directory to a PostgreSQL and back, through kills and torn files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from muster.cli.main import main
from muster.cli.support import store_copy
from muster.cluster.worker_status import FILE as MARK_OF_WORKERS
from muster.log.directory import PRIVATE_DOCUMENTS
from muster.log.files import FileStore
from muster.runtime.group_config_document import DOCUMENT as GROUP_CONFIGS
from muster.security.acl_document import DOCUMENT as ACLS
from muster.security.node_proof import DOCUMENT as NODE_SECRET
from muster.security.quota_document import DOCUMENT as QUOTAS
from muster.security.users import DOCUMENT as USERS
from muster.server.automatic_id import DOCUMENT as NODE_IDS
from muster.server.identity import claim
from muster.topics.broker import Broker
from muster.topics.catalog_document import DOCUMENT as TOPICS
from muster.topics.copying.file_side import DirectoryReading, DirectoryWriting
from muster.topics.copying.mark import MARK
from muster.topics.copying.postgres_side import PostgresReading, PostgresWriting
from muster.topics.produce import ProduceTerms
from muster.topics.producer_ids import DOCUMENT as PRODUCER_IDS
from tests.cli.command import Told
from tests.cli.plain_pipes import assert_plain
from tests.cluster.killed_copy import EXIT_CODE
from tests.cluster.node_process import SETTINGS, NodeProcess
from tests.cluster.postgres_process import PostgresProcess
from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.client_confluent import QUIET
from tests.interop.waiting import PATIENCE_SECONDS
from tests.topics.bench_broker import NOW_MS, batch, commit, numbered, send_durably, started, with_topic

DOCUMENTS = (ACLS, USERS, QUOTAS, GROUP_CONFIGS, NODE_SECRET, PRODUCER_IDS, NODE_IDS)
"""All but the catalog of topics, which the fixture fills."""
RIGHTS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}

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
        copied = muster("store", "copy", source, target).done()
        assert_plain(copied.out, copied.err)
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


def test_every_document_is_carried_in_both_directions_and_secrets_stay_private(
    directory: Path, url: str, tmp_path: Path
) -> None:
    """All that a store keeps beside its logs, whatever is in it; but for what is of one directory alone."""
    written = {name: f'{{"kept in": "{name}"}}'.encode() for name in DOCUMENTS}
    store = FileStore(str(directory), "os")
    for name, content in written.items():
        store.write_document(name, content)
    store.write_document(MARK_OF_WORKERS, b"{}")
    store.close()
    back = tmp_path / "back"
    muster("store", "copy", str(directory), url).done()
    muster("store", "copy", url, str(back)).done()
    assert {path.name: path.read_bytes() for path in back.glob("*.json") if path.name != TOPICS} == written
    assert {back.joinpath(name).stat().st_mode & 0o777 for name in PRIVATE_DOCUMENTS} == {0o600}


class DisturbedDatabase(PostgresWriting):
    """Between the copying and the comparison somebody else writes to it."""

    def __init__(self, url: str, statement: str) -> None:
        super().__init__(url)
        self._elsewhere, self._statement = url, statement

    def reading(self) -> PostgresReading:
        import psycopg

        with psycopg.connect(self._elsewhere, autocommit=True) as connection:
            assert connection.execute(self._statement).rowcount == 1
        return super().reading()


class DisturbedDirectory(DirectoryWriting):
    def __init__(self, directory: str, changed: str) -> None:
        super().__init__(directory)
        self._changed = Path(directory, changed)

    def reading(self) -> DirectoryReading:
        content = bytearray(self._changed.read_bytes())
        content[-2] ^= 1
        self._changed.write_bytes(content)
        return super().reading()


_ONE_BIT = """
UPDATE muster.batches SET content = set_byte(content, length(content) - 1, get_byte(content, length(content) - 1) # 1)
WHERE partition_id = (SELECT id FROM muster.partitions WHERE topic = 't' AND partition = 1)
"""
_ONE_DOCUMENT = (
    f"UPDATE muster.documents SET content = set_byte(content, 1, get_byte(content, 1) # 1) WHERE name = '{ACLS}'"
)


@pytest.fixture
def with_rights(directory: Path) -> Path:
    store = FileStore(str(directory), "os")
    store.write_document(ACLS, b'{"acls": []}')
    store.close()
    return directory


@pytest.mark.parametrize(
    ("statement", "differs"),
    [(_ONE_BIT, "t-1 differs: Counted("), (_ONE_DOCUMENT, f"the document {ACLS} differs")],
    ids=["a batch", "a document"],
)
def test_a_copy_to_a_database_that_differs_in_one_bit_is_a_failure_that_names_what_differs(
    with_rights: Path,
    url: str,
    statement: str,
    differs: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(store_copy, "_writing", lambda place: DisturbedDatabase(place, statement))
    assert main(["store", "copy", str(with_rights), url]) == 1
    assert differs in capsys.readouterr().err
    assert "muster store copy" in muster("serve", *serving(url)).refused(1)


@pytest.mark.parametrize(
    ("changed", "differs"),
    [(f"t-1/{0:020}.log", "t-1 differs: Counted("), (ACLS, f"the document {ACLS} differs")],
    ids=["a batch", "a document"],
)
def test_a_copy_to_a_directory_that_differs_in_one_bit_is_a_failure_that_names_what_differs(
    with_rights: Path,
    tmp_path: Path,
    changed: str,
    differs: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    back = tmp_path / "back"
    monkeypatch.setattr(store_copy, "_writing", lambda place: DisturbedDirectory(place, changed))
    assert main(["store", "copy", str(with_rights), str(back)]) == 1
    assert differs in capsys.readouterr().err
    assert (back / MARK).exists()


def test_what_is_left_of_deleted_topics_is_not_copied(directory: Path, url: str, tmp_path: Path) -> None:
    """The first start on the copy would make topics of it, without their settings."""
    import psycopg

    muster("store", "copy", str(directory), url).done()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO muster.partitions (topic, partition, topic_id)"
            " VALUES ('gone', 0, gen_random_uuid()), ('deleted/7', 0, gen_random_uuid()),"
            " ('t', 2, (SELECT topic_id FROM muster.partitions WHERE topic = 't' LIMIT 1))"
        )
    copied = muster("store", "copy", url, str(tmp_path / "back"), "--json").done().rows
    assert [row["partition"] for row in copied] == ["empty-0", "t-0", "t-1"]
    assert sorted(path.name for path in (tmp_path / "back").glob("*-[0-9]")) == ["empty-0", "t-0", "t-1"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "UPDATE muster.partitions SET topic_id = gen_random_uuid() WHERE topic = 't' AND partition = 1"
        )
    told = muster("store", "copy", url, str(tmp_path / "without")).done()
    assert "copied and compared 2 partitions" in told.out
    assert told.err.startswith("left out: t-1: its records are of topic id ")


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
def test_clients_find_their_records_offsets_rights_and_settings_on_the_cluster_and_back_on_one_server(
    url: str, tmp_path: Path
) -> None:
    first = BrokerProcess(tmp_path, {**QUICK_GROUPS, **RIGHTS})
    (tmp_path / "secret").write_text("a-secret")
    with first:
        admin = AdminClient({"bootstrap.servers": first.address, **QUIET})
        admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result(PATIENCE_SECONDS)
        work(first.address, range(10))
        there = ("--bootstrap", first.address)
        muster("quotas", "set", "producer_byte_rate=9000000", "--for-user", "ann", *there).done()
        muster("users", "add", "ann", "--password-file", str(tmp_path / "secret"), *there).done()
        muster(
            "acls", "add", "--allow-principal", "User:ann", "--consumer", "--topic", "orders", "--group", "*", *there
        ).done()
        muster("groups", "configs", "movers", "--set", "consumer.session.timeout.ms=50000", *there).done()
        kept = rights_and_settings(first.address)
        assert all("ann" in each for each in kept[:3])
        assert "50000" in kept[3]
    muster("store", "copy", str(tmp_path / "data"), url).done()
    node = NodeProcess(tmp_path, url, 1, {**SETTINGS, **RIGHTS})
    node.start()
    assert found(node.address) == (list(range(10)), 10)
    assert "nodes run on it (1)" in muster("store", "copy", url, str(tmp_path / "early")).refused(1)
    work(node.address, range(10, 15))
    assert rights_and_settings(node.address) == kept
    node.stop()
    home = tmp_path / "again"
    home.mkdir()
    muster("store", "copy", url, str(home / "data")).done()
    with BrokerProcess(home, {**QUICK_GROUPS, **RIGHTS}) as last:
        assert found(last.address) == (list(range(15)), 15)
        assert rights_and_settings(last.address) == kept


def rights_and_settings(address: str) -> list[str]:
    """Quotas, users, ACLs, and what a group has for itself, as commands show them."""
    questions = (("quotas", "list"), ("users", "list"), ("acls", "list"))
    there = ("--bootstrap", address)
    settings = muster("groups", "configs", "movers", "--json", *there).done().rows
    own = [row for row in settings if row["source"] == "group"]
    return [*(muster(*question, *there).done().out for question in questions), repr(own)]


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
