"""How many bytes of requests are held at a time, of all connections together: parts of frames, and large requests in work.

Over the limit nothing is read from connections that hold more than a little, until others have given something back. If nothing
moves for a while, the connection that has held a part of a request longest is closed: somebody who sends the beginnings of large
requests crowds out himself. The same goes for large requests that wait for something (Fetch, JoinGroup): they may do so for
minutes. Only a Produce that is whole is left alone, because it gives back soon what it holds.
Requests up to `free_bytes` are not counted and never wait, so that heartbeats and commits go on.
One of these is for clients that are served, and a much smaller one for those who have not shown yet who they are.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muster.server.connection import Connection

_log = logging.getLogger(__name__)

PATIENCE_SECONDS: Final = 1.0
"""How long nothing may be given back, while somebody waits, before a connection is closed."""

_PRODUCE: Final = 0


class RequestBudget:
    def __init__(self, limit: int, free_bytes: int, setting: str, lowest_limit: int) -> None:
        """`setting` names the limit in log lines. `lowest_limit`: so much is allowed whatever happens."""
        self.limit = limit
        self._lowest_limit = lowest_limit
        self.free_bytes = free_bytes
        self.used = 0
        self.most_used = 0
        self.crowded_out = 0
        self._setting = setting
        self._holders: dict[Connection, int] = {}
        """Bytes that are counted, by connection; the one that has held some longest is first."""
        self._waiting: dict[Connection, None] = {}
        self._moved = False
        """Something was given back since `_relieve` looked."""
        self._timer: asyncio.TimerHandle | None = None

    def hold(self, connection: Connection, size: int) -> bool:
        """The connection holds so many bytes of requests now. False: it has to wait before it reads more."""
        if size <= self.free_bytes:
            if self._holders:
                self.forget(connection)
            return True
        before = self._holders.get(connection, 0)
        self._holders[connection] = size
        self.used += size - before
        if self.used > self.most_used:
            self.most_used = self.used
        if size < before:
            self._give_back()
        if self.used <= self.limit or connection.closing:  # who is closing reads nothing more, and waits for nothing
            self._waiting.pop(connection, None)
            return True
        self._waiting[connection] = None
        if self._timer is None:
            self._moved = False
            self._timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._relieve)
        return False

    def forget(self, connection: Connection) -> None:
        """It holds nothing any more, or has gone. Harmless if it never did."""
        self._waiting.pop(connection, None)
        size = self._holders.pop(connection, 0)
        if size:
            self.used -= size
            self._give_back()

    def _give_back(self) -> None:
        self._moved = True
        while self._waiting and self.used < self.limit:
            connection = next(iter(self._waiting))
            del self._waiting[connection]
            connection.read_on()
            if connection in self._waiting:
                return  # it has not got further, so neither do the others

    def _relieve(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        if not self._moved:
            # If there are none, all of it is in work, and will be given back.
            for each in [each for each in self._holders if each.call is None or each.call.api_key != _PRODUCE]:
                is_parked = each.call is not None
                self._crowd_out(each)
                # Who has parked one request may have parked many, and one a second would not be enough.
                if not is_parked or self.used <= self.limit // 2:
                    break
        self._moved = False
        if self._waiting and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._relieve)

    def lower(self) -> None:
        """The system has not the memory that the limit allows: three quarters of what is held now are the limit from now on.

        Without room below it the next small request, of whomever, would be the one that finds no memory.
        """
        lower = max(self.used * 3 // 4, self._lowest_limit)
        if lower >= self.limit:
            return
        _log.warning("%s is %d bytes from now on, not %d: memory has run out", self._setting, lower, self.limit)
        self.limit = lower
        for each in [each for each in self._holders if each.call is None]:
            if self.used <= self.limit:
                return
            self._crowd_out(each)

    def _crowd_out(self, connection: Connection) -> None:
        self.crowded_out += 1
        why = f"it was held longest when {self._setting} = {self.limit} bytes of requests were held"
        connection.refuse("a request", why if connection.call is not None else f"a part of {why}")
        self.forget(connection)
        connection.abort()  # what it holds is needed: also if the client does not read what it was sent before

    def close(self) -> None:
        """The server stops."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
