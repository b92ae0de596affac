"""`Broker`: a whole Kafka-compatible broker in a thread of the test's process, for any client in any thread.

Everything here may be called from any thread; it hands over to the `Kit` in the broker's loop. Calls come back when
their effect is there. Only waits take long: they have an `_async` form for tests that run in a loop of their own.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, TypeVar

import muster.log.memory  # noqa: F401 - what every broker here needs is imported now, not while the first one starts
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.testing import topic_records
from muster.testing.argument_checks import checked_settings
from muster.testing.broker_clock import BrokerClock
from muster.testing.broker_faults import BrokerFaults
from muster.testing.broker_group import BrokerGroup
from muster.testing.broker_transaction import BrokerTransaction
from muster.testing.faults import UnusedFault
from muster.testing.group_views import GroupView
from muster.testing.group_waits import WaitTimeout
from muster.testing.kit import Kit
from muster.testing.topic_records import Produced, TopicRecord
from muster.testing.transaction_views import TransactionView
from muster.topics.config_types import ConfigError

T = TypeVar("T")

__tracebackhide__ = True
"""pytest leaves out the frames of this module and of those that build on it: a call that makes no sense, or a wait that was in
vain, is shown at the line of the test."""

DEFAULTS: Mapping[str, str] = {
    "muster.listen": "127.0.0.1:0",
    "muster.storage": "memory",
    # Kafka's 3 s are for fleets that start together. A test waits for the number of members that it wants.
    "group.initial.rebalance.delay.ms": "0",
    # In consumer groups (KIP-848) it is the broker who says how often clients ask, and how soon a target is made again.
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "100",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
}


class Broker:
    """Runs from `start` (or `with`) to `stop`.

    `settings` are broker settings by Kafka's names; values may be numbers and booleans. `topics` are made at the start, with
    so many partitions. `frozen` keeps the clock still from the beginning. `start_ms` is what the clock shows first.
    """

    def __init__(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        topics: Mapping[str, int] | None = None,
        frozen: bool = False,
        start_ms: int | None = None,
    ) -> None:
        texts = checked_settings("settings", settings, "{'group.max.size': 2}")
        try:
            known = Settings.of({**DEFAULTS, **texts})
        except ConfigError as wrong:
            raise wrong.with_traceback(None) from None
        self._kit = Kit(frozen=frozen, start_ms=start_ms)
        self._running = RunningServer(known, self._kit.make_node, self._kit.handlers)
        self._topics = topic_records.checked_topics(topics)
        self.clock = BrokerClock(self)
        self.faults = BrokerFaults(self)

    # -- life

    def start(self) -> Broker:
        """Returns when clients can connect, groups have a coordinator and the topics are there."""
        self._running.start()
        try:
            self.run(self._kit.open_coordinator)
            for name, partitions in self._topics.items():
                self.create_topic(name, partitions)
            self.wait_for(self._kit.settle())
        except BaseException:
            self._running.stop()
            raise
        return self

    def stop(self) -> None:
        """Closes every connection. Faults that were never met are warned of: the test shows less than it seems to."""
        unused = self._kit.faults.unused()
        self._running.stop()
        for fault in unused:
            warnings.warn(f"a fault was never met: {fault}", UnusedFault, stacklevel=2)

    def reset(self) -> None:
        """Forget topics, groups, offsets, transactions, faults and the journal; those of the constructor are made again."""
        self.wait_for(self._kit.reset())
        for name, partitions in self._topics.items():
            self.create_topic(name, partitions)

    def __enter__(self) -> Broker:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._kit.faults.forget()  # the test failed already, and that is what it should say
        self.stop()

    @property
    def bootstrap_servers(self) -> str:
        """HOST:PORT, as clients want it."""
        return self._running.address

    @property
    def host(self) -> str:
        return self._running.host

    @property
    def port(self) -> int:
        return self._running.port

    # -- topics

    def create_topic(self, name: str, partitions: int = 1, configs: Mapping[str, object] | None = None) -> None:
        """ValueError if it is there already or cannot be."""
        texts = checked_settings("configs", configs, "{'retention.ms': 1000}")
        self.run(topic_records.create_topic, self._kit.node, name, partitions, texts)

    def delete_topic(self, name: str) -> None:
        """With its records and the offsets committed for it. ValueError if there is none."""
        self.run(topic_records.delete_topic, self._kit.node, name)
        self.wait_for(self._kit.settle())

    def produce(self, topic: str, *records: Produced, partition: int | None = None) -> list[tuple[int, int]]:
        """Append records, each a value or a (key, value); returns (partition, offset) of each when clients can read them.

        Without `partition` a key chooses one, and values without a key go round.
        """
        where = self.run(topic_records.append, self._kit.node, topic, records, partition)
        self.wait_for(self._kit.settle())
        return where

    def records(self, topic: str, partition: int | None = None) -> list[TopicRecord]:
        """Everything in the topic, partition by partition."""
        return self.run(topic_records.read, self._kit.node, topic, partition)

    # -- groups

    def group(self, group_id: str) -> BrokerGroup:
        """What the test wants to know of, or do to, one group. It need not exist yet."""
        return BrokerGroup(self, group_id)

    def groups(self) -> list[GroupView]:
        return self.run(self._kit.groups)

    # -- transactions

    def transaction(self, transactional_id: str) -> BrokerTransaction:
        """What the test wants to know of, or do to, one transactional id. It need not exist yet."""
        return BrokerTransaction(self, transactional_id)

    def transactions(self) -> list[TransactionView]:
        """Every transactional id that is known."""
        return self.run(self._kit.transactions.all)

    def explain(self) -> str:
        """What happened to every group, and which faults there were."""
        parts = [f"{view}\n{self.group(view.group_id).explain()}" for view in self.groups()]
        faults = [f"fault {fault.number}: {fault}; used {fault.uses} times" for fault in self.faults]
        return "\n\n".join([*parts, *(["\n".join(faults)] if faults else [])])

    # -- the way into the loop

    @property
    def kit(self) -> Kit:
        """The controls inside the loop; call them with `run` and `wait_for`."""
        return self._kit

    def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a plain function in the broker's thread, between two of its steps."""
        with _MISTAKES_AT_THE_TEST:
            return self._running.run(function, *arguments)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run it in the broker's loop and wait for its end."""
        with _MISTAKES_AT_THE_TEST:
            return self._running.begin(work).result()

    async def wait_for_async(self, work: Coroutine[Any, Any, T]) -> T:
        """`wait_for` for tests that run in an event loop."""
        with _MISTAKES_AT_THE_TEST:
            return await asyncio.wrap_future(self._running.begin(work))


class _MistakesAtTheTest:
    """What the kit's own checks raise comes out without the frames between them and the test: two threads that help nobody.

    Errors from elsewhere keep their frames: of a function of the test, or of a fault in the broker.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not isinstance(error, TypeError | ValueError | WaitTimeout):
            return
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if traceback is not None and traceback.tb_frame.f_globals["__name__"].startswith("muster.testing."):
            raise error.with_traceback(None) from None


_MISTAKES_AT_THE_TEST = _MistakesAtTheTest()
