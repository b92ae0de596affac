"""The life of one worker process: a server on sockets that it was given, until its supervisor hangs up.

Called in a process that was just forked. SIGTERM stops this worker alone, cleanly (its supervisor starts it again).
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Mapping, Sequence
from socket import socket
from typing import Any

from muster.cluster.worker_silence import SIGNS_A_LIMIT
from muster.log.contract import StorageError
from muster.server.endpoint import Endpoint
from muster.server.log_lines import set_up_logging
from muster.server.reactor_loop import new_event_loop
from muster.server.serve import (
    ListenError,
    ServedNode,
    Server,
    allow_many_open_files,
    spare_the_collector,
)
from muster.server.settings import Settings
from muster.server.worker_assembly import WorkerStart
from muster.topics.config_types import ConfigError

_log = logging.getLogger("muster.workers")

SILENCE = "muster.worker.silence.ms"


def run_worker(settings: Settings, worker: WorkerStart, sockets: Mapping[str, Sequence[socket]]) -> int:
    """Returns the exit code. `sockets`: by the listener's name, this worker's own first."""
    set_up_logging(settings, worker.place.node_id)
    allow_many_open_files()
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            is_clean = runner.run(_Life(settings, worker, sockets).live())
    except (ConfigError, ListenError, StorageError) as error:
        worker.channel.send({"failed": str(error), "code": 2 if isinstance(error, ConfigError) else 1})
        return 1
    worker.channel.send({"closed": is_clean})
    return 0


class _Life:
    def __init__(self, settings: Settings, worker: WorkerStart, sockets: Mapping[str, Sequence[socket]]) -> None:
        self._worker = worker
        self._server = Server(settings, self._make_node)
        for door in self._server.listener.doors:
            door.sockets = sockets[door.address.name]
        self._told_to_stop = asyncio.Event()
        self._membership: Any = None
        """None until the node is there, and where workers meet in a database."""
        self._sign_every_s = settings.integer(SILENCE) / 1000 / SIGNS_A_LIMIT
        self._unheard: list[dict[str, Any]] = []

    def _make_node(self, settings: Settings, advertise: Endpoint) -> ServedNode:
        from muster.server.assembly import assemble

        return assemble(settings, advertise, worker=self._worker if self._worker.place.directory else None)

    async def live(self) -> bool:
        """True if everything was left clean."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._worker.channel.fileno(), self._listen)
        loop.add_signal_handler(signal.SIGTERM, self._told_to_stop.set)
        loop.add_signal_handler(signal.SIGHUP, lambda: None)
        await self._server.start()
        spare_the_collector()
        loop.add_signal_handler(signal.SIGHUP, self._server.refresh)
        store = self._server.node.broker.store
        self._hear_what_came()
        self._worker.channel.send({"ready": self._announcements()})
        self._show_life()
        await self._told_to_stop.wait()
        await self._server.stop()
        loop.remove_reader(self._worker.channel.fileno())
        return bool(getattr(store, "is_closed_cleanly", True))

    def _show_life(self) -> None:
        """From the loop, again and again, until it ends: whoever cannot come to its timers serves nobody."""
        if self._sign_every_s:
            self._worker.channel.send({"alive": True})
            asyncio.get_running_loop().call_later(self._sign_every_s, self._show_life)

    def _announcements(self) -> list[str]:
        if self._server.metrics is None:
            return []
        return [f"metrics of node {self._worker.place.node_id} on http://{self._server.metrics}/metrics"]

    def _listen(self) -> None:
        messages = self._worker.channel.receive()
        if messages is None:
            asyncio.get_running_loop().remove_reader(self._worker.channel.fileno())
            self._told_to_stop.set()
            return
        for message in messages:
            self._unheard.append(message)
        if self._membership is not None:
            self._hear_what_came()

    def _hear_what_came(self) -> None:
        if self._worker.place.directory:
            self._membership = self._server.node.cluster.membership
            for message in self._unheard:
                self._membership.hear(message)
        self._unheard.clear()
