"""A broker that accepts connections and says nothing, or says it late, holds up no question to many brokers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import pytest

from muster.client import admin, late_answers
from muster.client.addresses import Address
from muster.client.cluster import Cluster
from muster.client.connection import Connection
from muster.client.coordinators import Coordinators
from muster.client.failure import ClientError
from muster.client.late_answers import LateAnswers
from muster.client.partitions import TopicPartition
from muster.testing import Broker
from muster.wire.errors import COORDINATOR_NOT_AVAILABLE, REQUEST_TIMED_OUT
from muster.wire.generated.metadata import MetadataResponse

MUTE_NODE = 99
PATIENCE_SECONDS = 60


class WithMuteNode(Cluster):
    """A cluster with one node more, at a port that is open and where nobody answers; it coordinates all groups `mute-...`."""

    def __init__(self, bootstrap: str, port: int, groups: Sequence[str]) -> None:
        super().__init__(bootstrap, request_timeout_seconds=3_600.0)
        self._mute = Address("127.0.0.1", port)
        self._groups = groups

    async def refresh(self, topics: Sequence[str] | None) -> MetadataResponse:
        view = await super().refresh(topics)
        self.brokers[MUTE_NODE] = self._mute
        self.coordinators._known |= dict.fromkeys(self._groups, (MUTE_NODE, self._mute))
        return view


def test_a_silent_broker_leaves_the_groups_of_the_others_and_is_not_asked_twice() -> None:
    orders, mute_groups = TopicPartition("orders", 0), [f"mute-{number}" for number in range(250)]

    async def story(bootstrap: str, port: int) -> None:
        async with WithMuteNode(bootstrap, port, mute_groups) as cluster, asyncio.timeout(PATIENCE_SECONDS):
            await admin.commit_offsets(cluster, "up", {orders: 0})
            listed, failures = await admin.list_groups_by_node(cluster)
            assert [each.group_id for each in listed] == ["up"]
            assert {node_id: each.code for node_id, each in failures.items()} == {MUTE_NODE: REQUEST_TIMED_OUT}
            described = await admin.describe_each(cluster, [*mute_groups, "up"])
            assert not isinstance(described.pop("up"), ClientError)
            assert {each.code for each in described.values() if isinstance(each, ClientError)} == {REQUEST_TIMED_OUT}
            assert len(described) == len(mute_groups)
            assert len(cluster.late_answers._late[MUTE_NODE]) == 1

    with Broker(topics={"orders": 1}) as broker, socket.create_server(("127.0.0.1", 0)) as mute:
        asyncio.run(story(broker.bootstrap_servers, mute.getsockname()[1]))


def test_a_broker_that_answers_late_is_waited_for_longer_and_one_that_fails_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_answers, "ANSWER_SECONDS", 0.0)

    async def story() -> None:
        asked, can_answer = LateAnswers(), asyncio.Event()

        async def question() -> str:
            await can_answer.wait()
            return "here"

        async def refusal() -> str:
            await can_answer.wait()
            raise ClientError(COORDINATOR_NOT_AVAILABLE, "ask")

        for late in (question, refusal):
            can_answer.clear()
            asked._patience_seconds.clear()
            with pytest.raises(ClientError, match="has not answered yet"):
                await asked.ask(1, late)
            with pytest.raises(ClientError, match="has not answered yet"):
                await asked.ask(1, question)
            (under_way,) = asked._late[1]
            can_answer.set()
            await asyncio.wait([under_way])
            await asyncio.sleep(0)
            assert not asked._late[1]
            assert (asked._patience_seconds.get(1, 0.0) > 0.0) == (late is question)
        asked._patience_seconds[1] = PATIENCE_SECONDS
        assert await asked.ask(1, question) == "here"
        assert 1 in asked._patience_seconds, "it took longer than no time"
        monkeypatch.setattr(late_answers, "ANSWER_SECONDS", PATIENCE_SECONDS)
        assert await asked.ask(1, question) == "here"
        assert 1 not in asked._patience_seconds, "it answers in time again"

    asyncio.run(story())


def test_coordinators_that_are_forgotten_while_others_are_looked_for_are_a_passing_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story() -> None:
        cluster = Cluster("127.0.0.1:1")
        coordinators = cluster.coordinators
        coordinators._known["known"] = (1, Address("127.0.0.1", 1))

        class Old:
            def version(self, _: str) -> int:
                return 3

        async def any_connection() -> Old:
            return Old()

        async def ask_for_one(_: Connection, key: str) -> dict[str, ClientError]:
            coordinators.forget_all()
            coordinators._known[key] = (2, Address("127.0.0.1", 2))
            return {}

        monkeypatch.setattr(cluster, "any_connection", any_connection)
        monkeypatch.setattr(Coordinators, "_ask_for_one", lambda _, connection, key: ask_for_one(connection, key))
        found = await coordinators.find_each(["known", "first", "second"])
        assert (found["known"], found["second"]) == (1, 2)
        assert isinstance(found["first"], ClientError)
        assert found["first"].code == COORDINATOR_NOT_AVAILABLE

    asyncio.run(story())
