"""The protocol that Kafka's consumers speak in their groups: topics wanted, assignors known, partitions given and taken.

Speaks with Java, librdkafka and aiokafka members in one group. Eager members give up everything before they join; members
whose assignors are all cooperative give up only what moves (KIP-429). Called by the membership; calls the user back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from muster.client.callbacks import Callbacks
from muster.client.cluster import Cluster
from muster.client.group_protocol import GroupProtocol, JoinedMember, Standing
from muster.client.partitions import TopicPartition, by_topic, spread
from muster.client.topics import partition_counts
from muster.core.assignors.contract import Assignor, Subscriber
from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from muster.wire.errors import WireError

logger = logging.getLogger(__name__)

_CALLED_OFF = "partitions were given up, so that others can have them"


class ConsumerProtocol(GroupProtocol):
    protocol_type = "consumer"

    def __init__(
        self,
        cluster: Cluster,
        topics: Iterable[str],
        assignors: Sequence[Assignor],
        callbacks: Callbacks,
        rack_id: str | None = None,
    ) -> None:
        self._cluster = cluster
        self._topics = sorted(dict.fromkeys(topics))
        self._assignors = {each.name: each for each in assignors}
        self._callbacks = callbacks
        self._rack_id = rack_id
        self.owned: frozenset[TopicPartition] = frozenset()
        self.group_topics: list[str] = []
        """What all members together want, as last seen as leader."""
        self.counts: Mapping[str, int] = {}
        """What the last assignment as leader was based on."""
        self._remembered: frozenset[TopicPartition] = frozenset()
        self._generation = -1

    @property
    def cooperative(self) -> bool:
        """As long as one assignor is eager all must be: it may be the one that is chosen (KIP-429)."""
        return all(each.cooperative for each in self._assignors.values())

    def offers(self) -> list[tuple[str, bytes]]:
        remembered = sorted(self._remembered)
        return [(name, self._subscription(each, remembered)) for name, each in self._assignors.items()]

    def _subscription(self, assignor: Assignor, remembered: list[TopicPartition]) -> bytes:
        return encode_subscription(
            Subscription(
                topics=self._topics,
                user_data=assignor.user_data(remembered, self._generation),
                owned_partitions=list(by_topic(self.owned).items()),
                generation_id=self._generation,
                rack_id=self._rack_id,
            )
        )

    async def share_out(self, protocol: str, members: Sequence[JoinedMember]) -> Mapping[str, bytes]:
        subscribers = [_subscriber(each) for each in members]
        self.group_topics = sorted({topic for each in subscribers for topic in each.topics})
        self.counts = await partition_counts(self._cluster, self.group_topics)
        given = self._assignors[protocol].assign(self.counts, subscribers)
        return {
            member_id: encode_assignment(Assignment(list(by_topic(places).items())))
            for member_id, places in given.items()
        }

    async def prepare(self, standing: Standing) -> None:
        if not self.cooperative:
            await self._give_up(self.owned)

    async def take(self, standing: Standing, share: bytes) -> str | None:
        """WireError if the leader sent what is no assignment: then this member cannot go on."""
        assigned = frozenset(spread(decode_assignment(share).partitions)) if share else frozenset()
        self._remembered, self._generation = assigned, standing.generation
        called_off = self.owned - assigned
        await self._give_up(called_off)
        new = assigned - self.owned
        self.owned = assigned
        await self._callbacks.assigned(new)
        return _CALLED_OFF if called_off else None

    async def lost(self) -> None:
        gone, self.owned = self.owned, frozenset()
        if gone:
            await self._callbacks.lost(gone)

    async def leaving(self) -> None:
        await self._give_up(self.owned)

    async def _give_up(self, places: frozenset[TopicPartition]) -> None:
        if places:
            await self._callbacks.revoked(places)
            self.owned -= places


def _subscriber(member: JoinedMember) -> Subscriber:
    """A member whose metadata cannot be read gets nothing, and the others are not kept from their work."""
    try:
        said = decode_subscription(member.metadata)
    except WireError as error:
        logger.warning("the subscription of member %s cannot be read: %s", member.member_id, error)
        return Subscriber(member.member_id, (), member.instance_id)
    return Subscriber(
        member.member_id,
        said.topics,
        member.instance_id,
        spread(said.owned_partitions),
        said.generation_id,
        said.user_data,
    )
