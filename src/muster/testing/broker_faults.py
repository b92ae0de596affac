"""`broker.faults`: what goes wrong, switched on and off by the test."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from muster.testing.argument_checks import check_number
from muster.testing.faults import Fault, FaultKind

if TYPE_CHECKING:
    from muster.testing.broker import Broker

__tracebackhide__ = True  # in pytest's output, see broker.py


class SwitchedOn:
    """A fault that is on. `with` removes it at the end; `uses` counts the requests that met it."""

    def __init__(self, broker: Broker, fault: Fault) -> None:
        self._broker = broker
        self._fault = fault

    @property
    def number(self) -> int:
        return self._fault.number

    @property
    def uses(self) -> int:
        return self._fault.uses

    @property
    def left(self) -> int | None:
        """How many more requests it is for; None: any number."""
        return self._fault.left

    @property
    def is_over(self) -> bool:
        return self._fault.is_over

    def remove(self) -> None:
        """Harmless if it is over already. A coordinator that was away or loading is back when this returns."""
        self._broker.wait_for(self._broker.kit.remove(self._fault))

    def __enter__(self) -> SwitchedOn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()

    def __str__(self) -> str:
        return str(self._fault)

    def __repr__(self) -> str:
        return f"<Fault {self.number}: {self._fault}; used {self.uses} times>"


class BrokerFaults:
    """`api` is Kafka's name of a request, such as Heartbeat. `times=None` is always. `group=None` is any group, and
    `transactional_id=None` any producer."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def error(
        self,
        api: str,
        error: int | str,
        *,
        times: int | None = 1,
        group: str | None = None,
        transactional_id: str | None = None,
    ) -> SwitchedOn:
        """Answer the next requests with this error, by code or by Kafka's name, without doing them."""
        return self._add("error", api, group=group, transactional_id=transactional_id, error=error, times=times)

    def delay(
        self,
        api: str,
        *,
        seconds: float,
        times: int | None = 1,
        group: str | None = None,
        transactional_id: str | None = None,
    ) -> SwitchedOn:
        """Let the next requests wait, on the broker's clock, before they are done."""
        check_number("seconds", seconds, "1.5")
        return self._add(
            "delay", api, group=group, transactional_id=transactional_id, delay_ms=round(1000 * seconds), times=times
        )

    def drop_reply(
        self, api: str, *, times: int | None = 1, group: str | None = None, transactional_id: str | None = None
    ) -> SwitchedOn:
        """Do the next requests and close the connection in place of an answer: the client cannot know that they were done."""
        return self._add("drop_reply", api, group=group, transactional_id=transactional_id, times=times)

    def drop_request(
        self, api: str, *, times: int | None = 1, group: str | None = None, transactional_id: str | None = None
    ) -> SwitchedOn:
        """Close the connection without doing the next requests."""
        return self._add("drop_request", api, group=group, transactional_id=transactional_id, times=times)

    def coordinator_loading(self, group: str, *, seconds: float | None = None) -> SwitchedOn:
        """The group's coordinator is loading: for so long on the broker's clock, or until the fault is removed."""
        return self._take_coordinator("loading", group, seconds)

    def coordinator_moved(self, group: str, *, seconds: float | None = None) -> SwitchedOn:
        """The group's coordinator is not here and cannot be found: for so long, or until the fault is removed."""
        return self._take_coordinator("moved", group, seconds)

    def hold_markers(self, transactional_id: str, *, after: int = 0) -> SwitchedOn:
        """The end of the transaction is decided, and only its first `after` partitions hear of it until the fault is removed.

        Partitions come in the order in which they joined the transaction; `__consumer_offsets` is one of them if offsets did.
        """
        return SwitchedOn(
            self._broker, self._broker.run(self._broker.kit.transactions.hold_markers, transactional_id, after)
        )

    def hold_revocation(self, group: str, member: str | None = None) -> SwitchedOn:
        """What a member of a consumer group gives up counts as not given up until the fault is removed; `None`: any member.

        Nobody else gets those partitions meanwhile, and after its rebalance timeout the member is expelled. Named by member
        id, instance id or client id.
        """
        return SwitchedOn(self._broker, self._broker.run(self._broker.kit.hold_revocation, group, member))

    # -- the list

    def active(self) -> list[SwitchedOn]:
        return [SwitchedOn(self._broker, fault) for fault in self._broker.run(self._broker.kit.faults.active)]

    def unused(self) -> list[SwitchedOn]:
        """Those that no request has met."""
        return [SwitchedOn(self._broker, fault) for fault in self._broker.run(self._broker.kit.faults.unused)]

    def clear(self) -> None:
        """Switch everything off. What was never met is still reported at the end."""
        self._broker.wait_for(self._broker.kit.remove_all())

    def __iter__(self) -> Iterator[SwitchedOn]:
        return iter([SwitchedOn(self._broker, fault) for fault in self._broker.run(tuple, self._broker.kit.faults)])

    def __len__(self) -> int:
        return len(self.active())

    def _add(
        self,
        kind: FaultKind,
        api: str,
        *,
        group: str | None,
        transactional_id: str | None,
        error: int | str = 0,
        delay_ms: int = 0,
        times: int | None,
    ) -> SwitchedOn:
        def add() -> Fault:
            return self._broker.kit.faults.add(
                kind,
                api,
                group=group,
                transactional_id=transactional_id,
                error=error,
                delay_ms=delay_ms,
                times=times,
            )

        return SwitchedOn(self._broker, self._broker.run(add))

    def _take_coordinator(self, kind: str, group: str, seconds: float | None) -> SwitchedOn:
        if seconds is not None:
            check_number("seconds", seconds, "1.5")
        duration_ms = None if seconds is None else round(1000 * seconds)
        return SwitchedOn(self._broker, self._broker.run(self._broker.kit.take_coordinator, kind, group, duration_ms))
