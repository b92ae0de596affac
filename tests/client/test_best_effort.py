"""Many groups asked about at once: a group that is denied or a broker that is down fails alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

from muster.client import admin
from muster.client.addresses import Address
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.groups import GroupDescription
from muster.client.partitions import TopicPartition
from muster.client.security import PLAINTEXT, Security
from muster.testing import Broker
from muster.topics.creation import NewTopic
from muster.wire.errors import COORDINATOR_NOT_AVAILABLE, GROUP_AUTHORIZATION_FAILED, NETWORK_EXCEPTION
from muster.wire.generated.metadata import MetadataResponse
from tests.security.acl_users import ALICE_MAY, PASSWORDS, SETTINGS, security_of
from tests.security.secure_server import SecureServer

T = TypeVar("T")
ORDERS = TopicPartition("orders", 0)
DOWN = Address("127.0.0.1", 1)


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 1}) as running:

        async def commit(cluster: Cluster) -> None:
            for group in ("up", "moved"):
                await admin.commit_offsets(cluster, group, {ORDERS: 0})

        _asked(running.bootstrap_servers, commit)
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    with SecureServer(tmp_path_factory.mktemp("users"), SETTINGS, PASSWORDS) as running:
        node = running.running.node
        running.running.run(node.broker.create_topics, [NewTopic("orders"), NewTopic("hidden")])
        running.running.run(lambda: node.acls.create(ALICE_MAY))

        async def commit(cluster: Cluster) -> None:
            await admin.commit_offsets(cluster, "billing", {ORDERS: 0})

        _asked(running.address("SASL_PLAINTEXT"), commit, security_of("admin"))
        yield running


def _asked(bootstrap: str, ask: Callable[[Cluster], Awaitable[T]], security: Security = PLAINTEXT) -> T:
    async def go() -> T:
        async with Cluster(bootstrap, security=security) as cluster:
            return await ask(cluster)

    return asyncio.run(go())


def _codes(found: dict[str, T | ClientError]) -> dict[str, int | None]:
    return {group: each.code if isinstance(each, ClientError) else None for group, each in found.items()}


def test_a_group_that_is_denied_leaves_the_others_described_with_their_offsets(server: SecureServer) -> None:
    async def ask(cluster: Cluster) -> list[dict[str, int | None]]:
        groups = ["secret", "billing"]
        return [
            _codes(await admin.describe_each(cluster, groups)),
            _codes(await admin.committed_offsets_of(cluster, groups)),
        ]

    expected = {"secret": GROUP_AUTHORIZATION_FAILED, "billing": None}
    assert _asked(server.address("SASL_PLAINTEXT"), ask, security_of("alice")) == [expected, expected]


def test_whoever_wants_all_of_them_hears_of_the_one_that_is_denied(server: SecureServer) -> None:
    async def ask(cluster: Cluster) -> object:
        return await admin.describe_groups(cluster, ["billing", "secret"])

    with pytest.raises(ClientError, match="GROUP_AUTHORIZATION_FAILED"):
        _asked(server.address("SASL_PLAINTEXT"), ask, security_of("alice"))


def test_a_topic_that_is_denied_or_gone_leaves_the_ends_of_the_others(server: SecureServer) -> None:
    async def ask(cluster: Cluster) -> dict[TopicPartition, int]:
        return await admin.known_ends(
            cluster, [ORDERS, TopicPartition("orders", 9), TopicPartition("hidden", 0), TopicPartition("gone", 0)]
        )

    assert _asked(server.address("SASL_PLAINTEXT"), ask, security_of("alice")) == {ORDERS: 0}


class WithOneDown(Cluster):
    """The cluster says that it has another broker, which nobody can reach and which coordinates the group `down`."""

    async def refresh(self, topics: object) -> MetadataResponse:
        view = await super().refresh(topics)  # type: ignore[arg-type]
        self.brokers[7] = DOWN
        self.coordinators._known["down"] = (7, DOWN)
        return view


def _with_one_down(broker: Broker, ask: Callable[[Cluster], Awaitable[T]]) -> T:
    async def go() -> T:
        async with WithOneDown(broker.bootstrap_servers) as cluster:
            await cluster.refresh([])
            return await ask(cluster)

    return asyncio.run(go())


def test_a_broker_that_is_down_leaves_the_groups_of_the_others(broker: Broker) -> None:
    listed, failures = _with_one_down(broker, admin.list_groups_by_node)
    assert {each.group_id for each in listed} == {"up", "moved"}
    assert {node: each.code for node, each in failures.items()} == {7: NETWORK_EXCEPTION}


def test_where_no_broker_says_its_groups_there_is_a_failure(broker: Broker) -> None:
    broker.faults.error("ListGroups", "COORDINATOR_LOAD_IN_PROGRESS")
    with pytest.raises(ClientError, match="COORDINATOR_LOAD_IN_PROGRESS"):
        _asked(broker.bootstrap_servers, admin.list_groups_by_node)


def test_groups_of_a_coordinator_that_is_down_fail_alone_and_it_is_looked_for_again(broker: Broker) -> None:
    async def ask(cluster: Cluster) -> list[object]:
        first = [
            _codes(await admin.describe_each(cluster, ["down", "up"])),
            _codes(await admin.committed_offsets_of(cluster, ["up"])),
        ]
        found = (await admin.describe_each(cluster, ["down"]))["down"]
        return [*first, isinstance(found, GroupDescription) and found.exists]

    assert _with_one_down(broker, ask) == [{"down": NETWORK_EXCEPTION, "up": None}, {"up": None}, False]


def test_a_group_whose_coordinator_is_not_there_now_fails_alone(broker: Broker) -> None:
    async def ask(cluster: Cluster) -> dict[str, int | None]:
        return _codes(await admin.describe_each(cluster, ["moved"]))

    with broker.faults.coordinator_moved("moved"):
        assert _asked(broker.bootstrap_servers, ask) == {"moved": COORDINATOR_NOT_AVAILABLE}
    assert _asked(broker.bootstrap_servers, ask) == {"moved": None}
