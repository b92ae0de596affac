"""The history of lag by the hour: of each partition the last row of every hour, which is all that the status calendar needs.

Taking the last rows of last rows changes nothing, so a reader may do it piece by piece.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from muster.core.time_units import DAY_MS, HOUR_MS
from muster.pipeline.report import limits
from muster.pipeline.report.grouping import Grouped

HOURS: Final = "hours"
"""Name of the reduced table beside those of the lake; its columns are those of g_lag_history."""


def last_of_each_hour(history: pa.Table) -> pa.Table:
    newest_first = history.sort_by([("minute_ms", "descending"), ("committed", "descending")])
    keyed = newest_first.append_column("hour", pc.divide(newest_first["minute_ms"], HOUR_MS))
    groups = Grouped(keyed, ["cluster", "group_id", "topic", "partition", "hour"])
    return groups.first_rows.drop_columns(["hour"])


def calendar_start_ms(end_ms: int) -> int:
    """Midnight, so many days back that the last one is the day of the newest fact."""
    return (end_ms // DAY_MS - limits.CALENDAR_DAYS + 1) * DAY_MS
