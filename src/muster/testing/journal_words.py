"""Journal events as lines that people read: when, in which generation, what happened to whom and why.

Takes the events as the core made them. The words for kinds and causes are tables here; `docs/journal.md` defines them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from muster.core.journal import JournalEvent

_KINDS: Final = {
    "group_created": "the group was created",
    "group_removed": "the group is gone",
    "member_id_given": "{who} was given a member id",
    "member_joined": "{who} joined",
    "member_rejoined": "{who} joined again",
    "member_left": "{who} left",
    "member_expelled": "{who} was expelled",
    "pending_id_dropped": "the member id given to {who} was dropped",
    "static_replaced": "{who} came back under a new member id; {old_member_id} is fenced",
    "static_restored": "the old member id of {who} counts again; {failed_member_id} could not be stored",
    "rebalance_started": "a rebalance began{by}",
    "join_extended": "the join phase goes on",
    "join_completed": "generation {generation} began with {members} members under {protocol}",
    "leader_elected": "{who} leads now",
    "rebalance_ended": "the rebalance ended: {result}",
    "state_changed": "{from} -> {to}",
    "denied": "{principal} may not {operation} ({api})",
    "offsets_awaited": "{who} waits for {offsets} offsets that transaction {transactional_id} of producer {producer_id} holds back",
    "offsets_released": "transaction {transactional_id} of producer {producer_id} released {offsets} offsets, {unstable_ms} ms old",
    "query_tracked": "run {run_id} of streaming query {query_id} is tracked, from micro-batch {batch_id} on",
    "epoch_raised": "the group epoch is {generation} now{by}",
    "target_assigned": "a target was assigned to {members} members by {assignor}",
    "revocation_started": "{who} is to give up {partitions}",
    "revocation_completed": "{who} gave up {partitions} after {waited_ms} ms",
    "partitions_awaited": "{who} waits for {partitions}, which {holders} has",
    "member_reconciled": "{who} has all that epoch {member_epoch} gives it, {took_ms} ms after the target",
    "member_fenced": "{who} was fenced ({error})",
    "regex_resolved": "{regex} matches {matches} topics",
    "static_left": "{who} left for a while and keeps its partitions",
    "group_upgraded": "the group speaks the consumer protocol now",
    "group_downgraded": "the group speaks the classic protocol again",
}

_CAUSES: Final = {
    "first_member": "the first member",
    "new_member": "a new member",
    "unchanged": "nothing changed for it",
    "rejoined": "the join phase was running",
    "leader_rejoined": "the leader asked for a new round",
    "metadata_changed": "its protocols or subscription changed",
    "static_member_returned": "a static member's process restarted",
    "session_expired": "no heartbeat within the session timeout",
    "pending_id_expired": "it did not come back with its id in time",
    "new_member_expired": "it went silent before its first generation",
    "rejoin_missed": "it did not join again within the rebalance timeout",
    "sync_missed": "it did not sync within the rebalance timeout",
    "revocation_missed": "it did not give partitions up within the rebalance timeout",
    "subscription_changed": "a subscription changed",
    "regex_resolved": "an expression matches other topics",
    "topics_changed": "a subscribed topic came, went or grew",
    "migration": "members moved from one group protocol to the other",
    "wrong_epoch": "it is at another epoch",
    "instance_taken": "another process has its instance id",
    "group_full": "group.max.size is reached",
    "group_too_large": "the group is larger than group.max.size",
    "append_failed": "the log refused the records",
    "all_joined": "everybody has joined",
    "join_timeout": "the rebalance timeout ran out",
    "initial_delay_over": "group.initial.rebalance.delay.ms is over",
    "newcomer_in_window": "somebody new came within group.initial.rebalance.delay.ms",
    "only_absent_static_members": "only static members remain and none of them is here",
    "leader_absent": "the static leader did not join in time",
    "leader_gone": "the leader before is gone",
    "assignment_stored": "the assignment is durable",
    "all_reconciled": "everybody has what the target gives it",
    "nobody_left": "nobody is left",
    "deleted": "it was deleted",
    "expired": "it was empty and had no offsets",
    "unloaded": "the coordinator moved away",
    "forced": "the test asked for it",
    "not_authorized": "the rules do not allow it",
    "transaction_committed": "it was committed",
    "transaction_aborted": "it was aborted",
}
"""Causes that say no more than the kind of event does are not here."""


def line(event: JournalEvent) -> str:
    at = datetime.fromtimestamp(event.at_ms / 1000, UTC)
    return f"{at:%H:%M:%S}.{event.at_ms % 1000:03} g{event.generation} {_what(event)}{_why(event)}"


def _what(event: JournalEvent) -> str:
    who = _who(event)
    fields = {
        "who": who or "a member",
        "by": f", caused by {who}" if who else "",
        "generation": event.generation,
        "holders": " and ".join(map(str, _entries(event.detail.get("held_by")))) or "nobody",
        **event.detail,
    }
    if "partitions" in fields:
        fields["partitions"] = _partitions(fields["partitions"])
    if event.kind == "state_changed" and event.cause == "unloaded":
        return "the coordinator let go of the group"  # its state goes on elsewhere: here it was not Dead
    words = _KINDS[event.kind].format_map(_Known(fields))
    if event.kind == "rebalance_ended" and event.detail.get("result") == "stable":
        joining_ms, syncing_ms = event.detail.get("join_phase_ms", 0), event.detail.get("sync_phase_ms", 0)
        words += f" after {joining_ms} ms of joining, {syncing_ms} ms of syncing"
    return words


def _why(event: JournalEvent) -> str:
    why = _CAUSES.get(event.cause)
    said = f'the client says "{event.reason}"' if event.reason else None
    both = "; ".join(text for text in (why, said) if text)
    return f" ({both})" if both else ""


def _entries(told: object) -> dict[object, object]:
    return told if isinstance(told, dict) else {}


def _partitions(told: object) -> str:
    """orders 0, 1; audit 0."""
    named = [f"{topic} {', '.join(map(str, _numbers(numbers)))}" for topic, numbers in _entries(told).items()]
    return "; ".join(named) or "nothing"


def _numbers(told: object) -> list[object]:
    return told if isinstance(told, list) else []


def _who(event: JournalEvent) -> str:
    name = event.instance_id or event.client_id
    if name and event.member_id and event.member_id != name:
        return f"{name} [{_short(event.member_id)}]"
    return name or event.member_id or ""


def _short(member_id: str) -> str:
    """Clients put their name before a UUID; its last digits tell members apart."""
    return f"..{member_id[-6:]}" if len(member_id) > 36 else member_id


class _Known(dict[str, object]):
    """An event of an unusual shape must not keep the rest from being shown."""

    def __missing__(self, name: str) -> str:
        return "unknown"
