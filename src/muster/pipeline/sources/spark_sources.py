"""The Spark data sources by name: `muster_segments` and `muster_broker`. Register them with `spark.dataSource.register`."""

from __future__ import annotations

from muster.pipeline.sources.broker import broker_from
from muster.pipeline.sources.log_source import LogSource
from muster.pipeline.sources.segments import segments_from
from muster.pipeline.sources.spark_source import LogDataSource


class SegmentDataSource(LogDataSource):
    @classmethod
    def name(cls) -> str:
        return "muster_segments"

    def log_source(self) -> LogSource:
        return segments_from(self.options)


class BrokerDataSource(LogDataSource):
    @classmethod
    def name(cls) -> str:
        return "muster_broker"

    def log_source(self) -> LogSource:
        return broker_from(self.options)
