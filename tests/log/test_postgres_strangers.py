"""Records under the name of a topic that are not of its id: of a release that did not look, and never deleted without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from muster.cluster.checks import topic_ids
from muster.cluster.findings import Level
from muster.log.contract import StorageError
from muster.log.postgres.store import PostgresStore
from muster.topics.catalog_document import StoredTopic, encode_catalog
from muster.topics.copying.postgres_side import PostgresReading
from tests.log.batches import TOPIC_ID, batch_of
from tests.log.postgres_server import empty_database

THEIR_ID = b"\xff\xfe another topic"[:16]
"""As text it has both characters in which Kafka's base64 differs from others."""
THEIRS, ITS_OWN = UUID(bytes=THEIR_ID), UUID(bytes=TOPIC_ID)
_FILL = """
INSERT INTO muster.batches (partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
SELECT id, 0, 1, 0, 0, 0, %s FROM muster.partitions WHERE partition IN (0, 2)
"""


@pytest.fixture
def url() -> str:
    return empty_database()


@pytest.fixture
def connection(url: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as made:
        yield made


@pytest.fixture
def store(url: str, connection: Any) -> Iterator[PostgresStore]:
    """The catalog has topic `t` with four partitions. There are three rows, of another id; the first and the last hold records."""
    made = PostgresStore(url, 1)
    made.announce("t", THEIR_ID, [0, 1, 2])
    connection.execute(_FILL, (batch_of("x"),))
    made.write_document("topics.json", encode_catalog([StoredTopic("t", TOPIC_ID, 4)], ()))
    yield made
    made.close()


def ids(connection: Any) -> list[UUID]:
    return [each for (each,) in connection.execute("SELECT topic_id FROM muster.partitions ORDER BY partition")]


def test_they_stay_and_are_named_and_the_topic_s_other_partitions_are_made(
    store: PostgresStore, connection: Any
) -> None:
    for _ in range(2):
        with pytest.raises(
            StorageError, match=f"t-0 .of topic id {THEIRS}., t-2 .of topic id {THEIRS}.; `muster cluster"
        ):
            store.announce("t", TOPIC_ID, range(4))
        assert ids(connection) == [THEIRS, ITS_OWN, THEIRS, ITS_OWN]
    assert connection.execute("SELECT count(*) FROM muster.batches").fetchone() == (2,)


def test_the_check_lists_them_with_what_to_do_and_that_ends_it(store: PostgresStore, connection: Any) -> None:
    (finding,) = topic_ids(connection)
    assert (finding.level, finding.found.partition(":")[0]) == (Level.FAIL, "t-0, t-2")
    statements = [part.rpartition(": ")[2] for part in finding.advice.split(";")[:2]]
    assert [statement.split()[0] for statement in statements] == ["UPDATE", "DELETE"]
    connection.execute("BEGIN")
    connection.execute(statements[1])
    assert connection.execute("SELECT count(*) FROM muster.batches").fetchone() == (0,)
    connection.execute("ROLLBACK")
    connection.execute(statements[0])
    store.announce("t", TOPIC_ID, range(4))
    assert ids(connection) == [ITS_OWN] * 4
    assert connection.execute("SELECT count(*) FROM muster.batches").fetchone() == (2,)
    (finding,) = topic_ids(connection)
    assert finding.level == Level.OK


def test_a_copy_says_that_it_leaves_them_out(store: PostgresStore, url: str) -> None:
    reading = PostgresReading(url)
    assert reading.partitions() == []
    assert [line.split(":")[0] for line in reading.left_out()] == ["t-0", "t-2"]
    reading.close()
