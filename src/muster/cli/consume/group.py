"""Reading as a member of a group: partitions come and go, what was printed is committed, and the member leaves at the end."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Coroutine

    from muster.cli.consume.reading import Reading
    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition

_COMMIT_SECONDS: Final = 5.0
"""auto.commit.interval.ms of Kafka's consumers."""
_LOOK_SECONDS: Final = 0.2
"""So often a member that shall end looks whether others still have to give up what shall be its own."""
_ASSIGNING: Final = "Assigning"
"""The coordinator has yet to say who shall have what."""


async def read_in_group(
    cluster: Cluster, arguments: argparse.Namespace, reading: Reading, tell: Callable[[str], None]
) -> None:
    """Until the reading is done, or the task is cancelled: then too it commits and leaves."""
    from muster.client.member import CLASSIC, Member

    consuming = Consuming(cluster, arguments, reading, tell)
    member = Member(
        cluster,
        arguments.group,
        arguments.topics,
        protocol=arguments.protocol or CLASSIC,
        on_assigned=consuming.assigned,
        on_revoked=consuming.revoked,
        on_lost=consuming.lost,
        instance_id=arguments.instance_id,
    )
    consuming.member = member
    async with member:
        ended = asyncio.create_task(member.ended())
        try:
            await consuming.read(ended)
        finally:
            await reading.close()
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)


class Consuming:
    """What the member's callbacks do to the reading."""

    def __init__(
        self, cluster: Cluster, arguments: argparse.Namespace, reading: Reading, tell: Callable[[str], None]
    ) -> None:
        from muster.client.member import Member

        self.member: Member
        self._cluster = cluster
        self._group: str = arguments.group
        self._commits: bool = not arguments.no_commit
        self._from_beginning: bool = arguments.from_beginning
        self._until_end: bool = arguments.until_end
        self._reading = reading
        self._tell = tell
        self._committed: dict[TopicPartition, int] = {}
        self._commit_at = time.monotonic() + _COMMIT_SECONDS
        self._has_share = asyncio.Event()

    async def read(self, ended: asyncio.Task[None]) -> None:
        await _either(self._has_share.wait(), ended)
        while not self._reading.is_done:
            if not self._reading.positions:
                if self._until_end:
                    if not await self._awaits_partitions():
                        return  # others have all of it
                    await _either(asyncio.sleep(_LOOK_SECONDS), ended)
                    continue
                # More members than partitions: a share may come with the next rebalance.
                self._has_share.clear()
                await _either(self._has_share.wait(), ended)
                continue
            await _either(self._reading.step(), ended)
            if time.monotonic() >= self._commit_at:
                await self._commit(self._reading.positions)

    async def _awaits_partitions(self) -> bool:
        """In the consumer protocol a newcomer begins with nothing if others have yet to give up what shall be its own."""
        from muster.client.admin import describe_group
        from muster.client.member import CONSUMER

        if self.member.protocol != CONSUMER:
            return False
        group = await describe_group(self._cluster, self._group)
        return group.state == _ASSIGNING or any(
            each.target for each in group.members if each.member_id == self.member.member_id
        )

    async def assigned(self, places: frozenset[TopicPartition]) -> None:
        from muster.client.admin import EARLIEST, LATEST, committed_offsets, list_offsets

        if places:
            found = await committed_offsets(self._cluster, self._group, places, require_stable=True)
            fresh = [place for place in places if place not in found]
            listed = await list_offsets(
                self._cluster, dict.fromkeys(fresh, EARLIEST if self._from_beginning else LATEST)
            )
            self._committed |= {place: each.offset for place, each in found.items()}
            starts = {place: each.offset for place, each in found.items()}
            await self._reading.begin(starts | {place: each.offset for place, each in listed.items()})
        self._has_share.set()

    async def revoked(self, places: frozenset[TopicPartition]) -> None:
        await self._commit(self._reading.stop(places))

    def lost(self, places: frozenset[TopicPartition]) -> None:
        self._reading.stop(places)
        self._tell(f"lost {len(places)} partitions to others: what was not committed yet may be printed again")

    async def _commit(self, positions: dict[TopicPartition, int]) -> None:
        from muster.client.failure import ClientError

        self._commit_at = time.monotonic() + _COMMIT_SECONDS
        new = {place: offset for place, offset in positions.items() if self._committed.get(place) != offset}
        if not self._commits or not new:
            return
        try:
            await self.member.commit(new)
        except ClientError as failure:
            self._tell(str(failure))
        else:
            self._committed |= new


async def _either(work: Coroutine[Any, Any, object], ended: asyncio.Task[None]) -> None:
    """The work to its end, unless the membership ends first: then it raises why."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task, ended}, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            await ended
        await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
