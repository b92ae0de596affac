"""The log of consumer groups, and of those that change between the protocols, read batch by batch in its order.

Knows members and epochs only as the records name them; what a shard makes of them is another question.
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    TargetEpochErased,
    TargetEpochStored,
)
from muster.core.records import GroupErased, GroupStored, LogRecord, OffsetErased
from muster.sim.consumers.history import ConsumerHistory, Migration


class _Group:
    """A group as the log has it so far."""

    def __init__(self) -> None:
        self.is_consumer: bool | None = None
        """None: it is not there."""
        self.number = 0
        """Generation or group epoch."""
        self.classic: dict[str, str] = {}
        """Member id -> who that is, of members of the classic protocol in either kind of group."""
        self.consumers: dict[str, str] = {}

    def copy(self) -> _Group:
        other = _Group()
        other.is_consumer, other.number = self.is_consumer, self.number
        other.classic, other.consumers = dict(self.classic), dict(self.consumers)
        return other


class LogFold:
    def __init__(self, seen: ConsumerHistory) -> None:
        self._seen = seen
        self._groups: dict[str, _Group] = {}

    def read_batch(self, records: Sequence[LogRecord]) -> None:
        """What one outcome wrote is in one batch, whole."""
        touched: dict[str, _Group] = {}
        erased: dict[str, int] = {}
        for record in records:
            if isinstance(record, OffsetErased):
                erased[record.group_id] = erased.get(record.group_id, 0) + 1
            elif isinstance(record, (GroupStored, GroupErased, ConsumerGroupRecord)):
                group = self._groups.setdefault(record.group_id, _Group())
                touched.setdefault(record.group_id, group.copy())
                self._apply(group, record)
                self._note_epoch(record)
        for group_id, before in touched.items():
            self._note_migration(group_id, before, self._groups[group_id], erased.get(group_id, 0))

    def _apply(self, group: _Group, record: GroupStored | GroupErased | ConsumerGroupRecord) -> None:
        match record:
            case GroupStored():
                group.is_consumer, group.number = False, record.generation
                group.consumers = {}
                group.classic = {each.member_id: each.group_instance_id or each.member_id for each in record.members}
            case GroupErased():
                group.is_consumer, group.classic = None, {}
            case EpochStored():
                group.is_consumer, group.number = True, record.epoch
            case EpochErased():
                group.is_consumer = None
            case MemberStored():
                own = record.subscription
                who = own.instance_id or record.member_id
                (group.consumers if own.classic is None else group.classic)[record.member_id] = who
                (group.classic if own.classic is None else group.consumers).pop(record.member_id, None)
            case MemberErased():
                group.classic.pop(record.member_id, None)
                group.consumers.pop(record.member_id, None)
            case _:
                pass

    def _note_epoch(self, record: GroupStored | GroupErased | ConsumerGroupRecord) -> None:
        stored = self._seen.stored_epochs
        match record:
            case EpochStored():
                stored.append((record.group_id, "group", record.epoch))
            case EpochErased():
                stored.append((record.group_id, "group", -1))
            case TargetEpochStored():
                stored.append((record.group_id, "target", record.epoch))
            case TargetEpochErased():
                stored.append((record.group_id, "target", -1))
            case CurrentStored() if record.current.epoch >= 0:
                stored.append((record.group_id, record.member_id, record.current.epoch))
            case CurrentErased():
                stored.append((record.group_id, record.member_id, -1))
            case _:
                pass

    def _note_migration(self, group_id: str, before: _Group, after: _Group, lost_offsets: int) -> None:
        if before.is_consumer is None or after.is_consumer is None or before.is_consumer is after.is_consumer:
            return
        if not before.classic:
            return  # an Empty classic group has nobody to move: the new one begins anew
        remaining = {*after.classic.values(), *after.consumers.values()}
        self._seen.migrations.append(
            Migration(
                group_id,
                bool(after.is_consumer),
                frozenset(member_id for member_id, who in before.classic.items() if who not in remaining),
                bool(before.consumers),
                before.number,
                after.number,
                lost_offsets,
            )
        )
