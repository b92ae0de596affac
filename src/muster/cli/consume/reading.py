"""The reading itself: polls, prints, counts, and knows when it is done. With or without a group around it.

Positions move only when a record was handed to standard output: what a group commits has been printed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from muster.cli.consume.format import Printed
    from muster.client.cluster import Cluster
    from muster.client.fetching import Fetched
    from muster.client.partitions import TopicPartition


class Reading:
    def __init__(
        self,
        cluster: Cluster,
        printed: Printed,
        tell: Callable[[str], None],
        *,
        most: int | None,
        until_end: bool,
        read_committed: bool,
    ) -> None:
        from muster.client.following import Following

        self._cluster = cluster
        self._printed = printed
        self._tell = tell
        self._most = most
        self._until_end = until_end
        self._read_committed = read_committed
        self._following = Following(cluster, {}, read_committed=read_committed)
        self._ends: dict[TopicPartition, int] = {}
        self.positions: dict[TopicPartition, int] = {}
        """Of all partitions that are read, also of those that have come to their end."""
        self.count = 0

    @property
    def is_done(self) -> bool:
        if self._most is not None and self.count >= self._most:
            return True
        return self._until_end and bool(self.positions) and not self._following.positions

    async def begin(self, starts: Mapping[TopicPartition, int]) -> None:
        """Read these too, from there."""
        from muster.cli.consume.start import end_offsets

        if self._until_end:
            self._ends |= await end_offsets(self._cluster, list(starts), read_committed=self._read_committed)
        self.positions |= starts
        self._following.positions |= {
            place: offset for place, offset in starts.items() if not self._is_at_end(place, offset)
        }

    def stop(self, places: frozenset[TopicPartition]) -> dict[TopicPartition, int]:
        """Read these no more; where they were."""
        for place in places:
            self._following.positions.pop(place, None)
        return {place: self.positions.pop(place) for place in places if place in self.positions}

    async def step(self) -> None:
        """Wait for what comes next, and print it."""
        from muster.client.failure import ClientError
        from muster.wire.errors import OFFSET_OUT_OF_RANGE

        try:
            answers = await self._following.poll()
        except ClientError as failure:
            if failure.code != OFFSET_OUT_OF_RANGE:
                raise
            await self._back_into_range()
            return
        before = dict(self.positions)
        try:
            for place, fetched in answers:
                self._print(place, fetched)
                if self.is_done:
                    break
            sys.stdout.flush()
        except BrokenPipeError:
            self.positions = before  # nobody has seen these
            raise

    async def close(self) -> None:
        await self._following.close()

    def _print(self, place: TopicPartition, fetched: Fetched) -> None:
        out = sys.stdout.buffer
        end = self._ends.get(place)
        position = fetched.next_offset
        for record in fetched.records:
            if end is not None and record.offset >= end:
                break
            out.write(self._printed(place, record))
            self.count += 1
            if self._most is not None and self.count >= self._most:
                position = record.offset + 1
                break
        if end is not None:
            position = min(position, end)
        self.positions[place] = position
        if self._is_at_end(place, position):
            del self._following.positions[place]
        else:
            self._following.positions[place] = position

    def _is_at_end(self, place: TopicPartition, position: int) -> bool:
        return self._until_end and position >= self._ends[place]

    async def _back_into_range(self) -> None:
        """Records were deleted before they were read, or the topic was made anew: go on at what there is."""
        from muster.client.admin import EARLIEST, LATEST, list_offsets

        places = list(self._following.positions)
        starts = await list_offsets(self._cluster, dict.fromkeys(places, EARLIEST))
        ends = await list_offsets(self._cluster, dict.fromkeys(places, LATEST))
        for place in places:
            asked, start, end = self._following.positions[place], starts[place].offset, ends[place].offset
            if asked < start or asked > end:
                self._tell(f"{place} has no offset {asked} any more: going on at {start}")
                self.positions[place] = self._following.positions[place] = start
                if self._is_at_end(place, start):
                    del self._following.positions[place]
