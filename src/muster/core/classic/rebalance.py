"""From one generation to the next: starting a join phase, its timer, and its end (spec 3.5 to 3.7).

Who may join is decided in the join files, what is assigned in `sync`. Called by whatever changes membership or metadata.
"""

from __future__ import annotations

from muster.core.classic.election import elect_joined_leader, select_protocol
from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group, InitialWindow, RebalanceTrace
from muster.core.classic.member import Member
from muster.core.classic.membership import remove_member, reply_to_join, reply_to_sync
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance_notes import (
    note_expelled,
    note_generation,
    note_rebalance_end,
    note_rebalance_start,
)
from muster.core.classic.states import (
    CAN_REBALANCE,
    COMPLETING_REBALANCE,
    EMPTY,
    PREPARING_REBALANCE,
)
from muster.core.classic.stored import stored_group
from muster.core.classic.subscription import subscribed_topics
from muster.core.journal import Cause
from muster.core.replies import JoinedMember, JoinReply, SyncReply
from muster.wire import errors

LEAST_WAIT_FOR_ABSENT_MS = 1_000
"""Deviates: Kafka waits for the rebalance timeout, so one of 0 has it look again without a pause until a session ends."""


def start_or_go_on(
    group: Group, builder: OutcomeBuilder, cause: Cause, member: Member | None = None, reason: str | None = None
) -> None:
    """Start a join phase; if one runs already, see whether this was the last thing it waited for."""
    if group.state in CAN_REBALANCE:
        start(group, builder, cause, member, reason)
    else:
        complete_if_all_joined(group, builder)


def start(
    group: Group, builder: OutcomeBuilder, cause: Cause, member: Member | None = None, reason: str | None = None
) -> None:
    """Begin a join phase. `member` and `reason` tell the journal who caused it and what it said."""
    if group.state is COMPLETING_REBALANCE:
        note_rebalance_end(group, builder, cause, "interrupted")
        reset_assignments(group, SyncReply(errors.REBALANCE_IN_PROGRESS), builder)
    group.pending_syncs.clear()
    builder.cancel_timer(group.sync_key)
    from_empty = group.state is EMPTY
    builder.counters.started_rebalances += 1
    group.trace = RebalanceTrace(builder.now_ms, cause)
    note_rebalance_start(group, builder, cause, member, reason)
    builder.move(group, PREPARING_REBALANCE, cause)
    if from_empty:
        _open_window(group, builder)
    elif group.all_joined:
        complete(group, builder, "all_joined")
    else:
        _set_join_timer(group, builder, group.rebalance_timeout_ms)


def reset_assignments(group: Group, reply: SyncReply, builder: OutcomeBuilder) -> None:
    """Nobody has an assignment any more; parked SyncGroups hear why, and their members' sessions begin anew."""
    for member in group.members.values():
        member.assignment = b""
        if reply_to_sync(member, reply, builder):
            builder.start_session(member)


def complete_if_all_joined(group: Group, builder: OutcomeBuilder) -> None:
    """End the join phase if nobody is missing. An initial one never ends early (spec 3.6).

    Deviates: in Kafka the expiry of a pending or new member ends an initial join phase early (spec 13.8).
    """
    if group.state is PREPARING_REBALANCE and group.window is None and group.all_joined:
        complete(group, builder, "all_joined")


def on_join_timer(group: Group, builder: OutcomeBuilder) -> None:
    if group.state is not PREPARING_REBALANCE:
        return
    window = group.window
    if window is None:
        complete(group, builder, "join_timeout")
    elif window.newcomer and window.remaining_ms != 0:
        _extend_window(group, window, builder)
    else:
        complete(group, builder, "initial_delay_over")


