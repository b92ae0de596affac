"""OffsetFetch: what is committed, in the request's own order (spec 4.4).

Any group, any state; a group that does not exist has simply committed nothing. Of a consumer group a member that names itself
has to be at its epoch, otherwise nobody needs to be a member. The handler takes out
topics that the client may not see. The runtime runs a `require_stable` fetch behind the writes that are under way; what is unstable
then are partitions that a transaction has written to and not ended (spec 4.4).
"""

from __future__ import annotations

from muster.core.classic.states import DEAD
from muster.core.consumer.member_epoch import check_fetch_epoch
from muster.core.contract import Outcome, Ticket
from muster.core.journal import JournalEvent
from muster.core.offsets.partition_offsets import PartitionOffsets
from muster.core.offsets.store import OffsetStore
from muster.core.offsets.view import ShardView
from muster.core.offsets.waits import Held, Waiter
from muster.core.replies import FetchedTopic, FetchReply
from muster.core.requests import OffsetFetch
from muster.wire import errors
from muster.wire.i32_array import I32Array

_NO_OFFSETS = PartitionOffsets()


def fetch_offsets(shard: ShardView, request: OffsetFetch, ticket: Ticket, now_ms: int) -> Outcome:
    group = shard.groups.get(request.group_id)
    # Offsets may outlive their group in the log; without the group they are not shown (spec 5.7).
    is_shown = group is not None and group.state is not DEAD
    if group is None:
        consumer_group = shard.consumer_groups.get(request.group_id)
        if consumer_group is not None:
            error = check_fetch_epoch(consumer_group, request.member_id, request.member_epoch)
            if error:
                return Outcome(replies=[(ticket, FetchReply(error, []))])
            is_shown = True
    if request.topics is not None:
        topics = _asked(shard.offsets, request.group_id, request.topics, is_shown)
    else:
        topics = _all(shard.offsets, request.group_id) if is_shown else []
    if len(shard.offsets.pending) and request.require_stable:
        topics = _with_unstable(shard.offsets, request.group_id, topics)
        events = _kept_waiting(shard, request, topics, now_ms)
        return Outcome(replies=[(ticket, FetchReply(errors.NONE, topics))], journal=events)
    return Outcome(replies=[(ticket, FetchReply(errors.NONE, topics))])


def _all(offsets: OffsetStore, group_id: str) -> list[FetchedTopic]:
    return [FetchedTopic(topic, held, None) for topic, held in offsets.of_group(group_id).items()]


def _asked(
    offsets: OffsetStore, group_id: str, asked: list[tuple[str, I32Array]], is_shown: bool
) -> list[FetchedTopic]:
    """Mirrors the request: order, repeats and topics without partitions (T177a)."""
    found: list[FetchedTopic] = []
    for topic, partitions in asked:
        held = offsets.find(group_id, topic) if is_shown else None
        found.append(FetchedTopic(topic, _NO_OFFSETS if held is None else held, partitions))
    return found


def _with_unstable(offsets: OffsetStore, group_id: str, topics: list[FetchedTopic]) -> list[FetchedTopic]:
    """The same, with the partitions named that have a pending offset, also if nobody knows the group (spec 4.4).

    Asked for all, partitions with nothing but a pending offset stay absent (T176)."""
    unstable: dict[str, set[int]] = {}
    for topic, partition in offsets.pending.of_group(group_id):
        unstable.setdefault(topic, set()).add(partition)
    if not unstable:
        return topics
    return [
        FetchedTopic(found.topic, found.held, found.asked, frozenset(unstable[found.topic]))
        if found.topic in unstable
        else found
        for found in topics
    ]


def _kept_waiting(
    shard: ShardView, request: OffsetFetch, topics: list[FetchedTopic], now_ms: int
) -> list[JournalEvent]:
    """Count the request if it is refused, and return the journal events about that, usually none."""
    refused = {
        (found.topic, partition): None
        for found in topics
        if found.unstable is not None
        for partition in found.partitions().listed()
        if partition in found.unstable
    }
    if not refused:
        return []
    shard.counters.unstable_offset_fetches += 1
    events: list[JournalEvent] = []
    pending = shard.offsets.pending
    waiter = Waiter(request.client_id, request.client_host)
    for producer_id in pending.producers_of(request.group_id):
        places = [place for place in pending.offsets_of(producer_id, request.group_id) if place in refused]
        since_ms = pending.since_ms(producer_id)
        if places and since_ms is not None:
            held = Held(request.group_id, producer_id, pending.producer(producer_id).epoch, since_ms, places)
            event = shard.offsets.waits.refused(held, shard.groups.get(request.group_id), waiter, now_ms)
            if event is not None:
                events.append(event)
    return events
