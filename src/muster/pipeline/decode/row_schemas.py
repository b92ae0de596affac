"""What decoding gives, table by table, before neighbours are looked at.

Every table has the columns of `muster.pipeline.schemas` in their order; those that depend on other records are null here and
filled in by `muster.pipeline.tables`. Behind them come the columns that this filling in needs and that the finished table
drops. `txn_marker` is an intermediate table of its own: the ends of transactions, which decide whose offsets count.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from muster.pipeline.schemas import TABLES

_FOR_TRANSACTIONS: Final = (
    pa.field("producer_id", pa.int64()),
    pa.field("is_transactional", pa.bool_()),
)

ROW_TABLES: Final[dict[str, pa.Schema]] = {
    "s_offset_commit": pa.schema([*TABLES["s_offset_commit"], *_FOR_TRANSACTIONS]),
    "s_group_generation": TABLES["s_group_generation"],
    "s_member": TABLES["s_member"],
    "s_assignment": TABLES["s_assignment"],
    "s_group_epoch": TABLES["s_group_epoch"],
    "s_member_epoch": TABLES["s_member_epoch"],
    "txn_marker": pa.schema(
        [
            pa.field("cluster", pa.string()),
            pa.field("log_partition", pa.int32()),
            pa.field("log_offset", pa.int64()),
            pa.field("record_ms", pa.int64()),
            pa.field("producer_id", pa.int64()),
            pa.field("producer_epoch", pa.int32()),
            pa.field("control_type", pa.int32()),  # 0 abort, 1 commit
        ]
    ),
    "b_quarantine": TABLES["b_quarantine"],
    "unknown_type": pa.schema(  # how many records of types that nobody here decodes
        [
            pa.field("cluster", pa.string()),
            pa.field("log_partition", pa.int32()),
            pa.field("record_type", pa.int32()),
            pa.field("records", pa.int64()),
            pa.field("first_offset", pa.int64()),
            pa.field("last_offset", pa.int64()),
        ]
    ),
}
