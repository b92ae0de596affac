"""From one generation to the next: starting a join phase, its timer, and its end (spec 3.5 to 3.7).

Who may join is decided in the join files, what is assigned in `sync`. Called by whatever changes membership or metadata.
"""

from __future__ import annotations

from muster.core.classic.election import elect_joined_leader, select_protocol
from muster.core.classic.group import CONSUMER_PROTOCOL_TYPE, Group, InitialWindow, RebalanceTrace
from muster.core.classic.member import Member
from muster.core.classic.membership import answer_join, answer_sync, remove_member
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
from muster.core.classic.turn import Turn
from muster.core.contract import Step
from muster.core.journal import Cause
from muster.core.replies import JoinedMember, JoinReply, SyncReply
from muster.wire import errors

LEAST_WAIT_FOR_ABSENT_MS = 1_000
"""Deviates: Kafka waits for the rebalance timeout, so one of 0 has it look again without a pause until a session ends."""


def start_or_go_on(
    group: Group, turn: Turn, cause: Cause, member: Member | None = None, reason: str | None = None
) -> None:
    """Start a join phase; if one runs already, see whether this was the last thing it waited for."""
    if group.state in CAN_REBALANCE:
        start(group, turn, cause, member, reason)
    else:
        complete_if_all_joined(group, turn)


def start(group: Group, turn: Turn, cause: Cause, member: Member | None = None, reason: str | None = None) -> None:
    """Begin a join phase. `member` and `reason` tell the journal who caused it and what it said."""
    if group.state is COMPLETING_REBALANCE:
        note_rebalance_end(group, turn, cause, "interrupted")
        reset_assignments(group, SyncReply(errors.REBALANCE_IN_PROGRESS), turn)
    group.pending_syncs.clear()
    turn.cancel_timer(group.sync_key)
    from_empty = group.state is EMPTY
    turn.counters.started_rebalances += 1
    group.trace = RebalanceTrace(turn.now_ms, cause)
    note_rebalance_start(group, turn, cause, member, reason)
    turn.move(group, PREPARING_REBALANCE, cause)
    if from_empty:
        _open_window(group, turn)
    elif group.all_joined:
        complete(group, turn, "all_joined")
    else:
        _set_join_timer(group, turn, group.rebalance_timeout_ms)


def reset_assignments(group: Group, reply: SyncReply, turn: Turn) -> None:
    """Nobody has an assignment any more; parked SyncGroups hear why, and their members' sessions begin anew."""
    for member in group.members.values():
        member.assignment = b""
        if answer_sync(member, reply, turn):
            turn.start_session(member)


def complete_if_all_joined(group: Group, turn: Turn) -> None:
    """End the join phase if nobody is missing. An initial one never ends early (spec 3.6).

    Deviates: in Kafka the expiry of a pending or new member ends an initial join phase early (spec 13.8).
    """
    if group.state is PREPARING_REBALANCE and group.window is None and group.all_joined:
        complete(group, turn, "all_joined")


def on_join_timer(group: Group, turn: Turn) -> None:
    if group.state is not PREPARING_REBALANCE:
        return
    window = group.window
    if window is None:
        complete(group, turn, "join_timeout")
    elif window.newcomer and window.remaining_ms != 0:
        _extend_window(group, window, turn)
    else:
        complete(group, turn, "initial_delay_over")


def complete(group: Group, turn: Turn, cause: Cause) -> None:
    """End the join phase: a new generation with those who joined, or an Empty group."""
    turn.cancel_timer(group.join_key)
    _drop_absent(group, turn)
    if not elect_joined_leader(group):
        # Only static members remain and none of them is here: wait on, in the same generation (T073).
        delay_ms = max(group.rebalance_timeout_ms, LEAST_WAIT_FOR_ABSENT_MS)
        deadline_ms = _set_join_timer(group, turn, delay_ms)
        turn.note("join_extended", group, "only_absent_static_members", detail={"deadline_ms": deadline_ms})
        return
    group.window = None
    group.generation += 1
    if group.members:
        _begin_generation(group, turn, cause)
    else:
        _become_empty(group, turn)


def _open_window(group: Group, turn: Turn) -> None:
    """The first members of an Empty group wait for company, so that it does not rebalance once per newcomer."""
    delay_ms = turn.config.initial_rebalance_delay_ms
    group.window = InitialWindow(delay_ms, max(group.rebalance_timeout_ms - delay_ms, 0))
    _set_join_timer(group, turn, delay_ms)


def _extend_window(group: Group, window: InitialWindow, turn: Turn) -> None:
    elapsed_ms = window.delay_ms
    window.newcomer = False
    window.delay_ms = min(turn.config.initial_rebalance_delay_ms, window.remaining_ms)
    window.remaining_ms = max(window.remaining_ms - elapsed_ms, 0)
    deadline_ms = _set_join_timer(group, turn, window.delay_ms)
    turn.note("join_extended", group, "newcomer_in_window", detail={"deadline_ms": deadline_ms})


def _set_join_timer(group: Group, turn: Turn, delay_ms: int) -> int:
    """Clients may ask for a rebalance timeout of 0 or less: the phase is then over at once (spec 3.5)."""
    deadline_ms = turn.now_ms + max(delay_ms, 0)
    turn.set_timer(group.join_key, deadline_ms)
    return deadline_ms


def _drop_absent(group: Group, turn: Turn) -> None:
    """Dynamic members that did not join again are out; static ones have until their session ends (KIP-345, T071)."""
    if group.awaiting_joins == len(group.members):
        return
    absent = [m for m in group.members.values() if m.parked_join is None and not m.is_static]
    for member in absent:
        note_expelled(group, turn, "rejoin_missed", member)
        remove_member(group, member, turn)
    if group.trace is not None:
        group.trace.dropped += tuple(member.member_id for member in absent)


def _become_empty(group: Group, turn: Turn) -> None:
    """If the record is lost the group is Empty all the same; only a LeaveGroup that led here hears of it (spec 3.7)."""
    group.protocol_name = None
    group.leader = group.generation_leader = None
    if group.protocol_type == CONSUMER_PROTOCOL_TYPE:
        group.subscribed_topics = frozenset()
    turn.move(group, EMPTY, "nobody_left")
    note_rebalance_end(group, turn, "nobody_left", "empty")
    turn.records.append(stored_group(group, {}))
    turn.step = Step("emptied", group.group_id, group.generation)


def _begin_generation(group: Group, turn: Turn, cause: Cause) -> None:
    group.protocol_name = select_protocol(group)
    group.subscribed_topics = subscribed_topics(group)
    turn.move(group, COMPLETING_REBALANCE, cause)
    note_generation(group, turn, cause)
    for member in group.members.values():
        answer_join(group, member, joined_reply(group, member), turn)
        turn.start_session(member)
        member.is_new = False
        group.pending_syncs[member.member_id] = None
    turn.set_timer(group.sync_key, turn.now_ms + max(group.rebalance_timeout_ms, 0))


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
