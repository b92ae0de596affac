"""Asks brokers for `best_effort`, which does not wait long for one: what comes later than that holds nobody up.

A question whose answer is late goes on until it is answered or fails, and its broker is asked nothing else here until then. So a
broker that is only slow shows how long it takes, and is waited for longer the next time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from muster.client.failure import ClientError
from muster.wire.errors import REQUEST_TIMED_OUT

T = TypeVar("T")

ANSWER_SECONDS: Final = 2.0


class LateAnswers:
    def __init__(self) -> None:
        self._late: dict[int, set[asyncio.Task[Any]]] = {}
        """Questions that have not been answered in time, by node id."""
        self._patience_seconds: dict[int, float] = {}
        """Of brokers that have answered late, until they fail or answer in time again: twice as long as they took."""

    async def ask(self, node_id: int, question: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer. ClientError: that of the question, or REQUEST_TIMED_OUT if this broker's answer is late."""
        if self._late.get(node_id):
            raise _failure(node_id)
        began = time.monotonic()
        asking = asyncio.create_task(question())
        try:
            await asyncio.wait([asking], timeout=self._patience_seconds.get(node_id, ANSWER_SECONDS))
        except asyncio.CancelledError:
            asking.cancel()
            raise
        if asking.done():
            if asking.exception() is not None or time.monotonic() - began < ANSWER_SECONDS:
                self._patience_seconds.pop(node_id, None)
            return asking.result()
        self._late.setdefault(node_id, set()).add(asking)
        asking.add_done_callback(lambda ended: self._note_end(node_id, began, ended))
        raise _failure(node_id)

    async def close(self) -> None:
        late = [asking for of_node in self._late.values() for asking in of_node]
        for asking in late:
            asking.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _note_end(self, node_id: int, began: float, ended: asyncio.Task[Any]) -> None:
        self._late[node_id].discard(ended)
        if ended.cancelled() or ended.exception() is not None:
            self._patience_seconds.pop(node_id, None)
        else:
            self._patience_seconds[node_id] = 2 * (time.monotonic() - began)


def _failure(node_id: int) -> ClientError:
    hint = "It is asked again when it has answered, or when the request has timed out"
    return ClientError(REQUEST_TIMED_OUT, f"ask broker {node_id}", "it has not answered yet", hint)
