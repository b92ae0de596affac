"""Heartbeats that say what a member of a consumer group has given up, and do not get through while a fault holds them back.

The coordinator then waits for the member, up to its rebalance timeout, though the client has done as it was told. What was held
back is passed on with the member's next heartbeat after the fault is over: clients say it only once.
"""

from __future__ import annotations

from typing import Any

from muster.testing.faults import FaultBook


class HeldRevocations:
    def __init__(self, book: FaultBook) -> None:
        self._book = book
        self._held: dict[str, Any] = {}
        """Member id -> the partitions that it last said it has."""

    def pass_on(self, message: Any) -> Any:
        """The message as the handler gets it. Joins and goodbyes are left alone."""
        member_id = message.member_id
        if message.member_epoch <= 0:
            self._held.pop(member_id, None)
            return message
        fault = self._book.holds_revocation_of(message.group_id, member_id)
        if fault is None:
            held = self._held.pop(member_id, None)
            return message if held is None or message.topic_partitions is not None else _with(message, held)
        if message.topic_partitions is None:
            return message
        fault.use()
        self._held[member_id] = message.topic_partitions
        return _with(message, None)


def _with(message: Any, topic_partitions: Any) -> Any:
    return type(message)(**{**dict(message.fields()), "topic_partitions": topic_partitions})
