"""A rolling upgrade: present nodes on the schema of release 0.2, which is migrated while they serve clients (decision 0021)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from muster.cluster import ownership
from muster.cluster.membership import Membership
from muster.cluster.ownership import Registration
from muster.cluster.plan import Slot, plan_leaders
from muster.log.contract import StorageError
from muster.log.postgres.migration import migrate
from muster.log.postgres.node_versions import NodeVersions, live_versions
from muster.log.postgres.schema import schema_state
from muster.log.postgres.schema_steps import MIGRATIONS, NEWEST, OLDEST, Step
from tests.cluster.light_load import LightLoad
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage, muster
from tests.cluster.upgrade import git, newest_tag_before
from tests.interop.waiting import eventually
from tests.log.postgres_server import bare_database
from tests.log.release_before import come

BEFORE = MIGRATIONS[:2]
"""The schema of release 0.2."""


@pytest.fixture
def database() -> Iterator[tuple[str, Any]]:
    with bare_database() as url, psycopg.connect(url, autocommit=True) as connection:
        migrate(connection, "id", BEFORE)
        yield url, connection


def registration(node_id: int = 1) -> Registration:
    return Registration(node_id, uuid4(), {}, None, "test", lease_ms=600_000)


@pytest.mark.usefixtures("patient")
def test_a_node_that_was_there_before_the_migration_says_what_it_speaks_as_soon_as_it_can(
    database: tuple[str, Any],
) -> None:
    url, connection = database
    member = Membership(url, registration(), lambda view, until: None, lambda why: None)
    member.start()
    try:
        assert live_versions(connection, schema_state(connection)) == [NodeVersions(1, "test", 2, 2)]
        migrate(connection, "id")
        eventually(
            "it to say so",
            lambda: live_versions(connection, schema_state(connection)),
            lambda said: said == [NodeVersions(1, "test", OLDEST, NEWEST)],
        )
    finally:
        member.leave()


def test_a_node_that_comes_after_a_contract_step_that_it_does_not_speak_is_refused_and_leaves_no_row(
    database: tuple[str, Any],
) -> None:
    """Also one that was frozen meanwhile: its lease was over, and it has to register again."""
    _, connection = database
    migrate(connection, "id", (*MIGRATIONS, Step("SELECT 1", is_contract=True)))
    with pytest.raises(StorageError, match=f"speak schema version {NEWEST + 1}"):
        ownership.register(connection, registration())
    assert connection.execute("SELECT count(*) FROM muster.nodes").fetchone() == (0,)


@pytest.mark.parametrize("steps", [BEFORE, MIGRATIONS], ids=["before the migration", "after it"])
def test_nodes_of_both_releases_plan_alike_while_records_of_deleted_topics_are_there(
    database: tuple[str, Any], steps: tuple[Step, ...]
) -> None:
    """Release 0.2 gives owners to whatever has a row. One that plans otherwise would be answered by other moves, for ever."""
    _, connection = database
    migrate(connection, "id", steps)
    connection.execute(_PARTITIONS)
    come(connection, 1)
    for node_id in (2, 3):
        assert ownership.register(connection, registration(node_id))
    assert ownership.carry_out_plan(connection) > 0
    assert moves_wanted_by_0_2(connection) == {}
    view = ownership.look(connection)
    assert ownership.moves_wanted(view) == {}
    assert [slot.topic for slot in view.leaders] == ["orders"] * 3, "nobody is shown what is put aside"


def test_records_of_deleted_topics_count_for_nothing_once_every_node_knows_that_nobody_leads_them(
    database: tuple[str, Any],
) -> None:
    _, connection = database
    migrate(connection, "id")
    connection.execute(_PARTITIONS)
    for node_id in (1, 2, 3):
        assert ownership.register(connection, registration(node_id))
    ownership.carry_out_plan(connection)
    view = ownership.look(connection)
    assert sorted(leader.node_id for leader in view.leaders.values()) == [1, 2, 3]
    assert connection.execute("SELECT DISTINCT owner FROM muster.partitions WHERE topic <> 'orders'").fetchall() == [
        (None,)
    ]


def test_the_release_before_is_the_newest_that_is_not_the_one_that_is_tried(tmp_path: Path) -> None:
    """A release is tagged before its workflow runs."""
    who = ("-c", "user.name=who", "-c", "user.email=who@example")
    git("init", "--quiet", home=tmp_path)
    git(*who, "commit", "--quiet", "--allow-empty", "-m", "old", home=tmp_path)
    assert newest_tag_before(tmp_path) == ""
    for tag in ("v0.9.0", "v0.10.0"):
        git("tag", tag, home=tmp_path)
    git(*who, "commit", "--quiet", "--allow-empty", "-m", "new", home=tmp_path)
    assert newest_tag_before(tmp_path) == "v0.10.0"
    git("tag", "v0.11.0", home=tmp_path)
    assert newest_tag_before(tmp_path) == "v0.10.0"
    git("checkout", "--quiet", "v0.10.0", home=tmp_path)
    git(*who, "commit", "--quiet", "--allow-empty", "-m", "patch", home=tmp_path)
    git("tag", "v0.10.1", home=tmp_path)
    assert newest_tag_before(tmp_path) == "v0.10.0", "a patch of it comes from it, not from 0.11"


_PARTITIONS = """
INSERT INTO muster.partitions (topic, partition, topic_id, owner)
SELECT 'orders', number, gen_random_uuid(), number % 2 + 1 FROM generate_series(0, 2) AS number
UNION ALL SELECT 'deleted/' || number, 0, gen_random_uuid(), NULL FROM generate_series(1, 6) AS number
"""


def moves_wanted_by_0_2(connection: Any) -> dict[Slot, int]:
    rows = connection.execute("SELECT topic, partition, owner FROM muster.partitions")
    nodes = connection.execute("SELECT node_id FROM muster.nodes WHERE lease_until >= now() AND NOT is_draining")
    return plan_leaders(
        {Slot(topic, partition): owner for topic, partition, owner in rows}, [node_id for (node_id,) in nodes]
    )


@pytest.mark.xdist_group("cluster")
def test_nodes_on_the_schema_of_the_release_before_are_migrated_under_load_without_a_restart(tmp_path: Path) -> None:
    with PostgresProcess() as postgres:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            migrate(connection, "id", BEFORE)
        with ClusterStage(tmp_path, postgres, has_tables=True) as stage:
            stage.add(1, 2)
            stage.coordinator_of("the first who asks")
            assert schemas(stage) == {1: [2, 2], 2: [2, 2]}, "there is no place to say more"
            with LightLoad(stage.nodes) as load:
                load.progress()
                assert muster("store", "migrate", postgres.url) == "migrated from schema version 2 to 3\n"
                eventually("nodes to say more", lambda: schemas(stage), lambda seen: seen == {1: [2, 3], 2: [2, 3]})
                load.progress()
                stage.nodes[1].stop()
                stage.add(1)
                stage.wait_for_owners(1, 2)
                load.progress()
                load.settle()
            assert json.loads(muster("store", "status", "--json", postgres.url))["nodes_must_speak"] == 2
            for node in stage.nodes.values():
                assert "Traceback" not in node.log, node.log


def schemas(stage: ClusterStage) -> dict[int, list[int]]:
    return {node_id: row["schema"] for node_id, row in stage.status().items()}
