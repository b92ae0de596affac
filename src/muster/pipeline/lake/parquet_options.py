"""How Spark's Parquet writer is told to write the lake's files. Only what costs no reader anything is left out."""

from __future__ import annotations

from typing import Final

PARQUET: Final = {"parquet.size.statistics.enabled": "false"}
"""Statistics that no reader of these tables asks for, and that cost a tenth of the writing."""
_NAMES: Final = ("cluster", "log_topic", "source", "group_id", "topic", "topic_id")
LOG_PARQUET: Final = {
    **PARQUET,
    "parquet.enable.dictionary": "false",
    **{f"parquet.enable.dictionary#{column}": "true" for column in _NAMES},
}
"""Of `log`. Names are worth a dictionary. Of offsets and times nearly every value is another, and small numbers compress as well
without: the writer would look each up in a table of its own.
"""
