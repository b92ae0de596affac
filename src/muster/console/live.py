"""Pages that change while they are looked at: views that are shared by all who look at the same, and their server-sent events.

A view renders its regions once for everybody. A stream sends each region as it is now and afterwards whenever it differs: what
comes between two moments of a slow reader is left out, the newest is not, so that nothing piles up and nothing is missed for good.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, Protocol

from muster.console.observer import Observer, Wants, together

PING_SECONDS: Final = 15.0
PATIENCE_SECONDS: Final = 20.0
"""So long after the last page was opened or left the observer goes on, for whoever loads the page again."""
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
        self._fingerprint: object = None
        self._changed = asyncio.Event()

    def refresh(self, render: Render) -> None:
        """Render what has changed, and wake those who wait."""
        fingerprint = self.view.fingerprint()
        if fingerprint == self._fingerprint:
            return
        self._fingerprint = fingerprint
        context = self.view.context()
        fresh = {region: render(template, context) for region, template in self.view.regions.items()}
        changed = [region for region, text in fresh.items() if self.markup.get(region, (0, None))[1] != text]
        if not changed:
            return
        self.version += 1
        for region in changed:
            self.markup[region] = (self.version, fresh[region])
        self.wake()

    def wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def since(self, version: int) -> dict[str, str]:
        return {region: text for region, (changed, text) in self.markup.items() if changed > version}

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
        self._render = render
        self._views: dict[str, SharedView] = {}
        self._visited = time.monotonic()
        self.has_ended = False
        self.polled = 0
        """Open pages that ask for themselves (`polled_region`)."""

    @property
    def streams(self) -> int:
        return self.polled + sum(each.streams for each in self._views.values())

    async def visit(self, view: View) -> None:
        """A page is being opened: know what it wants. ClientError is the page's to show."""
        self._visited = time.monotonic()
        self.observer.start(self._wants, self._publish)
        wanted = view.wants()
        if self.observer.knows(wanted):
            return
        await self.observer.look(wanted)
        if wanted.listing:  # which groups are on the page is known only now
            await self.observer.look(view.wants())

    def end(self) -> None:
        """The observer is about to be closed: streams end, so that nobody waits for them or takes old data for new."""
        self.has_ended = True
        for shared in self._views.values():
            shared.wake()

    async def stream(self, view: View, is_allowed: Callable[[], bool]) -> AsyncIterator[str]:
        """Events for one page until it goes away or is not allowed any more, which is asked before each event."""
        shared = self._views.setdefault(view.key, SharedView(view))
        shared.streams += 1
        self.observer.start(self._wants, self._publish)
        self.observer.wake(view.wants())
        version = 0
        try:
            shared.refresh(self._render)
            yield "retry: 1000\n\n"
            while not self.has_ended:
                is_newer = await shared.next_after(version, PING_SECONDS)
                if self.has_ended or not is_allowed():
                    return
                if is_newer:
                    version, changed = shared.version, shared.since(version)
                    body = {"now": self.observer.now_ms(), "regions": changed}
                    yield f"id: {version}\nevent: regions\ndata: {json.dumps(body)}\n\n"
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
        watched = [each.view.wants() for each in self._views.values()]
        if not watched:
            return Wants() if time.monotonic() - self._visited < PATIENCE_SECONDS else None
        return together(watched)

    def _publish(self) -> None:
        for shared in self._views.values():
            shared.refresh(self._render)
