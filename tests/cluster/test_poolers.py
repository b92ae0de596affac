"""PgBouncer between nodes and their database: session mode works as without it, every other mode is refused in one line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.log.postgres.line import Line
from muster.log.postgres.pooler import require_sessions
from muster.log.postgres.schema import CHANNEL
from muster.server.identity import claim
from tests.cluster.light_load import LightLoad
from tests.cluster.node_process import NodeProcess
from tests.cluster.pgbouncer_process import PgBouncerProcess
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage, muster

pytestmark = pytest.mark.xdist_group("cluster")

REFUSED = "behind a connection pooler in transaction mode, which cannot be used: give Muster the address of PostgreSQL"


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresProcess]:
    with PostgresProcess() as database:
        muster("store", "migrate", database.url)
        yield database


def test_nodes_behind_a_pool_of_sessions_serve_clients_and_hand_over(database: PostgresProcess, tmp_path: Path) -> None:
    with (
        PgBouncerProcess(database, "session") as pooler,
        ClusterStage(tmp_path, database, has_tables=True) as stage,
    ):
        for node_id in (1, 2):
            stage.prepare(node_id)
            stage.nodes[node_id].url = pooler.url
        stage.add(1, 2)
        with LightLoad(stage.nodes) as load:
            load.progress()
            stage.nodes[1].stop()
            load.progress()
            load.settle()
        assert len(muster("cluster", "status", pooler.url).splitlines()) == 2, "the heading and node 2"


def test_limits_of_time_are_those_of_the_session_and_news_arrive(database: PostgresProcess) -> None:
    with PgBouncerProcess(database, "session") as pooler:
        line = Line(pooler.url, "test", patience_ms=7_000)
        connection = line.connect()
        assert connection.execute("SHOW statement_timeout").fetchone() == ("7s",)
        connection.execute(f"LISTEN {CHANNEL}")
        with psycopg.connect(database.url, autocommit=True) as other:
            other.execute("SELECT pg_notify(%s, 'news')", (CHANNEL,))
        assert [news.payload for news in connection.notifies(timeout=60, stop_after=1)] == ["news"]
        line.close()


@pytest.mark.parametrize(
    "settings",
    [{}, {"server_round_robin": 1, "min_pool_size": 5}, {"default_pool_size": 1}],
    ids=["latest session first", "in turns", "one session"],
)
def test_a_pool_of_transactions_is_refused_whichever_session_it_gives(
    database: PostgresProcess, settings: dict[str, str | int]
) -> None:
    with PgBouncerProcess(database, "transaction", **settings) as pooler:
        warm_up(pooler)
        first, second = Line(pooler.url, "first"), Line(pooler.url, "second")
        with pytest.raises(StorageError, match=REFUSED):
            require_sessions(first, second)
        first.close()
        second.close()


def warm_up(pooler: PgBouncerProcess) -> None:
    """Other clients have made sessions, which wait for the next one."""
    clients = [psycopg.connect(pooler.url, autocommit=True) for _ in range(4)]
    for client in clients:
        client.execute("SELECT 1")
    for client in clients:
        client.close()


def test_a_node_and_the_commands_say_so_in_one_line(database: PostgresProcess, tmp_path: Path) -> None:
    with PgBouncerProcess(database, "transaction") as pooler:
        node = NodeProcess(tmp_path, pooler.url, 1)
        directory = tmp_path / "data"
        store = FileStore(str(directory), "os")
        claim(store, 1, "a cluster", lambda: "x")
        store.close()
        commands = [
            node.command(),
            *(
                [sys.executable, "-m", "muster", "store", *action]
                for action in (
                    ("migrate", pooler.url),
                    ("copy", pooler.url, str(tmp_path / "copy")),
                    ("copy", str(directory), pooler.url),
                )
            ),
        ]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 1, done
            (line,) = done.stderr.splitlines()
            assert REFUSED in line


@pytest.mark.parametrize(
    ("pool_mode", "settings", "why"),
    [
        ("statement", {}, "transaction blocks not allowed in statement pooling mode"),
        ("session", {"default_pool_size": 1, "query_wait_timeout": 1}, "query_wait_timeout"),
    ],
    ids=["statement mode", "a pool that is full"],
)
def test_a_pool_that_gives_no_second_session_is_refused_with_what_it_said(
    database: PostgresProcess, pool_mode: str, settings: dict[str, str | int], why: str
) -> None:
    with PgBouncerProcess(database, pool_mode, **settings) as pooler:
        first, second = Line(pooler.url, "first"), Line(pooler.url, "second")
        with pytest.raises(StorageError, match=rf"gives no second session \(.*{why}\): .* seven sessions a node"):
            require_sessions(first, second)
        first.close()
        second.close()
