"""What one principal makes this node hold: groups, members, committed offsets, joins that wait. And no more than it may.

A group is its principal's who made it, or who was the first to be seen with it since its shard was loaded: Kafka's records do
not say who it was, so that is what can be known again. Counts may be too high for a while; they are set right from the shards
before anybody is refused. Asked by the handlers of JoinGroup, ConsumerGroupHeartbeat, SyncGroup and OffsetCommit; there is none
without limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from muster.core.classic.group import Group
from muster.core.consumer.group import ConsumerGroup
from muster.core.offsets.topic_offsets import TopicOffsets
from muster.runtime.tickets import Redeemable
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS, GROUP_MAX_SIZE_REACHED, NONE, POLICY_VIOLATION

if TYPE_CHECKING:
    from muster.core.shard import Shard

NO_LIMIT: Final = 2**31 - 1
RECOUNT_AFTER_MS: Final = 1_000
"""Somebody at his limit is counted anew no more often than this: being refused must not cost more than being served."""

UNSEEN: Final = 1_000


class UsageLimits(NamedTuple):
    groups: int = NO_LIMIT
    members: int = NO_LIMIT
    offsets: int = NO_LIMIT
    parked_joins: int = NO_LIMIT


class _Usage:
    """What one principal holds, as far as it is known."""

    __slots__ = ("counted_ms", "groups", "members", "offsets", "parked", "recount_at")

    def __init__(self) -> None:
        self.groups: dict[str, None] = {}
        self.members: dict[tuple[str, str], None] = {}
        """(group, member id), handed out ids among them."""
        self.offsets = 0
        self.parked: dict[Redeemable, bool] = {}
        """Joins that wait, and whether each is that of a new member."""
        self.counted_ms: int | None = None
        self.recount_at = UNSEEN
        """So many groups or members: time to forget those that are gone, whatever the limits are."""


class PrincipalUsage:
    def __init__(
        self, limits: UsageLimits, shard_of: Callable[[str], Shard | None], ticks_ms: Callable[[], int]
    ) -> None:
        self._limits = limits
        self._shard_of = shard_of
        self._ticks_ms = ticks_ms
        self._of_principals: dict[str, _Usage] = {}
        self._owners: dict[str, str] = {}
        """Group -> principal."""
        self.refused: dict[str, int] = dict.fromkeys(UsageLimits._fields, 0)

    # -- what handlers ask

    def why_no_join(self, principal: str, group_id: str, member_id: str, instance_id: str | None) -> int:
        """NONE, or the error to answer with. The error of waiting joins is one after which every client comes again; the
        others end its attempts, so that its user sees them."""
        shard = self._shard_of(group_id)
        if shard is None:
            return NONE  # the coordinator says what there is to say
        usage, group = self._usage_of(principal), self._group(group_id)
        if group is not None:
            self._claim_group(principal, group_id)
        elif not member_id and not self._has_room_for_group(principal):
            return self._refuse("groups", POLICY_VIOLATION)
        if member_id:
            self.seen(principal, group_id, member_id)
        elif not self._is_static_member(group, instance_id) and not self._has_room_for_member(principal):
            return self._refuse("members", GROUP_MAX_SIZE_REACHED)
        if len(usage.parked) >= self._limits.parked_joins:
            usage.parked = _still_parked(usage.parked)
            if len(usage.parked) >= self._limits.parked_joins:
                return self._refuse("parked_joins", COORDINATOR_LOAD_IN_PROGRESS)
        if group is None and not member_id:
            self._take_group(principal, group_id)
        return NONE

    def why_no_consumer(self, principal: str, group_id: str, member_id: str, instance_id: str | None) -> int:
        """The same for a member of the consumer protocol, which comes with an id of its own and never waits for others."""
        shard = self._shard_of(group_id)
        if shard is None:
            return NONE
        group = self._group(group_id)
        if group is not None:
            self._claim_group(principal, group_id)
        elif not self._has_room_for_group(principal):
            return self._refuse("groups", POLICY_VIOLATION)
        if self._is_member(group_id, member_id):
            self.seen(principal, group_id, member_id)
        elif not self._is_static_member(group, instance_id) and not self._has_room_for_member(principal):
            return self._refuse("members", GROUP_MAX_SIZE_REACHED)
        if group is None:
            self._take_group(principal, group_id)
        return NONE

    def parked(self, principal: str, ticket: Redeemable, *, is_new: bool) -> None:
        """A join waits for its group."""
        usage = self._usage_of(principal)
        usage.parked[ticket] = is_new

    def answered(self, principal: str, group_id: str, member_id: str, ticket: Redeemable) -> None:
        """A join was answered with an id: a member's, or one to come back with."""
        self._usage_of(principal).parked.pop(ticket, None)
        self._claim_group(principal, group_id)
        self.seen(principal, group_id, member_id)

    def seen(self, principal: str, group_id: str, member_id: str) -> None:
        """The principal speaks for this member; it is not known whether there is one."""
        members = self._usage_of(principal).members
        if (group_id, member_id) not in members and self._is_member(group_id, member_id):
            members[(group_id, member_id)] = None
            if len(members) >= self._usage_of(principal).recount_at:
                self._count_anew(principal, even_if_counted=True)

    def why_no_commit(self, principal: str, group_id: str, commit: Sequence[TopicOffsets], *, makes_group: bool) -> int:
        """`makes_group`: if there is none yet, as a commit without a generation does."""
        shard = self._shard_of(group_id)
        if shard is None:
            return NONE
        if self._group(group_id) is not None:
            self._claim_group(principal, group_id)
        elif not makes_group:
            return NONE
        elif not self._has_room_for_group(principal):
            return self._refuse("groups", POLICY_VIOLATION)
        else:
            self._take_group(principal, group_id)
        held, pending = shard.offsets.of_group(group_id), shard.offsets.pending.of_group(group_id)
        new = len(
            {
                (offsets.topic, partition)
                for offsets in commit
                for partition, *_ in offsets.rows()
                if partition not in held.get(offsets.topic, ()) and (offsets.topic, partition) not in pending
            }
        )
        if not new:
            return NONE
        owner = self._owners[group_id]
        usage = self._of_principals[owner]
        if usage.offsets + new > self._limits.offsets:
            self._count_anew(owner)
            if usage.offsets + new > self._limits.offsets:
                return self._refuse("offsets", POLICY_VIOLATION)
        usage.offsets += new
        return NONE

    # -- groups

    def _has_room_for_group(self, principal: str) -> bool:
        usage = self._usage_of(principal)
        if len(usage.groups) >= self._limits.groups:
            self._count_anew(principal)
        return len(usage.groups) < self._limits.groups

    def _claim_group(self, principal: str, group_id: str) -> None:
        """The group is there; whose it is may not be known."""
        if group_id not in self._owners:
            self._take_group(principal, group_id)
            shard = self._shard_of(group_id)
            if shard is not None:
                self._of_principals[principal].offsets += _offsets_of(shard, group_id)

    def _take_group(self, principal: str, group_id: str) -> None:
        before = self._owners.get(group_id)
        if before is not None and before != principal:
            self._of_principals[before].groups.pop(group_id, None)  # that one was deleted, this is another
        self._owners[group_id] = principal
        usage = self._usage_of(principal)
        usage.groups[group_id] = None
        if len(usage.groups) >= usage.recount_at:
            self._count_anew(principal, even_if_counted=True)
            usage.groups[group_id] = None  # it may not be there yet
            self._owners[group_id] = principal

    # -- members

    def _has_room_for_member(self, principal: str) -> bool:
        usage = self._usage_of(principal)
        if self._member_count(usage) >= self._limits.members:
            self._count_anew(principal)
        return self._member_count(usage) < self._limits.members

    def _member_count(self, usage: _Usage) -> int:
        return len(usage.members) + sum(usage.parked.values())

    def _is_member(self, group_id: str, member_id: str) -> bool:
        group = self._group(group_id)
        return group is not None and (
            member_id in group.members or (isinstance(group, Group) and member_id in group.pending_joins)
        )

    def _is_static_member(self, group: Group | ConsumerGroup | None, instance_id: str | None) -> bool:
        return group is not None and instance_id is not None and instance_id in group.static_members

    # -- setting right

    def _count_anew(self, principal: str, *, even_if_counted: bool = False) -> None:
        usage, now_ms = self._of_principals[principal], self._ticks_ms()
        was_just_counted = usage.counted_ms is not None and now_ms - usage.counted_ms < RECOUNT_AFTER_MS
        if was_just_counted and not even_if_counted:
            return
        usage.counted_ms = now_ms
        gone = [group_id for group_id in usage.groups if self._group(group_id) is None]
        for group_id in gone:
            del usage.groups[group_id]
            del self._owners[group_id]
        usage.members = {each: None for each in usage.members if self._is_member(*each)}
        usage.parked = _still_parked(usage.parked)
        usage.offsets = 0
        for group_id in usage.groups:
            shard = self._shard_of(group_id)
            usage.offsets += 0 if shard is None else _offsets_of(shard, group_id)
        usage.recount_at = 2 * max(len(usage.groups), len(usage.members)) + UNSEEN

    def _usage_of(self, principal: str) -> _Usage:
        usage = self._of_principals.get(principal)
        if usage is None:
            usage = self._of_principals[principal] = _Usage()
        return usage

    def _group(self, group_id: str) -> Group | ConsumerGroup | None:
        shard = self._shard_of(group_id)
        return None if shard is None else shard.groups.get(group_id) or shard.consumer_groups.get(group_id)

    def _refuse(self, limit: str, error: int) -> int:
        self.refused[limit] += 1
        return error

    def __repr__(self) -> str:
        return f"<Holdings of {len(self._of_principals)} principals: {len(self._owners)} groups>"


def _still_parked(parked: dict[Redeemable, bool]) -> dict[Redeemable, bool]:
    return {ticket: is_new for ticket, is_new in parked.items() if not ticket.answered and not ticket.is_abandoned}


def _offsets_of(shard: Shard, group_id: str) -> int:
    committed = sum(map(len, shard.offsets.of_group(group_id).values()))
    return committed + shard.offsets.pending.count_in(group_id)
