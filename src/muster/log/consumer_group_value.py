"""Records of consumer groups as bytes: types 3 to 8 and 16, byte for byte as Kafka 4.3.1 writes them (spec 5.4, 5.5).

All values have version 0 and are flexible. Both forms of types 3, 6 and 8 are read, with the tagged fields of 4.3.1 and without.
Values of type 4, which 4.0 wrote, are read and not used. Called by `record_codec` only.
"""

from __future__ import annotations

from typing import Final

from muster.core.consumer.records import (
    ClassicMetadata,
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    HeldPartitions,
    MemberErased,
    MemberRecord,
    MemberStored,
    RegexErased,
    RegexRecord,
    RegexStored,
    Subscription,
    Target,
    TargetEpochErased,
    TargetEpochStored,
    TargetErased,
    TargetStored,
    TopicsErased,
    TopicsStored,
)
from muster.core.consumer.states import MemberState
from muster.log.record_fields import (
    I8,
    I16,
    I32,
    I64,
    FieldReader,
    RecordError,
    compact_count,
    compact_string_field,
    string_field,
    tagged_section,
)
from muster.wire.varint import uvarint

EPOCH, TOPICS, MEMBER, TARGET_EPOCH, TARGET, CURRENT, REGEX = 3, 4, 5, 6, 7, 8, 16
CONSUMER_GROUP_TYPES: Final = frozenset({EPOCH, TOPICS, MEMBER, TARGET_EPOCH, TARGET, CURRENT, REGEX})

_TYPES: Final[dict[type[ConsumerGroupRecord], int]] = {
    EpochStored: EPOCH,
    EpochErased: EPOCH,
    TopicsStored: TOPICS,
    TopicsErased: TOPICS,
    MemberStored: MEMBER,
    MemberErased: MEMBER,
    TargetEpochStored: TARGET_EPOCH,
    TargetEpochErased: TARGET_EPOCH,
    TargetStored: TARGET,
    TargetErased: TARGET,
    CurrentStored: CURRENT,
    CurrentErased: CURRENT,
    RegexStored: REGEX,
    RegexErased: REGEX,
}
_VERSION: Final = b"\x00\x00"
_TAG: Final = 0
"""Every struct has one tagged field at most."""
_NO_TAGS: Final = tagged_section({})
_UUID_BYTES: Final = 16
_PRESENT: Final = 1
"""In front of a struct that may be null."""
_NULL: Final = b"\x00"
"""Instead of such a struct. Kafka 4.3.1 writes it even in a tagged field."""
_NAMES: Final = {
    EPOCH: "group epoch",
    TOPICS: "subscription metadata",
    MEMBER: "member",
    TARGET_EPOCH: "target epoch",
    TARGET: "target assignment",
    CURRENT: "current assignment",
    REGEX: "regular expression",
}


# -- writing


def encode_consumer_group_record(record: ConsumerGroupRecord) -> tuple[bytes, bytes | None]:
    """Key and value; the value of a tombstone is None."""
    key = I16.pack(_TYPES[type(record)]) + string_field(record.group_id, "group id")
    if isinstance(record, MemberRecord):
        key += string_field(record.member_id, "member id")
    elif isinstance(record, RegexRecord):
        key += string_field(record.regex, "regular expression")
    return key, _encode_value(record)


def _encode_value(record: ConsumerGroupRecord) -> bytes | None:
    match record:
        case EpochStored():
            tags = {_TAG: I64.pack(record.metadata_hash)} if record.metadata_hash else {}
            return _VERSION + I32.pack(record.epoch) + tagged_section(tags)
        case TargetEpochStored():
            tags = {_TAG: I64.pack(record.assigned_ms)} if record.assigned_ms else {}
            return _VERSION + I32.pack(record.epoch) + tagged_section(tags)
        case MemberStored():
            return _VERSION + _subscription(record.subscription)
        case TargetStored():
            return _VERSION + _target(record.partitions) + _NO_TAGS
        case CurrentStored():
            return _VERSION + _current(record.current)
        case RegexStored():
            names = b"".join(compact_string_field(topic, "topic") for topic in record.topics)
            numbers = I64.pack(record.version) + I64.pack(record.resolved_ms)
            return _VERSION + compact_count(len(record.topics)) + names + numbers + _NO_TAGS
        case TopicsStored():
            raise RecordError("the metadata of a group's topics are read and no longer written")
    return None


