"""Partitions of deleted topics go a few batches a transaction, however many they have, and what is deleted stays deleted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from muster.log.contract import StorageError
from muster.log.postgres.deletion import MOST_BATCHES, MOST_BYTES, delete_partition
from muster.log.postgres.store import PostgresStore
from muster.runtime.cluster_seat import ClusterLeaders
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.wire.errors import NONE
from tests.log.batches import TOPIC_ID
from tests.log.postgres_server import empty_database

OTHER_ID = b"another topic id"

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


class Leftover:
    """A partition of a topic with many batches, in a database that refuses some deletions."""

    def __init__(self, connection: Any, store: PostgresStore) -> None:
        self.connection = connection
        self.store = store
        store.announce("t", TOPIC_ID, [0])
        (self.partition_id,) = connection.execute("SELECT id FROM muster.partitions").fetchone()

    def fill(self, batches: int, size: int = 1) -> None:
        self.connection.execute(_FILL, (self.partition_id, size, batches))

    def refuse(self, too_much: str) -> None:
        self.connection.execute(_REFUSE.format(too_much=too_much))

    def refuse_no_more(self) -> None:
        self.connection.execute("DROP TRIGGER refusing ON muster.batches")

    def offsets(self) -> list[int]:
        rows = self.connection.execute("SELECT base_offset FROM muster.batches ORDER BY base_offset")
        return [offset for (offset,) in rows]


@pytest.fixture
def leftover() -> Iterator[Leftover]:
    import psycopg

    url = empty_database()
    store = PostgresStore(url, 1)
    with psycopg.connect(url, autocommit=True) as connection:
        yield Leftover(connection, store)
        connection.execute("DROP FUNCTION IF EXISTS muster.refuse CASCADE")
    store.close()


def test_a_topic_that_takes_the_name_of_one_with_many_batches_has_them_deleted_in_small_steps(
    leftover: Leftover,
) -> None:
    """One statement for all would take longer than it may, for ever."""
    leftover.fill(2 * MOST_BATCHES + 1)
    leftover.refuse(TOO_MANY)
    leftover.store.announce("t", OTHER_ID, [0])
    assert leftover.store.topic_id_of("t", 0) == OTHER_ID
    assert leftover.offsets() == []


@pytest.mark.parametrize("topic_id", [TOPIC_ID, None], ids=["by-id", "by-name"])
def test_a_partition_with_many_batches_is_deleted_in_small_steps(leftover: Leftover, topic_id: bytes | None) -> None:
    leftover.fill(2 * MOST_BATCHES + 1)
    leftover.refuse(TOO_MANY)
    leftover.store.delete("t", 0, topic_id)
    assert leftover.store.partitions() == []
    assert leftover.offsets() == []


def test_a_topic_with_the_name_of_one_with_many_batches_is_made_and_keeps_nobody_from_changing_others(
    leftover: Leftover,
) -> None:
    leftover.fill(2 * MOST_BATCHES + 1)
    leftover.refuse(TOO_MANY)
    broker = Broker(leftover.store, BrokerConfig(), Random(1).randbytes, leaders=ClusterLeaders(1))
    broker.start()
    answers = broker.create_topics([NewTopic("t", 2), NewTopic("other", 1)])
    assert [answer.error_code for answer in answers] == [NONE, NONE]
    assert leftover.store.partitions() == [("other", 0), ("t", 0), ("t", 1)]
    assert not broker.catalog.wants_refresh


def test_a_step_is_small_in_bytes_too(leftover: Leftover) -> None:
    leftover.fill(5, size=MOST_BYTES // 2)
    leftover.refuse(TOO_LARGE)
    leftover.store.delete("t", 0)
    assert leftover.offsets() == []


def test_a_batch_that_is_larger_than_a_step_goes_alone(leftover: Leftover) -> None:
    leftover.fill(2, size=MOST_BYTES + 1)
    leftover.refuse("count(*) > 1")
    leftover.store.delete("t", 0)
    assert leftover.offsets() == []


def test_what_was_deleted_before_a_failure_stays_deleted_and_nothing_is_announced(leftover: Leftover) -> None:
    leftover.fill(MOST_BATCHES + 10)
    leftover.refuse(f"max(base_offset) >= {MOST_BATCHES}")
    with pytest.raises(StorageError, match="that takes too long"):
        leftover.store.announce("t", OTHER_ID, [0])
    assert leftover.store.topic_id_of("t", 0) == TOPIC_ID
    assert leftover.offsets() == list(range(MOST_BATCHES, MOST_BATCHES + 10))
    leftover.refuse_no_more()
    leftover.store.announce("t", OTHER_ID, [0])
    assert leftover.store.topic_id_of("t", 0) == OTHER_ID


def test_who_deletes_holds_no_lock_on_the_catalog(leftover: Leftover) -> None:
    """Other nodes go on changing topics meanwhile."""
    leftover.store.write_document("topics.json", b"t is another topic now")
    leftover.fill(1)
    leftover.refuse(f"bool_or({LOCKED_HERE})")
    leftover.store.announce("t", OTHER_ID, [0])
    assert leftover.store.topic_id_of("t", 0) == OTHER_ID


def test_batches_that_another_node_is_deleting_are_left_to_it(leftover: Leftover) -> None:
    leftover.fill(10)
    leftover.connection.execute("BEGIN")
    leftover.connection.execute("SELECT 1 FROM muster.batches WHERE base_offset = 3 FOR UPDATE")
    line = leftover.store.changes
    line.run(lambda connection: connection.execute("SET lock_timeout = '50ms'"))
    with pytest.raises(StorageError, match="lock timeout"):  # the row itself, which goes last
        delete_partition(line, leftover.partition_id)
    assert leftover.offsets() == [3]
    leftover.connection.execute("COMMIT")
    delete_partition(line, leftover.partition_id)
    assert leftover.offsets() == []
