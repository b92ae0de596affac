"""The columns of `log`, the one table of facts: a row for each record of the coordinator's log and of the journal.

Sources give these rows, decoded; the fold reads them; everything else is made from them. What a record says is in columns of
its own kind: commits inline, a group record in `generation`, a KIP-848 record in `epoch`, a journal event in `event`. Bytes are
kept only of what could not be decoded. Arrow types are the definition, as in `schemas`; Spark's are derived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_text, _bytes, _flag = pa.string(), pa.binary(), pa.bool_()
_int, _long = pa.int32(), pa.int64()

ASSIGNED: Final = pa.list_(pa.struct([("topic", _text), ("partition", _int)]))

MEMBER: Final = pa.struct(
    [
        ("member_id", _text),
        ("instance_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("rebalance_timeout_ms", _int),
        ("session_timeout_ms", _int),
        ("topics", pa.list_(_text)),  # null: not the consumer protocol, or undecodable
        ("owned_partitions", _int),
        ("rack_id", _text),
        ("assigned", ASSIGNED),
    ]
)

GENERATION: Final = pa.struct(
    [
        ("generation", _int),
        ("protocol_type", _text),
        ("protocol", _text),
        ("leader", _text),
        ("state_ms", _long),
        ("members", pa.list_(MEMBER)),
    ]
)

EPOCH: Final = pa.struct(
    [
        ("epoch", _int),  # of a group (types 3 and 6)
        ("member_id", _text),
        ("member_epoch", _int),
        ("state", _text),
        ("instance_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("topics", pa.list_(_text)),
        ("n_assigned", _int),
        ("n_pending_revocation", _int),
    ]
)

EVENT: Final = pa.struct(
    [
        ("at_ms", _long),
        ("kind", _text),
        ("generation", _int),
        ("cause", _text),
        ("member_id", _text),
        ("instance_id", _text),
        ("client_id", _text),
        ("client_host", _text),
        ("reason", _text),
        ("payload", _text),  # the whole event as JSON
    ]
)

LOG: Final = pa.schema(
    [
        ("cluster", _text),
        ("log_topic", _text),
        ("log_partition", _int),
        ("log_offset", _long),  # -1: a batch that cannot be read, described by `problem`
        ("record_ms", _long),
        ("batch_base_offset", _long),
        ("batch_last_offset", _long),
        ("producer_id", _long),
        ("producer_epoch", _int),
        ("is_transactional", _flag),
        ("is_control", _flag),
        ("control_type", _int),  # 0 abort, 1 commit
        ("compression", _int),
        ("batch_leader_epoch", _int),
        ("source", _text),  # segment, broker, kafka
        # what the record is and about whom
        ("record_type", _int),  # of a coordinator record: the key's type. Null: control record, journal event, no type
        ("group_id", _text),
        ("is_tombstone", _flag),
        # types 0 and 1: an offset commit
        ("topic", _text),
        ("partition", _int),
        ("topic_id", _text),
        ("committed_offset", _long),
        ("leader_epoch", _int),
        ("metadata", _text),
        ("commit_ms", _long),
        ("expire_ms", _long),
        ("value_version", _int),
        # type 2, types 3 to 8, journal
        ("generation", GENERATION),
        ("epoch", EPOCH),
        ("event", EVENT),
        # what could not be decoded: why, where, and its bytes
        ("problem", _text),
        ("place", _text),  # file and position, or broker
        ("key", _bytes),
        ("value", _bytes),
        ("dt", _text),
    ]
)


COMMIT_TYPES: Final = (0, 1)
"""Record types of offset commits."""
COMMIT_COLUMNS: Final = (
    *("group_id", "topic", "partition", "log_offset", "record_ms", "commit_ms", "committed_offset"),
    *("topic_id", "leader_epoch", "metadata", "expire_ms", "value_version", "is_tombstone"),
    *("is_transactional", "producer_id"),
)
"""What the fold looks at in a row that is an offset commit, beside whose it is."""


def log_spark_schema() -> StructType:
    """The same columns as Spark knows them."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(LOG)
