"""What one accepted request of a member changes: its subscription, the group epoch, the target, its assignment (spec 7.4).

Heartbeats of the new protocol and JoinGroups of the classic one both end here. Gathers records; the facts stay as they are until
those are durable.
"""

from __future__ import annotations

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.fence import erased_member
from muster.core.consumer.group import NEVER_MS, ConsumerGroup, ConsumerMember
from muster.core.consumer.notes import Detail, changed_topics, note_arrival, note_epoch, note_progress, note_target
from muster.core.consumer.reconcile import reconcile
from muster.core.consumer.records import (
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    MemberStored,
    RegexErased,
    Subscription,
    Target,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.states import JOIN_EPOCH, UNREVOKED
from muster.core.consumer.target import compute_target, metadata_hash, preferred_assignor
from muster.core.journal import Cause
from muster.core.offsets.view import ShardView


class MemberUpdate:
    __slots__ = (
        "_builder",
        "_group",
        "_is_new",
        "_member_id",
        "_old",
        "_replaced",
        "_shard",
        "_target",
        "_target_ms",
        "current",
        "is_stale",
    )

    def __init__(
        self,
        shard: ShardView,
        group: ConsumerGroup,
        before: ConsumerMember | None,
        member_id: str,
        builder: OutcomeBuilder,
        *,
        is_replaced: bool = False,
    ) -> None:
        """`before` is the member as it is; None: it is new. `is_replaced`: a static member, in whose place this one comes."""
        self._shard = shard
        self._group = group
        self._builder = builder
        self._is_new = before is None
        self._member_id = member_id
        self._replaced = before.member_id if before is not None and is_replaced else None
        self._target: Target = {} if before is None else group.targets.get(before.member_id, {})
        self._target_ms = group.target_ms
        """When the target was made that it is on its way to."""
        self._old = Subscription() if before is None else before.subscription
        self.current = CurrentAssignment() if before is None else before.current
        """What it had before."""
        self.is_stale = False
        """Whether the target that was kept is of an older epoch of the group."""
        if self._replaced is not None:
            had = self.current
            self.current = CurrentAssignment(JOIN_EPOCH, JOIN_EPOCH, had.state, had.assigned, had.revoking)

    def carry_out(
        self, subscription: Subscription, owned: Target | None, *, keep_target: bool = False
    ) -> CurrentAssignment | None:
        """What it has afterwards. None: it has to give everything up and join anew; nothing is written then.

        `keep_target`: the group is about to become a classic one, for which no target is computed any more.
        """
        group, builder, current = self._group, self._builder, self.current
        if self._replaced is not None:
            self._replace(self._old, current)
        self._note_arrival(subscription)
        epoch = self._bump_epoch(subscription, self._subscribe(self._old, subscription))
        target_epoch = group.target_epoch if keep_target else self._assign(subscription, epoch)
        if keep_target and target_epoch < epoch:
            self.is_stale = True
            return current
        following = reconcile(current, self._target, target_epoch, owned, group.owners)
        if following is None:
            builder.records.clear()
            builder.notes.clear()
            return None
        if following is not current:
            builder.records.append(CurrentStored(group.group_id, self._member_id, following))
            note_progress(
                builder,
                group,
                self._member_id,
                subscription,
                current,
                following,
                self._target,
                self._target_ms,
                epoch,
                self._shard.topics,
            )
        self._set_timers(current, following, subscription)
        return following

    def _replace(self, subscription: Subscription, current: CurrentAssignment) -> None:
        """The new id gets what the old one had, without a new epoch of the group (T225)."""
        assert self._replaced is not None
        records, group_id = self._builder.records, self._group.group_id
        records.extend(erased_member(group_id, self._replaced))
        records.append(MemberStored(group_id, self._member_id, subscription))
        records.append(TargetStored(group_id, self._member_id, self._target))
        records.append(CurrentStored(group_id, self._member_id, current))
        if self._replaced != self._member_id:
            self._builder.cancel_timer(("session", group_id, self._replaced))

    def _note_arrival(self, own: Subscription) -> None:
        if self._is_new or self._replaced is not None:
            note_arrival(self._builder, self._group, self._member_id, own, self._replaced)

    def _subscribe(self, old: Subscription, subscription: Subscription) -> bool:
        """Whether the group needs a new epoch for it. What an expression matches that was never looked at is not known yet."""
        records, group = self._builder.records, self._group
        if self._is_new or subscription is not old:
            records.append(MemberStored(group.group_id, self._member_id, subscription))
        regex = subscription.topic_regex
        has_other_regex = regex != old.topic_regex
        if has_other_regex and old.topic_regex and group.regex_users(old.topic_regex) == 1:
            records.append(RegexErased(group.group_id, old.topic_regex))
        return subscription.topic_names != old.topic_names or (
            has_other_regex and (not regex or regex in group.resolved)
        )

    def _bump_epoch(self, subscription: Subscription, is_called_for: bool) -> int:
        """The group epoch after this heartbeat: a higher one if subscriptions or the topics themselves have changed."""
        group, topics = self._group, self._shard.topics
        version = topics.version()
        if not is_called_for and group.topics_version == version:
            return group.epoch
        digest = metadata_hash(self._subscriptions(subscription), group.resolved, topics)
        if not is_called_for and digest == group.metadata_hash:
            group.topics_version = version
            return group.epoch
        epoch = group.epoch + 1
        self._builder.records.append(EpochStored(group.group_id, epoch, digest))
        self._note_epoch(subscription, epoch, is_called_for)
        return epoch

    def _note_epoch(self, own: Subscription, epoch: int, is_called_for: bool) -> None:
        cause: Cause = "topics_changed"
        detail: Detail = {}
        if self._is_new:
            cause = "new_member" if self._group.members else "first_member"
        elif is_called_for:
            cause = "subscription_changed"
            detail = changed_topics(self._old.topic_names, own.topic_names)
            if own.topic_regex != self._old.topic_regex:
                detail["regex"] = own.topic_regex
        note_epoch(self._builder, self._group, epoch, cause, self._member_id, own, detail)

    def _assign(self, subscription: Subscription, epoch: int) -> int:
        """The target epoch after this heartbeat. A new target is not computed again at once, but with a later heartbeat."""
        group, builder = self._group, self._builder
        if epoch <= group.target_epoch:
            return group.target_epoch
        times = self._shard.times.of(group.group_id)
        # A target of a time that is still to come was made before the clock was set back: nobody waits for that.
        if group.target_ms != NEVER_MS and 0 <= builder.now_ms - group.target_ms < times.assignment_interval_ms:
            return group.target_epoch
        targets = group.targets
        if self._replaced is not None:
            targets = {**targets, self._member_id: self._target}
        subscriptions = self._subscriptions(subscription)
        assignors = builder.config.consumer_assignors
        computed = compute_target(subscriptions, group.resolved, targets, assignors, self._shard.topics)
        for member_id, partitions in computed.items():
            if targets.get(member_id) != partitions:
                builder.records.append(TargetStored(group.group_id, member_id, partitions))
        builder.records.append(TargetEpochStored(group.group_id, epoch, builder.now_ms))
        assignor = preferred_assignor(subscriptions, assignors)
        note_target(
            builder,
            group,
            epoch,
            assignor,
            times,
            self._member_id,
            subscription,
            targets,
            computed,
            self._shard.topics,
        )
        self._target_ms = builder.now_ms
        self._target = computed[self._member_id]
        return epoch

    def _subscriptions(self, own: Subscription) -> dict[str, Subscription]:
        """Of all members, with this one's as it is from now on."""
        found = {
            member_id: member.subscription
            for member_id, member in self._group.members.items()
            if member_id != self._replaced
        }
        found[self._member_id] = own
        return found

    def _set_timers(self, current: CurrentAssignment, following: CurrentAssignment, own: Subscription) -> None:
        builder, group = self._builder, self._group
        times = self._shard.times.of(group.group_id)
        session_ms = times.session_timeout_ms if own.classic is None else own.classic.session_timeout_ms
        builder.set_timer(("session", group.group_id, self._member_id), builder.now_ms + session_ms)
        if following is current:
            return
        if following.state is UNREVOKED and own.classic is None:
            deadline_ms = builder.now_ms + own.rebalance_timeout_ms
            builder.set_timer(group.revoke_key(self._member_id), deadline_ms)
        elif current.state is UNREVOKED:
            builder.cancel_timer(group.revoke_key(self._member_id))
