"""Asks one cluster as one principal, once for all pages that are open: groups, members, offsets, ends, and each group's timeline.

Pages say what they want (`Wants`) and are told when something has changed. Nobody is asked anything while no page is open. Three
things go on side by side, so that none waits for another:

- looks at everything that pages show, again and again. They take at most a sixty-fifth of a core: the next one waits sixty-five
  times as long as the last one was busy.
- journal events are shown as they come, without asking anybody.
- groups that events tell of, and what a page shows that has just been opened, are asked about without waiting for the next look.

Whatever fails is told on the pages and tried again. A group or a broker that cannot be asked fails alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.held_offsets import Holder, holders_of
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.console.group_status import GroupStatus, Position, places_of
from muster.console.known_groups import KnownGroups
from muster.console.time_lag import EndsSeen
from muster.console.timeline_reader import TimelineReader
from muster.console.trouble import log_and_describe

LOOK_SECONDS: Final = 2.0
BUSY_FACTOR: Final = 65
SLOWEST_LOOK_SECONDS: Final = 60.0
EVENT_PAUSE_SECONDS: Final = 0.05
"""Events that come close together are shown together."""
EVENT_BUSY_FACTOR: Final = 4
SLOWEST_EVENT_SECONDS: Final = 0.4
"""Showing events rests four times as long as it was busy, but no longer than that."""
SWEEP_GROUPS: Final = 200
"""Of groups that no page shows so many are asked about with each look, so that lists can be sorted by their lag."""
TIMELINE_SECONDS: Final = 2.0
"""A look waits so long for timelines; those that take longer are read on beside it."""
READ_AT_ONCE: Final = 8
"""Timelines."""
FRESH_SECONDS: Final = 1.5
KNOWN_SECONDS: Final = 10.0
SHOWN_FAILURES: Final = 3
"""Of brokers that do not list their groups."""
MOST_UNKNOWN: Final = 1_000
"""Names that were asked about and are no group's; pages may ask for any."""


@dataclass(frozen=True, slots=True)
class Wants:
    """What one page needs to be known."""

    listing: bool = False
    groups: frozenset[str] = frozenset()
    detail: frozenset[str] = frozenset()
    """Of these also which offsets a transaction holds back, and the whole timeline."""


def together(wanted: Iterable[Wants]) -> Wants:
    """What several pages need."""
    pages = list(wanted)
    return Wants(
        any(each.listing for each in pages),
        frozenset().union(*(each.groups for each in pages)),
        frozenset().union(*(each.detail for each in pages)),
    )


