"""The session that keeps nodes and other copies away while `muster store copy` writes to a database: as long as it takes, or the
copy is not complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.server.identity import claim
from muster.topics.copying.contract import Writable
from muster.topics.copying.copy import Progress, copy_store
from muster.topics.copying.file_side import DirectoryReading
from muster.topics.copying.postgres_side import PostgresReading, PostgresWriting
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import muster
from tests.topics.bench_broker import batch, send_durably, started, with_topic

_END_THE_GUARD = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE application_name = 'muster store copy keeps nodes away'
"""

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture
def url() -> Iterator[str]:
    with PostgresProcess() as database:
        muster("store", "migrate", database.url)
        yield database.url


@pytest.fixture
def directory(tmp_path: Path) -> str:
    path = str(tmp_path / "source")
    store = FileStore(path, "os")
    claim(store, 1, "moving-cluster", lambda: "x")
    broker = started(store)
    with_topic(broker)
    send_durably(broker, batch(b"one"))
    store.close()
    return path


def copy_and_lose_the_guard(directory: str, url: str, step: str) -> Writable:
    """At that step. Returns the target, not released yet."""

    def lose(progress: Progress) -> None:
        if progress.step == step:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(_END_THE_GUARD)

    source, target = DirectoryReading(directory), PostgresWriting(url)
    try:
        copy_store(source, target, lose)
    except StorageError:
        target.release(is_complete=False)
        raise
    finally:
        source.close()
    return target


def check_that_it_is_half_a_copy(url: str) -> None:
    with pytest.raises(StorageError, match="was not finished"):
        PostgresReading(url)


LOST = "the session that kept nodes and other copies away was lost .*: run this again, it goes on where it was"


def test_a_copy_whose_guard_was_lost_is_not_given_its_documents(directory: str, url: str) -> None:
    """A node may have come meanwhile."""
    with pytest.raises(StorageError, match=LOST):
        copy_and_lose_the_guard(directory, url, "copying")
    check_that_it_is_half_a_copy(url)
    muster("store", "copy", directory, url)


def test_a_copy_whose_guard_was_lost_while_it_was_compared_is_not_complete(directory: str, url: str) -> None:
    target = copy_and_lose_the_guard(directory, url, "comparing")
    with pytest.raises(StorageError, match=LOST):
        target.release(is_complete=True)
    check_that_it_is_half_a_copy(url)
    muster("store", "copy", directory, url)


def test_a_copy_takes_its_time_whatever_the_database_says_about_idle_transactions(
    directory: str, url: str, tmp_path: Path
) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER ROLE CURRENT_USER SET idle_in_transaction_session_timeout = '1ms'")
    muster("store", "copy", directory, url)
    muster("store", "copy", url, str(tmp_path / "back"))
