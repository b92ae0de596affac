"""Asks each node of a cluster for itself, and keeps what they answered: one that says nothing holds no other up.

Whoever looks waits for as long as it likes and then has what is known; questions that are under way go on, and are not asked
twice. One for each user, shared by the pages that show the cluster.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.topics import TopicDescription
from muster.console.settings import NodeLease
from muster.console.shard_states import READY, count_groups, group_states_while_loading, transaction_states
from muster.console.trouble import log_and_describe
from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE

FRESH_SECONDS: Final = 1.5
"""What was answered so long ago is not asked again."""
SILENT_SECONDS: Final = 1.0
"""A node that has not answered for so long is shown as silent."""
_SHOWN_APIS: Final = ("ConsumerGroupHeartbeat", "Fetch", "JoinGroup", "OffsetCommit", "Produce")

Leases: TypeAlias = tuple[Mapping[int, NodeLease], str]
"""By node, and why they are not known."""
AskLeases: TypeAlias = Callable[[], Awaitable[Leases]]


@dataclass(frozen=True, slots=True)
class Answers:
    """What one node answered last."""

    versions: str = ""
    """Newest versions of a few APIs that both sides speak: they tell releases apart."""
    groups: int | None = None
    """None: it is loading, or has not said."""
    is_known: bool = False
    failure: str = ""
    shards: Mapping[tuple[str, int], str] | None = None
    """(log, partition) -> `ready` or `loading`; None: the node did not answer."""
    silent_seconds: int = 0
    """Since when it was asked without an answer so far; 0 if it has answered. The state of its shards is not known then."""

    @property
    def loading(self) -> int:
        return sum(state != READY for state in (self.shards or {}).values())


class ClusterLook:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._asking: dict[object, asyncio.Task[None]] = {}
        self._began: dict[object, float] = {}
        self._ended: dict[object, float] = {}
        self._answers: dict[int, Answers] = {}
        self.topics: list[TopicDescription] | None = None
        """None: not known yet."""
        self.leases: Leases | None = None
        """None: not known yet."""
        self.failure = ""
        """Why the topics are not known, or not those of now."""

    async def see(self, leases: AskLeases, patience_seconds: float) -> None:
        """Ask what is not fresh, and wait so long for it."""
        deadline = time.monotonic() + patience_seconds
        self._ask("leases", partial(self._see_leases, leases))
        self._ask("topics", self._see_topics)
        await self._wait(["topics"], deadline)
        nodes = list(self._cluster.brokers) if self.topics is not None else []
        for node_id in nodes:
            self._ask(node_id, partial(self._see_node, node_id))
        await self._wait(["leases", *nodes], deadline)

    def answers(self, node_id: int) -> Answers:
        known = self._answers.get(node_id, Answers())
        silent_seconds = self._silent_seconds(node_id)
        return replace(known, silent_seconds=silent_seconds, shards=None) if silent_seconds else known

    @property
    def store_silent_seconds(self) -> int:
        """Since when the store was asked for leases without an answer so far; 0 if it has answered."""
        return self._silent_seconds("leases")

    async def close(self) -> None:
        """What is under way is given up."""
        under_way = list(self._asking.values())
        for question in under_way:
            question.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _silent_seconds(self, what: object) -> int:
        silent = time.monotonic() - self._began[what] if what in self._asking else 0.0
        return int(silent) if silent >= SILENT_SECONDS else 0

    def _ask(self, what: object, question: Callable[[], Awaitable[None]]) -> None:
        now = time.monotonic()
        if what not in self._asking and now - self._ended.get(what, float("-inf")) >= FRESH_SECONDS:
            self._began[what] = now
            self._asking[what] = asyncio.create_task(self._asked(what, question))

    async def _asked(self, what: object, question: Callable[[], Awaitable[None]]) -> None:
        try:
            await question()
        except Exception as failure:
            self._note_failure(what, failure)
        finally:
            self._ended[what] = time.monotonic()
            del self._asking[what]

    async def _wait(self, for_these: Iterable[object], deadline: float) -> None:
        tasks = [self._asking[what] for what in for_these if what in self._asking]
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, deadline - time.monotonic()))

    def _note_failure(self, what: object, failure: Exception) -> None:
        match what:
            case "leases":
                self.leases = {}, log_and_describe(failure, "Asking the store for leases")
            case int(node_id):
                self._answers[node_id] = Answers(failure=log_and_describe(failure, f"Asking node {node_id}"))
            case _:
                self.failure = log_and_describe(failure, "Asking the cluster for its topics")

    # -- questions

    async def _see_leases(self, ask: AskLeases) -> None:
        self.leases = await ask()

    async def _see_topics(self) -> None:
        self.topics = await admin.list_topics(self._cluster, internal=True)
        self.failure = ""

    async def _see_node(self, node_id: int) -> None:
        self._answers[node_id] = await self._node(node_id)

    async def _node(self, node_id: int) -> Answers:
        groups_led, group_shards = self._led(CONSUMER_OFFSETS, node_id)
        transactions_led, transaction_shards = self._led(TRANSACTION_STATE, node_id)
        connection = await self._cluster.connection_to(node_id)
        versions = ", ".join(f"{api} {connection.version(api)}" for api in _SHOWN_APIS if api in connection.versions)
        groups = await count_groups(connection)
        states = (
            dict.fromkeys(groups_led, READY)
            if groups is not None
            else await group_states_while_loading(connection, groups_led, group_shards)
        )
        of_transactions = await transaction_states(connection, transactions_led, transaction_shards)
        shards = {(CONSUMER_OFFSETS, shard): state for shard, state in states.items()}
        shards |= {(TRANSACTION_STATE, shard): state for shard, state in of_transactions.items()}
        return Answers(versions, groups, is_known=True, shards=shards)

    def _led(self, log: str, node_id: int) -> tuple[list[int], int]:
        """The shards of a log that a node leads, and how many there are."""
        found = next((each.partitions for each in self.topics or () if each.name == log), ())
        return [each.partition for each in found if each.leader == node_id], len(found)
