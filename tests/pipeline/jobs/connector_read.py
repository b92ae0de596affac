"""Reads a broker through Spark's Kafka connector, in a process of its own: `python -m tests.pipeline.jobs.connector_read ...`.

The connector has to be on the class path when Java starts, and the tests' shared session is without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from muster.pipeline.old.jobs import RunSettings, Watch, read_round
from muster.pipeline.old.jobs_sources import broker_source
from muster.pipeline.old.lake import Lake, LakeWriter
from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.sources.broker_security import security_in


def main(bootstrap: str, lake: str, jars: str, command_config: str) -> None:
    source = broker_source(bootstrap, "c", security_in(command_config), by_connector=True)
    settings = SessionSettings(master="local[1]", extra={"spark.jars": jars})
    with open_session(settings) as spark, Lake.open_or_create(lake).write() as writer:
        read_round(spark, writer, source, RunSettings(batch_records=5), Watch(stopped=_after_one_batch(writer)))
        read_round(spark, writer, source, RunSettings(), Watch())


def _after_one_batch(writer: LakeWriter) -> Callable[[], bool]:
    return lambda: writer.manifest.revision > 0


if __name__ == "__main__":
    main(*sys.argv[1:])
