"""Which offsets are too old, which groups are done, and what goes with a deleted topic (spec 4.5, 4.7; KIP-211).

The base of an offset's age depends on the group:

| group | ages from | may expire |
|---|---|---|
| no protocol type (simple) | its commit | everything |
| Empty | the moment the group became Empty; its commit if that is unknown | everything |
| Stable, type `consumer`, subscriptions known | its commit | topics that nobody subscribes to |
| anything else: rebalancing, other types, unknown subscriptions | | nothing |
| consumer group | its commit | topics that nobody subscribes to |

So a fresh commit to an Empty group of a real protocol still expires with the group (T195), as in Kafka. An offset with an expire
timestamp of its own goes at that time, if it is eligible at all (T203b). An Empty group without offsets goes at once (T199).
A group with a commit on its way, or a consumer group with records on their way, is left for the next run.
Neither an offset that a transaction is about to replace expires, nor a group in which a transaction is open (T202).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group
from muster.core.classic.states import DEAD, EMPTY, STABLE
from muster.core.consumer.fence import erased_group
from muster.core.consumer.records import ConsumerGroupRecord, EpochErased
from muster.core.contract import Outcome, TimerKey
from muster.core.journal import JournalEvent
from muster.core.offsets.partition_offsets import StoredOffset
from muster.core.offsets.view import ShardView
from muster.core.records import GroupErased, OffsetErased, Record
from muster.core.steps import TellJournal

EXPIRE_TIMER: TimerKey = ("expire",)

ROOM_BYTES = 900_000
"""What one run may write: an outcome is one batch, and a batch has a limit. The rest follows soon, in a run of its own."""
MORE_TO_EXPIRE_DELAY_MS = 1_000
_RECORD_BYTES = 40
_MAX_UTF8_BYTES = 4

_UNKNOWN = -1
_NONE_KEPT: frozenset[str] = frozenset()


def expire_offsets(shard: ShardView, now_ms: int) -> Outcome:
    """One run over all groups. Sets its own timer again; if the append fails the next run finds the same again."""
    records: list[Record] = []
    removed: list[JournalEvent] = []
    room = ROOM_BYTES
    busy = {commit.group_id for commit in shard.offsets.on_the_way()}
    for group_id, generation, due in _all_due(shard, now_ms):
        if group_id in busy:
            continue
        for record in due:
            room -= _size_limit(record)
            if room < 0:
                break
            records.append(record)
            if isinstance(record, GroupErased | EpochErased):
                removed.append(JournalEvent("group_removed", now_ms, group_id, generation, "expired"))
        if room < 0:
            break
    delay_ms = MORE_TO_EXPIRE_DELAY_MS if room < 0 else shard.config.offsets_retention_check_interval_ms
    shard.counters.offset_expirations += sum(isinstance(record, OffsetErased) for record in records)
    return Outcome(
        records=records,
        timers=[(EXPIRE_TIMER, now_ms + delay_ms)],
        step=TellJournal(removed) if removed else None,
    )


def erase_topics(shard: ShardView, topics: Iterable[str], now_ms: int) -> Outcome:
    """User topics are gone: so are all offsets for them. Groups that lose their last one go with the next expiration run."""
    gone = dict.fromkeys(topics)
    places = {
        (group_id, topic, partition): None
        for topic in gone
        for group_id, partitions in shard.offsets.of_topic(topic)
        for partition in partitions
    }
    for topic in gone:
        for group_id, partition in shard.offsets.pending.of_topic(topic):
            places[group_id, topic, partition] = None
    for commit in shard.offsets.on_the_way():
        if commit.topic in gone:
            places[commit.group_id, commit.topic, commit.partition] = None
    shard.counters.offset_deletions += len(places)
    return Outcome(records=[OffsetErased(*place) for place in places])


Tombstone = OffsetErased | GroupErased | ConsumerGroupRecord


def _all_due(shard: ShardView, now_ms: int) -> Iterator[tuple[str, int, Iterator[Tombstone]]]:
    """Of every group: its id, its generation or epoch, and the tombstones that are due."""
    for group_id, group in shard.groups.items():
        # Also for a simple group, which never had a record of its own (T207c), and with ids still pending (T203a).
        own = [GroupErased(group_id)] if group.state is EMPTY else None
        yield group_id, group.generation, _due(shard, group_id, _kept_topics(group), _empty_since(group), own, now_ms)
    for group_id, consumers in shard.consumer_groups.items():
        if group_id not in shard.storing:
            gone = None if consumers.members else erased_group(consumers)
            kept = consumers.subscribed_topics()
            yield group_id, consumers.epoch, _due(shard, group_id, kept, _UNKNOWN, gone, now_ms)


def _due(
    shard: ShardView,
    group_id: str,
    kept_topics: frozenset[str] | None,
    empty_since_ms: int,
    own: Sequence[GroupErased | ConsumerGroupRecord] | None,
    now_ms: int,
) -> Iterator[Tombstone]:
    """The tombstones of a group's old offsets and, if nothing is left then and nobody is in it, its `own`."""
    retention_ms = shard.config.offsets_retention_ms
    pending = shard.offsets.pending.of_group(group_id)
    is_done = own is not None and not shard.offsets.pending.is_open_in(group_id)
    for topic, partitions in shard.offsets.of_group(group_id).items():
        if kept_topics is None or topic in kept_topics:
            is_done = False
            continue
        for partition, stored in partitions.items():
            if (topic, partition) not in pending and _is_expired(stored, empty_since_ms, retention_ms, now_ms):
                yield OffsetErased(group_id, topic, partition)
            else:
                is_done = False
    if is_done and own is not None:
        yield from own


def _size_limit(record: Tombstone) -> int:
    """At least what the tombstone takes in a batch."""
    names = len(record.group_id) + (len(record.topic) if isinstance(record, OffsetErased) else 0)
    return _RECORD_BYTES + _MAX_UTF8_BYTES * names


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
    if stored.expires_ms != _UNKNOWN:
        return now_ms >= stored.expires_ms
    base_ms = stored.committed_ms if empty_since_ms == _UNKNOWN else empty_since_ms
    return now_ms - base_ms >= retention_ms
