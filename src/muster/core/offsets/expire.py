"""Which offsets are too old, which groups are done, and what goes with a deleted topic (spec 4.5, 4.7; KIP-211).

The base of an offset's age depends on the group:

| group | ages from | may expire |
|---|---|---|
| no protocol type (simple) | its commit | everything |
| Empty | the moment the group became Empty; its commit if that is unknown | everything |
| Stable, type `consumer`, subscriptions known | its commit | topics that nobody subscribes to |
| anything else: rebalancing, other types, unknown subscriptions | | nothing |

So a fresh commit to an Empty group of a real protocol still expires with the group (T195), as in Kafka. An offset with an expire
timestamp of its own goes at that time, if it is eligible at all (T203b). An Empty group without offsets goes at once (T199).

These decisions look at what is durable. The runtime runs them when no commit of the shard is under way: a tombstone that lands
behind a commit which it has not seen would take back an acknowledged offset.
"""

from __future__ import annotations

from collections.abc import Iterable

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.states import DEAD, EMPTY, STABLE
from muster.core.contract import Outcome, TimerKey
from muster.core.journal import JournalEvent
from muster.core.offsets.store import StoredOffset
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased, OffsetErased, Record

EXPIRE_TIMER: TimerKey = ("expire",)
_UNKNOWN = -1
_NONE_KEPT: frozenset[str] = frozenset()


def expire_offsets(shard: ShardView, now_ms: int) -> Outcome:
    """One run over all groups. Sets its own timer again; if the append fails the next run finds the same again."""
    records: list[Record] = []
    journal: list[JournalEvent] = []
    for group_id, group in shard.groups.items():
        expired, remaining = _expired_of(shard, group, now_ms)
        records += expired
        shard.counters.offset_expirations += len(expired)
        if not remaining and group.state is EMPTY:
            # Also for a simple group, which never had a record of its own (T207c), and with ids still pending (T203a).
            records.append(GroupErased(group_id))
            journal.append(JournalEvent("group_removed", now_ms, group_id, group.generation, "expired"))
    next_run_ms = now_ms + shard.config.offsets_retention_check_interval_ms
    return Outcome(records=records, timers=[(EXPIRE_TIMER, next_run_ms)], journal=journal)


def erase_topics(shard: ShardView, topics: Iterable[str], now_ms: int) -> Outcome:
    """User topics are gone: so are all offsets for them. Groups that lose their last one go with the next expiration run."""
    records: list[Record] = [
        OffsetErased(group_id, topic, partition)
        for topic in dict.fromkeys(topics)
        for group_id, partitions in shard.offsets.of_topic(topic)
        for partition in partitions
    ]
    shard.counters.offset_deletions += len(records)
    return Outcome(records=records)


def _expired_of(shard: ShardView, group: Group, now_ms: int) -> tuple[list[OffsetErased], int]:
    """The tombstones of a group, and how many offsets it has left after them."""
    kept_topics = _kept_topics(group)
    retention_ms = shard.config.offsets_retention_ms
    empty_since_ms = _empty_since(group)
    expired: list[OffsetErased] = []
    remaining = 0
    for topic, partitions in shard.offsets.of_group(group.group_id).items():
        if kept_topics is None or topic in kept_topics:
            remaining += len(partitions)
            continue
        for partition, stored in partitions.items():
            if _is_expired(stored, empty_since_ms, retention_ms, now_ms):
                expired.append(OffsetErased(group.group_id, topic, partition))
            else:
                remaining += 1
    return expired, remaining


def _kept_topics(group: Group) -> frozenset[str] | None:
    """The topics whose offsets are not even looked at; None: all of them."""
    if group.state is DEAD:
        return None
    if group.protocol_type is None or group.state is EMPTY:
        return _NONE_KEPT
    if group.state is STABLE and group.protocol_type == CONSUMER_PROTOCOL_TYPE:
        return group.subscribed_topics
    return None


def _empty_since(group: Group) -> int:
    if group.protocol_type is not None and group.state is EMPTY:
        return group.state_timestamp_ms
    return _UNKNOWN


def _is_expired(stored: StoredOffset, empty_since_ms: int, retention_ms: int, now_ms: int) -> bool:
    _, _, _, committed_ms, expires_ms, _, _ = stored
    if expires_ms != _UNKNOWN:
        return now_ms >= expires_ms
    base_ms = committed_ms if empty_since_ms == _UNKNOWN else empty_since_ms
    return now_ms - base_ms >= retention_ms
