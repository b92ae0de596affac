"""What coordinator records other than commits say, one record at a time: the nested columns of `log`.

A fact is a dict with some of the columns `group_id`, `is_tombstone`, `generation`, `epoch`, `problem`, `key` and `value`; the
caller adds where the record lies. `assigned` of a member is null where it cannot be told: not the consumer protocol, or
undecodable. Reuses the row makers of the silver tables, so that both say the same.
"""

from __future__ import annotations

from typing import Final

from muster.log.record_fields import RecordError
from muster.pipeline.decode.consumer_group_rows import (
    GROUP_EPOCH_TYPES,
    MEMBER_EPOCH_TYPES,
    group_epoch_row,
    member_epoch_row,
)
from muster.pipeline.decode.group_rows import CONSUMER_PROTOCOL, Row, assignment_rows, member_row, read_group
from muster.pipeline.decode.keys import GROUP_TYPE, NO_TYPE, KeyProblem, group_and_member, refuse_misplaced
from muster.pipeline.log_schema import EPOCH, MEMBER
from muster.wire.errors import WireError

_MEMBER_FIELDS: Final = tuple(field.name for field in MEMBER if field.name != "assigned")
_EPOCH_FIELDS: Final = tuple(field.name for field in EPOCH)
_NO_TYPE: Final = "the record has no key, or one too short for a record type"


def fact_of(
    record_type: int, key: bytes | None, value: bytes | None, log_partition: int, partition_count: int | None
) -> Row | None:
    """None for a type that nobody here decodes; a fact with a `problem` for what cannot be decoded."""
    if record_type == NO_TYPE:
        return {"problem": _NO_TYPE, "key": key, "value": value}
    if record_type not in _DECODED:
        return None
    assert key is not None
    try:
        group_id, member_id = group_and_member(key)
        refuse_misplaced(group_id, log_partition, partition_count)
        fact = _decode(record_type, group_id, member_id, value)
    except (KeyProblem, RecordError) as problem:
        return {"problem": str(problem), "key": key, "value": value}
    if "problem" in fact:
        fact |= {"key": key, "value": value}
    return fact


def _decode(record_type: int, group_id: str, member_id: str | None, value: bytes | None) -> Row:
    if record_type == GROUP_TYPE:
        return _group(group_id, value)
    if record_type in GROUP_EPOCH_TYPES:
        said = group_epoch_row({}, record_type, group_id, value)
    elif member_id is None:
        raise KeyProblem("the key ends before its member id")
    else:
        said = member_epoch_row({}, record_type, group_id, member_id, value)
    return {
        "group_id": group_id,
        "is_tombstone": value is None,
        "epoch": {name: said.get(name) for name in _EPOCH_FIELDS},
    }


def _group(group_id: str, value: bytes | None) -> Row:
    fact: Row = {"group_id": group_id, "is_tombstone": value is None}
    if value is None:
        return fact
    group = read_group(group_id, value)
    members: list[Row] = []
    problems: list[str] = []
    for member in group.members:
        row = member_row({}, group, member)
        said = {name: row[name] for name in _MEMBER_FIELDS}
        try:
            assigned = [
                {"topic": each["topic"], "partition": each["partition"]} for each in assignment_rows({}, group, member)
            ]
            said["assigned"] = assigned if group.protocol_type == CONSUMER_PROTOCOL else None
        except WireError as error:
            said["assigned"] = None
            problems.append(f"member {member.member_id!r}: {error}")
        members.append(said)
    fact["generation"] = {
        "generation": group.generation,
        "protocol_type": group.protocol_type,
        "protocol": group.protocol_name,
        "leader": group.leader,
        "state_ms": group.state_timestamp_ms if group.state_timestamp_ms >= 0 else None,
        "members": members,
    }
    if problems:
        fact["problem"] = "; ".join(problems)
    return fact


_DECODED: Final = frozenset((GROUP_TYPE, *GROUP_EPOCH_TYPES, *MEMBER_EPOCH_TYPES))
