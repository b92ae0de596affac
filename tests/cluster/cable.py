"""A cable between a node and its database that a test can pull: a TCP port that passes everything on, or nothing.

Cut, it keeps its connections and swallows what comes: as a network does that has lost a route, without a word to either side.
Slow, it holds back what the node says: each statement takes longer by that much. It counts them, too.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from struct import unpack_from
from types import TracebackType


class StatementCount:
    """Counts the statements that a client of PostgreSQL sends, from the bytes of one connection as they come, without TLS."""

    def __init__(self) -> None:
        self.statements = 0
        self._held = b""
        self._to_skip = 0
        self._head_size = 4
        """Of the next message: the first one of a connection has a length alone, all others a type before it."""

    def feed(self, content: bytes) -> None:
        content, self._held = self._held + content, b""
        at = self._to_skip
        while at + self._head_size <= len(content):
            kind = content[at : at + self._head_size - 4]
            (length,) = unpack_from(">I", content, at + self._head_size - 4)
            self.statements += kind in _STATEMENTS
            at += len(kind) + length
            self._head_size = 5
        self._held = content[at:]
        self._to_skip = max(0, at - len(content))


_STATEMENTS = frozenset((b"Q", b"E"))
"""Query, and Execute of a statement that was prepared."""


class Cable:
    def __init__(self, socket: Path) -> None:
        """`socket`: the Unix socket at the other end."""
        self._socket = socket
        self.port = 0
        self.delay_s = 0.0
        """How much longer a statement takes. Read with each: may be set at any time, from any thread."""
        self._counts: list[StatementCount] = []
        """Of every connection so far."""
        self._whole: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="cable", daemon=True)

    @property
    def statements(self) -> int:
        """Sent so far."""
        return sum(each.statements for each in self._counts)

    def cut(self) -> None:
        assert self._loop is not None
        assert self._whole is not None
        self._loop.call_soon_threadsafe(self._whole.clear)

    def mend(self) -> None:
        assert self._loop is not None
        assert self._whole is not None
        self._loop.call_soon_threadsafe(self._whole.set)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._whole, self._end = asyncio.Event(), asyncio.Event()
        self._whole.set()
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set_result(None)
        await self._end.wait()
        server.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._whole is not None
        far_writer: asyncio.StreamWriter | None = None
        try:
            await self._whole.wait()
            far_reader, far_writer = await asyncio.open_unix_connection(str(self._socket))
            count = StatementCount()
            self._counts.append(count)
            await asyncio.gather(self._pump(reader, far_writer, count), self._pump(far_reader, writer))
        except (OSError, asyncio.CancelledError):
            pass  # nobody is there; or the test has ended
        finally:
            for each in (writer, far_writer):
                if each is not None:
                    each.transport.abort()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, count: StatementCount | None = None
    ) -> None:
        """`count`: of what the node says."""
        assert self._whole is not None
        with suppress(OSError):
            while content := await source.read(65_536):
                if count is not None:
                    count.feed(content)
                    if self.delay_s:
                        await asyncio.sleep(self.delay_s)
                await self._whole.wait()
                sink.write(content)
                await sink.drain()
        await self._whole.wait()  # a goodbye does not get through a cut cable either
        sink.close()

    def __enter__(self) -> Cable:
        self._thread.start()
        self._ready.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._end is not None
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
