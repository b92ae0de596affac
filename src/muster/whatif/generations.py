"""A Kafka log has no journal, only generations: after each rebalance who was a member, with what settings, and who got what.

From them this makes the events that a journal would have had, with what has to be assumed, and `ASSUMED` says it with every answer:
nobody fell silent, whoever is missing in a generation had left; everything that a rebalance needed took `REACTION_MS`. So a replay
tells about rebalances and moved partitions, and compares times without an owner, but not how soon the dead are noticed. Pure.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from muster.core.assignors.contract import TopicPartition
from muster.whatif.leader import by_topic
from muster.whatif.recorded import DEFAULT_DELAY_MS
from muster.whatif.stretch import CannotReplay
from muster.wire.consumer_protocol import Assignment, encode_assignment

REACTION_MS: Final = 1_500
"""Half of `heartbeat.interval.ms` by default: members hear of a rebalance with their next heartbeat."""
FROM_GENERATIONS: Final = (
    "from generations, as if members had left rather than fallen silent,"
    f" and everybody had joined again within {REACTION_MS} ms"
)
ASSUMED: Final = f"Kafka keeps no journal: {FROM_GENERATIONS}"


def journal_of(group: str, generations: Sequence[Mapping[str, Any]]) -> list[str]:
    """`generations`: of one group in log order, each with `at_ms` and `generation`, the lake's column; None: the group was removed.

    Numbers begin at 1, whatever the first is in the log: what was compacted away counts for nothing. CannotReplay if there is none.
    """
    writer = _EventWriter(group, _initial_delay_ms(generations))
    for each in generations:
        writer.take(each["at_ms"], each["generation"])
    if not writer.events:
        raise CannotReplay("the log has no generation of it")
    return [json.dumps(event) for event in writer.events]


def _initial_delay_ms(generations: Sequence[Mapping[str, Any]]) -> int:
    """The default, unless a first generation came sooner after the record before it, which says that the group was empty."""
    pairs = [(before, now) for before, now in pairwise(generations) if _has_members(now) and not _has_members(before)]
    shown_ms: list[int] = [max(0, now["at_ms"] - before["at_ms"]) for before, now in pairs]
    return min([DEFAULT_DELAY_MS, *shown_ms])


def _has_members(record: Mapping[str, Any]) -> bool:
    return record["generation"] is not None and bool(record["generation"]["members"])


class _EventWriter:
    """The events that one record of a generation after the other leads to."""

    def __init__(self, group: str, delay_ms: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._group = group
        self._delay_ms = delay_ms
        self._generation = 0
        self._number: int | None = None
        """Of the last record, as the log numbers them."""
        self._members: dict[str, Mapping[str, Any]] = {}
        self._leader: str | None = None
        self._last_ms = 0

    def take(self, at_ms: int, stored: Mapping[str, Any] | None) -> None:
        members = {each["member_id"]: each for each in (stored["members"] or ())} if stored is not None else {}
        if stored is not None and members and stored["protocol_type"] != "consumer":
            raise CannotReplay("its members are no consumers")
        if stored is not None and members and stored["generation"] == self._number:
            self._replace_static(at_ms, members)
        elif stored is not None and members:
            self._rebalance(at_ms, stored, members)
        elif self._members:
            self._empty(at_ms)
        self._members = members
        self._number = None if stored is None else stored["generation"]
        self._last_ms = at_ms

    def _write(self, kind: str, at_ms: int, cause: str, member: Mapping[str, Any] | None = None, **detail: Any) -> None:
        event: dict[str, Any] = {"kind": kind, "at_ms": at_ms, "group": self._group}
        event |= {"generation": self._generation, "cause": cause}
        if member is not None:
            event |= {"member": member["member_id"], "client": member["client_id"], "host": member["client_host"]}
            event |= {"instance": member["instance_id"]} if member["instance_id"] is not None else {}
        self.events.append(event | detail)

    def _replace_static(self, at_ms: int, members: Mapping[str, Mapping[str, Any]]) -> None:
        """Written again in the same generation: static members that came back (KIP-345)."""
        before = {each["instance_id"]: member_id for member_id, each in self._members.items() if each["instance_id"]}
        for member_id, each in members.items():
            old = before.get(each["instance_id"])
            if old is not None and old != member_id:
                self._write("static_replaced", at_ms, "static_member_returned", each, old_member_id=old)

    def _rebalance(self, at_ms: int, stored: Mapping[str, Any], members: Mapping[str, Mapping[str, Any]]) -> None:
        if self._members:
            start_ms = at_ms - min(REACTION_MS, (at_ms - self._last_ms) // 2)
        else:  # the first join phase goes on once if a second member comes in its time
            start_ms = max(at_ms - self._delay_ms * min(2, len(members)), self._last_ms)
        if not self.events:
            self._write("group_created", start_ms, "new_member")
        self._begin(start_ms, members)
        for member_id, each in members.items():
            if member_id in self._members:
                self._write("member_rejoined", at_ms, "rejoined", each)
        cause = "all_joined" if self._members else self._end_first(start_ms, members)
        self._generation += 1
        self._leader = stored["leader"]
        about = {"leader": self._leader, "protocol": stored["protocol"], "members": len(members)}
        settings = [_settings(each, stored["protocol"]) for each in members.values()]
        self._write("join_completed", at_ms, cause, **about, settings=settings)
        given = {member_id: _assigned(each) for member_id, each in members.items()}
        self._write("rebalance_ended", at_ms, "assignment_stored", **about, result="stable", assignments=given)

    def _end_first(self, start_ms: int, members: Mapping[str, Mapping[str, Any]]) -> str:
        """The cause of the end of a first join phase. It tells the initial delay only where the log shows that."""
        if self._delay_ms == DEFAULT_DELAY_MS:
            return "all_joined"
        if len(members) > 1:
            self._write("join_extended", start_ms + self._delay_ms, "newcomer_in_window")
        return "initial_delay_over"

    def _begin(self, start_ms: int, members: Mapping[str, Mapping[str, Any]]) -> None:
        """Who came and who left; if nobody did, the leader asked for it."""
        was_empty, is_begun = not self._members, False
        changes = [("member_left", each) for member_id, each in self._members.items() if member_id not in members]
        changes += [("member_joined", each) for member_id, each in members.items() if member_id not in self._members]
        leader = self._members.get(self._leader or "") or next(iter(members.values()))
        for kind, each in changes or [("member_rejoined", leader)]:
            cause = {"member_left": "member_left", "member_joined": "new_member"}.get(kind, "leader_rejoined")
            self._write(kind, start_ms, cause, each)
            if not is_begun:
                self._write("rebalance_started", start_ms, cause, each)
                change: dict[str, Any] = {"from": "Empty" if was_empty else "Stable", "to": "PreparingRebalance"}
                self._write("state_changed", start_ms, cause, **change)
                is_begun = True

    def _empty(self, at_ms: int) -> None:
        for number, each in enumerate(self._members.values()):
            self._write("member_left", at_ms, "member_left", each)
            if not number:
                self._write("rebalance_started", at_ms, "member_left", each)
        self._generation += 1
        self._write("rebalance_ended", at_ms, "nobody_left", members=0, result="empty")


def _settings(member: Mapping[str, Any], protocol: str | None) -> dict[str, Any]:
    return {
        "session_timeout_ms": member["session_timeout_ms"],
        "rebalance_timeout_ms": member["rebalance_timeout_ms"],
        "protocols": [protocol or "range"],
        "topics": member["topics"],
        "members": [member["member_id"]],
    }


def _assigned(member: Mapping[str, Any]) -> str:
    places = [TopicPartition(each["topic"], each["partition"]) for each in member["assigned"] or ()]
    return b64encode(encode_assignment(Assignment(by_topic(places)))).decode()
