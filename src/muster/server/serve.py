"""A whole server: the node behind the sockets, the listener in front of it, the order of starting and stopping.

`serve` runs one in the foreground until a signal; `Server` is the same thing inside somebody else's loop.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
import time
from collections.abc import Callable
from errno import EADDRINUSE, EADDRNOTAVAIL
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from muster import __version__
from muster.form import form_text
from muster.log.contract import StorageError
from muster.log_limit import LogLimit
from muster.server.endpoint import Endpoint
from muster.server.handlers.table import HANDLERS
from muster.server.limits import COLLECT_AFTER_OBJECTS
from muster.server.listener import Listener
from muster.server.log_lines import set_up_logging
from muster.server.monitoring import Monitoring
from muster.server.quota_watch import follow_quotas
from muster.server.reactor_loop import new_event_loop
from muster.server.routes import HandlerTable, Routes
from muster.server.settings import Settings

if TYPE_CHECKING:
    from muster.server.http_guard import HttpServer

_log = logging.getLogger("muster.server")


class ListenError(Exception):
    """The address cannot be had: says which one, why and what to do."""


class ServedNode(Protocol):
    """What the server itself needs of a node; handlers need more."""

    def start(self) -> object: ...

    async def stop(self) -> None: ...


NodeMaker: TypeAlias = Callable[[Settings, Endpoint], ServedNode]
"""Given the settings and the address that clients are told."""


class Server:
    """Start and stop it once, in one running loop."""

    def __init__(
        self, settings: Settings, make_node: NodeMaker | None = None, handlers: HandlerTable = HANDLERS
    ) -> None:
        self.settings = settings
        self.listener = Listener(settings, Routes(handlers))
        self.node: Any = None
        self.metrics: Endpoint | None = None
        """Where metrics are served, with the real port."""
        self.announcements: list[str] = []
        """Lines for standard output beside the address, from whoever else listens."""
        self._metrics: HttpServer | None = None
        self.monitoring = Monitoring(settings, self.listener)
        self._make_node = make_node or _make_node

    async def start(self) -> Endpoint:
        """Listen and serve; returns the first listener's address with the real port. ListenError, StorageError or ConfigError
        if not."""
        self.listener.prepare()
        limit_loop_failures(asyncio.get_running_loop())
        try:
            self._open_doors()
            self.node = self._make_node(self.settings, self.listener.doors[0].advertised)
        except BaseException:
            await self.listener.close()
            raise
        self.listener.node = self.node
        try:
            if self.settings.store_url:
                from muster.server.cluster_assembly import join_cluster

                join_cluster(self.node, self.settings, self._endpoints())
            if getattr(self.node, "cluster", None) is not None:
                from muster.server.cluster_links import link_nodes

                link_nodes(self.node, self.settings, self.listener.doors)
            if any(door.sasl is not None for door in self.listener.doors):
                self.node.users.load()
            follow_quotas(self.node, self.listener)
            self.monitoring.watch(self.node)
            await self._open_metrics()
            self.node.start()
            await self._start_doors()
        except BaseException:
            await self.stop()
            raise
        return self.listener.doors[0].bound

    def _endpoints(self) -> dict[str, tuple[str, int]]:
        """What clients are told, by the name of the listener."""
        return {door.address.name: (door.advertised.host, door.advertised.port) for door in self.listener.doors}

    def _open_doors(self) -> None:
        for door in self.listener.doors:
            try:
                door.open()
            except (OSError, OverflowError) as error:
                raise ListenError(_why_not(door.address.endpoint, error)) from error

    async def _start_doors(self) -> None:
        """Accept from now on. Apart from opening the doors, so that the node knows its port before the first client comes."""
        for door in self.listener.doors:
            try:
                await door.start()
            except OSError as error:  # somebody else took the same address meanwhile, and was quicker to listen
                raise ListenError(_why_not(door.bound, error)) from error
        self.listener.start_looking()
        self.monitoring.is_accepting = True

    def refresh(self) -> None:
        """Read certificates, token keys and users again, as on SIGHUP."""
        _log.info("reading certificates and users again")
        self.listener.refresh(even_if_unchanged=True)

        def told(outcome: Callable[[], None]) -> None:
            try:
                outcome()
            except StorageError as error:
                _log.error("keeping the users that were read before: %s", error)

        self.node.changes.in_turns(self.node.users.load, told)

    async def _open_metrics(self) -> None:
        wanted = self.monitoring.wanted
        if wanted is None:
            return
        try:
            self._metrics = await self.monitoring.serve_pages(wanted)
        except (OSError, OverflowError) as error:
            raise ListenError(_why_not(wanted, error, "--metrics-listen")) from error
        self.metrics = Endpoint(wanted.host, self._metrics.port)

    async def stop(self) -> None:
        """Take nothing new, let the node answer whom it can and make everything durable, then close.

        In a cluster others take over first, while clients still get an answer that says so.
        """
        self.monitoring.is_accepting = False
        if self.node is not None and self.settings.store_url:
            await self.node.cluster.hand_over()
        self.listener.stop_accepting()
        if self._metrics is not None:
            self._metrics.close()
        await self.node.stop()
        await self.listener.close()


def serve(settings: Settings, make_server: Callable[[Settings], Server] = Server) -> None:
    """Run in the foreground until SIGTERM or Ctrl-C; a second one ends it at once."""
    set_up_logging(settings)
    allow_many_open_files()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve_until_signal(make_server(settings)))


def limit_loop_failures(loop: asyncio.AbstractEventLoop) -> None:
    """asyncio tells of every failed callback with a page of traceback. One that clients can cause must not fill the disk."""
    if loop.get_exception_handler() is not None:
        return  # somebody else's loop, who sees to it
    failures = LogLimit(logging.getLogger("muster.loop"), "failures in the loop", time.monotonic)

    def tell(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        message = context.get("message") or "a callback failed"
        failures.error("%s", message, exc_info=context.get("exception"))

    loop.set_exception_handler(tell)


def allow_many_open_files() -> None:
    """As many as the system lets this process have: a connection is one, and the usual soft limit is 1024."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError) as error:
            _log.warning("at most %d files and connections can be open at once: %s", soft, error)


