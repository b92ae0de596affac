"""Produce with acks=0 runs ahead of the disk only so far: what is not durable is held in memory (design law 6)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from muster.runtime.group_commit import GroupCommit
from muster.security.authorizer import AllowAll
from muster.server.call import Call
from muster.server.handlers.produce import handle
from muster.server.limits import UNCONFIRMED_BYTES_PER_CONNECTION
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.forms import interpreted_only
from tests.movable_clock import MovableClock
from tests.runtime.manual_loop import ManualLoop
from tests.topics.bench_broker import batch, started, with_topic

HALF_A_MEGABYTE = b"x" * 500_000


class FakeConnection:
    """Counts what is finished, as a connection that takes its next request then."""

    host = "/127.0.0.1"
    principal = "User:ANONYMOUS"
    throttle = None

    def __init__(self) -> None:
        self.unconfirmed_bytes = 0
        self.finished = 0

    def finish(self, frame: bytes | None) -> None:
        assert frame is None
        self.finished += 1

    def guard(self, step: Callable[..., None], *arguments: object) -> None:
        step(*arguments)


@interpreted_only
def test_a_producer_with_acks_zero_that_is_faster_than_the_disk_waits_for_it() -> None:
    broker = started()
    with_topic(broker)
    loop = ManualLoop()
    durable = GroupCommit(broker.store, cast(Any, loop))
    node = SimpleNamespace(broker=broker, durable=durable, clock=MovableClock(), authorizer=AllowAll())
    connection = FakeConnection()
    records = batch(HALF_A_MEGABYTE)
    message = ProduceRequest(
        None, 0, 1_000, [ProduceRequestTopic("t", partition_data=[ProduceRequestPartition(0, records)])]
    )
    sent = 0
    while connection.finished == sent:
        call = Call(cast(Any, connection), cast(Any, SimpleNamespace(version=9, name="Produce")), sent, "client")
        handle(call, message, cast(Any, node))
        sent += 1
        assert sent < 100, "nothing holds it back"
    assert connection.unconfirmed_bytes == sent * len(records)
    assert (sent - 1) * len(records) <= UNCONFIRMED_BYTES_PER_CONNECTION < sent * len(records)
    loop.run_until_idle()
    assert connection.finished == sent
    assert connection.unconfirmed_bytes == 0
    assert broker.partition("t", 0).log.durable_offset == sent
