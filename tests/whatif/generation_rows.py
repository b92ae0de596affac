"""Generations of a classic group as the lake's column `generation` has them."""

from __future__ import annotations

from typing import Any

Member = dict[str, Any]


def member(
    member_id: str, *, instance: str | None = None, max_poll_ms: int = 300_000, session_ms: int = 10_000
) -> Member:
    """Its client id is what comes before the dash."""
    return {
        "member_id": member_id,
        "instance_id": instance,
        "client_id": member_id.partition("-")[0],
        "client_host": "/127.0.0.1",
        "rebalance_timeout_ms": max_poll_ms,
        "session_timeout_ms": session_ms,
        "topics": ["orders"],
        "assigned": [],
    }


def generation(at_ms: int, number: int, *members: Member, partitions: int = 4) -> dict[str, Any]:
    """The partitions go round the members in their order."""
    held: list[list[dict[str, Any]]] = [[] for _ in members]
    for partition in range(partitions) if members else ():
        held[partition * len(members) // partitions].append({"topic": "orders", "partition": partition})
    given = [{**each, "assigned": parts} for each, parts in zip(members, held, strict=True)]
    return {
        "at_ms": at_ms,
        "generation": {
            "generation": number,
            "protocol_type": "consumer",
            "protocol": "range",
            "leader": members[0]["member_id"] if members else None,
            "members": given,
        },
    }