def _subscription(own: Subscription) -> bytes:
    parts = [
        _nullable_string(own.instance_id, "instance id"),
        _nullable_string(own.rack_id, "rack id"),
        compact_string_field(own.client_id, "client id"),
        compact_string_field(own.client_host, "client host"),
        compact_count(len(own.topic_names)),
        *(compact_string_field(name, "topic") for name in own.topic_names),
        compact_string_field(own.topic_regex, "regular expression"),
        I32.pack(own.rebalance_timeout_ms),
        _nullable_string(own.server_assignor, "server assignor"),
        tagged_section({_TAG: _NULL if own.classic is None else _classic(own.classic)}),
    ]
    return b"".join(parts)


def _classic(classic: ClassicMetadata) -> bytes:
    """A struct behind a byte that says it is not null."""
    parts = [I8.pack(_PRESENT), I32.pack(classic.session_timeout_ms), compact_count(len(classic.protocols))]
    for name, metadata in classic.protocols:
        parts += (compact_string_field(name, "protocol"), uvarint(len(metadata) + 1), metadata, _NO_TAGS)
    parts.append(_NO_TAGS)
    return b"".join(parts)


def _target(target: Target) -> bytes:
    parts = [compact_count(len(target))]
    for topic_id, partitions in target.items():
        parts += (topic_id, _numbers(partitions), _NO_TAGS)
    return b"".join(parts)


def _current(current: CurrentAssignment) -> bytes:
    return b"".join(
        (
            I32.pack(current.epoch),
            I32.pack(current.previous_epoch),
            I8.pack(current.state.value),
            _held(current.assigned),
            _held(current.revoking),
            _NO_TAGS,
        )
    )


def _held(held: HeldPartitions) -> bytes:
    parts = [compact_count(len(held))]
    for topic_id, partitions in held.items():
        epochs = _numbers(tuple(partitions.values()))
        parts += (topic_id, _numbers(tuple(partitions)), tagged_section({_TAG: epochs}))
    return b"".join(parts)


def _numbers(numbers: tuple[int, ...]) -> bytes:
    return compact_count(len(numbers)) + b"".join(map(I32.pack, numbers))


def _nullable_string(text: str | None, field: str) -> bytes:
    return b"\x00" if text is None else compact_string_field(text, field)


# -- reading


def decode_consumer_group_record(record_type: int, key: FieldReader, value: bytes | None) -> ConsumerGroupRecord:
    """`key` stands behind the record type. RecordError for bytes that Kafka would not load either."""
    group_id = key.string("group id")
    if record_type in (MEMBER, TARGET, CURRENT):
        return _decode_of_member(record_type, group_id, key.string("member id"), value)
    if record_type == REGEX:
        regex = key.string("regular expression")
        return RegexErased(group_id, regex) if value is None else _decode_regex(group_id, regex, value)
    if value is None:
        erased: dict[int, type[ConsumerGroupRecord]] = {
            EPOCH: EpochErased,
            TOPICS: TopicsErased,
            TARGET_EPOCH: TargetEpochErased,
        }
        return erased[record_type](group_id)
    reader = _open(record_type, group_id, value)
    if record_type == TOPICS:
        return TopicsStored(group_id)
    epoch = reader.i32("epoch")
    tagged = reader.tags().get(_TAG)
    number = 0 if tagged is None else FieldReader(tagged, f"tagged field of group {group_id!r}").i64("number")
    return EpochStored(group_id, epoch, number) if record_type == EPOCH else TargetEpochStored(group_id, epoch, number)


