"""Expand and contract: which steps a database takes while which nodes are there, and who may use it afterwards (decision 0021)."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from muster import __version__
from muster.cli.main import main
from muster.log.contract import StorageError
from muster.log.postgres import migration
from muster.log.postgres.migration import migrate
from muster.log.postgres.node_versions import NodeVersions, live_versions, say_versions
from muster.log.postgres.schema import SchemaState, check, schema_state
from muster.log.postgres.schema_steps import MIGRATIONS, NEWEST, OLDEST, Step
from tests.log.postgres_server import bare_database
from tests.log.release_before import come

BEFORE = MIGRATIONS[:2]
"""The schema of release 0.2."""
EXPANDED = (*MIGRATIONS, Step("ALTER TABLE muster.nodes ADD COLUMN later text", is_contract=False))
CONTRACTED = (*MIGRATIONS, Step("ALTER TABLE muster.nodes ALTER schema_newest SET NOT NULL", is_contract=True))
"""What a later release may bring."""

SHIPPED = {
    "0.2.0": (
        "ddd166e9ce1a6f9f89b8084029343ed742b82f7d8a2e7fa60591f5107f5ddbf1",
        "2c5693d60263b937538bea7cf7e30ae2383f77f07e8dbb901d7a0a3f286edb57",
    )
}
"""SHA-256 of the steps that each release came with. A release adds a line (CONTRIBUTING.md), and no line ever changes."""


@pytest.fixture
def url() -> Iterator[str]:
    with bare_database() as url:
        yield url


@pytest.fixture
def connection(url: str) -> Iterator[Any]:
    with psycopg.connect(url, autocommit=True) as made:
        yield made


def digest(step: Step) -> str:
    return hashlib.sha256(f"{step.is_contract} {step.statements}".encode()).hexdigest()


@pytest.mark.parametrize("release", SHIPPED)
def test_steps_that_a_release_has_shipped_are_what_they_were(release: str) -> None:
    """Databases that took them are not changed by an edit: they would differ from new ones for ever."""
    assert tuple(map(digest, MIGRATIONS[: len(SHIPPED[release])])) == SHIPPED[release]


def test_the_steps_of_this_release_are_recorded() -> None:
    """Fails when a release is made: then its steps go into `SHIPPED`. Between releases they may still change."""
    assert __version__.endswith(".dev0") or __version__ in SHIPPED, {__version__: tuple(map(digest, MIGRATIONS))}


def test_a_new_database_gets_all_steps_and_can_be_used_by_the_release_before(connection: Any) -> None:
    """Release 0.2 wants `max(version)` to be exactly 2."""
    assert migrate(connection, "id") == (0, NEWEST)
    assert check(connection) == SchemaState(NEWEST, OLDEST)
    assert connection.execute("SELECT max(version) FROM muster.schema_version").fetchone() == (2,)
    assert migrate(connection, "another id") == (NEWEST, NEWEST)
    assert connection.execute("SELECT cluster_id FROM muster.cluster").fetchone() == ("id",)


def test_a_database_without_tables_is_refused_with_what_to_do(connection: Any) -> None:
    with pytest.raises(StorageError, match="no tables of Muster yet: run `muster store migrate URL` once"):
        check(connection)


def test_the_schema_of_the_release_before_is_good_enough(connection: Any) -> None:
    migrate(connection, "id", BEFORE)
    assert check(connection) == SchemaState(2, 2)


def test_an_older_schema_is_refused_with_what_to_do_and_its_nodes_are_named_by_the_migration(connection: Any) -> None:
    migrate(connection, "id", MIGRATIONS[:1])
    with pytest.raises(StorageError, match=r"has schema version 1, this release speaks 2 to 3: run `muster store mig"):
        check(connection)
    come(connection, 1, release="0.1.0")
    with pytest.raises(StorageError, match=r"stays at 1: node 1 \(release 0\.1\.0\) speaks 1; upgrade or stop"):
        migrate(connection, "id")


def test_an_expand_step_is_taken_beside_nodes_of_the_release_before(connection: Any) -> None:
    migrate(connection, "id", BEFORE)
    come(connection, 1)
    assert migrate(connection, "id") == (2, 3)
    assert live_versions(connection, schema_state(connection)) == [NodeVersions(1, "0.2.0", 2, 2)]


def test_a_database_that_was_only_expanded_by_a_later_release_can_be_used(connection: Any) -> None:
    """Also by a node that comes back in the middle of an upgrade, and by one that goes back to the release before."""
    migrate(connection, "id", EXPANDED)
    assert check(connection) == SchemaState(4, 2)
    assert migrate(connection, "id") == (4, 4), "nothing that this release knows is to be done"


def test_a_contract_step_names_the_nodes_that_do_not_speak_it_and_leaves_the_steps_before_it_taken(
    connection: Any,
) -> None:
    migrate(connection, "id", BEFORE)
    come(connection, 1)
    present = come(connection, 2, release="0.3.0")
    refusal = r"schema version 4 has to wait, the database stays at 3: node 1 .* speaks 2, node 2 .* speaks 2; upgrade"
    with pytest.raises(StorageError, match=refusal):
        migrate(connection, "id", CONTRACTED)
    assert schema_state(connection) == SchemaState(3, 2)
    assert say_versions(connection, schema_state(connection), 2, present)
    connection.execute("DELETE FROM muster.nodes WHERE node_id = 1")
    with pytest.raises(StorageError, match=r"node 2 \(release 0\.3\.0\) speaks 2 to 3; upgrade or stop these nodes"):
        migrate(connection, "id", CONTRACTED)


def test_a_contract_step_is_taken_when_every_live_node_speaks_it_and_the_dead_have_to_register_again(
    connection: Any,
) -> None:
    migrate(connection, "id")
    come(connection, 1, lease_s=-1)
    newer = come(connection, 2, release="0.4.0")
    connection.execute(
        "UPDATE muster.nodes SET schema_oldest = 3, schema_newest = 4, schema_said_by = incarnation WHERE incarnation = %s",
        (newer,),
    )
    assert migrate(connection, "id", CONTRACTED) == (3, 4)
    assert connection.execute("SELECT node_id FROM muster.nodes").fetchall() == [(2,)]
    with pytest.raises(StorageError, match=r"needs nodes that speak schema version 4, .* newer release of Muster, run"):
        check(connection)
    with pytest.raises(StorageError, match="newer release"):
        migrate(connection, "id")
    with pytest.raises(psycopg.errors.NotNullViolation):
        come(connection, 1)  # release 0.2 cannot come back either: it does not fill the column


def test_what_another_process_said_with_the_same_node_id_does_not_count(connection: Any) -> None:
    """The release before takes over the row and leaves columns that it does not know as they are."""
    migrate(connection, "id")
    say_versions(connection, schema_state(connection), 1, come(connection, 1, release="0.3.0"))
    assert live_versions(connection, schema_state(connection)) == [NodeVersions(1, "0.3.0", OLDEST, NEWEST)]
    come(connection, 1)
    assert live_versions(connection, schema_state(connection)) == [NodeVersions(1, "0.2.0", 2, 2)]


def test_a_step_that_does_not_get_its_locks_gives_way_and_tries_again(
    url: str, connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for a table that a migration waits for would wait for as long as that takes."""
    migrate(connection, "id", BEFORE)
    with psycopg.connect(url) as slow:
        slow.execute("SELECT * FROM muster.nodes")  # and its transaction stays open
        pauses: list[float] = []
        this_thread, sleep = threading.get_ident(), time.sleep

        def pause(seconds: float) -> None:
            if threading.get_ident() != this_thread:
                sleep(seconds)  # Spark's, in a process that also runs tests of the pipeline
                return
            pauses.append(seconds)
            come(connection, 1)  # nobody holds the table meanwhile
            if len(pauses) == 2:
                slow.commit()

        monkeypatch.setattr("muster.log.postgres.migration.time.sleep", pause)
        assert migrate(connection, "id") == (2, 3)
        assert len(pauses) == 2


