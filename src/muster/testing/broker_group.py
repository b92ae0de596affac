"""`broker.group("g")`: one group, as a test asks about it and acts on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from muster.testing.broker_faults import SwitchedOn
from muster.testing.group_views import GroupView, MemberView, TopicPartition
from muster.testing.group_waits import PATIENCE_SECONDS, Offsets, Wanted

if TYPE_CHECKING:
    from muster.core.classic.states import GroupState
    from muster.core.consumer.states import ConsumerGroupState
    from muster.core.journal import JournalEvent
    from muster.testing.broker import Broker
    from muster.testing.transaction_views import PendingOffsetView

__tracebackhide__ = True  # in pytest's output, see broker.py


class BrokerGroup:
    def __init__(self, broker: Broker, group_id: str) -> None:
        self._broker = broker
        self.group_id = group_id

    # -- looking

    def view(self) -> GroupView:
        """All of it at one moment."""
        return self._broker.run(self._broker.kit.view, self.group_id)

    def state(self) -> GroupState | ConsumerGroupState:
        """`Empty`, `PreparingRebalance`, `CompletingRebalance`, `Stable`, or `Dead` if nobody knows it; of a consumer group
        (KIP-848) `Empty`, `Assigning`, `Reconciling` or `Stable`."""
        return self.view().state

    def generation(self) -> int:
        """The group epoch of a consumer group."""
        return self.view().generation

    def members(self) -> tuple[MemberView, ...]:
        return self.view().members

    def offsets(self) -> dict[TopicPartition, int]:
        """What is committed, by (topic, partition)."""
        return self._broker.run(self._broker.kit.offsets, self.group_id)

    def pending_offsets(self) -> list[PendingOffsetView]:
        """What open transactions would commit; nobody sees it yet."""
        return self._broker.run(self._broker.kit.pending_offsets, self.group_id)

    def journal(self) -> list[JournalEvent]:
        """What happened to it since the broker started, oldest first."""
        return self._broker.run(self._broker.kit.journal, self.group_id)

    def explain(self) -> str:
        """Why it rebalanced, as `muster groups explain` tells it, then every event as a line."""
        return "\n".join(self._broker.run(self._broker.kit.explain, self.group_id))

    # -- waiting

    def wait(
        self,
        state: str | None = None,
        *,
        members: int | None = None,
        generation: int | None = None,
        committed: Offsets | None = None,
        where: Callable[[GroupView], bool] | None = None,
        timeout: float = PATIENCE_SECONDS,
    ) -> GroupView:
        """Come back as soon as all of it holds; WaitTimeout tells why not after so many real seconds.

        `generation` and `committed` mean at least. In a test that runs in an event loop use `await wait_async(...)`.
        """
        if _in_a_loop():
            raise RuntimeError(
                "wait() would stop the event loop of this test, and its clients with it: use await wait_async(...)"
            )
        wanted = Wanted(state, members, generation, committed, where)
        return self._broker.wait_for(self._broker.kit.wait(self.group_id, wanted, timeout))

    async def wait_async(
        self,
        state: str | None = None,
        *,
        members: int | None = None,
        generation: int | None = None,
        committed: Offsets | None = None,
        where: Callable[[GroupView], bool] | None = None,
        timeout: float = PATIENCE_SECONDS,  # noqa: ASYNC109 - the wait itself explains what was missing
    ) -> GroupView:
        """`wait` for tests with clients in the same event loop."""
        wanted = Wanted(state, members, generation, committed, where)
        return await self._broker.wait_for_async(self._broker.kit.wait(self.group_id, wanted, timeout))

    # -- acting

    def force_rebalance(self) -> None:
        """Begin a rebalance that no member asked for; they hear of it with their next heartbeats."""
        self._broker.run(self._broker.kit.force_rebalance, self.group_id)

    def expire(self, member: str | MemberView) -> str:
        """End the session of one member now, whatever the clock says. Named by member id, instance id or client id.

        Returns its member id. ValueError if there is no such member or it is being waited for.
        """
        name = member.member_id if isinstance(member, MemberView) else member
        return self._broker.run(self._broker.kit.expire, self.group_id, name)

    def fence(self, member: str | MemberView) -> SwitchedOn:
        """Answer the next heartbeat of a member of a consumer group with FENCED_MEMBER_EPOCH: it has to join anew."""
        name = member.member_id if isinstance(member, MemberView) else member
        return SwitchedOn(self._broker, self._broker.run(self._broker.kit.fence, self.group_id, name))

    def move_coordinator(self) -> None:
        """Unload the group's coordinator and load it from its log, as a change of leadership does."""
        self._broker.wait_for(self._broker.kit.move_coordinator(self.group_id))

    def __repr__(self) -> str:
        return f"<BrokerGroup {self.group_id}>"


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
