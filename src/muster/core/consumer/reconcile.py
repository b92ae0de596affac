"""From what a member has to what it shall have, one step a heartbeat: give up first, then take what is free (spec 7.5).

Pure: gets the member's current assignment, its target and who owns what, and returns the next assignment. That no partition ever
has two owners follows from two rules: what is to be given up stays the member's until it says that it has done so, and only what
nobody owns is given to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from muster.core.consumer.records import CurrentAssignment, HeldPartitions, Target
from muster.core.consumer.states import STABLE, UNRELEASED, UNREVOKED

Owners = Mapping[bytes, Mapping[int, str]]
"""Topic id -> partition -> member id."""


def reconcile(
    current: CurrentAssignment,
    target: Target,
    target_epoch: int,
    owned: Target | None,
    owners: Owners,
) -> CurrentAssignment | None:
    """The next assignment, or the same object if nothing changes. None: the member has to rejoin (FENCED_MEMBER_EPOCH).

    `owned` is what the member says it has; None if it did not say.
    """
    state = current.state
    if state is STABLE:
        if current.epoch == target_epoch:
            return current
        return _next(current, current.epoch, target, target_epoch, owned, owners)
    if state is UNREVOKED:
        if owned is None or _holds_any(owned, current.revoking):
            return current
        # Its acknowledgement is of the target that it was told of; a newer one is seen to in the same step.
        return _next(current, current.epoch + 1, target, target_epoch, owned, owners)
    if state is UNRELEASED:
        return _next(current, current.epoch, target, target_epoch, owned, owners)
    if owned is None or owned:
        return None  # a state of a later version: only somebody who has nothing can be reconciled
    return _next(current, target_epoch, target, target_epoch, owned, owners)


def _next(
    current: CurrentAssignment,
    base_epoch: int,
    target: Target,
    target_epoch: int,
    owned: Target | None,
    owners: Owners,
) -> CurrentAssignment:
    keep, revoke = _split(current.assigned, target)
    if revoke and (owned is None or _holds_any(owned, revoke)):
        return CurrentAssignment(base_epoch, current.epoch, UNREVOKED, keep, revoke)
    unreleased = False
    for topic_id, partitions in target.items():
        kept = keep.get(topic_id, {})
        owned_by = owners.get(topic_id, {})
        taken: dict[int, int] = {}
        for partition in partitions:
            if partition in kept:
                taken[partition] = kept[partition]
            elif partition not in owned_by:
                taken[partition] = target_epoch
            else:
                unreleased = True
        if taken:
            keep[topic_id] = taken
    following = CurrentAssignment(target_epoch, current.epoch, UNRELEASED if unreleased else STABLE, keep, None)
    return current if following == current else following


def _split(assigned: HeldPartitions, target: Target) -> tuple[HeldPartitions, HeldPartitions]:
    """What stays and what has to go."""
    keep: HeldPartitions = {}
    revoke: HeldPartitions = {}
    for topic_id, partitions in assigned.items():
        wanted = frozenset(target.get(topic_id, ()))
        staying = {partition: epoch for partition, epoch in partitions.items() if partition in wanted}
        going = {partition: epoch for partition, epoch in partitions.items() if partition not in wanted}
        if staying:
            keep[topic_id] = staying
        if going:
            revoke[topic_id] = going
    return keep, revoke


def _holds_any(owned: Target, held: HeldPartitions) -> bool:
    for topic_id, partitions in held.items():
        has = owned.get(topic_id)
        if has is not None and not partitions.keys().isdisjoint(has):
            return True
    return False


def without_epochs(held: HeldPartitions) -> Target:
    return {topic_id: tuple(partitions) for topic_id, partitions in held.items()}
