"""What must never happen to consumer groups. Each is proved by a mutation in the tests."""

from __future__ import annotations

from collections.abc import Iterator

from muster.sim.checkers import Checker
from muster.sim.history import History
from muster.wire.errors import NONE


def no_partition_has_two_owners(history: History) -> Iterator[str]:
    """What a member is given nobody has who is still a member, and who has not given it up."""
    for each in history.consumers.two_owners:
        yield f"{each.group}-{each.partition}: {each.taker} got it at {each.at_ms} while {each.owner} had it"


def epochs_never_go_back(history: History) -> Iterator[str]:
    """In the log those of group, target and members; in what members were told, from one join to the next."""
    stored: dict[tuple[str, str], int] = {}
    for group, whose, epoch in history.consumers.stored_epochs:
        if epoch != -1 and epoch < stored.get((group, whose), -1):
            yield f"{group}: epoch {epoch} of {whose} was stored after {stored[group, whose]}"
        stored[group, whose] = epoch
    told: dict[tuple[str, str], int] = {}
    for each in history.consumers.told:
        key = (each.group, each.member)
        if not each.joins and each.epoch < told.get(key, -1):
            yield f"{each.group}: {each.member} was told epoch {each.epoch} after {told[key]}"
        told[key] = each.epoch


def stale_commits_are_refused(history: History) -> Iterator[str]:
    for each in history.consumers.stale_commits:
        if each.error == NONE:
            yield (
                f"{each.group}-{each.partition}: {each.member} committed at epoch {each.epoch} what it had given up,"
                " and was not refused"
            )


def migrations_lose_no_member_and_no_offset(history: History) -> Iterator[str]:
    """The log of a classic group does not say who has left it since its last generation: whoever is lost in an upgrade must
    know why. Of those that a downgrade finds one may be gone: the one whose end began it, if it was of the classic protocol too.
    """
    for each in history.consumers.migrations:
        kind = "upgrade" if each.is_upgrade else "downgrade"
        lost = sorted(each.lost)
        if each.is_upgrade:
            lost = [member for member in lost if (each.group, member) in history.consumers.dropped]
        if len(lost) > (0 if each.is_upgrade or each.had_consumers else 1):
            yield f"{each.group}: its {kind} lost {lost}"
        if each.number_after < each.number_before:
            yield f"{each.group}: its {kind} went from {each.number_before} back to {each.number_after}"
        if each.lost_offsets:
            yield f"{each.group}: its {kind} erased {each.lost_offsets} offsets"


def consumers_reach_their_target_when_faults_end(history: History) -> Iterator[str]:
    yield from history.consumers.unsettled


def every_partition_is_read_when_faults_end(history: History) -> Iterator[str]:
    """Also those that the topic got while the group was there."""
    yield from history.consumers.unassigned


def consumers_get_answers_that_they_expect(history: History) -> Iterator[str]:
    yield from history.consumers.surprises


CONSUMER_CHECKERS: tuple[Checker, ...] = (
    no_partition_has_two_owners,
    epochs_never_go_back,
    stale_commits_are_refused,
    migrations_lose_no_member_and_no_offset,
    consumers_reach_their_target_when_faults_end,
    every_partition_is_read_when_faults_end,
    consumers_get_answers_that_they_expect,
)
