"""Counts and limits the transactional ids of each principal: each id is kept for `transactional.id.expiration.ms`.

A transactional id counts for the principal that was first seen with it since the start: Kafka's records do not say who made it.
The counts are compared with the shards before a request is refused. Asked by the handler of InitProducerId, if there is a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muster.runtime.principal_usage import RECOUNT_AFTER_MS
from muster.wire.errors import NONE, POLICY_VIOLATION

IN_FLIGHT_MS: Final = 10_000
"""Twice as long as a record of `__transaction_state` may take: so long an id that was let in counts, though no shard has it yet."""


class TransactionalIdUsage:
    def __init__(self, most: int, is_known: Callable[[str], bool], ticks_ms: Callable[[], int]) -> None:
        self._most = most
        self._is_known = is_known
        self._ticks_ms = ticks_ms
        self._ids: dict[str, dict[str, int]] = {}
        """Principal -> its transactional ids -> when each was let in."""
        self._owners: dict[str, str] = {}
        self._counted_ms: dict[str, int] = {}
        self.refused = 0

    def why_not(self, principal: str, transactional_id: str) -> int:
        """NONE, or the error to answer with: one that ends a producer's attempts, so that its user sees it."""
        if transactional_id in self._owners:
            return NONE
        ids = self._ids.setdefault(principal, {})
        if not self._is_known(transactional_id):
            if len(ids) >= self._most:
                self._count_anew(principal, ids)
            if len(ids) >= self._most:
                self.refused += 1
                return POLICY_VIOLATION
        ids[transactional_id] = self._ticks_ms()
        self._owners[transactional_id] = principal
        return NONE

    def _count_anew(self, principal: str, ids: dict[str, int]) -> None:
        """Once in a while: being refused must not cost more than being served."""
        now_ms = self._ticks_ms()
        counted_ms = self._counted_ms.get(principal)
        if counted_ms is not None and now_ms - counted_ms < RECOUNT_AFTER_MS:
            return
        self._counted_ms[principal] = now_ms
        old_ms = now_ms - IN_FLIGHT_MS
        for gone in [each for each, since_ms in ids.items() if since_ms <= old_ms and not self._is_known(each)]:
            del ids[gone]
            del self._owners[gone]