class Observer:
    def __init__(self, cluster: Cluster, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self.cluster = cluster
        self.now_ms = now_ms
        self.groups = KnownGroups()
        self.reader = TimelineReader(cluster, self._on_event)
        self.trouble = ""
        """Why a look failed; empty when everything that pages show has been asked for since without a failure."""
        self.list_trouble = ""
        """Which brokers did not say what groups they have."""
        self._failed: dict[str, str] = {}
        """Groups that could not be described at the last look, and why; also those that are not listed."""
        self._unread: dict[str, str] = {}
        """Groups on open pages whose timeline could not be read as a whole at the last look, and why."""
        self._reading: dict[str, asyncio.Task[None]] = {}
        """Groups whose timeline is being read."""
        self._turns = asyncio.Semaphore(READ_AT_ONCE)
        self._ends = EndsSeen()
        self._listed_at = float("-inf")
        self._looked_at: dict[str, float] = {}
        """When each group was asked about last, also those that are not there."""
        self._dirty: set[str] = set()
        """Groups that events have told of since they were asked about."""
        self._opened: list[Wants] = []
        """Of pages that were opened since the last look."""
        self._has_news = asyncio.Event()
        """Events that no page shows yet."""
        self._woken = asyncio.Event()
        self._looking = asyncio.Lock()
        self._sweep: list[str] = []
        self._wants: Callable[[], Wants | None] = lambda: None
        self._publish: Callable[[], None] = lambda: None
        self._running: asyncio.Task[None] | None = None

    # -- running

    def start(self, wants: Callable[[], Wants | None], publish: Callable[[], None]) -> None:
        """Look again and again, until `wants` says None: nobody looks any more. Both may be called at any time and do not raise."""
        if self._running is None or self._running.done():
            self._wants, self._publish = wants, publish
            self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        under_way = [*self._reading.values(), *([self._running] if self._running is not None else [])]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self.cluster.close()

    async def _run(self) -> None:
        while self._wants() is not None:
            beside = [
                asyncio.create_task(each) for each in (self.reader.run(), self._show_events(), self._look_early())
            ]
            try:
                while (wanted := self._wants()) is not None:
                    began = time.thread_time()
                    await self.try_to(self._look_around(wanted))
                    self._publish()
                    busy = BUSY_FACTOR * (time.thread_time() - began)
                    await asyncio.sleep(min(max(LOOK_SECONDS, busy), SLOWEST_LOOK_SECONDS))
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)

    async def _show_events(self) -> None:
        while True:
            began = await self._some_time_after(self._has_news)
            self._publish()
            await self._rest(began)

    async def _look_early(self) -> None:
        """At groups that events tell of, and at what pages show that have just been opened."""
        while True:
            began = await self._some_time_after(self._woken)
            dirty, self._dirty = self._dirty, set()
            opened, self._opened = self._opened, []
            wanted = self._wants()
            if wanted is not None:
                await self.try_to(self._look_at_changed(wanted, dirty, together(opened)))
                self._publish()
            await self._rest(began)

    async def _some_time_after(self, flag: asyncio.Event) -> float:
        """Comes back when it was set; the CPU time of then."""
        await flag.wait()
        await asyncio.sleep(EVENT_PAUSE_SECONDS)
        flag.clear()
        return time.thread_time()

    async def _rest(self, began: float) -> None:
        await asyncio.sleep(min(EVENT_BUSY_FACTOR * (time.thread_time() - began), SLOWEST_EVENT_SECONDS))

    async def _look_at_changed(self, wanted: Wants, dirty: set[str], opened: Wants) -> None:
        if wanted.listing:
            if any(group not in self.groups for group in dirty):
                self._listed_at = float("-inf")
            await self._list()
        seen = [group for group in dirty if group in wanted.groups or group in wanted.detail]
        if seen:
            async with self._looking:
                await self._describe(seen)
        await self.look(opened)

    async def try_to(self, look: Awaitable[None]) -> None:
        """A failure is for the pages to show, and the next look tries again."""
        try:
            await look
        except Exception as failure:
            self.trouble = log_and_describe(failure, "Asking the cluster")

    def _on_event(self, group: str) -> None:
        if group:
            self._dirty.add(group)
            self._woken.set()
        self._has_news.set()

    def wake(self, wanted: Wants) -> None:
        """Somebody has just opened a page: do not wait for the next look to ask for what it shows."""
        self._opened.append(wanted)
        self._woken.set()

    # -- looking

    def knows(self, wanted: Wants) -> bool:
        """Whether a page can be shown with what was seen not long ago; newer things follow by themselves."""
        since = time.monotonic() - KNOWN_SECONDS
        if wanted.listing and self._listed_at < since:
            return False
        return all(self._looked_at.get(group, float("-inf")) > since for group in (*wanted.groups, *wanted.detail))

    def has_looked_at(self, group: str) -> bool:
        """Whether the cluster has ever said what it knows of that group, were it that there is none."""
        return group in self._looked_at

    def trouble_of(self, group: str) -> str:
        """Why what is known of a group may be old, or why nothing is; empty if that is not so."""
        return self.state_trouble_of(group) or self.unread(group)

    def state_trouble_of(self, group: str) -> str:
        """The same of its state and offsets, which lists show, without its rebalances."""
        return self.trouble or self._failed.get(group, "")

    def unread(self, group: str) -> str:
        """Why the rebalances of a group are not known as far back as the log has them; empty if that is not so."""
        return self._unread.get(group, "")

    def forget(self, group: str) -> None:
        """Somebody has changed it: the next page asks anew."""
        self._looked_at.pop(group, None)
        self._listed_at = float("-inf")

    async def look(self, wanted: Wants) -> None:
        """Ask for what is wanted and not fresh. ClientError."""
        if wanted.listing:
            await self._list()
        await self.reader.first_read()
        async with self._looking:
            now = time.monotonic()
            stale = [
                group
                for group in {**dict.fromkeys(wanted.groups), **dict.fromkeys(wanted.detail)}
                if now - self._looked_at.get(group, float("-inf")) > FRESH_SECONDS
            ]
            await self._look_at(stale, wanted.detail)
        await self._read_timelines(wanted.detail)

    async def _read_timelines(self, groups: Iterable[str]) -> None:
        """A broker that does not answer holds up the timelines in its own partitions alone."""
        reading = [self._reading.get(group) or self._start_reading(group) for group in groups]
        if reading:
            _, late = await asyncio.wait(reading, timeout=TIMELINE_SECONDS)
            for task in late:
                task.add_done_callback(lambda _: self._has_news.set())

    def _start_reading(self, group: str) -> asyncio.Task[None]:
        self._reading[group] = task = asyncio.create_task(self._read_timeline(group))
        task.add_done_callback(lambda _: self._reading.pop(group))
        return task

    async def _read_timeline(self, group: str) -> None:
        try:
            async with self._turns:
                await self.reader.read_whole(group)
            self._unread.pop(group, None)
        except Exception as failure:
            self._unread[group] = log_and_describe(failure, f"Reading what happened to {group}")

    async def _look_around(self, wanted: Wants) -> None:
        """At what pages show, and where a list is open at a portion of the groups that no page shows. This alone says that
        there is no trouble any more: other looks ask for a part of it."""
        before = self.trouble
        await self.look(wanted)
        self._unread = {group: why for group, why in self._unread.items() if group in wanted.detail}
        if wanted.listing:
            await self._look_at_others(wanted)
        if self.trouble == before:  # what has failed meanwhile may be of a page that was not open then
            self.trouble = ""

    async def _look_at_others(self, wanted: Wants) -> None:
        if not self._sweep:
            self._sweep = list(self.groups.statuses)
        portion, self._sweep = self._sweep[:SWEEP_GROUPS], self._sweep[SWEEP_GROUPS:]
        others = [group for group in portion if group in self.groups and group not in wanted.groups]
        async with self._looking:
            await self._look_at(others, frozenset())

    async def _list(self) -> None:
        if time.monotonic() - self._listed_at < FRESH_SECONDS:
            return
        listed, failures = await admin.list_groups_by_node(self.cluster)
        self.groups.list_anew(listed, is_whole=not failures)
        self.list_trouble = " ".join(str(failures[node_id]) for node_id in sorted(failures)[:SHOWN_FAILURES])
        self._listed_at = time.monotonic()

    async def _look_at(self, group_ids: list[str], detail: frozenset[str]) -> None:
        if not group_ids:
            return
        await self._describe(group_ids)
        present = [group for group in group_ids if group in self.groups and group not in self._failed]
        committed = await admin.committed_offsets_of(self.cluster, present)
        offsets = {group: found for group, found in committed.items() if not isinstance(found, ClientError)}
        places = {place for group, found in offsets.items() for place in self._places_of(group, found)}
        ends = await admin.known_ends(self.cluster, places)
        unstable = {group: await self._unstable(group, offsets) for group in offsets if group in detail}
        now_ms = self.now_ms()
        self._ends.add(ends, now_ms)
        for group, found in committed.items():
            known = self.groups.statuses.get(group)
            if known is None:
                continue
            if isinstance(found, ClientError):
                self.groups.set_failure(group, now_ms, found)
            else:
                positions = self._positions(known, found, ends, unstable.get(group), now_ms)
                self.groups.set_positions(group, positions, now_ms)
            if group in detail:
                known.set_holders(await self._holders(group) if unstable.get(group) else ())
        self._note_looked_at(group_ids)

    def _note_looked_at(self, group_ids: list[str]) -> None:
        if len(self._looked_at) > 2 * len(self.groups.statuses) + MOST_UNKNOWN:
            self._looked_at = {group: at for group, at in self._looked_at.items() if group in self.groups}
            self._failed = {group: why for group, why in self._failed.items() if group in self.groups}
        self._looked_at.update(dict.fromkeys(group_ids, time.monotonic()))

    def _places_of(self, group: str, committed: dict[TopicPartition, CommittedOffset]) -> set[TopicPartition]:
        known = self.groups.statuses.get(group)  # it may have been deleted meanwhile
        return places_of(known.description if known is not None else None, committed)

    async def _describe(self, group_ids: list[str]) -> None:
        for group, described in (await admin.describe_each(self.cluster, group_ids)).items():
            if isinstance(described, ClientError):
                self._failed[group] = str(described)
                self.groups.set_failure(group, self.now_ms(), described)
            else:
                self._failed.pop(group, None)
                self.groups.describe(described)

    async def _unstable(
        self, group: str, offsets: dict[str, dict[TopicPartition, CommittedOffset]]
    ) -> set[TopicPartition] | None:
        places = self._places_of(group, offsets.get(group, {}))
        try:
            return set(await admin.unstable_partitions(self.cluster, group, places))
        except ClientError:
            return None  # told with the offsets themselves

    async def _holders(self, group: str) -> tuple[Holder, ...]:
        try:
            return tuple(await holders_of(self.cluster, group))
        except ClientError:
            return ()  # this user may not read `__consumer_offsets`: a transaction without a name

    def _positions(
        self,
        known: GroupStatus,
        committed: dict[TopicPartition, CommittedOffset],
        ends: dict[TopicPartition, int],
        unstable: set[TopicPartition] | None,
        now_ms: int,
    ) -> list[Position]:
        before = {each.place: each for each in known.positions}
        found = []
        for place in sorted(places_of(known.description, committed)):
            commit, end = committed.get(place), ends.get(place)
            found.append(
                Position(
                    place,
                    commit.offset if commit is not None else None,
                    commit.metadata if commit is not None else "",
                    end,
                    max(end - commit.offset, 0) if commit is not None and end is not None else None,
                    self._ends.waited(place, commit.offset, now_ms) if commit is not None else None,
                    None if unstable is None else place in unstable,
                    _committed_seen_ms(before.get(place), commit, now_ms),
                )
            )
        return found


def _committed_seen_ms(before: Position | None, commit: CommittedOffset | None, now_ms: int) -> int | None:
    """When the commit was first seen; None if it is the one that was there at the first look."""
    if commit is None or before is None:
        return None
    return before.committed_seen_ms if before.committed == commit.offset else now_ms
