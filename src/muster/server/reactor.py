"""The loop's selector, which serves connections itself: one epoll for asyncio's own descriptors and for every `Channel`.

asyncio asks it what is ready. Descriptors that asyncio registered are told to it, as any selector does; channels are read and
served on the spot, and as long as nothing but channels is ready the answer waits: a request costs one wait, one receive and one
send, and no turn of asyncio. Nobody starves: it returns when asyncio has something to do, by its queue, its timers or a
descriptor of its own. Made by `ReactorLoop`. Linux only; elsewhere asyncio's transports serve the same connections.
"""

from __future__ import annotations

import select
from collections.abc import Mapping, Sized
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, SelectorKey
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64

from muster.server.limits import EVENTS_AT_ONCE, FEW_EVENTS, ROUNDS_WITHOUT_ASYNCIO

if TYPE_CHECKING:
    from muster.server.channel import Channel

NEVER: Final = float("inf")
_now: Final = monotonic
_IN: Final = 1
_OUT: Final = 4
"""EPOLLIN and EPOLLOUT; the module has their names on Linux alone."""


class Reactor:
    """What asyncio needs of a `selectors.BaseSelector`, and a place for channels."""

    __slots__ = ("_asyncio_queue", "_channels", "_epoll", "_keys", "_senders", "_wake_at")

    def __init__(self) -> None:
        self._epoll: Any = select.epoll()
        self._keys: dict[int, SelectorKey] = {}
        """asyncio's descriptors."""
        self._channels: list[Channel | None] = []
        """By descriptor: small numbers, which the kernel gives out again."""
        self._senders: list[Channel] = []
        """Those who have something to send in this turn."""
        self._asyncio_queue: Sized | None = None
        self._wake_at = NEVER

    # ---- channels

    def watch(self, fd: int, channel: Channel, mask: int) -> None:
        """Tell the channel from now on when it can be read (1), written (4) or both; 0: tell it nothing any more."""
        channels = self._channels
        if not mask:
            channels[fd] = None
            self._epoll.unregister(fd)
        elif fd < len(channels) and channels[fd] is not None:
            self._epoll.modify(fd, mask)
        else:
            self._epoll.register(fd, mask)
            while fd >= len(channels):
                channels.append(None)
            channels[fd] = channel

    def send_soon(self, channel: Channel) -> None:
        self._senders.append(channel)

    def _send_all(self) -> None:
        """One after the other rather than each when it is served: the kernel then works from a warm cache, and clients on the
        same machine are woken once instead of again and again."""
        for channel in self._senders:
            channel.send()
        self._senders.clear()

    # ---- what the loop says

    def stay_while_empty(self, asyncio_queue: Sized) -> None:
        """`select` may go on by itself while nothing is in this queue. Not told, it returns each time."""
        self._asyncio_queue = asyncio_queue

    def not_later_than(self, when: float) -> None:
        """A timer was set, perhaps while a channel was being served: return by then."""
        if when < self._wake_at:
            self._wake_at = when

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Serve channels until something of asyncio's is ready or the time is over."""
        if timeout is None:
            self._wake_at = NEVER
        else:
            self._wake_at = _now() + timeout
        if self._senders:
            self._send_all()
        found: list[tuple[SelectorKey, int]] = []
        poll = self._epoll.poll
        rounds: i64 = 0
        most = FEW_EVENTS
        while True:
            events: list[tuple[int, int]] = poll(timeout, most)
            most = EVENTS_AT_ONCE if len(events) == most else FEW_EVENTS
            for fd, mask in events:
                channel = self._channels[fd] if fd < len(self._channels) else None
                if channel is not None:
                    channel.on_events(mask)
                else:
                    key = self._keys.get(fd)
                    # Neither: it was closed a moment ago, by what an earlier one of these brought.
                    if key is not None:
                        found.append((key, _as_asked(mask) & key.events))
            if self._senders:
                self._send_all()
            queue = self._asyncio_queue
            rounds += 1
            if found or not events or queue is None or len(queue) or rounds == ROUNDS_WITHOUT_ASYNCIO:
                return found
            if self._wake_at != NEVER:
                left = self._wake_at - _now()
                if left <= 0:
                    return found
                timeout = left

    # ---- asyncio's descriptors, as in selectors.BaseSelector

    def register(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        fd = self._fd_of(fileobj)
        if fd in self._keys:
            raise KeyError(f"{fileobj!r} (FD {fd}) is already registered")
        self._epoll.register(fd, _as_epoll(events))
        key = self._keys[fd] = SelectorKey(fileobj, fd, events, data)
        return key

    def unregister(self, fileobj: Any) -> SelectorKey:
        fd = self._fd_of(fileobj)
        if fd not in self._keys:
            raise KeyError(f"{fileobj!r} is not registered")
        with suppress(OSError):  # it is closed, which took it out already
            self._epoll.unregister(fd)
        return self._keys.pop(fd)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        key = self.get_key(fileobj)
        if events != key.events:
            self._epoll.modify(key.fd, _as_epoll(events))
        key = self._keys[key.fd] = SelectorKey(key.fileobj, key.fd, events, data)
        return key

    def get_key(self, fileobj: Any) -> SelectorKey:
        fd = self._fd_of(fileobj)
        if fd not in self._keys:
            raise KeyError(f"{fileobj!r} is not registered")
        return self._keys[fd]

    def get_map(self) -> Mapping[int, SelectorKey]:
        """By descriptor."""
        return self._keys

    def close(self) -> None:
        self._epoll.close()
        self._keys.clear()
        self._channels.clear()

    def _fd_of(self, fileobj: Any) -> int:
        fd: int = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        if fd >= 0:
            return fd
        for key in self._keys.values():
            if key.fileobj is fileobj:
                return key.fd  # closed before it was unregistered
        raise ValueError(f"{fileobj!r} is closed")


def _as_epoll(events: int) -> int:
    return (_IN if events & EVENT_READ else 0) | (_OUT if events & EVENT_WRITE else 0)


def _as_asked(mask: int) -> int:
    """An error or a hang-up is for whoever reads and for whoever writes."""
    return (EVENT_WRITE if mask & ~_IN else 0) | (EVENT_READ if mask & ~_OUT else 0)
