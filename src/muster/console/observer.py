"""Asks one cluster as one principal, once for all pages that are open: groups, members, offsets, ends, and each group's timeline.

Pages say what they want (`Wants`) and are told when something has changed. Nobody is asked anything while no page is open. A look
takes at most a fiftieth of a core: the next one waits fifty times as long as the last one was busy. Journal events cut that wait
short.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.held_offsets import Holder, holders_of
from muster.client.offset_messages import CommittedOffset
from muster.client.partitions import TopicPartition
from muster.console.group_status import GroupStatus, Position, places_of
from muster.console.time_lag import EndSamples
from muster.console.timeline_reader import TimelineReader

LOOK_SECONDS: Final = 2.0
BUSY_FACTOR: Final = 50
SLOWEST_LOOK_SECONDS: Final = 60.0
EVENT_PAUSE_SECONDS: Final = 0.1
"""Events that come close together are shown together."""
EVENT_BUSY_FACTOR: Final = 4
SLOWEST_EVENT_SECONDS: Final = 0.7
SWEEP_GROUPS: Final = 200
"""Of groups that no page shows so many are asked about with each look, so that lists can be sorted by their lag."""
FRESH_SECONDS: Final = 1.5
KNOWN_SECONDS: Final = 10.0
KEPT_PLACES: Final = 200_000


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
        self.groups: dict[str, GroupStatus] = {}
        self.reader = TimelineReader(cluster, self._on_event)
        self.trouble = ""
        """Why the last look failed; empty after one that did not."""
        self.version = 0
        """Grows with every change of the list of groups."""
        self._ends: dict[TopicPartition, EndSamples] = {}
        self._commit_seen: dict[tuple[str, TopicPartition], tuple[int, int | None]] = {}
        self._listed_at = float("-inf")
        self._looked_at: dict[str, float] = {}
        self._dirty: set[str] = set()
        self._opened: list[Wants] = []
        """Of pages that were opened since the last look."""
        self._woken = asyncio.Event()
        self._looking = asyncio.Lock()
        self._sweep: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    # -- running

    def start(self, wants: Callable[[], Wants | None], publish: Callable[[], None]) -> None:
        """Look again and again, until `wants` says None: nobody looks any more."""
        if any(not each.done() for each in self._tasks):
            return
        self._tasks = [asyncio.create_task(self._run(wants, publish)), asyncio.create_task(self.reader.run())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.cluster.close()

    async def _run(self, wants: Callable[[], Wants | None], publish: Callable[[], None]) -> None:
        try:
            while True:
                began = time.thread_time()
                wanted = wants()
                if wanted is None:
                    return
                await self._look_and_publish(wanted, publish)
                await self._wait(wants, publish, BUSY_FACTOR * (time.thread_time() - began))
        finally:
            self._tasks[1].cancel()

    async def _look_and_publish(self, wanted: Wants, publish: Callable[[], None]) -> None:
        try:
            await self.look(wanted)
            if wanted.listing:
                await self._look_around(wanted)
            self._set_trouble("")
        except ClientError as failure:
            self._set_trouble(str(failure))
        publish()

    async def _wait(self, wants: Callable[[], Wants | None], publish: Callable[[], None], busy_for: float) -> None:
        """Until the next look is due. Groups that events tell of meanwhile are looked at at once."""
        until = time.monotonic() + min(max(LOOK_SECONDS, busy_for), SLOWEST_LOOK_SECONDS)
        while (left := until - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._woken.wait()
            wanted = wants()
            if wanted is None:
                return
            if self._woken.is_set():
                began = time.thread_time()
                await asyncio.sleep(EVENT_PAUSE_SECONDS)
                await self._look_early(wanted)
                publish()
                busy = EVENT_BUSY_FACTOR * (time.thread_time() - began)
                await asyncio.sleep(min(busy, SLOWEST_EVENT_SECONDS))

    async def _look_early(self, wanted: Wants) -> None:
        """At groups that events tell of, and at what pages show that have just been opened."""
        self._woken.clear()
        dirty, self._dirty = self._dirty, set()
        opened, self._opened = self._opened, []
        if any(group not in self.groups for group in dirty) and wanted.listing:
            self._listed_at = float("-inf")
        seen = [group for group in dirty if group in wanted.groups or group in wanted.detail]
        try:
            if wanted.listing:
                await self._list()
            if seen:
                async with self._looking:
                    await self._describe(seen)
            if opened:
                await self.look(together(opened))
            self._set_trouble("")
        except ClientError as failure:
            self._set_trouble(str(failure))

    def _on_event(self, group: str) -> None:
        if group:
            self._dirty.add(group)
        self.version += not group
        self._woken.set()

    def wake(self, wanted: Wants) -> None:
        """Somebody has just opened a page: do not wait for the next look to ask for what it shows."""
        self._opened.append(wanted)
        self._woken.set()

    def _set_trouble(self, text: str) -> None:
        self.version += text != self.trouble
        self.trouble = text

    # -- looking

    def knows(self, wanted: Wants) -> bool:
        """Whether a page can be shown at once, with what was seen not long ago; newer things follow by themselves."""
        since = time.monotonic() - KNOWN_SECONDS
        if wanted.listing and self._listed_at < since:
            return False
        return all(self._looked_at.get(group, float("-inf")) > since for group in (*wanted.groups, *wanted.detail))

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
        for group in wanted.detail:
            await self._read_timeline(group)

    async def _read_timeline(self, group: str) -> None:
        try:
            await self.reader.read_whole(group)
        except ClientError as failure:
            self.reader.trouble = str(failure)

    async def _look_around(self, wanted: Wants) -> None:
        """A portion of the groups that no page shows."""
        if not self._sweep:
            self._sweep = list(self.groups)
        portion, self._sweep = self._sweep[:SWEEP_GROUPS], self._sweep[SWEEP_GROUPS:]
        others = [group for group in portion if group in self.groups and group not in wanted.groups]
        async with self._looking:
            await self._look_at(others, frozenset())

    async def _list(self) -> None:
        if time.monotonic() - self._listed_at < FRESH_SECONDS:
            return
        listed = {each.group_id: each for each in await admin.list_groups(self.cluster)}
        self._listed_at = time.monotonic()
        for group_id, listing in listed.items():
            known = self.groups.get(group_id)
            if known is None:
                self.groups[group_id] = GroupStatus(listing)
                self.version += 1
            elif known.listing != listing:
                known.listing = listing
                known.version += 1
                self.version += 1
        for group_id in [each for each in self.groups if each not in listed]:
            self._drop(group_id)

    def _drop(self, group_id: str) -> None:
        """The cluster does not have it any more."""
        del self.groups[group_id]
        self._looked_at.pop(group_id, None)
        self.version += 1

    async def _look_at(self, group_ids: list[str], detail: frozenset[str]) -> None:
        if not group_ids:
            return
        await self._describe(group_ids)
        present = [group for group in group_ids if group in self.groups]
        committed = await admin.committed_offsets_of(self.cluster, present)
        offsets = {group: found for group, found in committed.items() if not isinstance(found, ClientError)}
        descriptions = {group: self.groups[group].description for group in present if group in self.groups}
        places = {place for group, found in offsets.items() for place in places_of(descriptions.get(group), found)}
        ends, _ = await admin.log_ends(self.cluster, places)
        unstable = {group: await self._unstable(group, offsets) for group in present if group in detail}
        now_ms = self.now_ms()
        self._note_ends(ends, now_ms)
        for group in present:
            known = self.groups.get(group)
            found = committed[group]
            if known is None:
                continue
            self._looked_at[group] = time.monotonic()
            if isinstance(found, ClientError):
                known.set_positions([], now_ms, str(found))
            else:
                known.set_positions(self._positions(known, found, ends, unstable.get(group), now_ms), now_ms)
            if group in detail:
                known.set_holders(await self._holders(group) if unstable.get(group) else ())

    async def _describe(self, group_ids: list[str]) -> None:
        for described in await admin.describe_groups(self.cluster, group_ids):
            known = self.groups.get(described.group_id)
            if not described.exists:
                if known is not None:
                    self._drop(described.group_id)
                continue
            if known is None:
                listing = admin.GroupListing(
                    described.group_id, described.protocol_type, described.state, described.type
                )
                known = self.groups[described.group_id] = GroupStatus(listing)
                self.version += 1
            known.set_description(described)

    async def _unstable(
        self, group: str, offsets: dict[str, dict[TopicPartition, CommittedOffset]]
    ) -> set[TopicPartition] | None:
        known = self.groups.get(group)  # it may have been deleted meanwhile
        places = places_of(known.description if known is not None else None, offsets.get(group, {}))
        try:
            return set(await admin.unstable_partitions(self.cluster, group, places))
        except ClientError:
            return None  # told with the offsets themselves

    async def _holders(self, group: str) -> tuple[Holder, ...]:
        try:
            return tuple(await holders_of(self.cluster, group))
        except ClientError:
            return ()  # this user may not read `__consumer_offsets`: a transaction without a name

    def _note_ends(self, ends: dict[TopicPartition, int], now_ms: int) -> None:
        if len(self._ends) > KEPT_PLACES:
            self._ends.clear()
        for place, end in ends.items():
            self._ends.setdefault(place, EndSamples()).add(now_ms, end)

    def _positions(
        self,
        known: GroupStatus,
        committed: dict[TopicPartition, CommittedOffset],
        ends: dict[TopicPartition, int],
        unstable: Iterable[TopicPartition] | None,
        now_ms: int,
    ) -> list[Position]:
        held = None if unstable is None else set(unstable)
        found = []
        for place in sorted(places_of(known.description, committed)):
            commit, end = committed.get(place), ends.get(place)
            samples = self._ends.get(place)
            waited = samples.waited(commit.offset, now_ms) if commit is not None and samples is not None else None
            lag = max(end - commit.offset, 0) if commit is not None and end is not None else None
            seen_ms = self._seen(known.listing.group_id, place, commit, now_ms)
            found.append(
                Position(
                    place,
                    commit.offset if commit is not None else None,
                    commit.metadata if commit is not None else "",
                    end,
                    lag,
                    waited,
                    None if held is None else place in held,
                    seen_ms,
                )
            )
        return found

    def _seen(self, group: str, place: TopicPartition, commit: CommittedOffset | None, now_ms: int) -> int | None:
        """When the commit was first seen; None if it is the one that was there at the first look."""
        if commit is None:
            return None
        key = (group, place)
        before = self._commit_seen.get(key)
        if before is None and len(self._commit_seen) > KEPT_PLACES:
            self._commit_seen.clear()
        if before is None or before[0] != commit.offset:
            self._commit_seen[key] = (commit.offset, None if before is None else now_ms)
        return self._commit_seen[key][1]