def test_a_table_that_is_never_free_is_waited_for_aloud_and_ends_the_migration_with_whose_it_is(
    url: str, connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(connection, "id", BEFORE)
    monkeypatch.setattr(migration, "ATTEMPTS", 2)
    said: list[str] = []
    with psycopg.connect(url, application_name="a report") as slow:
        slow.execute("SELECT * FROM muster.nodes")
        who = f"by process {slow.info.backend_pid} of the database (a report)"
        with pytest.raises(
            StorageError, match=re.escape(f"the tables stay in use, {who}, whose transaction does not end")
        ):
            migrate(connection, "id", say=said.append)
    assert said == [f"the tables are in use, {who}; waiting for 1 s at most"]
    assert schema_state(connection) == SchemaState(2, 2)


def test_whoever_migrates_beside_another_says_that_it_waits(url: str, connection: Any) -> None:
    migrate(connection, "id", BEFORE)
    said: list[str] = []

    def hear(line: str) -> None:
        said.append(line)
        other.commit()

    with psycopg.connect(url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (migration._LOCK,))
        assert migrate(connection, "id", say=hear) == (2, 3)
    assert said == ["another `muster store migrate` is at work; waiting for it"]


def test_the_command_gives_a_step_more_time_than_other_commands_have(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was cut off while it waited for its locks, and said that the database had gone away."""
    allowed = []

    def note(connection: Any, *_: object, **__: object) -> tuple[int, int]:
        allowed.append(connection.execute("SHOW statement_timeout").fetchone())
        return 0, 1

    monkeypatch.setattr(migration, "migrate", note)
    assert main(["store", "migrate", url]) == 0
    assert allowed == [("10min",)]
