"""What the pipeline remembers between two rounds: kinds of state rows, and one table that holds them all.

A state row belongs to one log partition and has one kind. The fold gets the state rows of a log partition beside its new log
rows and gives them back changed.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from muster.pipeline.fold.group_kinds import GROUP_KINDS

_text, _flag = pa.string(), pa.bool_()
_int, _long, _real = pa.int32(), pa.int64(), pa.float64()

WINDOW: Final = 10
"""Commits of a position that are remembered: Burrow's ring, rates and usual intervals look at them."""

COMMIT: Final = pa.struct(
    [
        ("log_offset", _long),
        ("record_ms", _long),
        ("commit_ms", _long),
        ("committed_offset", _long),  # null in a pending tombstone
        ("run", _int),  # which stretch of the log without holes it lies in
    ]
)

PENDING: Final = pa.struct(
    [
        *COMMIT,
        pa.field("topic_id", _text),
        pa.field("leader_epoch", _int),
        pa.field("metadata", _text),
        pa.field("expire_ms", _long),
        pa.field("value_version", _int),
        pa.field("is_tombstone", _flag),
        pa.field("is_transactional", _flag),
        pa.field("producer_id", _long),
    ]
)

POSITION: Final = pa.struct(
    [
        ("group_id", _text),
        ("topic", _text),
        ("partition", _int),
        # The newest commits that count, in log order, the last one is the current one. A tombstone ends a position: what was
        # committed before it is not part of what comes after, and a position without a commit is not kept.
        ("window", pa.list_(COMMIT)),
        # of the current record
        ("topic_id", _text),
        ("leader_epoch", _int),
        ("metadata", _text),
        ("expire_ms", _long),
        # commits of transactions that are still open
        ("pending", pa.list_(PENDING)),
        # The round that wrote the row: a round writes the positions that changed, and the newest row of a position counts
        # (`newest_positions`). One with neither window nor pending commits has ended.
        ("round", _long),
    ]
)

EXTENT: Final = pa.struct(
    [
        ("log_topic", _text),
        ("records", _long),
        ("unknown_records", _long),
        ("quarantined", _long),
        ("gaps", _long),
        ("first_offset", _long),
        ("last_offset", _long),
        ("faithful_from", _long),
        ("faithful_from_ms", _long),
        ("newest_ms", _long),  # the largest record time seen
        ("open_producers", pa.list_(_long)),  # that have written behind their last marker
    ]
)

HOUR: Final = pa.struct(
    [
        ("group_id", _text),
        ("hour_ms", _long),
        ("commits", _long),
        ("useless", _long),
        ("bytes", _long),
        ("progress", _long),
        ("steps", _long),
    ]
)

GROUP: Final = pa.struct(
    [
        # how the group stands at the end of what was read
        ("group_id", _text),
        ("type", _text),  # classic, consumer; null: only offsets are known
        ("state", _text),
        ("protocol_type", _text),
        ("generation", _int),
        ("n_members", _int),
        ("empty_since_ms", _long),
        ("topics", pa.list_(_text)),  # subscribed by anybody; null: cannot be told
        ("seen_ms", _long),
        ("log_offset", _long),
        ("owners", pa.list_(pa.struct([("topic", _text), ("partition", _int), ("owner", _text)]))),
        ("moved", _flag),  # whether any commit of the group ever moved on
    ]
)

READ_BY_NOW: Final[dict[str, pa.StructType]] = {"position": POSITION, "extent": EXTENT, "group": GROUP}
"""Kinds that have a struct column of their own: the tables of now are made of them."""
KINDS: Final[dict[str, pa.StructType]] = {**READ_BY_NOW, "hour": HOUR, **GROUP_KINDS}
"""All kinds. What only the fold itself reads lies in one column as JSON: as structs they were 170 columns, null in every row."""