def spare_the_collector() -> None:
    """Requests in work are a few thousand objects that are about to go: passes over them were 7 % of a commit's CPU."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER_OBJECTS)
    gc.enable()


async def _serve_until_signal(server: Server) -> None:
    told_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        _log.info("stopping on %s", number.name)
        told_to_stop.set()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)  # the second one kills

    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, on_signal, each)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)  # not a reason to end, also while starting
    await server.start()
    _log.info("muster %s, hot core: %s", __version__, form_text())
    spare_the_collector()
    loop.add_signal_handler(signal.SIGHUP, server.refresh)
    why_replaced: list[str] = []
    if server.settings.store_url:

        def on_replaced(why: str) -> None:
            why_replaced.append(why)
            loop.call_soon_threadsafe(told_to_stop.set)

        server.node.cluster.membership.on_replaced = on_replaced
    # On standard output and little else there: whoever started this with port 0 reads it.
    for door in server.listener.doors:
        print(f"listening on {door}", flush=True)
    if server.metrics is not None:
        print(f"metrics on http://{server.metrics}/metrics", flush=True)
    for line in server.announcements:
        print(line, flush=True)
    await told_to_stop.wait()
    await server.stop()
    if why_replaced:  # whoever asks this process would be told of nodes and owners of before, for as long as it lives
        raise StorageError(why_replaced[0])
    _log.info("stopped")


def _make_node(settings: Settings, advertise: Endpoint) -> ServedNode:
    from muster.server.assembly import assemble

    return assemble(settings, advertise)


def _why_not(endpoint: Endpoint, error: Exception, flag: str = "--listen") -> str:
    number = getattr(error, "errno", None)
    if number == EADDRINUSE:
        why = (
            f"another program listens there; stop it or choose another port with {flag} HOST:PORT (0 takes a free one)"
        )
    elif number == EADDRNOTAVAIL:
        why = f"this machine does not have that address; choose another host with {flag} HOST:PORT"
    elif isinstance(error, socket.gaierror):
        why = f"the host name cannot be resolved ({error.strerror}); choose another with {flag} HOST:PORT"
    else:
        why = getattr(error, "strerror", None) or str(error)
    return f"cannot listen on {endpoint}: {why}"
