"""The offsets log refuses what it is given, or takes its time about it. For servers with their logs in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.runtime.node import Node
from tests.server.groups.group_server import GroupServer
from tests.server.raw_client import PATIENCE_SECONDS


def store_of(node: Node) -> MemoryStore:
    store = node.broker.store
    assert isinstance(store, MemoryStore)
    return store


@contextmanager
def refusing_log(server: GroupServer, refused: str = CONSUMER_OFFSETS) -> Iterator[None]:
    """Every append to this topic is lost, as on a broken disk."""

    def fails(topic: str, partition: int) -> StorageError | None:
        return StorageError(f"{topic}-{partition}: broken for a test") if topic == refused else None

    store = store_of(server.node)
    server.run(setattr, store, "failure", fails)
    yield
    server.settle()
    server.run(setattr, store, "failure", None)


def commits_in_a_thread(node: Node) -> None:
    """To be given to GroupServer as `prepare`: the loop goes on while a commit is under way, as with real disks."""
    store_of(node).durability = "fsync"


class SlowLog:
    """Commits begin and do not end until `release`. Needs `commits_in_a_thread`."""

    def __init__(self, server: GroupServer) -> None:
        self._server = server
        self._released = threading.Event()
        self._begun = threading.Event()

    def __enter__(self) -> SlowLog:
        self._server.settle()
        self._server.run(setattr, store_of(self._server.node), "failure", self._hold)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._server.settle()
        self._server.run(setattr, store_of(self._server.node), "failure", None)

    def _hold(self, topic: str, partition: int) -> None:
        if topic == CONSUMER_OFFSETS:
            self._begun.set()
            assert self._released.wait(PATIENCE_SECONDS)

    def wait_for_a_write(self) -> None:
        assert self._begun.wait(PATIENCE_SECONDS), "nothing is being written"

    def release(self) -> None:
        self._released.set()
