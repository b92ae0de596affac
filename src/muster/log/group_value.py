"""The value of a classic group's record (type 2): read in versions 0 to 4, written in version 3 as Kafka 4.3.1 does (spec 5.3).

Called by `record_codec` only.
"""

from __future__ import annotations

from muster.core.records import GroupStored, StoredMember
from muster.log.record_fields import (
    I32,
    I64,
    FieldReader,
    nullable_string_field,
    octets_field,
    string_field,
)

_WRITTEN_VERSION = b"\x00\x03"
_FLEXIBLE_SINCE = 4


def encode_group_value(group: GroupStored) -> bytes:
    parts = [
        _WRITTEN_VERSION,
        string_field(group.protocol_type, "protocol type"),
        I32.pack(group.generation),
        nullable_string_field(group.protocol_name, "protocol name"),
        nullable_string_field(group.leader, "leader"),
        I64.pack(group.state_timestamp_ms),
        I32.pack(len(group.members)),
    ]
    for member in group.members:
        parts += (
            string_field(member.member_id, "member id"),
            nullable_string_field(member.group_instance_id, "group instance id"),
            string_field(member.client_id, "client id"),
            string_field(member.client_host, "client host"),
            I32.pack(member.rebalance_timeout_ms),
            I32.pack(member.session_timeout_ms),
            octets_field(member.subscription),
            octets_field(member.assignment),
        )
    return b"".join(parts)


def decode_group_value(group_id: str, value: bytes) -> GroupStored:
    reader = FieldReader(value, f"value of group record {group_id!r}")
    version = reader.i16("version")
    if not 0 <= version <= _FLEXIBLE_SINCE:
        raise reader.error(f"version {version} is not known, 0 to {_FLEXIBLE_SINCE} are")
    reader.flexible = version >= _FLEXIBLE_SINCE
    group = GroupStored(
        group_id=group_id,
        protocol_type=reader.string("protocol type"),
        generation=reader.i32("generation"),
        protocol_name=reader.nullable_string("protocol name"),
        leader=reader.nullable_string("leader"),
        state_timestamp_ms=reader.i64("state timestamp") if version >= 2 else -1,
        members=tuple(_member(reader, version) for _ in range(reader.count("members"))),
    )
    reader.tags()
    return group


def _member(reader: FieldReader, version: int) -> StoredMember:
    member_id = reader.string("member id")
    group_instance_id = reader.nullable_string("group instance id") if version >= 3 else None
    client_id = reader.string("client id")
    client_host = reader.string("client host")
    rebalance_timeout_ms = reader.i32("rebalance timeout") if version >= 1 else -1
    session_timeout_ms = reader.i32("session timeout")
    member = StoredMember(
        member_id=member_id,
        group_instance_id=group_instance_id,
        client_id=client_id,
        client_host=client_host,
        # T208: version 0 knows no rebalance timeout, the session timeout served for both.
        rebalance_timeout_ms=session_timeout_ms if rebalance_timeout_ms == -1 else rebalance_timeout_ms,
        session_timeout_ms=session_timeout_ms,
        subscription=reader.octets("subscription"),
        assignment=reader.octets("assignment"),
    )
    reader.tags()
    return member
