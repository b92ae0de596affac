"""`muster serve --workers N`: everything that is done once for all of them, before the first one starts and after the last.

Addresses, the data directory's lock and identity, each worker's own settings, what is printed. The supervisor
(`cluster.workers`) does the rest; a worker's life is in `worker_process`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from socket import socket

from muster.cluster.view import NodeEntry
from muster.cluster.worker_channel import Channel
from muster.cluster.worker_place import WorkerPlace
from muster.cluster.worker_restarts import Restarts
from muster.cluster.worker_status import remove_status, write_status
from muster.cluster.workers import Supervisor, Worker
from muster.log.disk import Disk, real_disk
from muster.log.shared_files import SharedDirectory
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.listener_addresses import ADVERTISED, LISTENERS
from muster.server.log_lines import set_up_logging
from muster.server.settings import Settings
from muster.server.worker_addresses import OpenedListener, check_ports, open_listener
from muster.server.worker_assembly import WorkerStart
from muster.server.worker_process import SILENCE, run_worker
from muster.topics.config_types import ConfigError

METRICS = "muster.metrics.listen"


def serve_workers(settings: Settings) -> int:
    """Run in the foreground until SIGTERM or Ctrl-C; returns the exit code. ConfigError, ListenError or StorageError if
    it cannot begin."""
    _check(settings)
    set_up_logging(settings)
    count = settings.integer("muster.workers")
    opened: list[OpenedListener] = []
    try:
        for address in settings.listeners:
            opened.append(open_listener(address, count))
        if settings.store_url:
            return _Workers(settings, opened, "", "").run(was_clean=True)
        return _on_directory(settings, opened)
    finally:
        for listener in opened:
            listener.close()


def _check(settings: Settings) -> None:
    if settings.storage == "memory" and not settings.store_url:
        raise ConfigError("--workers and --memory exclude each other: workers share a data directory or a database")
    if settings.string("muster.control.listen"):
        raise ConfigError("--workers and --control exclude each other: the test controls move the clock of one process")
    check_ports(settings.listeners, settings.integer("muster.workers"))


def _on_directory(settings: Settings, opened: Sequence[OpenedListener]) -> int:
    cluster_id = _prepare_directory(settings)
    directory = SharedDirectory(settings.data, _disk(settings))
    workers = _Workers(settings, opened, directory.path, cluster_id)
    try:
        return workers.run(was_clean=directory.was_clean)
    finally:
        remove_status(directory.path)
        directory.leave(is_clean=workers.are_clean)


def _prepare_directory(settings: Settings) -> str:
    """Make the directory ours and known, while one process has all of it; returns the cluster id."""
    from muster.log.files import FileStore
    from muster.server.assembly import broker_config
    from muster.server.identity import claim, random_id
    from muster.topics.adoption import find_unknown_topics
    from muster.topics.broker import Broker
    from muster.topics.catalog_document import DOCUMENT, decode_catalog
    from muster.topics.copying.mark import MARK, refuse_half_copy

    store = FileStore(settings.data, settings.durability, _disk(settings))
    try:
        refuse_half_copy(settings.data, store.read_document(MARK))
        cluster_id = claim(store, settings.node_id, settings.cluster_id, random_id).cluster_id
        kept = decode_catalog(store.read_document(DOCUMENT))
        known = {*(topic.name for topic in kept.topics), *kept.deleting}
        if find_unknown_topics(store, known, lambda: os.urandom(16)):
            # Another broker's logs: read through once here, where nobody has to agree with anybody.
            Broker(store, broker_config(settings, cluster_id), os.urandom, settings.texts).start()
    finally:
        store.close()
    return cluster_id


def _disk(settings: Settings) -> Disk:
    return real_disk(group_readable=settings.is_data_group_readable)


class _Workers:
    def __init__(self, settings: Settings, opened: Sequence[OpenedListener], directory: str, cluster_id: str) -> None:
        self._settings = settings
        self._opened = opened
        self._directory = directory
        self._cluster_id = cluster_id
        numbers = range(settings.integer("muster.workers"))
        self._nodes = [
            NodeEntry(settings.node_id + number, self._endpoints(number), settings.rack) for number in numbers
        ]
        self._workers: list[Worker] = []

    @property
    def are_clean(self) -> bool:
        return bool(self._workers) and all(worker.is_clean for worker in self._workers)

    def run(self, *, was_clean: bool) -> int:
        self._workers = [
            Worker(number, f"worker {number + 1} (node {node.node_id})", was_clean, Restarts())
            for number, node in enumerate(self._nodes)
        ]
        silence_s = self._settings.integer(SILENCE) / 1000
        return Supervisor(self._workers, self._be_worker, self._announce, self._keep_status, silence_s).run()

    def _endpoints(self, number: int) -> dict[str, tuple[str, int]]:
        """What clients are told, by the name of the listener."""
        addresses = [listener.own[number].address for listener in self._opened]
        told = {address.name: address.advertised or address.endpoint for address in addresses}
        return {name: (endpoint.host, endpoint.port) for name, endpoint in told.items()}

    # -- in the supervisor

    def _announce(self) -> None:
        for listener in self._opened:
            print(f"listening on {listener.everybody}", flush=True)
        for worker, node in zip(self._workers, self._nodes, strict=True):
            addresses = ", ".join(str(listener.own[worker.number]) for listener in self._opened)
            print(f"node {node.node_id} listening on {addresses}", flush=True)
            for line in worker.announcements:
                print(line, flush=True)

    def _keep_status(self) -> None:
        if self._directory:
            with suppress(OSError):  # it is for people; the workers do not need it
                write_status(self._directory, _disk(self._settings), self._workers, self._nodes)

    # -- in a new worker

    def _be_worker(self, worker: Worker, channel: Channel) -> int:
        sockets = self._sockets_of(worker.number)
        place = WorkerPlace(worker.number, self._nodes, self._directory, self._cluster_id)
        return run_worker(self._settings_of(worker.number), WorkerStart(place, channel, worker.is_clean), sockets)

    def _sockets_of(self, number: int) -> Mapping[str, Sequence[socket]]:
        """The worker's own and those of everybody; the other workers' are closed here."""
        for listener in self._opened:
            for other, opened in enumerate(listener.own):
                if other != number:
                    for each in opened.sockets:
                        each.close()
        return {
            listener.everybody.address.name: (*listener.own[number].sockets, *listener.everybody.sockets)
            for listener in self._opened
        }

    def _settings_of(self, number: int) -> Settings:
        addresses = [listener.own[number].address for listener in self._opened]
        changed = {
            "node.id": str(self._nodes[number].node_id),
            LISTENERS: ",".join(f"{address.name}://{address.endpoint}" for address in addresses),
            ADVERTISED: ",".join(f"{address.name}://{address.advertised}" for address in addresses),
        }
        metrics = self._settings.string(METRICS)
        if metrics:
            endpoint = parse_endpoint(METRICS, metrics)
            changed[METRICS] = str(Endpoint(endpoint.host, endpoint.port + number if endpoint.port else 0))
        origins = dict.fromkeys(changed, f"--workers, number {number + 1}")
        return Settings({**self._settings.texts, **changed}, {**self._settings.origins, **origins})
