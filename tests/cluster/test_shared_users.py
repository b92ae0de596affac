"""Users of a cluster are a document in its database: made before any node runs, changed by whoever comes first and second."""

from __future__ import annotations

import json

import pytest

from muster.cli.main import main
from muster.log.postgres.store import PostgresStore
from muster.security.sasl import SCRAM_SHA_256
from muster.security.users import Users, new_credential
from tests.log.postgres_server import empty_database

pytestmark = pytest.mark.usefixtures("patient")


def test_the_first_user_of_a_cluster_is_added_without_a_node(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = empty_database()
    monkeypatch.setenv("SECRET", "open sesame")
    assert main(["users", "add", "admin", "--password-env", "SECRET", "--store", url]) == 0
    capsys.readouterr()
    assert main(["users", "list", "--json", "--store", url]) == 0
    assert [json.loads(line)["user"] for line in capsys.readouterr().out.splitlines()] == ["admin"]


def test_two_nodes_that_add_users_at_the_same_time_both_succeed() -> None:
    """Who comes second reads again and tries again (decision 0012)."""
    url = empty_database()
    stores = [PostgresStore(url, node_id) for node_id in (1, 2)]
    first, second = (Users(store) for store in stores)
    for users in (first, second):
        users.load()
    for name, users in (("anna", first), ("boris", second)):
        users.alter([(name, SCRAM_SHA_256, new_credential(SCRAM_SHA_256, "secret", 4096))])
    first.load()
    assert list(first.names()) == ["anna", "boris"]
    for store in stores:
        store.close()


def test_a_store_that_is_no_database_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["users", "list", "--store", "mysql://somewhere"]) == 1
    assert "only postgresql://" in capsys.readouterr().err
    assert main(["users", "list", "--store", "postgresql://x/y", "--data", "d"]) == 2
