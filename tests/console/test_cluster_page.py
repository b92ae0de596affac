"""The page of the cluster: which shards are loading, the leases that the store of a cluster has, and nodes that say nothing."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from functools import partial
from uuid import uuid4

import psycopg
import pytest
from starlette.applications import Starlette

from muster.client.addresses import Address
from muster.client.cluster import Cluster
from muster.cluster import ownership
from muster.cluster.ownership import Registration
from muster.console import cluster_look
from muster.console.app import build_app
from muster.console.cluster_look import ClusterLook, Leases
from muster.console.settings import ConsoleSettings, NodeLease
from muster.console.shard_states import names_of_shards
from muster.core.hashing import partition_for
from muster.testing import Broker, coordinator_faults
from muster.wire.generated.metadata import MetadataResponse
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.fleet import run, set_offsets
from tests.console.in_process import ask
from tests.console.looking import shows, text_of
from tests.interop.transactional import ConfluentTransactions
from tests.interop.waiting import eventually
from tests.log.postgres_server import empty_database

SHARDS = 8
MUTE_NODE = 99
PATIENCE_SECONDS = 60


class WithMuteNode(Cluster):
    """A cluster with one node more, at a port that is open and where nobody answers."""

    def __init__(self, bootstrap: str, port: int) -> None:
        super().__init__(bootstrap, request_timeout_seconds=3_600.0)
        self._port = port

    async def refresh(self, topics: Sequence[str] | None) -> MetadataResponse:
        view = await super().refresh(topics)
        self.brokers[MUTE_NODE] = Address("127.0.0.1", self._port)
        return view


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
            eventually(
                "leases", lambda: console.ask("/cluster").text, lambda page: "s left" in page and "9.8.7" in page
            )


def test_a_store_that_does_not_answer_is_told_on_the_page(broker: Broker) -> None:
    with ConsoleProcess(broker.bootstrap_servers, "--store", "postgresql://127.0.0.1:1/none") as console:
        eventually("why not", lambda: console.ask("/cluster").text, lambda page: "Leases are not known: " in page)


def test_a_transaction_shard_that_is_loading_is_named(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    producer = ConfluentTransactions(broker.bootstrap_servers, "copier")
    producer.begin()
    producer.send("orders", 0, b"tea")
    producer.commit()
    coordinator = broker.kit.node.transactions
    shard = partition_for("copier", coordinator.partition_count)
    browser.visit(f"{console.address}/cluster")
    row = f"#nodes tr[data-key='__transaction_state {shard}']"
    other = f"#nodes tr[data-key='__transaction_state {(shard + 1) % coordinator.partition_count}']"
    shows(browser, row, "ready")
    epoch = broker.run(coordinator_faults.loading, coordinator, "copier")
    shows(browser, row, "loading")
    assert "ready" in text_of(browser, other)
    broker.run(coordinator_faults.back, coordinator, "copier", epoch)
    shows(browser, row, "ready")


# -- who does not answer


def test_a_node_and_a_store_that_say_nothing_hold_nothing_else_up(broker: Broker) -> None:
    async def no_leases() -> Leases:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def story(port: int) -> None:
        async with WithMuteNode(broker.bootstrap_servers, port) as cluster:
            look = ClusterLook(cluster)
            (healthy,) = (node for node in (await cluster.refresh([])).brokers if node.node_id != MUTE_NODE)
            while not (look.answers(healthy.node_id).is_known and look.answers(MUTE_NODE).silent_seconds):
                await look.see(no_leases, 0.01)
            assert look.answers(healthy.node_id).groups is not None
            assert not look.answers(MUTE_NODE).is_known
            assert look.leases is None
            assert len(look._asking) <= 4, "what is under way is not asked twice"

    with socket.create_server(("127.0.0.1", 0)) as mute:
        asyncio.run(story(mute.getsockname()[1]))


def test_what_a_silent_node_and_a_silent_store_said_before_is_not_shown_as_of_now(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leases() -> Leases:
        return {1: NodeLease(9, False, "9.8.7")}, ""

    async def never(*_: object) -> Leases:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def story() -> None:
        async with Cluster(broker.bootstrap_servers) as cluster:
            look = ClusterLook(cluster)
            await look.see(leases, PATIENCE_SECONDS)
            (node_id,) = cluster.brokers
            assert look.answers(node_id).shards
            assert not look.store_silent_seconds
            monkeypatch.setattr(cluster_look, "FRESH_SECONDS", 0.0)
            monkeypatch.setattr(look, "_see_node", never)
            await look.see(never, 0.0)
            for what in look._asking:
                look._began[what] -= 5.0
            silent = look.answers(node_id)
            assert (silent.shards, silent.groups is not None, silent.silent_seconds >= 5) == (None, True, True)
            assert look.store_silent_seconds >= 5
            await look.close()
            assert not look._asking

    run(story())


class StoreThatFallsSilent:
    """Answers once; afterwards when it is told to."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.answer = threading.Event()

    def leases(self) -> dict[int, NodeLease]:
        self.threads.append(threading.current_thread().name)
        if len(self.threads) > 1:
            self.answer.wait()
        return {1: NodeLease(9, False, "9.8.7")}


def test_a_store_that_falls_silent_is_told_beside_the_leases_of_before(broker: Broker) -> None:
    store = StoreThatFallsSilent()

    async def shown(app: Starlette, wanted: str) -> str:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while wanted not in (text := (await ask(app, "/cluster")).text):
                pass
        return text

    async def story() -> None:
        app = build_app(ConsoleSettings(bootstrap=broker.bootstrap_servers, store=store))
        async with app.router.lifespan_context(app):
            await shown(app, "9 s left")
            assert "9 s left" in await shown(app, "the leases below are those that it had before")
            store.answer.set()

    try:
        run(story())
    finally:
        store.answer.set()
    assert all(name.startswith("leases") for name in store.threads), "the threads of name lookups are free"


def test_a_page_whose_cluster_has_not_answered_is_not_settled() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        ConsoleProcess(f"127.0.0.1:{mute.getsockname()[1]}", "--timeout", "600") as console,
        urllib.request.urlopen(f"{console.address}/live/cluster", timeout=PATIENCE_SECONDS) as stream,
    ):
        told = next(json.loads(line.removeprefix(b"data: ")) for line in stream if line.startswith(b"data: {"))
    assert "Asking the cluster" in told["regions"]["nodes"]
    assert told["settled"] is False


def test_the_page_does_not_wait_for_a_cluster_that_says_nothing(browser: Browser) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        ConsoleProcess(f"127.0.0.1:{mute.getsockname()[1]}", "--timeout", "1") as console,
    ):
        first = console.ask("/cluster")
        assert first.status == 200
        assert "Asking the cluster" in first.text
        browser.visit(f"{console.address}/cluster")
        shows(browser, "#nodes", "The last request to the cluster failed")


def test_every_shard_can_be_paged_to() -> None:
    settings = {"offsets.topic.num.partitions": 250}
    with Broker(topics={"orders": 1}, settings=settings) as many, ConsoleProcess(many.bootstrap_servers) as console:
        run(set_offsets(many.bootstrap_servers, "billing", {}))
        for page, shards in ((1, range(200)), (2, range(200, 250))):
            address = f"/cluster?shards={page}"
            shown = eventually(address, partial(_shards_on, console, address), lambda text: "of 2 " in text)
            assert re.findall(r'data-key="__consumer_offsets (\d+)"', shown) == [str(each) for each in shards]
            assert f'href="/cluster?shards={3 - page}#h-shards"' in shown


def _shards_on(console: ConsoleProcess, address: str) -> str:
    return console.ask(address).text
