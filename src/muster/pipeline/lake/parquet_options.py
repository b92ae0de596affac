"""How Spark's Parquet writer is told to write the lake's files. Only what costs no reader anything is left out."""

from __future__ import annotations

from typing import Final

_NAMES: Final = ("cluster", "log_topic", "source", "group_id", "topic", "topic_id")
LOG_PARQUET: Final = {
    "parquet.enable.dictionary": "false",
    **{f"parquet.enable.dictionary#{column}": "true" for column in _NAMES},
}
"""Of `log`. Names are worth a dictionary. Of offsets and times nearly every value is another, and small numbers compress as well
without: the writer would look each up in a table of its own.
"""
_WIDE_NAMES: Final = (
    *("cluster", "group_id", "topic", "topic_id", "owner", "method", "burrow_status", "status", "evidence", "reason"),
    *(
        "group_state",
        "sampler",
        "kind",
        "of_table",
        "log_topic",
        "client_id",
        "client_host",
        "protocol",
        "protocol_type",
    ),
    *(
        "cause",
        "position.group_id",
        "position.topic",
        "position.topic_id",
        "group.group_id",
        "group.type",
        "group.state",
    ),
)
WIDE_PARQUET: Final = {
    "parquet.enable.dictionary": "false",
    **{f"parquet.enable.dictionary#{column}": "true" for column in _WIDE_NAMES},
}
"""Of all other tables, for the same reason. The commits of positions alone are ten numbers a column and position."""
