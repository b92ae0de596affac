"""`broker.transaction("t")`: one transactional id, as a test asks about it and acts on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.testing.group_waits import PATIENCE_SECONDS

if TYPE_CHECKING:
    from muster.core.transactions.states import TransactionState
    from muster.testing.broker import Broker
    from muster.testing.transaction_views import TransactionView

__tracebackhide__ = True  # in pytest's output, see broker.py


class BrokerTransaction:
    def __init__(self, broker: Broker, transactional_id: str) -> None:
        self._broker = broker
        self.transactional_id = transactional_id

    def view(self) -> TransactionView:
        """All of it at one moment."""
        return self._broker.run(self._broker.kit.transactions.view, self.transactional_id)

    def state(self) -> TransactionState:
        """`Empty`, `Ongoing`, `PrepareCommit`, `CompleteCommit` and so on, or `Dead` if nobody knows it."""
        return self.view().state

    def wait(self, state: str, timeout: float = PATIENCE_SECONDS) -> TransactionView:
        """Come back as soon as it is there; WaitTimeout tells what is after so many real seconds."""
        return self._broker.wait_for(self._broker.kit.transactions.wait(self.transactional_id, state, timeout))

    async def wait_async(
        self,
        state: str,
        timeout: float = PATIENCE_SECONDS,  # noqa: ASYNC109 - the wait itself explains what was missing
    ) -> TransactionView:
        """`wait` for tests with clients in the same event loop."""
        waiting = self._broker.kit.transactions.wait(self.transactional_id, state, timeout)
        return await self._broker.wait_for_async(waiting)

    def expire(self) -> None:
        """Let the open transaction time out now: it is aborted, and its producer is fenced. ValueError if it is not Ongoing."""
        self._broker.run(self._broker.kit.transactions.expire, self.transactional_id)

    def move_coordinator(self) -> None:
        """Unload the id's coordinator and load it from its log, as a change of leadership does."""
        self._broker.wait_for(self._broker.kit.transactions.move_coordinator(self.transactional_id))

    def __repr__(self) -> str:
        return f"<BrokerTransaction {self.transactional_id}>"
