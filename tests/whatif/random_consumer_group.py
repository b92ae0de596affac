"""A consumer group (KIP-848) with a random history: clients that come, leave, crash and come back, over the core.

They know nothing of the replay's model of clients. As real ones do they send a heartbeat an interval after the last one, give up
what they are told to and say so at once, take what they are given and say so, and begin anew when they are unknown. No two things
happen in the same millisecond.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Final, cast

from muster.core.config import GroupConfig
from muster.core.consumer.records import Target
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, LEFT_EPOCH, STATIC_LEFT_EPOCH
from muster.whatif.replayed_topics import ReplayedTopics
from muster.wire.errors import FENCED_MEMBER_EPOCH, NONE, UNKNOWN_MEMBER_ID, UNRELEASED_INSTANCE_ID
from tests.core.world import Call, World
from tests.whatif.random_group import COUNTS

CONFIG: Final = GroupConfig(consumer_session_timeout_ms=6_000, consumer_heartbeat_interval_ms=1_000)
MAX_POLL_MS: Final = 20_000


class RandomConsumerGroup:
    def __init__(self, seed: int, *, clients: int = 4, length_ms: int = 120_000, dynamic: bool = False) -> None:
        """`dynamic`: nobody has an instance id; else some do."""
        self.random = random.Random(seed)
        self.dynamic = dynamic
        # The ids of topics decide whose partitions are given first, and no journal has them: here they are those of the replay.
        self.world = World(CONFIG, topics=ReplayedTopics(COUNTS))
        self._todo: list[tuple[int, Callable[[], None]]] = []
        self._taken: set[int] = set()
        self._end_ms = self.world.now_ms + length_ms
        for number in range(clients):
            self.after(self.random.randint(1, length_ms // 4), ConsumerClient(self, f"c{number}").start)

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
        self.world.advance(max(0, self._end_ms - self.world.now_ms))
        return self.world


class ConsumerClient:
    def __init__(self, group: RandomConsumerGroup, name: str) -> None:
        self._group = group
        self._chance = group.random
        self._name = name
        is_static = self._chance.random() < 0.3
        self._instance = name if is_static and not group.dynamic else None
        self._lives = 0
        self._beats = 0
        self._member_id = ""
        self._epoch = JOIN_EPOCH
        self._owned: Target = {}

    def start(self) -> None:
        self._lives += 1
        self._member_id = f"{self._name}-{self._lives}"
        self._join()
        life = self._lives
        self._group.after(self._chance.randint(2_000, 60_000), lambda: self._end(life))

    def _while_alive(self, delay_ms: int, task: Callable[[], None]) -> None:
        life = self._lives

        def run() -> None:
            if self._lives == life:
                task()

        self._group.after(delay_ms, run)

    def _end(self, life: int) -> None:
        """Leaves, or crashes; and mostly comes back."""
        if self._lives != life:
            return
        if self._epoch > JOIN_EPOCH and self._chance.random() < 0.5:
            self._epoch = STATIC_LEFT_EPOCH if self._instance else LEFT_EPOCH
            self._send()
        self._lives += 1
        if self._chance.random() < 0.8:
            self._group.after(self._chance.randint(100, 20_000), self.start)

    def _join(self) -> None:
        self._epoch, self._owned = JOIN_EPOCH, {}
        self._heard(self._send(owned={}))

    def _send(self, owned: Target | None = None) -> ConsumerHeartbeatReply:
        joins = self._epoch == JOIN_EPOCH
        self._beats += 1
        request = ConsumerHeartbeat(
            "g",
            self._member_id,
            self._epoch,
            self._instance,
            None,
            MAX_POLL_MS if joins else -1,
            tuple(COUNTS) if joins else None,
            None,
            None,
            owned,
            self._name,
            "/127.0.0.1",
            True,
        )
        return cast("Call[ConsumerHeartbeatReply]", self._group.world.ask(request)).reply

    def _heard(self, reply: ConsumerHeartbeatReply) -> None:
        if reply.error == NONE:
            self._epoch = reply.member_epoch
            beats = self._beats
            self._while_alive(reply.interval_ms, lambda: self._beat(beats))
            if reply.assignment is not None and reply.assignment != self._owned:
                given = reply.assignment
                self._while_alive(self._chance.randint(1, 300), lambda: self._take(given))
        elif reply.error == UNRELEASED_INSTANCE_ID:
            self._while_alive(reply.interval_ms or 1_000, self._join)
        elif reply.error in (UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH):
            self._while_alive(self._chance.randint(1, 50), self._join)

    def _beat(self, beats: int) -> None:
        """`beats`: as many as there were when this one was planned. There is a later one if another was sent between them."""
        if self._beats == beats and self._epoch > JOIN_EPOCH:
            self._heard(self._send())

    def _take(self, given: Target) -> None:
        self._owned = given
        if self._epoch > JOIN_EPOCH:
            self._heard(self._send(owned=given))
