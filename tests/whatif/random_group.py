"""A classic group with a random history: clients that come, leave, crash and come back, over the core with a clock moved by hand.

Clients behave as real ones do: they send heartbeats, join again when told to, and begin anew when they are unknown. No two things
happen in the same millisecond.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

from muster.core.assignors.choice import ASSIGNORS
from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.core.config import GroupConfig
from muster.core.replies import HeartbeatReply, JoinReply, SyncReply
from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from muster.wire.errors import MEMBER_ID_REQUIRED, NONE, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.core.world import Call, World

COUNTS = {"orders": 6, "audit": 2}
HEARTBEAT_MS = 1_000


class RandomGroup:
    def __init__(
        self, seed: int, *, clients: int = 4, length_ms: int = 120_000, assignor: str = "range", times: int = 1
    ) -> None:
        """`assignor`: an eager one; `times`: so many times as many partitions. Neither changes when anything happens."""
        self.random = random.Random(seed)
        self.assignor = ASSIGNORS[assignor]
        self.counts = {topic: count * times for topic, count in COUNTS.items()}
        self.delay_ms = self.random.choice([0, 500, 3_000])
        self.world = World(GroupConfig(initial_rebalance_delay_ms=self.delay_ms))
        self._todo: list[tuple[int, Callable[[], None]]] = []
        self._taken: set[int] = set()
        self._end_ms = self.world.now_ms + length_ms
        self.clients = [Client(self, f"c{number}") for number in range(clients)]
        for client in self.clients:
            self.after(self.random.randint(1, length_ms // 4), client.start)

    def after(self, delay_ms: int, task: Callable[[], None]) -> None:
        at_ms = self.world.now_ms + max(1, delay_ms)
        while at_ms in self._taken:
            at_ms += 1
        self._taken.add(at_ms)
        heapq.heappush(self._todo, (at_ms, task))

    def run(self) -> World:
        while self._todo and self._todo[0][0] <= self._end_ms:
            at_ms, task = heapq.heappop(self._todo)
            self.world.advance(at_ms - self.world.now_ms)
            task()
            for client in self.clients:
                client.hear()
        self.world.advance(max(0, self._end_ms - self.world.now_ms))
        return self.world


class Client:
    def __init__(self, group: RandomGroup, name: str) -> None:
        chance = group.random
        self._group = group
        self._world = group.world
        self._name = name
        self._instance = name if chance.random() < 0.3 else None
        self._known = chance.random() < 0.8
        self._session_ms = chance.choice([6_000, 10_000])
        self._member_id = ""
        self._generation = -1
        self._life = 0
        self._rejoining = False
        self._owned: list[TopicPartition] = []
        self._owned_of = -1
        self._join: Call[JoinReply] | None = None
        self._sync: Call[SyncReply] | None = None

    def start(self) -> None:
        self._life += 1
        self._forget()
        self._generation, self._join, self._sync = -1, None, None
        self._send_join()
        life = self._life
        self._group.after(self._random(2_000, 60_000), lambda: self._end(life))

    def _random(self, low: int, high: int) -> int:
        return self._group.random.randint(low, high)

    def _while_alive(self, delay_ms: int, task: Callable[[], None]) -> None:
        life = self._life

        def run() -> None:
            if self._life == life:
                task()

        self._group.after(delay_ms, run)

    def _end(self, life: int) -> None:
        """Leaves, or crashes; and mostly comes back."""
        if self._life != life:
            return
        if self._member_id and self._group.random.random() < 0.5:
            self._world.leave((self._member_id, self._instance))
        self._life += 1
        self._join = self._sync = None
        if self._group.random.random() < 0.8:
            self._group.after(self._random(100, 20_000), self.start)

    def _send_join(self) -> None:
        self._rejoining = False
        data = self._group.assignor.user_data(self._owned, self._owned_of)
        subscription = encode_subscription(Subscription(["audit", "orders"], data))
        self._join = self._world.join(
            self._member_id,
            instance=self._instance,
            client=self._name,
            session=self._session_ms,
            rebalance=20_000,
            protocols=((self._group.assignor.name, subscription),),
            known=self._known,
        )

    def hear(self) -> None:
        if self._join is not None and not self._join.waiting:
            reply, self._join = self._join.reply, None
            self._joined(reply)
        if self._sync is not None and not self._sync.waiting:
            answer, self._sync = self._sync.reply, None
            if answer.error == REBALANCE_IN_PROGRESS:
                self._rejoin_soon()
            elif answer.error == NONE:
                given = decode_assignment(answer.assignment).partitions if answer.assignment else ()
                self._owned = [TopicPartition(topic, number) for topic, numbers in given for number in numbers]
                self._owned_of = self._generation

    def _forget(self) -> None:
        """Whoever is unknown begins anew, with nothing."""
        self._member_id, self._owned, self._owned_of = "", [], -1

    def _joined(self, reply: JoinReply) -> None:
        if reply.error == MEMBER_ID_REQUIRED:
            self._member_id = reply.member_id
            self._while_alive(self._random(1, 50), self._send_join)
        elif reply.error == NONE:
            self._member_id, self._generation = reply.member_id, reply.generation
            leads = reply.leader == reply.member_id
            self._while_alive(self._random(1, 300 if leads else 50), lambda: self._send_sync(reply))
            self._while_alive(HEARTBEAT_MS, lambda: self._beat(reply.generation))
        elif reply.error == UNKNOWN_MEMBER_ID:
            self._forget()
            self._while_alive(self._random(1, 50), self._send_join)

    def _send_sync(self, reply: JoinReply) -> None:
        plan: dict[str, bytes] = {}
        if reply.leader == reply.member_id:
            members = [
                Subscriber(
                    each.member_id,
                    ["audit", "orders"],
                    each.group_instance_id,
                    user_data=decode_subscription(each.metadata).user_data,
                )
                for each in reply.members
            ]
            for member_id, places in self._group.assignor.assign(self._group.counts, members).items():
                topics: dict[str, list[int]] = {}
                for topic, number in sorted(places):
                    topics.setdefault(topic, []).append(number)
                plan[member_id] = encode_assignment(Assignment(list(topics.items())))
        self._sync = self._world.sync(self._member_id, reply.generation, plan, instance=self._instance)

    def _beat(self, generation: int) -> None:
        if self._generation != generation or self._join is not None:
            return
        reply: HeartbeatReply = self._world.heartbeat(self._member_id, generation, instance=self._instance).reply
        if reply.error == NONE:
            self._while_alive(HEARTBEAT_MS, lambda: self._beat(generation))
        elif reply.error == REBALANCE_IN_PROGRESS:
            self._rejoin_soon()
        elif reply.error == UNKNOWN_MEMBER_ID:
            self._forget()
            self._while_alive(self._random(1, 50), self._send_join)

    def _rejoin_soon(self) -> None:
        if not self._rejoining:
            self._rejoining = True
            self._while_alive(self._random(1, 900), self._send_join)
