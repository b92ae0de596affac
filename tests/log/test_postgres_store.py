"""What only the store on PostgreSQL promises: the fence, shared documents, and what a lost connection means (decision 0012)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from muster.log.contract import DocumentChanged, Fenced, LogConfig, StorageError
from muster.log.postgres.store import PostgresStore
from muster.log.postgres.tail import TAIL_BYTES
from tests.log.batches import TOPIC_ID, all_records, commit, open_log, put, records_in, stage
from tests.log.postgres_server import empty_database
from tests.log.transactions import add, end

OTHER_ID = b"another topic id"


@pytest.fixture
def url() -> str:
    return empty_database()


@pytest.fixture
def connection(url: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as made:
        yield made


@pytest.fixture
def stores(url: str) -> Iterator[list[PostgresStore]]:
    """Nodes 1 and 2, each of which takes what it opens."""
    made = [PostgresStore(url, node_id, claims_alone=True) for node_id in (1, 2)]
    yield made
    for store in made:
        store.close()


def test_of_two_nodes_that_believe_they_own_a_partition_only_the_later_owner_appends(
    stores: list[PostgresStore],
) -> None:
    first, second = stores
    old = open_log(first)
    put(first, old, "a")
    new = open_log(second)
    stage(old, "from the old owner")
    ((_, failure),) = commit(first)
    assert isinstance(failure, Fenced)
    assert (old.end_offset, old.durable_offset) == (1, 1)
    put(second, new, "b")
    assert all_records(new) == [(0, "a"), (1, "b")]


def test_a_fenced_log_does_not_take_the_others_of_its_tick_with_it(stores: list[PostgresStore]) -> None:
    first, second = stores
    lost, kept = open_log(first, partition=0), open_log(first, partition=1)
    open_log(second, partition=0)
    stage(lost, "x")
    stage(kept, "y")
    failures = [failure for _, failure in commit(first)]
    assert isinstance(failures[0], Fenced)
    assert failures[1] is None
    assert all_records(kept) == [(0, "y")]


def test_retention_and_compaction_of_a_fenced_node_change_nothing(stores: list[PostgresStore]) -> None:
    first, second = stores
    old = open_log(first, segment_bytes=100, retention_ms=1)
    for number in range(4):
        put(first, old, str(number) * 50)
    new = open_log(second)
    with pytest.raises(Fenced):
        old.apply_retention(10**12)
    with pytest.raises(Fenced):
        old.delete_before(3)
    assert len(all_records(new)) == 4


def test_a_partition_that_another_node_owns_is_not_opened(url: str, stores: list[PostgresStore]) -> None:
    open_log(stores[0])
    waiting = PostgresStore(url, 2)
    with pytest.raises(Fenced, match="t-0 is not owned by node 2"):
        waiting.open("t", 0, TOPIC_ID, LogConfig())
    waiting.close()


def test_the_next_owner_finds_everything_that_was_acknowledged(stores: list[PostgresStore]) -> None:
    first, second = stores
    log = open_log(first, segment_bytes=200)
    for number in range(10):
        put(first, log, f"{number}", timestamp_ms=number)
    log.delete_before(3)
    again = open_log(second, segment_bytes=200)
    assert (again.start_offset, again.durable_offset, again.size_bytes()) == (3, 10, log.size_bytes())
    assert all_records(again) == all_records(log)
    assert again.max_timestamp() == log.max_timestamp()


def test_what_fell_out_of_memory_is_read_from_the_database(stores: list[PostgresStore]) -> None:
    log = open_log(stores[0])
    large = "x" * (TAIL_BYTES // 4)
    for number in range(12):
        put(stores[0], log, f"{number}", large)
    assert [offset for offset, _ in records_in(log.read(0, 10**9))] == list(range(24))
    assert [header.base_offset for _, header in log.read_headers(5)] == list(range(4, 24, 2))


def test_a_connection_lost_in_a_commit_leaves_the_log_to_be_opened_anew(
    stores: list[PostgresStore], connection: Any
) -> None:
    """Nobody knows whether such a commit happened: the log refuses until the node claims it again."""
    first = stores[0]
    log = open_log(first)
    put(first, log, "a")
    stage(log, "b")
    pending = first.begin_commit()
    assert pending is not None
    connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%appends'")
    pending.run()
    ((_, failure),) = pending.finish()
    assert failure is not None
    stage(log, "c")
    ((_, refused),) = commit(first)
    assert isinstance(refused, Fenced)
    first.release("t", 0)
    again = open_log(first)
    assert all_records(again) == [(0, "a")]
    put(first, again, "d")
    assert all_records(again) == [(0, "a"), (1, "d")]


def test_a_document_that_another_node_wrote_meanwhile_is_not_overwritten(stores: list[PostgresStore]) -> None:
    first, second = stores
    assert first.read_document("topics.json") is second.read_document("topics.json") is None
    first.write_document("topics.json", b"1")
    with pytest.raises(DocumentChanged):
        second.write_document("topics.json", b"2")
    assert second.read_document("topics.json") == b"1"
    second.write_document("topics.json", b"3")
    with pytest.raises(DocumentChanged):
        first.write_document("topics.json", b"4")
    assert first.read_document("topics.json") == b"3"


def test_a_topic_deleted_by_one_node_fences_the_other(stores: list[PostgresStore]) -> None:
    first, second = stores
    log = open_log(first)
    second.delete("t", 0)
    stage(log, "x")
    ((_, failure),) = commit(first)
    assert isinstance(failure, Fenced)


def test_a_database_that_cannot_be_reached_is_named_without_its_password() -> None:
    with pytest.raises(StorageError) as refused:
        PostgresStore("postgresql://muster:hunter2@127.0.0.1:1/muster", 1)
    assert "cannot be reached" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_topic_ids_are_uuids_that_people_can_compare(stores: list[PostgresStore], connection: Any) -> None:
    open_log(stores[0])
    assert connection.execute("SELECT topic_id FROM muster.partitions").fetchone() == (UUID(bytes=TOPIC_ID),)


def test_the_next_owner_knows_of_transactions_and_what_was_aborted(stores: list[PostgresStore]) -> None:
    """The batches are all that it has: nobody keeps an index of aborted transactions."""
    first, second = stores
    old = open_log(first)
    aborted = end(first, old, 7, add(first, old, 7))
    add(first, old, 8)
    new = open_log(second)
    assert new.has_transactions
    later = end(second, new, 8, 2)
    assert new.aborted_transactions(0, 9) == [aborted, later]
    assert new.aborted_transactions(2, 9) == [later]


def test_a_log_without_transactions_is_known_to_have_none(stores: list[PostgresStore]) -> None:
    first, second = stores
    put(first, open_log(first), "plain")
    assert not open_log(second).has_transactions


def test_a_log_of_another_topic_of_the_same_name_is_not_opened(url: str, connection: Any) -> None:
    """A node that has not heard yet that the topic was deleted and made again."""
    store = PostgresStore(url, 1)
    store.announce("t", OTHER_ID, [0])
    connection.execute("UPDATE muster.partitions SET owner = 1, epoch = 0")
    with pytest.raises(Fenced, match="t-0 belongs to another topic of that name"):
        store.open("t", 0, TOPIC_ID, LogConfig())
    assert store.get("t", 0) is None
    store.close()


def test_a_log_that_is_open_is_never_that_of_another_topic_of_its_name(url: str, connection: Any) -> None:
    store = PostgresStore(url, 1)
    store.announce("t", TOPIC_ID, [0])
    connection.execute("UPDATE muster.partitions SET owner = 1, epoch = 0")
    old = store.open("t", 0, TOPIC_ID, LogConfig())
    assert store.open("t", 0, TOPIC_ID, LogConfig()) is old
    with pytest.raises(Fenced, match="t-0 belongs to another topic of that name"):
        store.open("t", 0, OTHER_ID, LogConfig())
    assert store.get("t", 0) is None
    store.close()


def test_rows_without_records_that_another_topic_left_go_when_one_of_its_name_is_announced(url: str) -> None:
    store = PostgresStore(url, 1)
    store.announce("t", TOPIC_ID, [0, 1, 2])
    store.announce("t", OTHER_ID, [0])
    assert (store.partitions(), store.topic_id_of("t", 0)) == ([("t", 0)], OTHER_ID)
    store.close()


def test_a_node_that_is_behind_neither_announces_nor_puts_aside_what_others_may_have_made_since(url: str) -> None:
    late, ahead = PostgresStore(url, 1), PostgresStore(url, 2)
    late.read_document("topics.json")
    ahead.read_document("topics.json")
    ahead.write_document("topics.json", b"t is another topic now")
    ahead.announce("t", OTHER_ID, [0])
    with pytest.raises(DocumentChanged):
        late.announce("t", TOPIC_ID, [0, 1])
    late.delete("t", 0, TOPIC_ID)
    late.delete("t", 0)
    late.make_room(["t"])
    assert (late.partitions(), late.topic_id_of("t", 0)) == ([("t", 0)], OTHER_ID)
    late.read_document("topics.json")
    late.delete("t", 0)
    assert late.partitions() == []
    late.close()
    ahead.close()
