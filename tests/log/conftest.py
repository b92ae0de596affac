"""Every store, so that the tests of the contract run against each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.log.contract import LogStore
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.log.shared_files import SharedFileStore
from tests.log.postgres_server import be_patient, empty_database


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


@pytest.fixture(params=["memory", "files-fsync", "files-os", "files-shared", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LogStore]:
    made: LogStore
    if request.param == "memory":
        made = MemoryStore()
    elif request.param == "postgres":
        url = empty_database()
        from muster.log.postgres.store import PostgresStore

        made = PostgresStore(url, node_id=1, claims_alone=True)
    elif request.param == "files-shared":
        made = SharedFileStore(str(tmp_path), lambda topic, partition: True, number=0, was_clean=True)
    else:
        made = FileStore(str(tmp_path), "fsync" if request.param == "files-fsync" else "os")
    yield made
    made.close()
