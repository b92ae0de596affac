"""Follows the group journal of a Muster, or `__consumer_offsets` of a Kafka, and keeps the timeline of every group in it.

Either is read from a little before its end, so that the list of groups has their last rebalances, and then followed. For a group
that somebody looks at a journal is read from its beginning; of the offsets log of a Kafka, which holds every commit, the last day.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Final

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.fetching import Fetched
from muster.client.following import Following
from muster.client.partitions import TopicPartition
from muster.console.group_timeline import GroupTimeline
from muster.console.timelines import Timelines
from muster.console.trouble import log_and_describe
from muster.core.consumer.records import CurrentStored
from muster.core.hashing import partition_for
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.core.time_units import DAY_MS
from muster.explain.event import event_in
from muster.explain.from_cluster import partitions_of_internal
from muster.explain.inferred import stored_in, stored_state
from muster.wire.batch import Record
from muster.wire.errors import OFFSET_OUT_OF_RANGE

JOURNAL_READ_BACK: Final = 1_000
"""Records of each journal partition before its end that are read at the start."""
OFFSETS_READ_BACK: Final = 2_000
"""The same of the offsets log of a Kafka: most of its records are commits."""
LONG_POLL_MS: Final = 5_000
FIRST_READ_SECONDS: Final = 0.3
"""So long the first page waits for what the log has; after that it is shown without, and the rest follows."""
LOOK_AGAIN_SECONDS: Final = 5.0
MOST_GONE_TOPICS: Final = 10_000
"""Names of topics that are deleted: timelines of consumer groups may have them still."""


class TimelineReader:
    def __init__(self, cluster: Cluster, on_change: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._on_change = on_change
        self.topic_names: dict[bytes, str] = {}
        """By topic id: so the offsets log of a Kafka names the topics of consumer groups."""
        self.timelines = Timelines(self.topic_names)
        self._unknown_topics: set[bytes] = set()
        self._topic = ""
        self._partitions = 0
        self._positions: dict[TopicPartition, int] | None = None
        """Where to read on; None before the first look."""
        self._following: Following | None = None
        self._left_to_read: dict[TopicPartition, int] = {}
        """Where each partition ended at the start, for those that have not been read so far."""
        self._has_caught_up = asyncio.Event()
        self.trouble = ""
        """Why nothing can be read now."""
        self.lost = 0
        """Records that retention had deleted before they could be read."""

    @property
    def has_journal(self) -> bool | None:
        """None while it is not known yet."""
        return None if not self._topic else self._topic == GROUP_JOURNAL

    async def run(self) -> None:
        """Until it is cancelled; a failure is told and tried again. It goes on where it was when it runs again."""
        while True:
            try:
                try:
                    await self._follow()
                finally:
                    await self._stop_following()
            except Exception as failure:
                self.trouble = log_and_describe(failure, "Following the group journal")
                self._has_caught_up.set()
                self._on_change("")
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _stop_following(self) -> None:
        following, self._following = self._following, None
        if following is not None:
            self._positions = dict(following.positions)
            with contextlib.suppress(ClientError):
                await following.close()

    async def first_read(self) -> None:
        """Wait a little until what the log had at the start has been read."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_READ_SECONDS):
                await self._has_caught_up.wait()

    async def read_whole(self, group: str) -> None:
        """What the log has of a group up to where it is being followed: the follower began in the middle, or the timeline
        had to go for want of room. ClientError."""
        timeline = self.timelines.of(group)
        place = TopicPartition(self._topic, partition_for(group, self._partitions)) if self._topic else None
        end = None if place is None else self._read_up_to(place)
        if timeline.is_whole or place is None or end is None:
            return
        taken = timeline.taken
        since = admin.EARLIEST if self.has_journal else int(time.time() * 1000) - DAY_MS
        start = (await admin.list_offsets(self._cluster, {place: since}))[place].offset
        read = GroupTimeline(group, self.topic_names)
        key = group.encode("utf-8", "replace")
        if 0 <= start < end:
            async for record in admin.read_records(self._cluster, place.topic, place.partition, start, end):
                if not self.has_journal:
                    state = stored_in(record, group)
                    if state is not None:
                        read.take_state(state, size_of(record))
                elif record.key == key and record.value is not None and (event := event_in(record.value)) is not None:
                    read.take(event, record.value)
        self.timelines.complete(timeline, read, taken)

    def _read_up_to(self, place: TopicPartition) -> int | None:
        """None before the first look at the log."""
        positions = self._positions if self._following is None else self._following.positions
        return None if positions is None else positions.get(place)

    # -- following

    async def _follow(self) -> None:
        if not await self._find_topic():
            self._has_caught_up.set()
            return
        if self._positions is None:
            self._positions = await self._first_positions()
        self._following = Following(self._cluster, self._positions, max_wait_ms=LONG_POLL_MS)
        self.trouble = ""
        self._note_read(self._positions)
        while True:
            try:
                answers = await self._following.poll()
            except ClientError as failure:
                if failure.code != OFFSET_OUT_OF_RANGE:
                    raise
                await self._stop_following()
                self._positions = await self._moved_to_what_is_left(self._positions)
                self._following = Following(self._cluster, self._positions, max_wait_ms=LONG_POLL_MS)
                continue
            for place, fetched in answers:
                self._take(fetched)
                self._following.positions[place] = fetched.next_offset
                await asyncio.sleep(0)  # a page may be waiting for its first byte
            if self._unknown_topics:
                await self._learn_topics()
            self._note_read(self._following.positions)

    def _note_read(self, positions: Mapping[TopicPartition, int]) -> None:
        if not self._has_caught_up.is_set():
            left = self._left_to_read
            self._left_to_read = {place: end for place, end in left.items() if positions[place] < end}
            if not self._left_to_read:
                self._has_caught_up.set()

    async def _find_topic(self) -> bool:
        """A Muster has a journal from its first group on, so it may come later than the first look."""
        if self._topic == GROUP_JOURNAL:
            return True
        counts = partitions_of_internal(await self._learn_topics())
        topic = GROUP_JOURNAL if GROUP_JOURNAL in counts else CONSUMER_OFFSETS
        if topic not in counts:
            return False
        if topic != self._topic:
            self._topic, self._partitions, self._positions = topic, counts[topic], None
            self._on_change("")
        return True

    async def _learn_topics(self) -> list[admin.TopicDescription]:
        found = await admin.list_topics(self._cluster, internal=True)
        there = {each.topic_id: each.name for each in found}
        self.topic_names.update(there)
        gone = [topic_id for topic_id in self.topic_names if topic_id not in there]
        for topic_id in gone[: max(0, len(gone) - MOST_GONE_TOPICS)]:  # those that came first
            del self.topic_names[topic_id]
        for topic_id in self._unknown_topics:
            self.topic_names.setdefault(topic_id, "")  # deleted, or not ours to see: nobody asks again
        self._unknown_topics.clear()
        return found

    async def _first_positions(self) -> dict[TopicPartition, int]:
        places = [TopicPartition(self._topic, number) for number in range(self._partitions)]
        ends = await admin.list_offsets(self._cluster, dict.fromkeys(places, admin.LATEST))
        starts = await admin.list_offsets(self._cluster, dict.fromkeys(places, admin.EARLIEST))
        self._left_to_read = {place: each.offset for place, each in ends.items()}
        back = JOURNAL_READ_BACK if self.has_journal else OFFSETS_READ_BACK
        return {place: max(starts[place].offset, ends[place].offset - back) for place in places}

    async def _moved_to_what_is_left(self, positions: dict[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Where retention was quicker, to the first record that is left. A log that ends before the position is another one: it
        was made anew, and is read from its beginning."""
        starts = await admin.list_offsets(self._cluster, dict.fromkeys(positions, admin.EARLIEST))
        ends = await admin.list_offsets(self._cluster, dict.fromkeys(positions, admin.LATEST))
        self.lost += sum(max(0, starts[place].offset - offset) for place, offset in positions.items())
        self._on_change("")
        return {
            place: starts[place].offset if offset > ends[place].offset else max(offset, starts[place].offset)
            for place, offset in positions.items()
        }

    def _take(self, fetched: Fetched) -> None:
        changed: dict[str, None] = {}
        for record in fetched.records:
            group = self._take_event(record.value) if self.has_journal else self._take_state(record)
            if group is not None:
                changed[group] = None
        for group in changed:
            self._on_change(group)

    def _take_event(self, value: bytes | None) -> str | None:
        event = event_in(value)
        if event is None or value is None:
            return None
        self.timelines.take(event, value)
        return event.group

    def _take_state(self, record: Record) -> str | None:
        state = stored_state(record)
        if state is None:
            return None
        if isinstance(state.group, CurrentStored):
            self._unknown_topics.update(state.group.current.assigned.keys() - self.topic_names.keys())
        self.timelines.take_state(state, size_of(record))
        return state.group.group_id


def size_of(record: Record) -> int:
    return len(record.key or b"") + len(record.value or b"")
