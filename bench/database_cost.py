"""What a PostgreSQL of ours has done: bytes of write-ahead log, transactions, CPU, size on disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psycopg

from bench.process_cost import cpu_seconds
from tests.cluster.postgres_process import PostgresProcess

_QUESTION = """
SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, (SELECT sum(xact_commit) FROM pg_stat_database),
       pg_database_size(current_database())
"""


class DatabaseCost(NamedTuple):
    wal_bytes: int
    transactions: int
    """Counted with a second's delay."""
    size_bytes: int
    cpu_seconds: float
    """Of all its processes that run now."""


def cost_of(database: PostgresProcess) -> DatabaseCost:
    with psycopg.connect(database.url, autocommit=True) as connection:
        row = connection.execute(_QUESTION).fetchone()
    assert row is not None
    pids = [database.pid, *map(int, Path(f"/proc/{database.pid}/task/{database.pid}/children").read_text().split())]
    wal, transactions, size = map(int, row)
    cpu = 0.0
    for pid in pids:
        with suppress(FileNotFoundError):  # a vacuum that has ended since
            cpu += cpu_seconds(pid)
    return DatabaseCost(wal, transactions, size, cpu)
