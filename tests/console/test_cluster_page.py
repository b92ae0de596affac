"""The page of the cluster: which shards are loading, and the leases that the store of a cluster has."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from muster.cluster import ownership
from muster.cluster.ownership import Registration
from muster.console.shard_states import names_of_shards
from muster.core.hashing import partition_for
from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run, set_offsets
from tests.console.looking import shows, text_of
from tests.log.postgres_server import empty_database

SHARDS = 8


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 1}, settings={"offsets.topic.num.partitions": SHARDS}) as running:
        run(set_offsets(running.bootstrap_servers, "billing", {}))
        yield running


@pytest.fixture(scope="module")
def console(broker: Broker) -> Iterator[ConsoleProcess]:
    with ConsoleProcess(broker.bootstrap_servers) as running:
        yield running


def test_a_shard_that_is_loading_is_named_and_its_end_is_seen(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    browser.visit(f"{console.address}/cluster")
    row = f"#nodes tr[data-key='__consumer_offsets {partition_for('billing', SHARDS)}']"
    other = f"#nodes tr[data-key='__consumer_offsets {(partition_for('billing', SHARDS) + 1) % SHARDS}']"
    shows(browser, row, "ready")
    fault = broker.faults.coordinator_loading("billing")
    shows(browser, row, "loading")
    assert "ready" in text_of(browser, other)
    shows(browser, "#nodes .facts", "Shards loading\n1")
    fault.remove()
    shows(browser, row, "ready")
    assert browser.complaints() == []


@pytest.mark.parametrize("shards", [1, 8, 50])
def test_every_shard_has_a_name_that_belongs_to_it(shards: int) -> None:
    assert {shard: partition_for(name, shards) for shard, name in names_of_shards(shards).items()} == {
        shard: shard for shard in range(shards)
    }


def test_leases_and_releases_come_from_the_store_of_a_cluster(broker: Broker) -> None:
    url = empty_database()
    me = Registration(1, uuid4(), {"PLAINTEXT": ("127.0.0.1", 9092)}, None, "9.8.7", 600_000)
    with psycopg.connect(url, autocommit=True) as connection:
        assert ownership.register(connection, me)
        with ConsoleProcess(broker.bootstrap_servers, "--store", url) as console:
            page = console.ask("/cluster").text
            assert "s left" in page
            assert "9.8.7" in page


def test_a_store_that_does_not_answer_is_told_on_the_page(broker: Broker) -> None:
    with ConsoleProcess(broker.bootstrap_servers, "--store", "postgresql://127.0.0.1:1/none") as console:
        assert "Leases are not known: " in console.ask("/cluster").text
