"""A network with delays that the seed draws: frames of one connection keep their order, those of different ones do not.

A `Link` is one TCP connection as the client sees it. When it breaks, what was on its way is lost in both directions.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from muster.server.connection import Connection
from muster.server.listener import Listener
from muster.sim.scheduler import Scheduler, ServerLoop

MAX_DELAY_MS = 40
SLOW_DELAY_MS = 3_000


class Link:
    """One connection. `on_frame` gets whole reply frames, `on_broken` is called once when it ends from the other
    side."""

    def __init__(
        self,
        network: Network,
        loop: ServerLoop,
        on_frame: Callable[[bytes], None],
        on_broken: Callable[[], None],
    ) -> None:
        """`loop`: of the server at the other end."""
        self._network = network
        self._loop = loop
        self._on_frame = on_frame
        self._on_broken = on_broken
        self._arrives_ms = {"there": 0, "back": 0}
        self._received = b""
        self.is_open = True
        self.connection: Connection | None = None

    def send(self, frame: bytes) -> None:
        self._carry("there", lambda: self._deliver(frame))

    def close(self) -> None:
        """By the client: the server notices, nothing comes back any more."""
        if self.is_open:
            self.is_open = False
            self._network.forget(self)
            self._lose_connection()

    def cut(self) -> None:
        """By the network or the server's end: both sides notice."""
        if self.is_open:
            self.close()
            self._on_broken()

    def _deliver(self, frame: bytes) -> None:
        connection = self.connection
        if connection is not None and self._loop.alive:
            self._loop.enter(connection.data_received, frame)

    def _lose_connection(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None and self._loop.alive:
            self._loop.enter(connection.connection_lost, None)

    def _carry(self, way: str, arrive: Callable[[], None]) -> None:
        network = self._network
        time_ms = max(self._arrives_ms[way], network.scheduler.now_ms + network.delay_ms())
        self._arrives_ms[way] = time_ms
        network.scheduler.at(time_ms, lambda: arrive() if self.is_open else None)

    def _take_in(self, data: bytes) -> None:
        self._received += data
        while len(self._received) >= 4:
            end = 4 + int.from_bytes(self._received[:4], "big")
            if len(self._received) < end or not self.is_open:
                return
            frame, self._received = self._received[4:end], self._received[end:]
            self._on_frame(frame)

    # -- what the server's connection sees as its transport

    def write(self, data: bytes) -> None:
        self._carry("back", lambda: self._take_in(data))

    def transport_closed(self) -> None:
        self._carry("back", self.cut)


L = TypeVar("L", bound=Link)


class ServerSide:
    """The part of an asyncio transport that `Connection` uses."""

    def __init__(self, link: Link, name: tuple[str, int]) -> None:
        self._link = link
        self._name = name

    def get_extra_info(self, key: str, default: Any = None) -> Any:
        return self._name if key == "peername" else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write(self, data: bytes) -> None:
        self._link.write(data)

    def close(self) -> None:
        self._link.transport_closed()

    abort = close

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Network:
    def __init__(self, scheduler: Scheduler, random: Random) -> None:
        self.scheduler = scheduler
        self._random = random
        self._links: dict[Link, None] = {}
        self._ports = 0
        self.is_slow = False
        self.listener: Listener | None = None
        """None while no server listens."""
        self.server_loop = ServerLoop(scheduler, 0)

    def delay_ms(self) -> int:
        return self._random.randint(0, SLOW_DELAY_MS if self.is_slow else MAX_DELAY_MS)

    def connect(self, on_frame: Callable[[bytes], None], on_broken: Callable[[], None]) -> Link | None:
        """None: connection refused."""
        if self.listener is None:
            return None
        return self._open(Link(self, self.server_loop, on_frame, on_broken), self.listener, self.server_loop)

    def _open(self, link: L, listener: Listener, loop: ServerLoop) -> L:
        self._ports += 1
        link.connection = Connection(listener.doors[0])
        self._links[link] = None
        transport: Any = ServerSide(link, ("10.0.0.1", self._ports))
        loop.enter(link.connection.connection_made, transport)
        return link

    def forget(self, link: Link) -> None:
        self._links.pop(link, None)

    def cut_one(self) -> None:
        if self._links:
            self._random.choice(list(self._links)).cut()

    def cut_all(self) -> None:
        for link in list(self._links):
            link.cut()