def complete(group: Group, builder: OutcomeBuilder, cause: Cause) -> None:
    """End the join phase: a new generation with those who joined, or an Empty group."""
    builder.cancel_timer(group.join_key)
    _drop_absent(group, builder)
    if not elect_joined_leader(group):
        # Only static members remain and none of them is here: wait on, in the same generation (T073).
        delay_ms = max(group.rebalance_timeout_ms, LEAST_WAIT_FOR_ABSENT_MS)
        deadline_ms = _set_join_timer(group, builder, delay_ms)
        builder.note("join_extended", group, "only_absent_static_members", detail={"deadline_ms": deadline_ms})
        return
    group.window = None
    group.generation += 1
    if group.members:
        _begin_generation(group, builder, cause)
    else:
        _become_empty(group, builder)


def _open_window(group: Group, builder: OutcomeBuilder) -> None:
    """The first members of an Empty group wait for company, so that it does not rebalance once per newcomer."""
    delay_ms = builder.config.initial_rebalance_delay_ms
    group.window = InitialWindow(delay_ms, max(group.rebalance_timeout_ms - delay_ms, 0))
    _set_join_timer(group, builder, delay_ms)


def _extend_window(group: Group, window: InitialWindow, builder: OutcomeBuilder) -> None:
    elapsed_ms = window.delay_ms
    window.newcomer = False
    window.delay_ms = min(builder.config.initial_rebalance_delay_ms, window.remaining_ms)
    window.remaining_ms = max(window.remaining_ms - elapsed_ms, 0)
    deadline_ms = _set_join_timer(group, builder, window.delay_ms)
    builder.note("join_extended", group, "newcomer_in_window", detail={"deadline_ms": deadline_ms})


def _set_join_timer(group: Group, builder: OutcomeBuilder, delay_ms: int) -> int:
    """Clients may ask for a rebalance timeout of 0 or less: the phase is then over at once (spec 3.5)."""
    deadline_ms = builder.now_ms + max(delay_ms, 0)
    builder.set_timer(group.join_key, deadline_ms)
    return deadline_ms


def _drop_absent(group: Group, builder: OutcomeBuilder) -> None:
    """Dynamic members that did not join again are out; static ones have until their session ends (KIP-345, T071)."""
    if group.awaiting_joins == len(group.members):
        return
    absent = [m for m in group.members.values() if m.parked_join is None and not m.is_static]
    for member in absent:
        note_expelled(group, builder, "rejoin_missed", member)
        remove_member(group, member, builder)
    if group.trace is not None:
        group.trace.dropped += tuple(member.member_id for member in absent)


def _become_empty(group: Group, builder: OutcomeBuilder) -> None:
    """If the record is lost the group is Empty all the same; only a LeaveGroup that led here hears of it (spec 3.7)."""
    group.protocol_name = None
    group.leader = group.generation_leader = None
    if group.protocol_type == CONSUMER_PROTOCOL_TYPE:
        group.subscribed_topics = frozenset()
    builder.move(group, EMPTY, "nobody_left")
    note_rebalance_end(group, builder, "nobody_left", "empty")
    builder.records.append(stored_group(group, {}))


def _begin_generation(group: Group, builder: OutcomeBuilder, cause: Cause) -> None:
    group.protocol_name = select_protocol(group)
    group.subscribed_topics = subscribed_topics(group)
    builder.move(group, COMPLETING_REBALANCE, cause)
    note_generation(group, builder, cause)
    for member in group.members.values():
        reply_to_join(group, member, joined_reply(group, member), builder)
        builder.start_session(member)
        member.is_new = False
        group.pending_syncs[member.member_id] = None
    builder.set_timer(group.sync_key, builder.now_ms + max(group.rebalance_timeout_ms, 0))


def joined_reply(group: Group, member: Member) -> JoinReply:
    """A member's place in the current generation. Only the leader hears of the others (T077)."""
    return JoinReply(
        errors.NONE,
        member.member_id,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader or "",
        members=member_list(group) if member.member_id == group.leader else (),
    )


def member_list(group: Group) -> tuple[JoinedMember, ...]:
    return tuple(
        JoinedMember(member.member_id, member.instance_id, member.metadata_for(group.protocol_name))
        for member in group.members.values()
    )
