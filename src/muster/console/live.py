"""Pages that change while they are looked at: views that are shared by all who look at the same, and their server-sent events.

A view renders its regions once for everybody, and what is sent is encoded once too. A stream sends each region as it is now and
afterwards whenever it differs: what comes between two moments of a slow reader is left out, the newest is not, so that nothing
piles up and nothing is missed for good. Where the cluster takes its time a page is answered with what is known, and the rest
follows in the stream.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, Protocol

from muster.console.cluster_look import ClusterLook
from muster.console.observer import Observer, Wants, together
from muster.console.trouble import log_and_describe

PING_SECONDS: Final = 15.0
PATIENCE_SECONDS: Final = 20.0
"""So long after the last page was opened or left the observer goes on, for whoever loads the page again."""
FIRST_LOOK_SECONDS: Final = 0.05
"""So long a page waits for the cluster before it is answered with what is known."""
MOST_STREAMS: Final = 1_000
MOST_VIEWS: Final = 500


class View(Protocol):
    """What a page shows."""

    @property
    def key(self) -> str:
        """Equal for pages that show the same."""
        ...

    @property
    def regions(self) -> Mapping[str, str]:
        """Parts that change: id -> template."""
        ...

    def wants(self) -> Wants: ...

    def fingerprint(self) -> object:
        """Something that differs whenever the context does, and is cheap to have."""
        ...

    def context(self) -> dict[str, Any]: ...


class Render(Protocol):
    def __call__(self, template: str, context: Mapping[str, Any]) -> str: ...


class SharedView:
    """One view, its markup of the moment, and who is waiting for the next."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.streams = 0
        self.version = 0
        self.markup: dict[str, tuple[int, str]] = {}
        """Region -> the version in which it changed last, and its markup."""
        self.is_settled = False
        """The cluster has answered since the page was opened, or it cannot; a page says until then that it is asked."""
        self.broken = ""
        """Why the page cannot be brought up to date, whatever the cluster says."""
        self._fingerprint: object = None
        self._encoded: dict[int, str] = {}
        self._changed = asyncio.Event()

    def wants(self) -> Wants:
        """Nothing if that cannot be said; `refresh` tells why."""
        try:
            return self.view.wants()
        except Exception as failure:
            log_and_describe(failure, "Asking what a page needs")
            return Wants()

    def refresh(self, render: Render, check_settled: Callable[[View], bool]) -> None:
        """Render what has changed, and wake those who wait. What cannot be rendered is tried again when there is something new."""
        changed: dict[str, str] = {}
        broken, is_settled = self.broken, True
        shown, self._fingerprint = self._fingerprint, None  # a page that cannot be read is new when it can be
        try:
            is_answered = self.is_settled or check_settled(self.view)
            self._fingerprint = self.view.fingerprint()
            if self._fingerprint != shown:
                changed, broken = self._rendered(render), ""
            is_settled = is_answered
        except Exception as failure:
            broken = log_and_describe(failure, "Bringing this page up to date")
        if not changed and broken == self.broken and is_settled == self.is_settled:
            return
        self.broken, self.is_settled = broken, is_settled
        self.version += 1
        self.markup.update({region: (self.version, text) for region, text in changed.items()})
        self._encoded.clear()
        self.wake()

    def _rendered(self, render: Render) -> dict[str, str]:
        """Regions that differ from what they were."""
        context = self.view.context()
        fresh = {region: render(template, context) for region, template in self.view.regions.items()}
        return {region: text for region, text in fresh.items() if self.markup.get(region, (0, None))[1] != text}

    def wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def event_since(self, version: int, now_ms: int) -> str:
        """The server-sent event that brings a page of that version up to date."""
        encoded = self._encoded.get(version)
        if encoded is None:
            regions = {region: text for region, (changed, text) in self.markup.items() if changed > version}
            body = {"settled": self.is_settled, "broken": self.broken, "regions": regions}
            encoded = self._encoded[version] = json.dumps(body).removeprefix("{")
        return f'id: {self.version}\nevent: regions\ndata: {{"now": {now_ms}, {encoded}\n\n'

    async def next_after(self, version: int, seconds: float) -> bool:
        """Whether there is something newer than that before the time is over."""
        if self.version > version:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True


