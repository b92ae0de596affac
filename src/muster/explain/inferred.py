"""What the generations in `__consumer_offsets` show, for a Kafka cluster that keeps no journal. Pure.

Of a classic group each generation is one record with members, subscriptions and assignments; neighbours are compared. That shows
who came, who went and what moved, but not who asked for it, how long it took, or who was waited for: those stay unknown, and
causes are inferred (`causes`). Where generations in between are not in the log, how many is said. Of a consumer group the log shows
more: `inferred_epochs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from muster.core.consumer.records import ConsumerGroupRecord
from muster.core.records import GroupErased, GroupStored, OffsetCommitted, StoredMember
from muster.explain.assignments import owners_in
from muster.explain.causes import Members, Participant, inferred_cause
from muster.explain.facts import Asked, Departure, History, Move, Partition, Quiet, Rebalance, Return, Round, Who, Why
from muster.explain.inferred_epochs import EpochInference
from muster.explain.ownership import Ownership
from muster.log.consumer_group_value import CONSUMER_GROUP_TYPES
from muster.log.record_codec import RecordError, decode_record
from muster.wire.batch import Record
from muster.wire.consumer_protocol import decode_subscribed_topics

_GROUP_KEYS = tuple(kind.to_bytes(2, "big") for kind in (2, *CONSUMER_GROUP_TYPES))
_COMMIT_KEYS = tuple(kind.to_bytes(2, "big") for kind in (0, 1))
_CONSUMER = "consumer"


@dataclass(frozen=True, slots=True)
class StoredAt:
    at_ms: int
    group: GroupStored | GroupErased | ConsumerGroupRecord


def stored_in(record: Record, group: str) -> StoredAt | None:
    """The state of this group in a record of the offsets log, if it is one."""
    stored = stored_state(record)
    return stored if stored is not None and stored.group.group_id == group else None


def stored_state(record: Record) -> StoredAt | None:
    """The state of any group in a record of the offsets log, if it is one."""
    if record.key is None or not record.key.startswith(_GROUP_KEYS):
        return None
    try:
        decoded = decode_record(record.key, record.value)
    except RecordError:
        return None
    if not isinstance(decoded, GroupStored | GroupErased | ConsumerGroupRecord):
        return None
    return StoredAt(record.timestamp_ms, decoded)


def committed_metadata(record: Record, group: str) -> str | None:
    """The metadata of a commit of this group in a record of the offsets log, if it is one."""
    if record.key is None or not record.key.startswith(_COMMIT_KEYS):
        return None
    try:
        decoded = decode_record(record.key, record.value)
    except RecordError:
        return None
    return decoded.metadata if isinstance(decoded, OffsetCommitted) and decoded.group_id == group else None


def infer(stored: list[StoredAt], group: str, topic_names: Mapping[bytes, str] | None = None) -> History:
    """`topic_names`: by topic id, which is how consumer groups name topics in the log."""
    classic, epochs = _Inference(group), EpochInference(group, topic_names)
    has_classic = False
    for each in stored:
        if isinstance(each.group, ConsumerGroupRecord):
            epochs.take(each.at_ms, each.group)
        else:
            has_classic = True
            classic.take(each.at_ms, each.group)
    if not epochs.seen_any:
        return classic.finished()
    if not has_classic:
        return epochs.finished()
    return _one_after_the_other(classic.finished(), epochs.finished(), stored[-1])


def _one_after_the_other(classic: History, epochs: History, last: StoredAt) -> History:
    """A group that changed over from one protocol to the other."""
    both = epochs if isinstance(last.group, ConsumerGroupRecord) else classic
    both.rebalances = sorted((*classic.rebalances, *epochs.rebalances), key=lambda each: each.began_ms)
    both.quiet = sorted((*classic.quiet, *epochs.quiet), key=lambda each: each.at_ms)
    both.returns = [*classic.returns, *epochs.returns]
    both.seen = list({who.member_id: who for who in (*classic.seen, *epochs.seen)}.values())
    times = [each for each in (classic.first_ms, epochs.first_ms) if each is not None]
    both.first_ms, both.last_ms = min(times), last.at_ms
    return both


class _Inference:
    def __init__(self, group: str) -> None:
        self._history = History(group, is_inferred=True)
        self._before: GroupStored | None = None
        self._ownership = Ownership()
        self._people: dict[str, Who] = {}
        self._departed: dict[str, Departure] = {}

    def take(self, at_ms: int, now: GroupStored | GroupErased) -> None:
        history = self._history
        history.first_ms = at_ms if history.first_ms is None else history.first_ms
        history.last_ms = at_ms
        if isinstance(now, GroupErased):
            history.quiet.append(Quiet("group_removed", at_ms, history.generation or 0, "expired or deleted"))
            self._ownership.emptied()
            self._before = None
            return
        before = self._before
        if before is not None and now.generation < before.generation:
            before = None  # another life: generations begin again, and the tombstone was compacted away
            self._ownership.emptied()
        for member in now.members:
            self._people[member.member_id] = _who(member)
        if before is not None and now.generation == before.generation:
            self._same_generation(at_ms, before, now)
        elif now.generation > 0:
            self._generation(at_ms, before, now)
        history.generation = now.generation
        history.state = "Stable" if now.members else "Empty"
        self._before = now

    def finished(self) -> History:
        last = self._before
        self._history.members = [_who(member) for member in last.members] if last is not None else []
        self._history.seen = list(self._people.values())
        return self._history

    def _same_generation(self, at_ms: int, before: GroupStored, now: GroupStored) -> None:
        """Written again in the same generation: static members that came back (KIP-345)."""
        old = {member.group_instance_id: member.member_id for member in before.members if member.group_instance_id}
        for member in now.members:
            previous = old.get(member.group_instance_id) if member.group_instance_id is not None else None
            if previous is not None and previous != member.member_id:
                self._ownership.renamed(previous, member.member_id)
                quiet = Quiet("static_restart", at_ms, now.generation, "static_member_returned", _who(member))
                self._history.quiet.append(quiet)

    def _generation(self, at_ms: int, before: GroupStored | None, now: GroupStored) -> None:
        rebalance = Rebalance(now.group_id, now.generation, at_ms, Why("unknown"), ended_ms=at_ms, is_inferred=True)
        rebalance.result = "stable" if now.members else "empty"
        rebalance.rounds = [Round(at_ms, "unknown", ended_ms=at_ms)]
        rebalance.members, rebalance.protocol = len(now.members), now.protocol_name
        rebalance.leader = self._people.get(now.leader or "")
        rebalance.asked = _asked(now)
        known, here = _known_before(before, now), _participants(now)
        if known is not None:
            rebalance.from_empty = not known
            rebalance.newcomers = [_who(member) for member in now.members if _identity(member) not in known]
            went = [member for member in before.members if _identity(member) not in here] if before is not None else []
            rebalance.departures = [self._departure(member, at_ms) for member in went]
            self._note_returns(rebalance.newcomers, at_ms)
        self._move(rebalance, before, now)
        rebalance.why = self._why(known, here)
        if before is not None and now.generation > before.generation + 1:
            rebalance.why.figures["generations_missing"] = now.generation - before.generation - 1
        self._history.rebalances.append(rebalance)

    def _why(self, before: Members | None, now: Members) -> Why:
        found = inferred_cause(before, now)
        who = None if found.trigger is None else self._people[found.trigger.member_id]
        return Why(found.cause, who, figures=dict(found.figures))

    def _departure(self, member: StoredMember, at_ms: int) -> Departure:
        gone = Departure(_who(member), at_ms, "gone", None, member.session_timeout_ms, member.rebalance_timeout_ms)
        self._departed[gone.who.identity] = gone
        return gone

    def _note_returns(self, newcomers: list[Who], at_ms: int) -> None:
        for who in newcomers:
            gone = self._departed.pop(who.identity, None)
            if gone is not None:
                self._history.returns.append(Return(gone, who, at_ms))

    def _move(self, rebalance: Rebalance, before: GroupStored | None, now: GroupStored) -> None:
        if not now.members:
            self._ownership.emptied()
            return
        if before is not None and not before.members:
            self._ownership.emptied()
        owners = owners_in({member.member_id: member.assignment for member in now.members})
        change = self._ownership.assigned(owners, rebalance.began_ms, None)
        rebalance.stayed = change.stayed
        if change.moved is not None:
            rebalance.moves = [
                Move(partition, self._people.get(old or ""), self._people.get(new or ""))
                for partition, old, new in change.moved
            ]


def _known_before(before: GroupStored | None, now: GroupStored) -> Members | None:
    """Before the first generation of a group is nobody, though no record says so."""
    if before is not None:
        return _participants(before)
    return {} if now.generation == 1 else None


def _participants(group: GroupStored) -> dict[str, Participant]:
    return {
        _identity(member): Participant(
            _identity(member),
            member.member_id,
            member.client_id,
            member.client_host,
            member.session_timeout_ms,
            _topics(group, member),
            _assigned(group, member),
        )
        for member in group.members
    }


def _identity(member: StoredMember) -> str:
    return member.group_instance_id or member.member_id


def _who(member: StoredMember) -> Who:
    return Who(member.member_id, member.group_instance_id, member.client_id, member.client_host)


def _topics(group: GroupStored, member: StoredMember) -> frozenset[str] | None:
    return decode_subscribed_topics(member.subscription) if group.protocol_type == _CONSUMER else None


def _assigned(group: GroupStored, member: StoredMember) -> frozenset[Partition]:
    if group.protocol_type != _CONSUMER:
        return frozenset()
    return frozenset(owners_in({member.member_id: member.assignment}) or ())


def _asked(group: GroupStored) -> tuple[Asked, ...]:
    """Only the chosen assignor is in the log, not what else members offer."""
    protocols = (group.protocol_name,) if group.protocol_name else ()
    found: dict[tuple[int, int, tuple[str, ...] | None], list[Who]] = {}
    for member in group.members:
        read = _topics(group, member)
        topics = None if read is None else tuple(sorted(read))
        key = (member.session_timeout_ms, member.rebalance_timeout_ms, topics)
        found.setdefault(key, []).append(_who(member))
    return tuple(
        Asked(session_ms, rebalance_ms, protocols, topics, tuple(members))
        for (session_ms, rebalance_ms, topics), members in found.items()
    )
