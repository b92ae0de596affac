"""Structured Streaming queries of Spark as groups that every lag tool can see.

    from muster.spark import track
    tracking = track(spark, "broker:9092", group="etl-orders")

Spark keeps the offsets that it has read in its checkpoint and commits none. `track` commits them after each micro-batch, to a
group without members, at Muster or at Kafka. Needs the `pipeline` extra; imports pyspark only when it is called.
"""

from __future__ import annotations

from muster.spark.failure import TrackingError
from muster.spark.tracking import Figures, Tracking, track

__all__ = ["Figures", "Tracking", "TrackingError", "track"]