class Live:
    """All views of one observer."""

    def __init__(self, observer: Observer, render: Render) -> None:
        self.observer = observer
        self.cluster_look = ClusterLook(observer.cluster)
        self._render = render
        self._views: dict[str, SharedView] = {}
        self._looks: dict[str, asyncio.Task[None]] = {}
        """First looks that are under way, by the key of the view: pages that show the same wait for one."""
        self._visited = time.monotonic()
        self.has_ended = False
        self.polled = 0
        """Open pages that ask for themselves (`polled_region`)."""

    @property
    def streams(self) -> int:
        return self.polled + sum(each.streams for each in self._views.values())

    async def visit(self, view: View) -> None:
        """A page is being opened: know what it wants, if that does not take long."""
        if self.has_ended:
            return
        self._visited = time.monotonic()
        self.observer.start(self._wants, self._publish)
        if self.observer.knows(view.wants()):
            return
        look = self._looks.get(view.key)
        if look is None:
            look = self._looks[view.key] = asyncio.create_task(self._first_look(view))
            look.add_done_callback(lambda _: self._looks.pop(view.key))
        await asyncio.wait([look], timeout=FIRST_LOOK_SECONDS)

    async def _first_look(self, view: View) -> None:
        await self.observer.try_to(self.observer.look(view.wants()))
        await self.observer.try_to(self.observer.look(view.wants()))  # which groups a list has is known only now
        self._publish()

    def is_settled(self, view: View) -> bool:
        """Whether a page has what the cluster says, or why there is nothing."""
        return bool(self.observer.trouble) or self.observer.knows(view.wants())

    def end(self) -> None:
        """The observer is about to be closed: streams end, so that nobody waits for them or takes old data for new."""
        self.has_ended = True
        for shared in self._views.values():
            shared.wake()

    async def close(self) -> None:
        """The observer too: afterwards nothing asks the cluster in this user's name."""
        self.end()
        looks = list(self._looks.values())
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)
        await self.cluster_look.close()
        await self.observer.close()

    async def stream(self, view: View, is_allowed: Callable[[], bool]) -> AsyncIterator[str]:
        """Events for one page until it goes away or is not allowed any more, which is asked before each event."""
        if self.has_ended:
            return
        shared = self._views.setdefault(view.key, SharedView(view))
        shared.streams += 1
        self.observer.start(self._wants, self._publish)
        self.observer.wake(view.wants())
        version = 0
        try:
            self._refresh(shared)
            yield "retry: 1000\n\n"
            while not self.has_ended:
                is_newer = await shared.next_after(version, PING_SECONDS)
                if self.has_ended or not is_allowed():
                    return
                if is_newer:
                    event, version = shared.event_since(version, self.observer.now_ms()), shared.version
                    yield event
                else:
                    yield f"event: ping\ndata: {self.observer.now_ms()}\n\n"
        finally:
            shared.streams -= 1
            self._visited = time.monotonic()
            if not shared.streams:
                self._views.pop(view.key, None)

    def has_room(self) -> bool:
        return self.streams < MOST_STREAMS and len(self._views) < MOST_VIEWS

    def _wants(self) -> Wants | None:
        """All that open pages want together; None if there is no page."""
        if not self._views and time.monotonic() - self._visited >= PATIENCE_SECONDS:
            return None
        return together(each.wants() for each in self._views.values())

    def _publish(self) -> None:
        for shared in self._views.values():
            self._refresh(shared)

    def _refresh(self, shared: SharedView) -> None:
        shared.refresh(self._render, self.is_settled)
