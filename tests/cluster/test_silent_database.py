"""Connections to a database that says nothing, and sessions of a process that does nothing: neither holds anybody up for long."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from muster.log.postgres.line import ConnectionLost, Line
from tests.cluster.cable import Cable
from tests.cluster.postgres_process import PostgresProcess


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresProcess]:
    with PostgresProcess() as database:
        yield database


def test_a_statement_whose_answer_is_lost_in_the_network_ends_with_an_error_and_the_next_one_works(
    database: PostgresProcess,
) -> None:
    """The server's own limit for statements does not help where nothing arrives any more."""
    with Cable(database.socket) as cable:
        line = Line(database.url_through(cable.port), "test", patience_ms=2_000)
        assert line.run(lambda connection: connection.execute("SELECT 1").fetchone()) == (1,)
        cable.cut()
        with pytest.raises(ConnectionLost, match="the database went away"):
            line.run(lambda connection: connection.execute("SELECT 2").fetchone())
        cable.mend()
        assert line.run(lambda connection: connection.execute("SELECT 3").fetchone()) == (3,)
        line.close()


def test_a_transaction_whose_process_has_frozen_lets_go_of_its_locks(database: PostgresProcess) -> None:
    """A node that is stopped in the middle of planning or compacting must not keep others from taking over."""
    with psycopg.connect(database.url, autocommit=True) as other:
        other.execute("CREATE TABLE rows (id integer PRIMARY KEY)")
        other.execute("INSERT INTO rows VALUES (1)")
        line = Line(database.url, "test")
        frozen = line.connect()
        frozen.execute(
            "BEGIN; SELECT * FROM rows FOR UPDATE"
        )  # at once: it has little time from the first to the second
        assert other.execute("UPDATE rows SET id = 2").rowcount == 1, "it waited until the session was ended"
        with pytest.raises(ConnectionLost):
            line.run(lambda connection: connection.execute("SELECT 1"))
        line.close()


def test_a_read_after_a_restart_of_the_database_works_and_a_change_says_that_nobody_knows(
    database: PostgresProcess,
) -> None:
    """Reading twice is as good as reading once; whether a change was made before the connection broke cannot be known."""
    line = Line(database.url, "test")
    for ask, is_read in ((line.read, True), (line.run, False)):
        assert ask(lambda connection: connection.execute("SELECT 1").fetchone()) == (1,)
        database.stop()
        database.start()
        if is_read:
            assert ask(lambda connection: connection.execute("SELECT 2").fetchone()) == (2,)
        else:
            with pytest.raises(ConnectionLost):
                ask(lambda connection: connection.execute("SELECT 2").fetchone())
    line.close()


def test_a_session_that_has_nothing_to_do_is_kept_whatever_the_database_says_about_idle_ones(
    database: PostgresProcess,
) -> None:
    """A writer whose session was ended would have to begin everything anew."""
    with psycopg.connect(database.url, autocommit=True) as other:
        other.execute("ALTER ROLE CURRENT_USER SET idle_session_timeout = '1h'")
    line = Line(database.url, "test")
    assert line.connect().execute("SHOW idle_session_timeout").fetchone() == ("0",)
    line.close()


def test_who_cuts_a_connection_that_was_closed_a_moment_ago_does_not_fail(database: PostgresProcess) -> None:
    """The thread that ends waits for all connections must not end because one of them went by itself."""
    line = Line(database.url, "test")
    line.connect().close()
    line.cut()
    line.close()
    line.cut()
