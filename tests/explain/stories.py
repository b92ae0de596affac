"""Journals written by hand: a clock, members by short names, and the events that a coordinator would tell, in its order.

Only what the explaining side reads is told; `tests.explain.test_real_clients` shows that real coordinators tell the same.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from muster.explain.event import Event, event_of
from muster.explain.explanation import Explanation, explain
from muster.explain.facts import History
from muster.explain.fold import fold
from muster.wire.consumer_protocol import Assignment, encode_assignment

START_MS = 1_700_000_000_000
Owned = dict[str, list[int]]


class Story:
    """`at` moves with `after`. Partitions are those of one topic, `orders`, unless told otherwise."""

    def __init__(self, protocol: str = "range", session_ms: int = 10_000, rebalance_ms: int = 60_000) -> None:
        self.at = START_MS
        self.generation = 0
        self.protocol = protocol
        self.session_ms = session_ms
        self.rebalance_ms = rebalance_ms
        self.events: list[Event] = []
        self.instances: dict[str, str] = {}
        self.hosts: dict[str, str] = {}
        self.clients: dict[str, str] = {}
        self.topics: dict[str, list[str]] = {}
        self.offers: dict[str, list[str]] = {}
        self._began = 0
        self._cause = ""

    def after(self, ms: int) -> Story:
        self.at += ms
        return self

    def tell(self, kind: str, cause: str, member: str | None = None, reason: str | None = None, **detail: Any) -> None:
        told: dict[str, Any] = {
            "kind": kind,
            "at_ms": self.at,
            "group": "g",
            "generation": self.generation,
            "cause": cause,
            **detail,
        }
        if member is not None:
            told["member"] = member
            told["client"] = self.clients.get(member, member.split(".")[0])
            told["host"] = self.hosts.get(member, "/10.0.0.1")
            if member in self.instances:
                told["instance"] = self.instances[member]
        if reason is not None:
            told["reason"] = reason
        event = event_of(told)
        assert event is not None
        self.events.append(event)

    # -- what happens to members. Ids are a client's name, and a number after a dot for later ids of the same client.

    def created(self) -> None:
        self.tell("group_created", "new_member")

    def begin(self, cause: str, member: str | None = None, reason: str | None = None) -> None:
        self._began, self._cause = self.at, cause
        self.tell("rebalance_started", cause, member, reason)

    def joins(self, member: str, reason: str | None = None) -> None:
        """And starts a rebalance."""
        self.tell("member_joined", "new_member", member, reason, static=member in self.instances)
        self.begin("new_member", member, reason)

    def comes(self, member: str) -> None:
        """Into a join phase that runs."""
        self.tell("member_joined", "new_member", member, static=member in self.instances)

    def rejoins(self, *members: str, cause: str = "rejoined") -> None:
        for member in members:
            self.tell("member_rejoined", cause, member)

    def asks(self, member: str, cause: str = "leader_rejoined", reason: str | None = None) -> None:
        self.tell("member_rejoined", cause, member, reason)
        self.begin(cause, member, reason)

    def leaves(self, member: str, reason: str | None = None) -> None:
        self.tell("member_left", "member_left", member, reason)
        self.begin("member_left", member, reason)

    def expelled(self, member: str, cause: str) -> None:
        self.tell(
            "member_expelled",
            cause,
            member,
            session_timeout_ms=self.session_ms,
            rebalance_timeout_ms=self.rebalance_ms,
        )

    def dies(self, member: str) -> None:
        """Its session ran out."""
        self.expelled(member, "session_expired")
        self.begin("session_expired", member)

    # -- how a rebalance goes on

    def generation_begins(self, members: list[str], cause: str = "all_joined") -> None:
        self.generation += 1
        settings = [
            {
                "session_timeout_ms": self.session_ms,
                "rebalance_timeout_ms": self.rebalance_ms,
                "protocols": self.offers.get(member, [self.protocol]),
                "topics": self.topics.get(member, ["orders"]),
                "members": [member],
            }
            for member in members
        ]
        self.tell("join_completed", cause, settings=settings, **self._phase(members))

    def stable(self, owned: Owned, cause: str = "all_joined", sync_ms: int = 0) -> None:
        """The join phase ends now, and the assignment comes so long after."""
        self.generation_begins(list(owned), cause)
        self.after(sync_ms)
        assignments = {
            member: b64encode(encode_assignment(Assignment([("orders", numbers)] if numbers else []))).decode()
            for member, numbers in owned.items()
        }
        self.tell(
            "rebalance_ended", "assignment_stored", result="stable", assignments=assignments, **self._phase(list(owned))
        )
        self.tell("state_changed", "assignment_stored", **{"from": "CompletingRebalance", "to": "Stable"})

    def empty(self) -> None:
        self.generation += 1
        self.tell("rebalance_ended", "nobody_left", result="empty", **self._phase([]))
        self.tell("state_changed", "nobody_left", **{"from": "PreparingRebalance", "to": "Empty"})

    def interrupted(self, cause: str) -> None:
        self.tell("rebalance_ended", cause, result="interrupted", **self._phase([]))

    def _phase(self, members: list[str]) -> dict[str, Any]:
        return {
            "leader": members[0] if members else None,
            "protocol": self.protocol if members else None,
            "members": len(members),
            "started_ms": self._began,
            "started_by": self._cause,
            "join_phase_ms": self.at - self._began,
            "dropped": [],
        }

    # -- what is made of it

    @property
    def history(self) -> History:
        return fold(self.events, "g")

    @property
    def explanation(self) -> Explanation:
        return explain(self.history)

    def advice(self, rule: str) -> str | None:
        """The evidence and what to do, of this rule alone."""
        found = [each for each in self.explanation.advice if each.rule == rule]
        return f"{found[0].evidence} {found[0].what}" if found else None


def one_member(protocol: str = "range", **settings: int) -> Story:
    """`anna` alone owns orders 0 to 3, in generation 1."""
    story = Story(protocol, **settings)
    story.created()
    story.joins("anna")
    story.stable({"anna": [0, 1, 2, 3]}, "initial_delay_over")
    return story


def two_members(protocol: str = "range", **settings: int) -> Story:
    """`anna` owns orders 0 and 1, `boris` 2 and 3, in generation 2."""
    story = one_member(protocol, **settings)
    story.after(60_000).joins("boris")
    story.rejoins("anna")
    story.stable({"anna": [0, 1], "boris": [2, 3]})
    story.after(60_000)
    return story
