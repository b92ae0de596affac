"""How this node asks other nodes of its cluster something: the seam between the runtime, which knows what, and a network.

The server puts connections behind it (`server.node_client`); the simulator may put its own network there. Knows neither markers
nor transactions: those are `remote_markers` and `remote_questions`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Answered: TypeAlias = "Callable[[Any], None]"
"""Gets the decoded response, or None: the node cannot be reached, or has not answered in time."""
AskNode: TypeAlias = "Callable[[int, str, int, object, Answered], None]"
"""Node id, API, version, request, and what to call with the answer."""


class OtherNodes(Protocol):
    def ask(self, node_id: int, api: str, version: int, request: object, then: Answered) -> None:
        """Send a request. `then` is called once, in the loop and never before this returns.

        Without an answer nobody knows whether the request was carried out.
        """
        ...

    def keep_only(self, node_ids: Collection[int]) -> None:
        """These nodes are live. Requests to any other node get None as their answer now."""
        ...

    def close(self) -> None:
        """No node is asked any more; requests that wait for an answer get None."""
        ...


class NoOtherNodes:
    """Of a node that is alone: there is nobody to reach."""

    def __init__(self, call_soon: Callable[..., object]) -> None:
        self._call_soon = call_soon

    def ask(self, node_id: int, api: str, version: int, request: object, then: Answered) -> None:
        self._call_soon(then, None)

    def keep_only(self, node_ids: Collection[int]) -> None:
        pass

    def close(self) -> None:
        pass


class Outbox(Generic[T]):
    """Collects what is to be sent to each node: one request of many items is under way to a node, the next one waits for its
    answer. What comes in one turn of the loop goes together."""

    def __init__(
        self,
        send: Callable[[int, list[T], Callable[[], None]], None],
        call_soon: Callable[..., object],
        most_weight: int,
        weight: Callable[[T], int],
    ) -> None:
        """`send` gets a node, items for it, and what to call when they are answered. The items of a request weigh no more than
        `most_weight` together; one that does so by itself goes alone."""
        self._send = send
        self._call_soon = call_soon
        self._most_weight = most_weight
        self._weight = weight
        self._waiting: dict[int, deque[T]] = {}
        """By node: there while something is to be sent to it, or under way."""

    def add(self, node_id: int, item: T) -> None:
        waiting = self._waiting.get(node_id)
        if waiting is None:
            waiting = self._waiting[node_id] = deque()
            self._call_soon(self._send_some, node_id)
        waiting.append(item)

    def _send_some(self, node_id: int) -> None:
        waiting = self._waiting[node_id]
        if not waiting:
            del self._waiting[node_id]
            return
        items = [waiting.popleft()]
        weight = self._weight(items[0])
        while waiting and (weight := weight + self._weight(waiting[0])) <= self._most_weight:
            items.append(waiting.popleft())
        self._send(node_id, items, lambda: self._send_some(node_id))
