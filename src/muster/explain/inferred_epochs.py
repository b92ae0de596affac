"""What the records of a consumer group (KIP-848, types 3 to 8) show, for a Kafka cluster that keeps no journal. Pure.

Every raised group epoch that a member reached is a rebalance, and so is one after which nobody is left; epochs that nobody reached
within an hour are counted with the next one. Who came and went since the epoch before is its cause. The pipeline's
`tables.consumer_epochs` follows the same rules for every group of a log, and both take causes from `causes.EPOCH_CAUSES`.
Records name topics by their ids: what moved is told only where names are given (`inferred_owners`).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field

from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    Subscription,
    TargetEpochStored,
)
from muster.core.consumer.states import STABLE, UNREVOKED
from muster.explain.causes import ARRIVAL_LIMIT_MS, FIRST_EPOCHS, inferred_epoch_cause
from muster.explain.facts import Departure, History, Partition, Quiet, Rebalance, Return, Revocation, Round, Who, Why
from muster.explain.inferred_owners import InferredOwners, Moves, MovesInOrder, merged


@dataclass(slots=True)
class _Bump:
    """One raised epoch, and who has reached it so far."""

    epoch: int
    at_ms: int
    came: list[Who]
    went: list[Who]
    is_nobody: bool
    is_emptied: bool
    from_empty: bool
    trigger: Who | None
    arrived: dict[str, None] = field(default_factory=dict)
    arrived_ms: int | None = None
    revocations: list[Revocation] = field(default_factory=list)
    moved: Moves = field(default_factory=dict)

    @property
    def ended_ms(self) -> int | None:
        return self.at_ms if self.is_emptied and self.arrived_ms is None else self.arrived_ms


class EpochInference:
    def __init__(self, group: str, topic_names: Mapping[bytes, str] | None = None) -> None:
        self._group = group
        self._owners = None if topic_names is None else InferredOwners(topic_names)
        self._names = topic_names or {}
        self._present: dict[str, Who] = {}
        self._people: dict[str, Who] = {}
        self._current: dict[str, CurrentAssignment] = {}
        self._timeouts: dict[str, int] = {}
        self._changed: list[tuple[str, Who, bool]] = []
        """Since the last epoch: joined, changed or gone, who, and whether it was known before."""
        self._left: int | None = None
        self._bumps: list[_Bump] = []
        self._revoking: dict[str, Revocation] = {}
        self._target_epoch = 0
        self._quiet: list[Quiet] = []
        self.seen_any = False
        self._first_ms: int | None = None
        self._last_ms: int | None = None

    def take(self, at_ms: int, record: ConsumerGroupRecord) -> None:
        self.seen_any = True
        self._first_ms = at_ms if self._first_ms is None else self._first_ms
        self._last_ms = at_ms
        match record:
            case MemberStored():
                self._member(record.member_id, record.subscription)
            case MemberErased():
                self._member_gone(record.member_id, at_ms)
            case EpochStored():
                self._raised(at_ms, record.epoch)
            case EpochErased():
                self._quiet.append(Quiet("group_removed", at_ms, self._epoch(), "expired or deleted"))
            case TargetEpochStored():
                self._target_epoch = record.epoch
            case CurrentStored():
                self._assigned(at_ms, record.member_id, record.current)
            case CurrentErased():
                self._current.pop(record.member_id, None)
                self._release(record.member_id)

    # -- members

    def _member(self, member_id: str, own: Subscription) -> None:
        who = Who(member_id, own.instance_id, own.client_id, own.client_host)
        known = member_id in self._present
        self._present[member_id] = self._people[member_id] = who
        self._timeouts[member_id] = own.rebalance_timeout_ms
        self._changed.append(("changed" if known else "joined", who, known))

    def _member_gone(self, member_id: str, at_ms: int) -> None:
        known = self._present.pop(member_id, None)
        self._changed.append(("gone", known or Who(member_id), known is not None))
        self._end_revocation(member_id, at_ms)
        self._release(member_id)

    def _release(self, member_id: str) -> None:
        if self._owners is not None:
            self._owners.gone(member_id)

    # -- epochs

    def _epoch(self) -> int:
        return self._bumps[-1].epoch if self._bumps else 0

    def _raised(self, at_ms: int, epoch: int) -> None:
        joined = {_identity(who): who for what, who, _ in self._changed if what == "joined"}
        gone = {_identity(who): who for what, who, _ in self._changed if what == "gone"}
        came = sum(what == "joined" for what, _, _ in self._changed)
        went = sum(what == "gone" and known for what, _, known in self._changed)
        before = self._left if self._left is not None else (0 if epoch in FIRST_EPOCHS else None)
        self._left = (self._left or 0) + came - went
        names = {who.member_id: who for _, who, _ in self._changed}
        # A static member that came back under a new id neither joined nor went.
        self._bumps.append(
            _Bump(
                epoch,
                at_ms,
                [who for identity, who in joined.items() if identity not in gone],
                [who for identity, who in gone.items() if identity not in joined],
                not self._changed,
                went > 0 and self._left <= 0,
                before == 0,
                next(iter(names.values())) if len(names) == 1 else None,
                moved={} if self._owners is None else self._owners.next_epoch(),
            )
        )
        self._changed = []

    def _assigned(self, at_ms: int, member_id: str, current: CurrentAssignment) -> None:
        self._current[member_id] = current
        if self._owners is not None:
            self._owners.assigned(member_id, current, self._bumps[-1].moved if self._bumps else None)
        for bump in reversed(self._bumps):
            if bump.epoch == current.epoch:
                if at_ms - bump.at_ms <= ARRIVAL_LIMIT_MS:
                    bump.arrived[member_id] = None
                    bump.arrived_ms = max(at_ms, bump.arrived_ms or at_ms)
                break
        if current.state is not UNREVOKED:
            self._end_revocation(member_id, at_ms)
        elif member_id not in self._revoking and self._bumps:
            who = self._people.get(member_id, Who(member_id))
            timeout_ms = self._timeouts.get(member_id)
            self._revoking[member_id] = Revocation(who, self._partitions(current.revoking), at_ms, timeout_ms)

    def _end_revocation(self, member_id: str, at_ms: int) -> None:
        begun = self._revoking.pop(member_id, None)
        if begun is not None and self._bumps:
            done = Revocation(begun.who, begun.partitions, begun.began_ms, begun.rebalance_timeout_ms, at_ms)
            self._bumps[-1].revocations.append(done)

    # -- the end

    def finished(self) -> History:
        history = History(self._group, is_inferred=True, is_consumer=True)
        history.first_ms, history.last_ms = self._first_ms, self._last_ms
        history.quiet = self._quiet
        departed: dict[str, Departure] = {}
        overtaken = 0
        carried: Moves = {}
        in_order = MovesInOrder(self._people)
        for bump in self._bumps:
            carried = merged(carried, bump.moved)
            if bump.ended_ms is None:
                overtaken += 1
                continue
            rebalance = self._rebalance(bump, overtaken)
            if self._owners is not None:
                rebalance.moves, rebalance.stayed = in_order.take(carried)
            overtaken, carried = 0, {}
            history.rebalances.append(rebalance)
            for who in bump.came:
                gone = departed.pop(who.identity, None)
                if gone is not None:
                    history.returns.append(Return(gone, who, bump.at_ms))
            departed |= {gone.who.identity: gone for gone in rebalance.departures}
        history.members = list(self._present.values())
        history.seen = list(self._people.values())
        history.generation = self._epoch() or None
        history.state = self._state()
        return history

    def _rebalance(self, bump: _Bump, overtaken: int) -> Rebalance:
        facts = {
            "nobody": bump.is_nobody,
            "came": bool(bump.came),
            "went": bool(bump.went),
            "from_empty": bump.from_empty,
        }
        why = Why(inferred_epoch_cause(facts), bump.trigger)
        if overtaken:
            why.figures["generations_missing"] = overtaken
        found = Rebalance(self._group, bump.epoch, bump.at_ms, why, ended_ms=bump.ended_ms)
        found.result = "empty" if bump.is_emptied and not bump.arrived else "stable"
        found.rounds = [Round(bump.at_ms, why.cause, bump.trigger, ended_ms=bump.ended_ms)]
        found.is_consumer, found.from_empty = True, bump.from_empty
        found.members = len(bump.arrived)
        found.newcomers = bump.came
        found.departures = [Departure(who, bump.at_ms, "gone") for who in bump.went]
        found.revocations = bump.revocations
        return found

    def _partitions(self, held: Mapping[bytes, Mapping[int, int]]) -> tuple[Partition, ...]:
        """A topic whose name is not known by its id, as Kafka writes it."""
        return tuple(
            (self._names.get(topic_id) or base64.urlsafe_b64encode(topic_id).decode().rstrip("="), number)
            for topic_id, numbers in held.items()
            for number in numbers
        )

    def _state(self) -> str:
        if not self._present:
            return "Empty"
        there = [self._current.get(member_id) for member_id in self._present]
        settled = all(each is not None and each.state is STABLE and each.epoch == self._target_epoch for each in there)
        if self._epoch() > self._target_epoch:
            return "Assigning"
        return "Stable" if settled else "Reconciling"


def _identity(who: Who) -> str:
    return who.instance_id or who.member_id
