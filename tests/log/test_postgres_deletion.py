"""Partitions of deleted topics give their names up at once, and go a few batches a transaction, however many they have."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from muster.cluster.ownership import look
from muster.cluster.plan import Slot
from muster.cluster.view import ClusterView
from muster.log.contract import Leader, LogConfig, StorageError
from muster.log.postgres.deletion import MOST_BATCHES, MOST_BYTES
from muster.log.postgres.store import PostgresStore
from muster.runtime.cluster_seat import ClusterLeaders
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.topics.produce import ProduceTerms
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE
from muster.wire.special_values import NO_TOPIC_ID
from tests.log.batches import TOPIC_ID, commit, records_in
from tests.log.postgres_server import empty_database
from tests.topics.bench_broker import NOW_MS, batch

_FILL = """
INSERT INTO muster.batches (partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
SELECT %s, number, number + 1, 0, 0, 0, repeat('x', %s)::bytea FROM generate_series(0, %s - 1) AS number
"""
_REFUSE = """
CREATE FUNCTION muster.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT {too_much} FROM gone) THEN RAISE EXCEPTION 'that takes too long'; END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER refusing AFTER DELETE ON muster.batches REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION muster.refuse()
"""
TOO_MANY = f"count(*) > {MOST_BATCHES}"
TOO_LARGE = f"sum(octet_length(content)) > {MOST_BYTES}"
LOCKED_HERE = "EXISTS (SELECT FROM muster.documents WHERE xmax::text = pg_current_xact_id()::text)"
"""By the transaction that is deleting."""
_REFUSE_TO_PUT_ASIDE = """
CREATE FUNCTION muster.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
CREATE TRIGGER refusing BEFORE UPDATE OF topic ON muster.partitions FOR EACH ROW EXECUTE FUNCTION muster.refuse()
"""


class Leftover:
    """A partition of a topic with many batches, in a database that refuses some deletions."""

    def __init__(self, url: str, connection: Any, store: PostgresStore) -> None:
        self.url = url
        self.connection = connection
        self.store = store
        store.announce("t", TOPIC_ID, [0])
        (self.partition_id,) = connection.execute("SELECT id FROM muster.partitions").fetchone()

    def fill(self, batches: int, size: int = 1) -> None:
        self.connection.execute(_FILL, (self.partition_id, size, batches))

    def refuse(self, too_much: str) -> None:
        self.connection.execute(_REFUSE.format(too_much=too_much))

    def refuse_no_more(self) -> None:
        self.connection.execute("DROP FUNCTION muster.refuse CASCADE")

    def clear(self) -> int:
        """All of it. How many steps that took."""
        steps = 0
        while self.store.clear_some():
            steps += 1
        return steps

    def rows(self) -> list[tuple[str, int]]:
        return list(self.connection.execute("SELECT topic, partition FROM muster.partitions ORDER BY 1, 2").fetchall())

    def offsets(self) -> list[int]:
        rows = self.connection.execute("SELECT base_offset FROM muster.batches ORDER BY base_offset")
        return [offset for (offset,) in rows]


@pytest.fixture
def leftover() -> Iterator[Leftover]:
    import psycopg

    url = empty_database()
    store = PostgresStore(url, 1)
    with psycopg.connect(url, autocommit=True) as connection:
        yield Leftover(url, connection, store)
        connection.execute("DROP FUNCTION IF EXISTS muster.refuse CASCADE")
    store.close()


@pytest.mark.parametrize("topic_id", [TOPIC_ID, None], ids=["by-id", "by-name"])
def test_a_partition_with_many_batches_is_deleted_in_small_steps(leftover: Leftover, topic_id: bytes | None) -> None:
    """One statement for all would take longer than it may, for ever."""
    leftover.fill(2 * MOST_BATCHES + 1)
    leftover.refuse(TOO_MANY)
    leftover.store.delete("t", 0, topic_id)
    assert leftover.store.partitions() == []
    assert len(leftover.offsets()) == 2 * MOST_BATCHES + 1
    assert leftover.clear() == 4  # three of batches, and the row
    assert (leftover.offsets(), leftover.rows()) == ([], [])


def test_a_name_is_free_before_the_records_under_it_are_deleted(leftover: Leftover) -> None:
    """Also of rows that are left of a deletion that was interrupted before it began."""
    leftover.fill(2 * MOST_BATCHES + 1)
    broker = Broker(leftover.store, BrokerConfig(), Random(1).randbytes, leaders=ClusterLeaders(1))
    broker.start()
    answers = broker.create_topics([NewTopic("t", 2), NewTopic("other", 1)])
    assert [answer.error_code for answer in answers] == [NONE, NONE]
    assert leftover.store.partitions() == [("other", 0), ("t", 0), ("t", 1)]
    assert not broker.catalog.wants_refresh
    assert leftover.clear() == 4
    assert leftover.store.partitions() == [("other", 0), ("t", 0), ("t", 1)]


def test_what_is_put_aside_has_no_owner_and_is_in_no_view(leftover: Leftover) -> None:
    leftover.fill(1)
    leftover.connection.execute("UPDATE muster.partitions SET owner = 2, epoch = 5")
    leftover.store.delete("t", 0, TOPIC_ID)
    assert leftover.connection.execute("SELECT owner, epoch FROM muster.partitions").fetchone() == (None, 6)
    assert look(leftover.connection).leaders == {}


def test_a_step_is_small_in_bytes_too(leftover: Leftover) -> None:
    leftover.fill(5, size=MOST_BYTES // 2)
    leftover.refuse(TOO_LARGE)
    leftover.store.delete("t", 0)
    assert leftover.clear() == 4
    assert leftover.offsets() == []


def test_a_batch_that_is_larger_than_a_step_goes_alone(leftover: Leftover) -> None:
    leftover.fill(2, size=MOST_BYTES + 1)
    leftover.refuse("count(*) > 1")
    leftover.store.delete("t", 0)
    leftover.clear()
    assert leftover.offsets() == []


def test_what_was_deleted_before_a_failure_stays_deleted_and_another_node_goes_on(leftover: Leftover) -> None:
    leftover.fill(MOST_BATCHES + 10)
    leftover.refuse(f"max(base_offset) >= {MOST_BATCHES}")
    leftover.store.delete("t", 0)
    with pytest.raises(StorageError, match="that takes too long"):
        leftover.clear()
    assert leftover.offsets() == list(range(MOST_BATCHES, MOST_BATCHES + 10))
    leftover.refuse_no_more()
    other = PostgresStore(leftover.url, 2)
    assert [other.clear_some() for _ in range(3)] == [True, True, False]
    assert leftover.rows() == []
    other.close()


def test_who_deletes_holds_no_lock_on_the_catalog(leftover: Leftover) -> None:
    """Other nodes go on changing topics meanwhile."""
    leftover.store.write_document("topics.json", b"t is another topic now")
    leftover.fill(1)
    leftover.refuse(f"bool_or({LOCKED_HERE})")
    leftover.store.make_room(["t"])
    leftover.clear()
    assert leftover.rows() == []


def test_batches_that_another_node_is_deleting_are_left_to_it(leftover: Leftover) -> None:
    leftover.fill(10)
    leftover.store.delete("t", 0)
    leftover.connection.execute("BEGIN")
    leftover.connection.execute("SELECT 1 FROM muster.batches WHERE base_offset = 3 FOR UPDATE")
    leftover.store.changes.run(lambda connection: connection.execute("SET lock_timeout = '50ms'"))
    with pytest.raises(StorageError, match="lock timeout"):  # the row itself, which goes last
        leftover.clear()
    assert leftover.offsets() == [3]
    leftover.connection.execute("COMMIT")
    leftover.clear()
    assert leftover.rows() == []


def test_an_open_log_is_forgotten_though_its_partition_cannot_be_deleted(leftover: Leftover) -> None:
    leftover.connection.execute("UPDATE muster.partitions SET owner = 1, epoch = 0")
    leftover.store.open("t", 0, TOPIC_ID, LogConfig())
    leftover.connection.execute(_REFUSE_TO_PUT_ASIDE)
    with pytest.raises(StorageError, match="not now"):
        leftover.store.delete("t", 0, TOPIC_ID)
    assert leftover.store.get("t", 0) is None


def test_a_topic_that_is_made_again_after_a_deletion_that_failed_begins_empty_and_can_be_written_to(
    leftover: Leftover,
) -> None:
    """The view still says that this node leads the partition, and its log was open."""
    store, leaders = leftover.store, ClusterLeaders(1)
    store.delete("t", 0)
    broker = Broker(store, BrokerConfig(), Random(1).randbytes, leaders=leaders)
    broker.start()
    for expected in ([b"old"], [b"new"]):
        assert broker.create_topics([NewTopic("t", 1)])[0].error_code == NONE
        partition = broker.partition("t", 0)
        assert not partition.is_led_here
        leftover.connection.execute("UPDATE muster.partitions SET owner = 1, epoch = 0 WHERE topic = 't'")
        leaders.view = ClusterView(leaders={Slot("t", 0): Leader(1, 0)})
        broker.catalog.lead(partition, Leader(1, 0))
        produced = broker.produce("t", 0, batch(*expected), ProduceTerms(), NOW_MS)
        assert (produced.error_code, produced.base_offset) == (NONE, 0)
        assert [failure for _, failure in commit(store)] == [None]
        if expected == [b"old"]:
            leftover.connection.execute(_REFUSE_TO_PUT_ASIDE)
            assert broker.delete_topics([("t", NO_TOPIC_ID)])[0].error_code == NONE
            assert store.get("t", 0) is None
            assert broker.create_topics([NewTopic("t", 1)])[0].error_code == KAFKA_STORAGE_ERROR
            leftover.refuse_no_more()
    leftover.clear()
    assert [value for _, value in records_in(broker.partition("t", 0).log.read(0, 1_000))] == ["new"]


def test_rows_that_could_not_be_put_aside_are_with_the_next_retention_pass(leftover: Leftover) -> None:
    leftover.store.delete("t", 0)
    leftover.clear()
    broker = Broker(leftover.store, BrokerConfig(), Random(1).randbytes, leaders=ClusterLeaders(1))
    broker.start()
    broker.create_topics([NewTopic("t", 2)])
    leftover.connection.execute(_REFUSE_TO_PUT_ASIDE)
    broker.delete_topics([("t", NO_TOPIC_ID)])
    broker.apply_retention(NOW_MS)
    assert leftover.rows() == [("t", 0), ("t", 1)]
    leftover.refuse_no_more()
    broker.apply_retention(NOW_MS)
    assert leftover.store.partitions() == []
    leftover.clear()
    assert leftover.rows() == []