def _decode_of_member(record_type: int, group_id: str, member_id: str, value: bytes | None) -> ConsumerGroupRecord:
    if value is None:
        if record_type == MEMBER:
            return MemberErased(group_id, member_id)
        return TargetErased(group_id, member_id) if record_type == TARGET else CurrentErased(group_id, member_id)
    reader = _open(record_type, group_id, value)
    if record_type == MEMBER:
        return MemberStored(group_id, member_id, _read_subscription(reader))
    if record_type == TARGET:
        target = {topic_id: tuple(held) for topic_id, held in _read_held(reader, 0).items()}
        reader.tags()
        return TargetStored(group_id, member_id, target)
    return CurrentStored(group_id, member_id, _read_current(reader))


def _open(record_type: int, group_id: str, value: bytes) -> FieldReader:
    reader = FieldReader(value, f"value of a {_NAMES[record_type]} record of group {group_id!r}")
    version = reader.i16("version")
    if version != 0:
        raise reader.error(f"version {version} is not known, only 0 is")
    reader.flexible = True
    return reader


def _read_subscription(reader: FieldReader) -> Subscription:
    instance_id = reader.nullable_string("instance id")
    rack_id = reader.nullable_string("rack id")
    client_id = reader.string("client id")
    client_host = reader.string("client host")
    names = [reader.string("topic") for _ in range(reader.count("subscribed topics"))]
    regex = reader.nullable_string("regular expression")
    rebalance_timeout_ms = reader.i32("rebalance timeout")
    assignor = reader.nullable_string("server assignor")
    classic = reader.tags().get(_TAG)
    return Subscription(
        instance_id,
        rack_id,
        client_id,
        client_host,
        tuple(sorted(set(names))),
        regex or "",
        rebalance_timeout_ms,
        assignor,
        None if classic is None else _read_classic(classic),
    )


def _read_classic(tagged: bytes) -> ClassicMetadata | None:
    reader = FieldReader(tagged, "classic metadata of a member")
    reader.flexible = True
    if reader.i8("presence") != _PRESENT:
        return None
    session_timeout_ms = reader.i32("session timeout")
    protocols: list[tuple[str, bytes]] = []
    for _ in range(reader.count("protocols")):
        protocols.append((reader.string("protocol"), reader.octets("metadata")))
        reader.tags()
    return ClassicMetadata(session_timeout_ms, tuple(protocols))


def _read_current(reader: FieldReader) -> CurrentAssignment:
    epoch = reader.i32("member epoch")
    previous_epoch = reader.i32("previous member epoch")
    number = reader.i8("state")
    known = {state.value: state for state in MemberState}
    # Without epochs of their own, as 4.0 wrote them, partitions count as given now: no older epoch may commit for them.
    current = CurrentAssignment(
        epoch,
        previous_epoch,
        known.get(number, MemberState.UNKNOWN),
        _read_held(reader, epoch),
        _read_held(reader, epoch),
    )
    reader.tags()
    return current


def _read_held(reader: FieldReader, default_epoch: int) -> HeldPartitions:
    held: HeldPartitions = {}
    for _ in range(reader.count("topics")):
        topic_id = reader.take(_UUID_BYTES, "topic id")
        partitions = _read_numbers(reader, "partitions")
        tagged = reader.tags().get(_TAG)
        epochs = [default_epoch] * len(partitions)
        if tagged is not None:
            inner = FieldReader(tagged, "assignment epochs")
            inner.flexible = True
            epochs = _read_numbers(inner, "assignment epochs")
            if len(epochs) != len(partitions):
                raise reader.error(f"{len(epochs)} assignment epochs for {len(partitions)} partitions")
        if partitions:
            held[topic_id] = dict(sorted(zip(partitions, epochs, strict=True)))
    return held


def _read_numbers(reader: FieldReader, field: str) -> list[int]:
    return [reader.i32(field) for _ in range(reader.count(field))]


def _decode_regex(group_id: str, regex: str, value: bytes) -> RegexStored:
    reader = _open(REGEX, group_id, value)
    topics = [reader.string("topic") for _ in range(reader.count("topics"))]
    version, resolved_ms = reader.i64("version"), reader.i64("timestamp")
    reader.tags()
    return RegexStored(group_id, regex, tuple(sorted(topics)), version, resolved_ms)
