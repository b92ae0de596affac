"""A member of a consumer group, for programs that want to be one: partitions come and go, offsets are committed.

    async with Member("127.0.0.1:9092", "billing", ["orders"], on_assigned=begin, on_revoked=commit_and_end) as member:
        await member.stable()
        print(member.assignment)

`protocol` says which of Kafka's two group protocols it speaks; the rest is the same in both. It reads no records itself
(`admin.fetch_records` does) and stands beside other clients' members in one group. Any protocol type but `consumer` is for
`membership` itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

from muster.client.callbacks import Callback, Callbacks
from muster.client.cluster import Cluster
from muster.client.consumer_calls import ConsumerTerms
from muster.client.consumer_membership import ConsumerMembership
from muster.client.consuming import ConsumerProtocol
from muster.client.failure import ClientError
from muster.client.group_calls import Terms
from muster.client.membership import HEARTBEAT_INTERVAL_MS, Membership
from muster.client.membership_base import MembershipBase
from muster.client.offsets import CommittedOffset, committed_offsets
from muster.client.partitions import TopicPartition
from muster.client.security import PLAINTEXT, Security
from muster.client.timing import REAL_TIME, Timing
from muster.client.topics import partition_counts
from muster.core.assignors.choice import COOPERATIVE_STICKY, RANGE
from muster.core.assignors.contract import Assignor
from muster.wire.errors import INVALID_CONFIG

SESSION_TIMEOUT_MS: Final = 45_000
REBALANCE_TIMEOUT_MS: Final = 300_000
METADATA_MAX_AGE_MS: Final = 300_000
DEFAULT_ASSIGNORS: Final = (RANGE, COOPERATIVE_STICKY)
"""As Java's consumers: they can be changed to cooperative by leaving `range` out, one member after the other."""

CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
PROTOCOLS: Final = (CLASSIC, CONSUMER)
"""`group.protocol` of Java's and librdkafka's consumers."""

_HINTS: Final = {
    "session_timeout_ms": "The broker says it: group.consumer.session.timeout.ms",
    "heartbeat_interval_ms": "The broker says it: group.consumer.heartbeat.interval.ms",
    "assignors": "The broker assigns: choose one of its assignors with `assignor`",
    "assignor": "Members assign: choose with `assignors`",
}


