"""The append as libpq sends it: values arrive as they were, and what the database says against it is a StorageError."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from muster.log.contract import StorageError
from muster.log.postgres.binary_arrays import bigints, byteas, integers
from muster.log.postgres.line import ConnectionLost
from muster.log.postgres.store import PostgresStore
from tests.log.batches import all_records, commit, open_log, put, stage
from tests.log.postgres_server import empty_database


@pytest.fixture
def connection() -> Iterator[Any]:
    import psycopg

    with psycopg.connect(empty_database(), autocommit=True) as made:
        yield made


@pytest.fixture
def store(connection: Any) -> Iterator[PostgresStore]:
    made = PostgresStore(empty_database(), 1, claims_alone=True)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("kind", "array", "as_text"),
    [
        ("bigint", bigints([0, -1, 2**63 - 1, -(2**63)]), "{0,-1,9223372036854775807,-9223372036854775808}"),
        ("integer", integers([0, -1, 2**31 - 1, -(2**31)]), "{0,-1,2147483647,-2147483648}"),
        ("bytea", byteas([b"", b"\x00\xff", b'"{,}']), r'{"\\x","\\x00ff","\\x227b2c7d"}'),
        ("bigint", bigints([]), "{}"),
    ],
)
def test_arrays_are_what_the_database_takes_them_for(connection: Any, kind: str, array: bytes, as_text: str) -> None:
    result = connection.pgconn.exec_params(f"SELECT $1::{kind}[]".encode(), [array], None, [1])
    assert (result.error_message, result.get_value(0, 0)) == (b"", as_text.encode())


def test_appends_after_the_database_ended_the_connection_are_prepared_again(
    store: PostgresStore, connection: Any
) -> None:
    log = open_log(store)
    put(store, log, "a")
    connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%appends'")
    stage(log, "lost")
    ((_, failure),) = commit(store)
    assert isinstance(failure, ConnectionLost)
    store.release(log.topic, log.partition)
    again = open_log(store)
    put(store, again, "b")
    put(store, again, "c")
    assert all_records(again) == [(0, "a"), (1, "b"), (2, "c")]


def test_an_append_that_the_database_refuses_says_why_and_the_next_one_is_taken(
    store: PostgresStore, connection: Any
) -> None:
    log = open_log(store)
    connection.execute("ALTER TABLE muster.batches ADD CONSTRAINT nothing_more CHECK (next_offset < 2)")
    try:
        put(store, log, "a")
        stage(log, "b")
        ((_, failure),) = commit(store)
    finally:
        connection.execute("ALTER TABLE muster.batches DROP CONSTRAINT nothing_more")
    assert isinstance(failure, StorageError)
    assert not isinstance(failure, ConnectionLost)
    assert "nothing_more" in str(failure)
    put(store, log, "c")
    assert all_records(log) == [(0, "a"), (1, "c")]
