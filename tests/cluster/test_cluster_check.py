"""`muster cluster check`: each thing that can be wrong with a cluster or its database is found, and said with advice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import psycopg
import pytest

from muster import __version__
from muster.cli.main import main
from muster.cluster import database_checks
from muster.cluster.checks import all_findings
from muster.cluster.database_checks import (
    DEAD_WARN_ROWS,
    LAG_FAIL_BYTES,
    LAG_WARN_BYTES,
    OLD_FAIL_AGE,
    OLD_WARN_AGE,
    bloat,
    connections,
    replication,
    vacuum,
)
from muster.cluster.findings import Finding
from tests.cli.plain_pipes import assert_plain
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import muster
from tests.interop.waiting import eventually

pytestmark = pytest.mark.xdist_group("cluster")

_NODE = """
INSERT INTO muster.nodes (node_id, incarnation, endpoints, release, lease_until)
VALUES (%s, gen_random_uuid(), '{"PLAINTEXT": ["localhost", 9092]}', %s, now() + make_interval(secs => %s))
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresProcess]:
    with PostgresProcess(is_synced=True) as running:
        yield running


@pytest.fixture
def database(server: PostgresProcess) -> Iterator[psycopg.Connection[Any]]:
    """Two live nodes and a partition that one of them leads."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM RESET ALL")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP SCHEMA IF EXISTS muster CASCADE")
        muster("store", "migrate", server.url)
        for node_id in (1, 2):
            connection.execute(_NODE, (node_id, __version__, 600))
        connection.execute(
            "INSERT INTO muster.partitions (topic, partition, topic_id, owner) VALUES ('t', 0, gen_random_uuid(), 1)"
        )
        yield connection


def found(connection: psycopg.Connection[Any], check: str) -> list[tuple[str, str]]:
    """Level and what was found, of one question; whatever is not right has advice."""
    return [(each.level.value, each.found) for each in findings(connection) if each.check == check]


def findings(connection: psycopg.Connection[Any]) -> list[Finding]:
    here_s = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float").fetchone()
    assert here_s is not None
    all_of_them = list(all_findings(connection, __version__, lambda: here_s[0]))
    assert all(each.advice for each in all_of_them if each.level != "OK"), all_of_them
    return all_of_them


def configure(server: PostgresProcess, name: str, value: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        connection.execute("SELECT pg_reload_conf()")

    def effective() -> str:
        with psycopg.connect(server.url) as connection:
            row = connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
            assert row is not None
            return str(row[0])

    eventually(f"{name} to be {value}", effective, lambda seen: seen == value)


def test_a_sound_cluster_gets_one_line_a_question_and_exit_code_0_and_a_failure_gets_1(
    server: PostgresProcess, database: psycopg.Connection[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "check", server.url]) == 0
    shown = capsys.readouterr()
    assert_plain(shown.out, shown.err)
    lines = shown.out.splitlines()
    assert [line.split()[:2] for line in lines if not line.startswith(" ")] == [
        ["OK", "schema"],
        ["OK", "leases"],
        ["OK", "versions"],
        ["OK", "topics"],
        ["OK", "clocks"],
        ["OK", "durability"],
        ["WARN", "replication"],
        ["OK", "autovacuum"],
        ["OK", "bloat"],
        ["OK", "connections"],
    ]
    database.execute("DELETE FROM muster.nodes")
    assert main(["cluster", "check", "--json", server.url]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["check"] for row in rows if row["level"] == "FAIL"] == ["leases"]


@pytest.mark.usefixtures("database")
def test_status_of_nodes_and_of_the_store_in_both_forms(
    server: PostgresProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("cluster status", "store status"):
        assert main([*command.split(), server.url]) == 0
        shown = capsys.readouterr()
        assert_plain(shown.out, shown.err)
        assert main([*command.split(), server.url, "--json"]) == 0
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_moving_partitions_says_how_many_in_both_forms(
    server: PostgresProcess, database: psycopg.Connection[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(*arguments: str) -> str:
        database.execute("UPDATE muster.nodes SET is_draining = false")
        database.execute("UPDATE muster.partitions SET owner = 1")
        assert main(["cluster", *arguments, server.url]) == 0
        shown = capsys.readouterr()
        assert_plain(shown.out, shown.err)
        return shown.out

    assert answer("drain", "1") == "node 1 is drained: 1 partitions moved; it may lead again when restarted\n"
    assert json.loads(answer("drain", "--json", "1")) == {"node": 1, "partitions_moved": 1}
    assert answer("rebalance") == "0 partitions moved\n"
    assert json.loads(answer("rebalance", "--json")) == {"partitions_moved": 0}


def test_without_tables_nothing_else_is_looked_at(database: psycopg.Connection[Any]) -> None:
    database.execute("DROP SCHEMA muster CASCADE")
    assert [each.check for each in findings(database)] == ["schema"]


def test_leases_that_are_over_drained_nodes_and_partitions_without_a_leader_are_told(
    database: psycopg.Connection[Any],
) -> None:
    database.execute("UPDATE muster.nodes SET is_draining = true WHERE node_id = 2")
    assert ("WARN", "node 2 drained: leads nothing") in found(database, "leases")
    database.execute("UPDATE muster.nodes SET lease_until = now() - interval '1 minute' WHERE node_id = 2")
    assert found(database, "leases")[0] == ("WARN", "the lease of node 2 is over and nobody has taken the row away yet")
    database.execute("UPDATE muster.partitions SET owner = 2")
    assert found(database, "leases")[0] == ("FAIL", "1 partitions are led by no live node")
    database.execute("DELETE FROM muster.nodes")
    assert found(database, "leases") == [("FAIL", "no node has a lease")]


def test_nodes_of_different_releases_are_told(database: psycopg.Connection[Any]) -> None:
    database.execute(_NODE, (3, "0.1.0", 600))
    assert found(database, "versions") == [
        ("WARN", f"nodes of different releases (0.1.0: node 3; {__version__}: nodes 1, 2)")
    ]


def test_clocks_that_differ_are_told_of_this_machine_and_of_nodes(database: psycopg.Connection[Any]) -> None:
    off = [each for each in all_findings(database, __version__, lambda: 0.0) if each.check == "clocks"]
    assert [each.level.value for each in off] == ["FAIL"]
    database.execute(
        "INSERT INTO muster.batches SELECT id, 0, 1, 0, -1, (extract(epoch FROM now()) * 1000)::bigint + 30000, ''"
        " FROM muster.partitions"
    )
    levels = [level for level, text in found(database, "clocks") if "node 1 stamped its last records" in text]
    assert levels == ["WARN"]


def test_settings_that_give_up_durability_or_vacuum_are_failures(
    server: PostgresProcess, database: psycopg.Connection[Any]
) -> None:
    configure(server, "synchronous_commit", "off")
    configure(server, "autovacuum", "off")
    with psycopg.connect(server.url, autocommit=True) as connection:
        assert found(connection, "durability") == [
            ("FAIL", "synchronous_commit is off: what was acknowledged can be lost")
        ]
        assert found(connection, "autovacuum") == [("FAIL", "autovacuum is off")]
    configure(server, "autovacuum", "on")
    database.execute("ALTER TABLE muster.partitions SET (autovacuum_enabled = false)")
    assert found(database, "autovacuum") == [("FAIL", "it is off for muster.partitions")]


def test_more_nodes_than_the_database_has_connections_for_are_a_failure(database: psycopg.Connection[Any]) -> None:
    for node_id in range(3, 12):
        database.execute(_NODE, (node_id, __version__, 600))
    assert found(database, "connections")[0][0] == "FAIL"


def test_a_transaction_that_is_open_for_long_is_told_with_its_process(
    server: PostgresProcess, database: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_checks, "LONG_TRANSACTION_S", 0)
    with psycopg.connect(server.url, application_name="a report") as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT 1")
        pid = reader.info.backend_pid
        said = [text for level, text in found(database, "autovacuum") if level == "WARN"]
    assert [f"(process {pid}, 'a report')" in text for text in said] == [True]


Rows: TypeAlias = Mapping[str, Sequence[tuple[object, ...]]]
"""By a word of the question."""


class Pretended:
    """A database that says what no test can bring about in a moment: settings by name, rows by a word of the question."""

    def __init__(self, settings: Mapping[str, str], rows: Rows) -> None:
        self._settings = settings
        self._rows = rows
        self._found: Sequence[tuple[object, ...]] = ()

    def execute(self, statement: str, values: Sequence[Any] | None = None) -> Pretended:
        if "current_setting" in statement:
            assert values is not None
            self._found = [(self._settings[values[0]],)]
        else:
            self._found = next(rows for word, rows in self._rows.items() if word in statement)
        return self

    def fetchone(self) -> tuple[object, ...]:
        return self._found[0]

    def fetchall(self) -> Sequence[tuple[object, ...]]:
        return self._found


def pretended(
    check: Callable[[Any], Iterator[Finding]],
    settings: Mapping[str, str],
    rows: Rows,
) -> list[tuple[str, str]]:
    said = list(check(Pretended(settings, rows)))
    assert all(each.advice for each in said if each.level != "OK"), said
    return [(each.level.value, each.found) for each in said]


@pytest.mark.parametrize(
    ("lag", "said"),
    [
        (LAG_WARN_BYTES, []),
        (LAG_WARN_BYTES + 1, [("WARN", "standby one is 67 MB of write-ahead log behind")]),
        (LAG_FAIL_BYTES, [("WARN", "standby one is 1,074 MB of write-ahead log behind")]),
        (LAG_FAIL_BYTES + 1, [("FAIL", "standby one is 1,074 MB of write-ahead log behind")]),
    ],
)
def test_a_standby_that_does_not_keep_up_is_told(lag: int, said: list[tuple[str, str]]) -> None:
    settings = {"synchronous_standby_names": "one", "synchronous_commit": "on"}
    rows: Rows = {"pg_is_in_recovery": [(False,)], "pg_stat_replication": [("one", "sync", lag)]}
    assert pretended(replication, settings, rows) == [("OK", "in step: one"), *said]


@pytest.mark.parametrize(
    ("commit", "states", "level", "said"),
    [
        ("local", ["sync"], "WARN", "synchronous_standby_names = 'one' counts for nothing: synchronous_commit = local"),
        ("on", ["async"], "FAIL", "synchronous_standby_names = 'one' and no standby is in step: every commit waits"),
        ("on", [], "FAIL", "synchronous_standby_names = 'one' and no standby is connected: every commit waits"),
        ("on", [None], "OK", "in step: not visible for this role"),
    ],
)
def test_standbys_that_are_named_and_do_not_count_are_told(
    commit: str, states: list[str | None], level: str, said: str
) -> None:
    settings = {"synchronous_standby_names": "one", "synchronous_commit": commit}
    rows: Rows = {"pg_is_in_recovery": [(False,)], "pg_stat_replication": [("two", state, None) for state in states]}
    assert pretended(replication, settings, rows) == [(level, said)]


@pytest.mark.parametrize(
    ("age", "level"),
    [
        (OLD_WARN_AGE, "OK"),
        (OLD_WARN_AGE + 1, "WARN"),
        (OLD_FAIL_AGE, "WARN"),
        (OLD_FAIL_AGE + 1, "FAIL"),
    ],
)
def test_rows_that_nobody_freezes_are_told_before_the_database_refuses_to_write(age: int, level: str) -> None:
    rows: Rows = {"pg_class": [], "datfrozenxid": [(age,)], "pg_stat_activity": []}
    ((told, text),) = pretended(vacuum, {"autovacuum": "on", "track_counts": "on"}, rows)
    assert told == level
    assert text.endswith(f"the oldest row was frozen {age:,} transactions ago")


@pytest.mark.parametrize(
    ("live", "dead", "expected"),
    [
        (0, DEAD_WARN_ROWS, ("OK", "100,007 dead rows in all tables")),
        (0, DEAD_WARN_ROWS + 1, ("WARN", "muster.partitions has 100,001 dead rows and 0 live ones")),
        (200_000, 200_000, ("OK", "200,007 dead rows in all tables")),
    ],
)
def test_a_table_with_more_dead_rows_than_live_ones_and_many_is_told(
    live: int, dead: int, expected: tuple[str, str]
) -> None:
    rows: Rows = {"pg_stat_user_tables": [("batches", 10, 7), ("partitions", live, dead)]}
    assert pretended(bloat, {}, rows) == [expected]


@pytest.mark.parametrize(("used", "level"), [(80, "OK"), (81, "WARN"), (99, "WARN"), (100, "FAIL")])
def test_a_database_that_runs_out_of_connections_is_told(used: int, level: str) -> None:
    settings = {"max_connections": "103", "superuser_reserved_connections": "3"}
    rows: Rows = {"pg_stat_activity": [(used,)], "muster.nodes": [(2,)]}
    found = f"{used} of 100 connections are used; 2 nodes want up to 14"
    assert pretended(connections, settings, rows) == [(level, found)]


def test_standbys_are_told_apart_missing_asynchronous_in_step_and_waited_for_in_vain(
    server: PostgresProcess, database: psycopg.Connection[Any]
) -> None:
    assert found(database, "replication")[0][0] == "WARN"
    with PostgresProcess(copy_of=server) as copy:
        with psycopg.connect(copy.url, autocommit=True) as connection:
            assert found(connection, "durability") == [("FAIL", "this is a standby, which takes no writes")]
            assert found(connection, "replication") == []
        eventually("a standby", lambda: found(database, "replication"), lambda seen: "all asynchronous" in seen[0][1])
        server.wait_for_copies()
        eventually(
            "it to be in step",
            lambda: asked_anew(server),
            lambda seen: seen == [("OK", "in step: standby")],
        )
    eventually(
        "its end to be noticed",
        lambda: asked_anew(server),
        lambda seen: seen[0][0] == "FAIL" and "no standby is connected" in seen[0][1],
    )


def asked_anew(server: PostgresProcess) -> list[tuple[str, str]]:
    """By a session that was given the settings of now."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        return found(connection, "replication")
