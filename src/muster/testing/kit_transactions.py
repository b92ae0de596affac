"""The controls of the test kit for transactions, inside the broker's loop; `kit.transactions`.

Looks at the transaction coordinator's shards and at the pending offsets of groups, and lets transactions time out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from muster.core.hashing import partition_for
from muster.core.offsets.store import OffsetStore
from muster.core.transactions.outcome_builder import transaction_timer
from muster.core.transactions.states import TransactionState
from muster.runtime.coordinator_shards import ShardState
from muster.runtime.node import Node
from muster.runtime.transaction_runner import TransactionRunner
from muster.testing import coordinator_faults
from muster.testing.faults import Fault, FaultBook
from muster.testing.group_waits import GroupWaits, WaitTimeout
from muster.testing.held_markers import HeldMarkers
from muster.testing.transaction_views import PendingOffsetView, TransactionView, view_of_transaction

_STATES = [state.value for state in TransactionState]


class KitTransactions:
    def __init__(self, node: Node, faults: FaultBook, waits: GroupWaits, settle: Callable[[], Awaitable[None]]) -> None:
        self._node = node
        self._faults = faults
        self._waits = waits
        self._settle = settle
        self._markers = HeldMarkers(node.marker_writer, faults, node.clock.ticks_ms, self._stir_when_durable)
        node.transactions.marker_writer = self._markers

    def _stir_when_durable(self) -> None:
        """A marker is followed by the record that completes the transaction; both are to be seen by whoever waits."""
        durable = self._node.durable
        durable.when_idle(lambda: durable.when_idle(self._waits.stir))

    # -- looking

    def all(self) -> list[TransactionView]:
        """Every transactional id that is known, by name."""
        names = [name for shard in self._node.transactions.shards() for name in shard.transactions]
        return [self.view(name) for name in sorted(names)]

    def view(self, transactional_id: str) -> TransactionView:
        runner = self._runner(transactional_id)
        known = runner.shard.transactions if runner is not None else {}
        return view_of_transaction(transactional_id, known.get(transactional_id))

    async def wait(self, transactional_id: str, state: str, timeout_seconds: float) -> TransactionView:
        if state not in _STATES:
            raise ValueError(f"{state!r} is no state of a transaction; the states are {', '.join(_STATES)}")
        if not await self._waits.until(lambda: self.view(transactional_id).state == state, timeout_seconds):
            active = "; ".join(map(str, self._faults.active())) or "none"
            raise WaitTimeout(
                f"transactional id {transactional_id!r} did not reach {state} within {timeout_seconds:g} s\n"
                f"it is: {self.view(transactional_id)}\nactive faults: {active}"
            )
        return self.view(transactional_id)

    # -- acting

    def expire(self, transactional_id: str) -> None:
        """Let the open transaction time out now, whatever the clock says."""
        runner = self._runner(transactional_id)
        view = self.view(transactional_id)
        if runner is None or view.state is not TransactionState.ONGOING or view.start_ms is None:
            raise ValueError(f"only an Ongoing transaction can time out: {view}")
        due_ms = view.start_ms + view.timeout_ms
        key = transaction_timer(transactional_id)
        runner.interject(transactional_id, lambda now_ms: runner.shard.on_timer(key, max(now_ms, due_ms)))

    async def move_coordinator(self, transactional_id: str) -> None:
        """Unload the id's coordinator and load it from its log, as a change of leadership does."""
        coordinator = self._node.transactions
        epoch = coordinator_faults.away(coordinator, transactional_id)
        await self._settle()
        coordinator_faults.back(coordinator, transactional_id, epoch)
        partition = partition_for(transactional_id, coordinator.partition_count)
        while (place := coordinator.places.get(partition)) is not None and place.state is ShardState.LOADING:  # noqa: ASYNC110
            await asyncio.sleep(0)
        self._waits.stir()
        await self._settle()

    def hold_markers(self, transactional_id: str, after: int) -> Fault:
        """Write the first `after` markers of the transaction's end, and the others when the fault is removed."""
        return self._faults.add("markers_held", transactional_id=transactional_id, after=after)

    def release_markers(self, fault: Fault) -> None:
        """The fault has been removed."""
        self._markers.release(fault)

    def _runner(self, transactional_id: str) -> TransactionRunner | None:
        coordinator = self._node.transactions
        if not coordinator.partition_count:
            return None
        place = coordinator.places.get(partition_for(transactional_id, coordinator.partition_count))
        return place.runner if place is not None else None


def pending_offsets_of(offsets: OffsetStore, group_id: str) -> list[PendingOffsetView]:
    """What open transactions would commit for the group, by transaction in the order of their first offsets."""
    pending = offsets.pending
    return [
        PendingOffsetView(
            topic,
            partition,
            each.record.offset,
            producer_id,
            pending.producer(producer_id).epoch,
            offsets.waits.name_of(producer_id),
        )
        for producer_id in pending.producers_of(group_id)
        for (topic, partition), each in pending.offsets_of(producer_id, group_id).items()
    ]