class Member:
    """`bootstrap` may be a cluster that is shared with others; it is then not closed here."""

    def __init__(
        self,
        bootstrap: str | Sequence[str] | Cluster,
        group_id: str,
        topics: Iterable[str] = (),
        *,
        protocol: str = CLASSIC,
        on_assigned: Callback | None = None,
        on_revoked: Callback | None = None,
        on_lost: Callback | None = None,
        assignors: Sequence[Assignor] | None = None,
        assignor: str | None = None,
        topic_regex: str | None = None,
        instance_id: str | None = None,
        rack_id: str | None = None,
        session_timeout_ms: int | None = None,
        rebalance_timeout_ms: int = REBALANCE_TIMEOUT_MS,
        heartbeat_interval_ms: int | None = None,
        metadata_max_age_ms: int = METADATA_MAX_AGE_MS,
        security: Security = PLAINTEXT,
        client_id: str = "muster",
        timing: Timing = REAL_TIME,
    ) -> None:
        _check_options(
            protocol,
            of_classic={
                "assignors": assignors,
                "session_timeout_ms": session_timeout_ms,
                "heartbeat_interval_ms": heartbeat_interval_ms,
            },
            of_consumer={"assignor": assignor, "topic_regex": topic_regex},
        )
        self._owns_cluster = not isinstance(bootstrap, Cluster)
        self.cluster = (
            bootstrap if isinstance(bootstrap, Cluster) else Cluster(bootstrap, security=security, client_id=client_id)
        )
        self.group_id = group_id
        self.protocol = protocol
        self._metadata_max_age_seconds = metadata_max_age_ms / 1000
        self._timing = timing
        self._watch: asyncio.Task[None] | None = None
        self._share: ConsumerProtocol | ConsumerMembership
        self.membership: MembershipBase
        callbacks = Callbacks(on_assigned, on_revoked, on_lost)
        if protocol == CONSUMER:
            names = tuple(sorted(dict.fromkeys(topics)))
            said = (instance_id, rack_id, rebalance_timeout_ms, names, topic_regex, assignor)
            terms = ConsumerTerms(group_id, str(uuid4()), *said)
            self.membership = self._share = ConsumerMembership(self.cluster, terms, callbacks, timing=timing)
        else:
            known = DEFAULT_ASSIGNORS if assignors is None else assignors
            self._share = ConsumerProtocol(self.cluster, topics, known, callbacks, rack_id)
            session_ms = SESSION_TIMEOUT_MS if session_timeout_ms is None else session_timeout_ms
            interval_ms = HEARTBEAT_INTERVAL_MS if heartbeat_interval_ms is None else heartbeat_interval_ms
            self.membership = Membership(
                self.cluster,
                Terms(group_id, ConsumerProtocol.protocol_type, instance_id, session_ms, rebalance_timeout_ms),
                self._share,
                heartbeat_interval_ms=interval_ms,
                timing=timing,
            )

    def __repr__(self) -> str:
        return f"<{self.membership!r} with {len(self.assignment)} partitions>"

    @property
    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are this member's now."""
        return self._share.owned

    @property
    def member_id(self) -> str:
        return self.membership.standing.member_id

    @property
    def generation(self) -> int:
        """The member epoch, in the consumer protocol; -1: it has no place in the group now."""
        return self.membership.standing.generation

    @property
    def is_leader(self) -> bool:
        """Whether it assigns for all; in the consumer protocol the coordinator does."""
        return self.membership.standing.is_leader

    # -- life

    def start(self) -> None:
        """Begin to join; returns at once."""
        self.membership.start()
        if isinstance(self._share, ConsumerProtocol):
            self._watch = asyncio.create_task(self._watch_topics(self._share))

    async def stable(self, rebalances: int = 1, *, generation: int = 0) -> None:
        """Come back when the group has rebalanced and this member has its partitions; raises why it never will.

        For the so-many-th time, and of at least that generation, if these are said.
        """
        await self.membership.stable(rebalances, generation=generation)

    async def ended(self) -> None:
        """Come back when it is a member no more; raises why, unless it left."""
        await self.membership.ended()

    def rejoin(self, reason: str) -> None:
        """Ask for a rebalance. ClientError in the consumer protocol, where the coordinator alone decides."""
        self.membership.rejoin(reason)

    async def stop(self, reason: str = "the member was closed", *, stay_static: bool = True) -> None:
        """Give up the partitions (on_revoked is called) and leave. Static members leave only if told to."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        try:
            await self.membership.leave(reason, stay_static=stay_static)
        finally:
            if self._owns_cluster:
                await self.cluster.close()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()

    # -- offsets

    async def commit(self, offsets: Mapping[TopicPartition, int | CommittedOffset]) -> None:
        """The offset of the next record to read, for each partition. See `MembershipBase.commit` for what may go wrong."""
        await self.membership.commit(offsets)

    async def committed(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, CommittedOffset]:
        """What the group has committed, of this member's partitions if none are named. Open transactions are waited for."""
        wanted = self.assignment if partitions is None else partitions
        return await committed_offsets(self.cluster, self.group_id, wanted, require_stable=True)

    async def _watch_topics(self, share: ConsumerProtocol) -> None:
        """The leader asks for a rebalance when topics have come, gone or grown."""
        while True:
            await self._timing.sleep(self._metadata_max_age_seconds)
            if not self.is_leader or not share.group_topics:
                continue
            known = share.counts
            try:
                now = await partition_counts(self.cluster, share.group_topics)
            except ClientError:
                continue  # the next look may succeed
            if now != known and known is share.counts:
                self.rejoin(f"topics have changed: {_changes(known, now)}")


def _check_options(protocol: str, *, of_classic: Mapping[str, object], of_consumer: Mapping[str, object]) -> None:
    """ClientError for an option that the protocol would ignore."""
    asked = "make a member of a group"
    if protocol not in PROTOCOLS:
        raise ClientError(INVALID_CONFIG, asked, f"protocol is {protocol!r}", f"Choose {CLASSIC} or {CONSUMER}")
    for name, value in (of_classic if protocol == CONSUMER else of_consumer).items():
        if value is not None:
            other = CLASSIC if protocol == CONSUMER else CONSUMER
            hint = _HINTS.get(name, f"Leave it out, or choose protocol={other!r}")
            raise ClientError(INVALID_CONFIG, asked, f"{name} is not an option of the {protocol} protocol", hint)


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    different = (topic for topic in sorted({*before, *after}) if before.get(topic) != after.get(topic))
    return ", ".join(f"{topic} has {after.get(topic, 0)} partitions, had {before.get(topic, 0)}" for topic in different)
