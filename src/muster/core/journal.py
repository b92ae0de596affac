"""The events that explain a rebalance. From these alone one can tell when it began, who caused it, who was waited for.

An event says what happened (`kind`), why (`cause`, our word, from a closed list), and what the client itself gave as its
reason (JoinGroup v8+, LeaveGroup v5+). Heartbeats and commits are not events; a transaction is one only if somebody waited
for it, or could have for long (`offsets.waits`). The core makes events; the runtime writes them.

| kind | says | detail |
|---|---|---|
| group_created | a JoinGroup made the group | |
| group_removed | the group is gone for good | |
| member_id_given | MEMBER_ID_REQUIRED: an id was handed out (KIP-394) | |
| member_joined | a member was added; its JoinGroup is parked | static |
| member_rejoined | a known member sent JoinGroup; cause `unchanged` if it was answered at once | |
| member_left | it went by itself, or an administrator took it out | |
| member_expelled | the coordinator dropped it | session_timeout_ms, rebalance_timeout_ms |
| pending_id_dropped | a handed-out id left, expired or found no room | |
| static_replaced | a static member has a new id, the old one is fenced from now on | old_member_id, was_leader |
| static_restored | that could not be stored, so the old id counts again | failed_member_id |
| rebalance_started | a join phase began; the member is who triggered it | |
| join_extended | the join phase goes on although its timer ran out | deadline_ms |
| join_completed | a new generation began | A, settings |
| leader_elected | another member than before leads; the member is the new leader | previous |
| rebalance_ended | Stable, Empty, or cut short by the cause | A, result, sync_phase_ms, assignments |
| state_changed | any move between states | from, to |
| denied | somebody may not do this with the group; it may not exist. Generation -1 | principal, operation, api |
| offsets_awaited | an OffsetFetch was refused, for a transaction holds back the offsets; the member, if known, is who asked | H |
| offsets_released | that transaction has ended; or one that held offsets back for long, though nobody waited | H |
| query_tracked | the first commit of a tracked streaming query in a run. Generation -1 | query_id, run_id, batch_id, duration_ms |
| epoch_raised | the group epoch is one higher; the member is who caused it, or whose heartbeat showed it | added, dropped, regex |
| target_assigned | the member's heartbeat made a target for the epoch | assignor, members, given, taken (P by member id), T |
| revocation_started | a member was told to give partitions up and still owns them | partitions (P), rebalance_timeout_ms |
| revocation_completed | it has given them up | partitions (P), waited_ms |
| partitions_awaited | a member waits for partitions that others have | partitions, given (P), held_by (P by member id) |
| member_reconciled | a member has all that the target gives it | member_epoch, given (P), took_ms (since the target was made) |
| member_fenced | a heartbeat came with an epoch or an instance id that is not the member's own | epoch, error |
| regex_resolved | a regular expression is new, or matches other topics than before | regex, matches, added, dropped |
| static_left | a static member left for a while and keeps its partitions | |
| group_upgraded | a classic group became a consumer group | from, members |
| group_downgraded | a consumer group became a classic group | from, members |

A: leader, protocol, members (how many), started_ms, started_by (the cause of its start), join_phase_ms, dropped (member ids),
waited_for (the last member to join) and waited_ms (how long after the start it did). assignments: base64 by member id.
H: producer_id, producer_epoch, transactional_id (if known), offsets (how many), partitions (some, by topic), unstable_ms, and if
somebody waited refusals (how many) and waited_ms (since the first).
P: partition numbers by topic name.
T: what the group is set to: session_timeout_ms, heartbeat_interval_ms, assignment_interval_ms.
From epoch_raised on all are of consumer groups (KIP-848), where the generation is the group epoch. There member_left and
member_expelled also have partitions (P), and revoking (P) and waited_ms of a member that had yet to give some up; member_joined
and static_replaced have topics, regex (if it has one) and rebalance_timeout_ms of the member.
settings: what the members ask for, once per distinct answer: session_timeout_ms, rebalance_timeout_ms, protocols (names, in
their order), topics (of consumers), members (ids).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from muster.wire.value import Value

Kind: TypeAlias = Literal[
    "group_created",
    "group_removed",
    "member_id_given",
    "member_joined",
    "member_rejoined",
    "member_left",
    "member_expelled",
    "pending_id_dropped",
    "static_replaced",
    "static_restored",
    "rebalance_started",
    "join_extended",
    "join_completed",
    "leader_elected",
    "rebalance_ended",
    "state_changed",
    "denied",
    "offsets_awaited",
    "offsets_released",
    "query_tracked",
    "epoch_raised",
    "target_assigned",
    "revocation_started",
    "revocation_completed",
    "partitions_awaited",
    "member_reconciled",
    "member_fenced",
    "regex_resolved",
    "static_left",
    "group_upgraded",
    "group_downgraded",
]

Cause: TypeAlias = Literal[
    "first_member",  # somebody joined an empty group, which rebalances for it
    "new_member",  # somebody joined who was not in the group
    "unchanged",  # a re-join that changes nothing
    "rejoined",  # a re-join while the join phase runs
    "leader_rejoined",  # the leader asks for a new round
    "metadata_changed",  # a member's protocols or subscriptions changed
    "static_member_returned",  # a static member's process restarted
    "member_left",
    "pending_id_left",
    "session_expired",
    "pending_id_expired",
    "new_member_expired",  # parked for 300 s without a generation, or silent after its first heartbeat
    "rejoin_missed",  # did not join again within the rebalance timeout
    "sync_missed",  # did not sync within the rebalance timeout
    "revocation_missed",  # did not give partitions up within the rebalance timeout
    "subscription_changed",  # a member subscribes to other topics, by name or by regular expression
    "regex_resolved",  # a regular expression matches other topics than before
    "topics_changed",  # a subscribed topic came, went or got more partitions
    "migration",  # between the classic and the new group protocol
    "wrong_epoch",  # the member is at another epoch
    "instance_taken",  # another process is the static member of this instance id
    "group_full",  # group.max.size
    "group_too_large",  # group.max.size was lowered below the group's size
    "append_failed",  # the log refused the records
    "all_joined",
    "join_timeout",
    "initial_delay_over",
    "newcomer_in_window",  # group.initial.rebalance.delay.ms runs once more
    "only_absent_static_members",
    "first_leader",
    "leader_absent",  # a static leader that did not join again in time
    "leader_gone",
    "assignment_stored",
    "epoch_raised",  # the group epoch is above that of the target
    "new_target",
    "given_up",  # the member says that it does not have these partitions any more
    "not_given_up",  # others still have the partitions
    "all_reconciled",  # every member has what the target gives it
    "nobody_left",
    "deleted",  # DeleteGroups
    "expired",  # Empty and without offsets
    "unloaded",  # this node no longer owns the partition
    "taken_over",  # another node owns it from now on, and read it from the log
    "forced",  # no member asked for it: a test or an operator did
    "not_authorized",  # no rule allows it, or one denies it
    "transaction_open",  # it has offsets of the group, and no end marker yet
    "transaction_committed",
    "transaction_aborted",  # by its producer, by the next producer of its transactional id, or by its timeout
    "new_run",  # a query was started, or started again
]


class JournalEvent(Value):
    __match_args__ = (
        "kind",
        "at_ms",
        "group_id",
        "generation",
        "cause",
        "member_id",
        "instance_id",
        "client_id",
        "client_host",
        "reason",
        "detail",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        kind: Kind,
        at_ms: int,
        group_id: str,
        generation: int,
        cause: Cause,
        member_id: str | None = None,
        instance_id: str | None = None,
        client_id: str | None = None,
        client_host: str | None = None,
        reason: str | None = None,
        detail: dict[str, object] | None = None,
    ) -> None:
        self.kind = kind
        self.at_ms = at_ms
        self.group_id = group_id
        self.generation = generation
        self.cause = cause
        self.member_id = member_id
        self.instance_id = instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.reason = reason
        self.detail: dict[str, object] = {} if detail is None else detail
        """JSON values only; which ones is in the table above."""

    def to_json(self) -> dict[str, object]:
        """A flat object. What is not known is left out."""
        known: dict[str, object] = {
            "kind": self.kind,
            "at_ms": self.at_ms,
            "group": self.group_id,
            "generation": self.generation,
            "cause": self.cause,
        }
        optional = (
            ("member", self.member_id),
            ("instance", self.instance_id),
            ("client", self.client_id),
            ("host", self.client_host),
            ("reason", self.reason),
        )
        known.update((name, value) for name, value in optional if value is not None)
        known.update(self.detail)
        return known

    def __repr__(self) -> str:
        who = f" {self.member_id}" if self.member_id is not None else ""
        said = f" ({self.reason!r})" if self.reason else ""
        return f"<{self.at_ms} {self.group_id} g{self.generation} {self.kind}{who}: {self.cause}{said}>"
