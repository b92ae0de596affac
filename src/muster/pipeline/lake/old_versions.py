"""Old versions of a table: the files of its log that nobody needs any more are removed. Called by compaction, by nobody else.

A version is needed while a round that `rounds` remembers names it: readers open it, and the next round is made from it. It is also
needed for a grace after it was replaced, by readers that opened the lake before and have not come to this table yet. delta-rs
removes log files by age (`delta.logRetentionDuration`), of versions before the one at which the table was opened, and keeps the
checkpoint that this one is read from: so the table is opened at the oldest version that is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from muster.pipeline.lake.delta import open_table
from muster.pipeline.lake.location import Location


def drop_old_versions(location: Location, table: str, named: Iterable[int], grace_hours: int) -> None:
    """`named`: the versions that rounds name. Errors of the storage are delta-rs's own."""
    delta = open_table(location, table)
    if delta is None:
        return
    # By the real clock: the other side of the comparison is when the store says that files were written.
    delta.load_as_version(datetime.now(UTC) - timedelta(hours=grace_hours))
    needed = open_table(location, table, min((int(delta.version()), *named)))
    if needed is not None:  # an older muster may have dropped it: rounds that name it are soon forgotten
        needed.cleanup_metadata()
