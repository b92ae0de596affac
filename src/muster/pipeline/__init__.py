"""What did it mean over time? PySpark turns the coordinator's log and journal into lag, health, rebalances and expiry.

One streaming query (`stream`) makes a round of every micro-batch (`round`). `sources` reads logs and brokers, `decode` makes
rows of records, `fold` keeps the state of groups, `ends` and `now` make the tables of now by the rules in `tables`, `lake`
keeps everything as Delta tables. Only this room imports pyspark, and only inside the functions that need a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from muster.pipeline.lake.errors import LakeError
    from muster.pipeline.lake.spark_reader import open_lake, register_views

__all__ = ["LakeError", "open_lake", "register_views"]

_WHERE = {
    "open_lake": "muster.pipeline.lake.spark_reader",
    "register_views": "muster.pipeline.lake.spark_reader",
    "LakeError": "muster.pipeline.lake.errors",
}


def __getattr__(name: str) -> Any:
    """Imported when they are used: whoever needs another part of the pipeline does not wait for Arrow."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)
