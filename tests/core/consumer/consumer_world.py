"""A shard with topics, and clients of the new group protocol, in few words. Assignments are told by topic name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from muster.core.config import GroupConfig
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.reconcile import without_epochs
from muster.core.consumer.records import HeldPartitions, Target
from muster.core.consumer.replies import ConsumerDescribeReply, ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat, DescribeConsumerGroup
from muster.core.consumer.topics import BadRegex, TopicView
from muster.topics.patterns import BadPattern, whole_match
from tests.core.world import Call, World

Named = dict[str, tuple[int, ...]]

REBALANCE_MS = 60_000
CONFIG = GroupConfig(consumer_assignment_interval_ms=0)


def topic_id(name: str, incarnation: int = 0) -> bytes:
    return name.encode().ljust(15, b"\0") + bytes([incarnation % 256])


def named(partitions: Mapping[bytes, Iterable[int]]) -> Named:
    return {key[:15].rstrip(b"\0").decode(): tuple(numbers) for key, numbers in partitions.items()}


def by_id(partitions: Mapping[str, Sequence[int]]) -> Target:
    return {topic_id(name): tuple(numbers) for name, numbers in partitions.items()}


class Topics(TopicView):
    """Topics that a test makes, grows and deletes."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts
        self._version = 1
        self._incarnations: dict[str, int] = {}
        """How often a topic was deleted: one that is made again has another id."""

    def set(self, name: str, count: int) -> None:
        assert count >= self._counts.get(name, 0), "topics do not shrink"
        self._version += 1
        self._counts[name] = count

    def delete(self, name: str) -> None:
        self._version += 1
        self._incarnations[name] = self._incarnations.get(name, 0) + 1
        del self._counts[name]

    def version(self) -> int:
        return self._version

    def find(self, name: str) -> tuple[bytes, int] | None:
        if name not in self._counts:
            return None
        return topic_id(name, self._incarnations.get(name, 0)), self._counts[name]

    def name_of(self, topic_id: bytes) -> str | None:
        (name,) = named({topic_id: ()})
        found = self.find(name)
        return name if found is not None and found[0] == topic_id else None

    def names(self) -> list[str]:
        return sorted(self._counts)

    def matcher(self, regex: str) -> Callable[[str], bool]:
        try:
            return whole_match(regex)
        except BadPattern as error:
            raise BadRegex(str(error)) from error


class Consumers(World):
    """A world with one group `g` of the new protocol, unless said otherwise."""

    def __init__(self, config: GroupConfig = CONFIG, *, orderly: bool = False, **counts: int) -> None:
        self.topics = Topics(**counts)
        super().__init__(config, orderly=orderly, topics=self.topics)

    def _new_id(self) -> str:
        """Real ones: the coordinator makes Kafka's short form of them."""
        self.ids += 1
        return f"{self.ids:032x}"

    def send(self, request: ConsumerHeartbeat) -> Call[ConsumerHeartbeatReply]:
        return cast("Call[ConsumerHeartbeatReply]", self.ask(request))

    def joining(
        self,
        member_id: str,
        *topics: str,
        group: str = "g",
        instance: str | None = None,
        regex: str | None = None,
        assignor: str | None = None,
        sees: Callable[[str], bool] | None = None,
    ) -> Call[ConsumerHeartbeatReply]:
        names = topics if topics or regex is None else None
        return self.send(
            ConsumerHeartbeat(
                group,
                member_id,
                0,
                instance,
                None,
                REBALANCE_MS,
                names,
                regex,
                assignor,
                {},
                "client",
                "/127.0.0.1",
                True,
                sees,
            )
        )

    def consume(self, member_id: str, *topics: str, **details: str | None) -> ConsumerHeartbeatReply:
        """Join and return what is answered."""
        return self.joining(member_id, *topics, **details).reply  # type: ignore[arg-type]

    def beat(
        self,
        member_id: str,
        epoch: int | None = None,
        owned: Mapping[str, Sequence[int]] | None = None,
        *,
        group: str = "g",
        instance: str | None = None,
        topics: tuple[str, ...] | None = None,
        regex: str | None = None,
        assignor: str | None = None,
        rack: str | None = None,
        timeout_ms: int = -1,
    ) -> ConsumerHeartbeatReply:
        """A heartbeat, at the member's own epoch unless said otherwise."""
        if epoch is None:
            epoch = self.member(member_id).current.epoch
        request = ConsumerHeartbeat(
            group,
            member_id,
            epoch,
            instance,
            rack,
            timeout_ms,
            topics,
            regex,
            assignor,
            None if owned is None else by_id(owned),
            "client",
            "/127.0.0.1",
            True,
        )
        return self.send(request).reply

    def obey(self, member_id: str) -> ConsumerHeartbeatReply:
        """A heartbeat of a member that has given up whatever it was told to."""
        current = self.member(member_id).current
        request = ConsumerHeartbeat(
            "g",
            member_id,
            current.epoch,
            None,
            None,
            -1,
            None,
            None,
            None,
            without_epochs(current.assigned),
            "client",
            "/127.0.0.1",
            True,
        )
        return self.send(request).reply

    def settle_down(self, *member_ids: str) -> None:
        """Everybody does as it is told, until nothing changes."""
        for _ in range(2 * len(member_ids) + 2):
            for member_id in member_ids:
                self.obey(member_id)

    def quit(self, member_id: str, *, instance: str | None = None, for_good: bool = True) -> ConsumerHeartbeatReply:
        return self.beat(member_id, -1 if for_good else -2, instance=instance)

    def told(self, group: str = "g") -> ConsumerDescribeReply:
        return cast(ConsumerDescribeReply, self.ask(DescribeConsumerGroup(group)).reply)

    # -- what is so

    @property
    def consumers(self) -> ConsumerGroup:
        return self.shard.consumer_groups["g"]

    def member(self, member_id: str) -> ConsumerMember:
        return self.consumers.members[member_id]

    def assigned(self, member_id: str) -> Named:
        return named(self.member(member_id).current.assigned)

    def epochs(self) -> tuple[int, int]:
        return self.consumers.epoch, self.consumers.target_epoch


def shown(reply: ConsumerHeartbeatReply) -> Named | None:
    return None if reply.assignment is None else named(reply.assignment)


def held(epoch: int, **partitions: Sequence[int]) -> HeldPartitions:
    return {topic_id(name): dict.fromkeys(numbers, epoch) for name, numbers in partitions.items()}
