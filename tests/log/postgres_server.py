"""A real PostgreSQL for tests: one per process, from PyPI or at MUSTER_TEST_POSTGRES, emptied for each test.

The package brings its own server, on a Unix socket in a directory that goes with it. Without the package, and without the variable,
tests that need a database are skipped and say so.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from muster.log.postgres import line, store
from tests.cluster.postgres_process import PostgresProcess

VARIABLE = "MUSTER_TEST_POSTGRES"


@cache
def postgres_url() -> str:
    """Where the server is. It is stopped when the process ends."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    life = ExitStack()
    server = life.enter_context(PostgresProcess())
    atexit.register(life.close)
    return server.url


def empty_database() -> str:
    """The URL of a database that has the tables and nothing in them."""
    import psycopg

    from muster.log.postgres.migration import migrate

    url = postgres_url()
    with psycopg.connect(url, autocommit=True) as connection:
        migrate(connection, "test-cluster")
        connection.execute("UPDATE muster.cluster SET changes = 0")
        connection.execute("TRUNCATE muster.partitions, muster.batches, muster.documents, muster.nodes")
    return url


@contextmanager
def bare_database() -> Iterator[str]:
    """The URL of a database of its own, without tables."""
    import psycopg

    url = postgres_url()
    name = f"bare_{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield urlsplit(url)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server asks in its loop, where everybody waits, and gives up soon. Nobody waits behind a test, and its machine may be
    busy with others."""
    monkeypatch.setattr(line, "CONNECT_SECONDS", 60)
    monkeypatch.setattr(line, "IDLE_IN_TRANSACTION_MS", 60_000)
    monkeypatch.setattr(store, "READ_PATIENCE_MS", 60_000)
