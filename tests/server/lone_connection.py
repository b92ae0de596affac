"""A connection without a server: its frames come from the test, its commits go to a coordinator that only writes them down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.replies import CommitReply
from muster.core.requests import Heartbeat, OffsetCommit, Request
from muster.log.memory import MemoryStore
from muster.log_limit import LogLimit
from muster.runtime.coordinator import Coordinator
from muster.runtime.tickets import Redeemable
from muster.security.authorizer import AllowAll
from muster.server.call import Call
from muster.server.connection import Connection
from muster.server.handlers.table import HANDLERS
from muster.server.request_budget import RequestBudget
from muster.server.routes import Routes
from muster.server.traffic import Traffic
from muster.topics.catalog import Catalog
from muster.topics.configs import TopicDefaults
from muster.topics.leaders import OneNode
from muster.topics.topic import Topic
from tests.server.repeats import learned, serves_repeats

PARTITIONS = {"orders": 3, "returns": 200, "t": 1}
IDS = {name: bytes([number]) * 16 for number, name in enumerate(PARTITIONS, start=1)}


class WritesDown(Coordinator):
    """Answers each commit at once, with what `verdict` says about it."""

    def __init__(self) -> None:  # none of a real one's parts: only what is below is asked
        self.commits: list[OffsetCommit] = []
        self.clients: list[str | None] = []
        self.verdict: Callable[[OffsetCommit], list[int]] = lambda commit: [0] * commit.count

    def session_token(self, request: Heartbeat | ConsumerHeartbeat) -> None:
        return None

    def shard_of(self, group_id: str) -> None:
        return None

    def submit(self, request: Request, ticket: Redeemable) -> None:
        assert isinstance(request, OffsetCommit)
        assert isinstance(ticket, Call)
        self.commits.append(request)
        self.clients.append(ticket.client_id)
        ticket.redeem(CommitReply(self.verdict(request)))


def catalog_of_topics() -> Catalog:
    """A real one, in memory: compiled handlers take no other."""
    defaults = TopicDefaults(None)
    catalog = Catalog(MemoryStore(), defaults, lambda: bytes(16), OneNode(1))
    topics = [Topic(name, IDS[name], {}, defaults.settings({})) for name in PARTITIONS]
    catalog.add(topics, list(PARTITIONS.values()))
    return catalog


class LoneNode:
    def __init__(self) -> None:
        self.coordinator = WritesDown()
        self.broker = SimpleNamespace(catalog=catalog_of_topics())
        self.authorizer: Any = AllowAll()
        self.principal_usage: Any = None
        self.audited: list[str] = []
        self.audit = SimpleNamespace(denied=lambda asked, operation, kind, name: self.audited.append(name))


class LoneConnection:
    """`connection` is a real one; what it writes is in `sent`."""

    def __init__(self, node: LoneNode) -> None:
        listener = SimpleNamespace(
            node=node,
            traffic=Traffic(),
            max_other_bytes=2**20,
            max_entries=10_000,
            admit=lambda _: True,
            forget=lambda _: None,
            refusal_log=SimpleNamespace(warning=lambda *_: None),
            failure_log=LogLimit(logging.getLogger("muster.connection"), "faults", time.monotonic),
            request_budget=RequestBudget(2**30, 2**16, "queued.max.request.bytes", lowest_limit=2**27),
        )
        door = SimpleNamespace(listener=listener, first_routes=ROUTES, first_frame_bytes=2**20, advertised=None)
        self.sent: list[bytes] = []
        self.is_closed = False
        self.connection = Connection(cast(Any, door))
        self.connection.connection_made(
            cast(
                Any,
                SimpleNamespace(
                    get_extra_info=lambda _: ("127.0.0.1", 4711),
                    set_write_buffer_limits=lambda high: None,
                    write=self.sent.append,
                    close=self._close,
                    pause_reading=lambda: None,
                    resume_reading=lambda: None,
                ),
            )
        )

    def _close(self) -> None:
        self.is_closed = True

    def take(self, frame: bytes) -> bytes:
        """What it sends when this comes."""
        self.sent.clear()
        self.connection.data_received(frame)
        return b"".join(self.sent)

    @property
    def serves_repeats(self) -> bool:
        """It has learned a commit and served one by it."""
        return serves_repeats(self.connection, "OffsetCommit")

    @property
    def has_learned(self) -> bool:
        return learned(self.connection, "OffsetCommit") is not None


ROUTES = Routes(HANDLERS, learns_repeats=True)
