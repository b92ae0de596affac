"""A server in a thread of this process, on any free port: for tests, and for programs that bring their own broker.

with RunningServer(Settings.of({"muster.storage": "memory"})) as server:
    connect(server.host, server.port)
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from muster.server.handlers.table import HANDLERS
from muster.server.reactor_loop import new_event_loop
from muster.server.routes import HandlerTable
from muster.server.serve import NodeMaker, Server
from muster.server.settings import Settings

_T = TypeVar("_T")


class RunningServer:
    """Runs from `start` (or `with`) to `stop`. `run` reaches into its loop."""

    def __init__(
        self, settings: Settings, make_node: NodeMaker | None = None, handlers: HandlerTable = HANDLERS
    ) -> None:
        self._settings = settings
        self._make_node = make_node
        self._handlers = handlers
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told_to_stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._started: Future[None] = Future()
        self.server: Server | None = None
        self.host = ""
        self.port = 0

    @property
    def address(self) -> str:
        """HOST:PORT, as clients want it for `bootstrap.servers`."""
        return f"{self.host}:{self.port}"

    @property
    def node(self) -> Any:
        assert self.server is not None
        return self.server.node

    def start(self) -> RunningServer:
        """Returns when it accepts connections; raises what `Server.start` raises."""
        self._thread = threading.Thread(target=self._run, name="muster-server", daemon=True)
        self._thread.start()
        try:
            self._started.result()
        except BaseException:
            self._thread.join()
            raise
        return self

    def stop(self) -> None:
        """Graceful, as on SIGTERM. Harmless if it does not run."""
        thread, self._thread = self._thread, None
        if thread is not None:
            assert self._loop is not None
            assert self._told_to_stop is not None
            self._loop.call_soon_threadsafe(self._told_to_stop.set)
            thread.join()

    def run(self, function: Callable[..., _T], *arguments: object) -> _T:
        """Call a plain function in the server's thread, between two of its steps, and wait for what it returns."""
        loop = self._open_loop()
        done: Future[_T] = Future()

        def call() -> None:
            try:
                done.set_result(function(*arguments))
            except BaseException as error:
                done.set_exception(error)

        loop.call_soon_threadsafe(call)
        return done.result()

    def begin(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Run a coroutine in the server's loop; the future is the caller's to wait for."""
        try:
            loop = self._open_loop()
        except RuntimeError:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, loop)

    def _open_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._loop.is_closed():
            raise RuntimeError("the server does not run: it was not started yet, or it has been stopped")
        return self._loop

    def __enter__(self) -> RunningServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told_to_stop = asyncio.Event()
        try:
            self.server = Server(self._settings, self._make_node, self._handlers)
            bound = await self.server.start()
        except BaseException as error:
            self._started.set_exception(error)
            return
        self.host, self.port = bound.host, bound.port
        self._started.set_result(None)
        await self._told_to_stop.wait()
        await self.server.stop()
