"""A classic group with a random history: clients that come, leave, crash and come back, over the core with a clock moved by hand.

Clients behave as real ones do: they send heartbeats, join again when told to, and begin anew when they are unknown. No two things
happen in the same millisecond.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable

from muster.core.assignors.choice import ASSIGNORS
from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.core.config import GroupConfig
from muster.core.replies import HeartbeatReply, JoinReply, SyncReply
from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    TopicPartitions,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from muster.wire.errors import MEMBER_ID_REQUIRED, NONE, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.core.world import Call, World

COUNTS = {"orders": 6, "audit": 2}
HEARTBEAT_MS = 1_000
STEADY_HEARTBEAT_MS = 50


class RandomGroup:
    def __init__(
        self,
        seed: int,
        *,
        clients: int = 4,
        length_ms: int = 120_000,
        assignor: str = "range",
        times: int = 1,
        delay_ms: int | None = None,
        session_ms: int | None = None,
        steady: bool = False,
        slow: bool = False,
    ) -> None:
        """`slow`: clients take up to 25 s to join again, with heartbeats meanwhile: some miss the join phase, which waits for 20 s.

        `times`: so many times as many partitions. Neither that nor another eager assignor changes when anything happens.

        `delay_ms`, `session_ms`: None is a random one. `steady`: clients hear of everything at once and react in the same time, and
        when each comes and goes depends on nothing else. So groups of the same seed have the same clients under any settings. They
        are dynamic (when a static member that came back had crashed is not recorded), and in the last quarter nobody comes or goes:
        then one more comes, with which every recording ends.
        """
        self.seed, self.is_steady = seed, steady
        self.heartbeat_ms = STEADY_HEARTBEAT_MS if steady else HEARTBEAT_MS
        self.session_ms = session_ms
        self.is_slow = slow
        self.random = random.Random(seed)
        self.assignor = ASSIGNORS[assignor]
        self.counts = {topic: count * times for topic, count in COUNTS.items()}
        drawn_ms = self.random.choice([0, 500, 3_000])
        self.delay_ms = drawn_ms if delay_ms is None else delay_ms
        self.world = World(GroupConfig(initial_rebalance_delay_ms=self.delay_ms))
        self._todo: list[tuple[int, Callable[[], None]]] = []
        self._taken: set[int] = set()
        self._end_ms = self.world.now_ms + length_ms
        self.changes_until_ms = self._end_ms - length_ms // 4 if steady else self._end_ms
        self.clients = [Client(self, f"c{number}") for number in range(clients)]
        for client in self.clients:
            self.after(self.random.randint(1, length_ms // 4), client.start)
        if steady:
            self.clients.append(Client(self, "last"))
            self.after(length_ms, self.clients[-1].start)

    def after(self, delay_ms: int, task: Callable[[], None]) -> None:
        at_ms = self.world.now_ms + max(1, delay_ms)
        while at_ms in self._taken:
            at_ms += 1
        self._taken.add(at_ms)
        heapq.heappush(self._todo, (at_ms, task))

    def run(self) -> World:
        while self._todo and self._todo[0][0] <= self._end_ms:
            if self.is_steady and self._todo[0][0] > self.world.now_ms + STEADY_HEARTBEAT_MS:
                self.world.advance(
                    STEADY_HEARTBEAT_MS
                )  # what a timer has answered is heard now, not with the next task
            else:
                at_ms, task = heapq.heappop(self._todo)
                self.world.advance(at_ms - self.world.now_ms)
                task()
            for client in self.clients:
                client.hear()
        self.world.advance(max(0, self._end_ms - self.world.now_ms))
        return self.world


def by_topic(places: Iterable[TopicPartition]) -> list[tuple[str, list[int]]]:
    topics: dict[str, list[int]] = {}
    for topic, number in sorted(places):
        topics.setdefault(topic, []).append(number)
    return list(topics.items())


def subscriber(member_id: str, instance: str | None, said: Subscription) -> Subscriber:
    owned = [TopicPartition(topic, number) for topic, numbers in said.owned_partitions for number in numbers]
    return Subscriber(member_id, said.topics, instance, owned, said.generation_id, said.user_data)


class Client:
    def __init__(self, group: RandomGroup, name: str) -> None:
        chance = group.random
        self._group = group
        self._world = group.world
        self._name = name
        is_static = chance.random() < 0.3
        self._instance = name if is_static and not group.is_steady else None
        self._known = chance.random() < 0.8
        drawn_ms = chance.choice([6_000, 10_000])
        self._session_ms = drawn_ms if group.session_ms is None else group.session_ms
        self._own_chance = random.Random(f"{group.seed} {name}") if group.is_steady else chance
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
        self._group.after(self._own_chance.randint(2_000, 60_000), lambda: self._end(life))

    def _reaction(self, low: int, high: int) -> int:
        return (low + high) // 2 if self._group.is_steady else self._group.random.randint(low, high)

    def _while_alive(self, delay_ms: int, task: Callable[[], None]) -> None:
        life = self._life

        def run() -> None:
            if self._life == life:
                task()

        self._group.after(delay_ms, run)

    def _end(self, life: int) -> None:
        """Leaves, or crashes; and mostly comes back."""
        if self._life != life or self._world.now_ms > self._group.changes_until_ms:
            return
        leaves = (bool(self._member_id) or self._group.is_steady) and self._own_chance.random() < 0.5
        if self._member_id and leaves:
            self._world.leave((self._member_id, self._instance))
        self._life += 1
        self._join = self._sync = None
        if self._own_chance.random() < 0.8:
            away_ms = self._own_chance.randint(100, 20_000)
            if self._world.now_ms + away_ms <= self._group.changes_until_ms or not self._group.is_steady:
                self._group.after(away_ms, self.start)

    def _send_join(self) -> None:
        self._rejoining = False
        data = self._group.assignor.user_data(self._owned, self._owned_of)
        kept = by_topic(self._owned) if self._group.assignor.cooperative else []
        subscription = encode_subscription(
            Subscription(["audit", "orders"], data, kept, self._owned_of if kept else -1)
        )
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
                self._assigned(decode_assignment(answer.assignment).partitions if answer.assignment else ())

    def _assigned(self, given: TopicPartitions) -> None:
        """KIP-429: a cooperative member gives up what was taken from it and joins again, in the same millisecond."""
        before = self._owned
        self._owned = [TopicPartition(topic, number) for topic, numbers in given for number in numbers]
        self._owned_of = self._generation
        if self._group.assignor.cooperative and not set(before) <= set(self._owned):
            self._send_join()

    def _forget(self) -> None:
        """Whoever is unknown begins anew, with nothing."""
        self._rejoining = False
        self._member_id, self._owned, self._owned_of = "", [], -1

    def _joined(self, reply: JoinReply) -> None:
        if reply.error == MEMBER_ID_REQUIRED:
            self._member_id = reply.member_id
            self._while_alive(self._reaction(1, 50), self._send_join)
        elif reply.error == NONE:
            self._member_id, self._generation = reply.member_id, reply.generation
            leads = reply.leader == reply.member_id
            self._while_alive(self._reaction(1, 300 if leads else 50), lambda: self._send_sync(reply))
            self._while_alive(self._group.heartbeat_ms, lambda: self._beat(reply.generation))
        elif reply.error == UNKNOWN_MEMBER_ID:
            self._forget()
            self._while_alive(self._reaction(1, 50), self._send_join)

    def _send_sync(self, reply: JoinReply) -> None:
        plan: dict[str, bytes] = {}
        if reply.leader == reply.member_id:
            members = [
                subscriber(each.member_id, each.group_instance_id, decode_subscription(each.metadata))
                for each in reply.members
            ]
            for member_id, places in self._group.assignor.assign(self._group.counts, members).items():
                plan[member_id] = encode_assignment(Assignment(by_topic(places)))
        self._sync = self._world.sync(self._member_id, reply.generation, plan, instance=self._instance)

    def _beat(self, generation: int) -> None:
        if self._generation != generation or self._join is not None:
            return
        reply: HeartbeatReply = self._world.heartbeat(self._member_id, generation, instance=self._instance).reply
        if reply.error == NONE:
            self._while_alive(self._group.heartbeat_ms, lambda: self._beat(generation))
        elif reply.error == REBALANCE_IN_PROGRESS:
            self._rejoin_soon()
            if self._group.is_slow:
                self._while_alive(self._group.heartbeat_ms, lambda: self._beat(generation))
        elif reply.error == UNKNOWN_MEMBER_ID:
            self._forget()
            self._while_alive(self._reaction(1, 50), self._send_join)

    def _rejoin_soon(self) -> None:
        if not self._rejoining:
            self._rejoining = True
            self._while_alive(self._reaction(1, 25_000 if self._group.is_slow else 900), self._rejoin)

    def _rejoin(self) -> None:
        if self._rejoining:
            self._send_join()
