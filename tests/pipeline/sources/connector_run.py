"""Streams a broker through Spark's Kafka connector, in a process of its own: `python -m tests.pipeline.sources.connector_run ...`.

The connector has to be on the class path when Java starts, and the tests' shared session is without it. Two runs of `availableNow`,
with another commit in between; what was read, and how many micro-batches each run made, is printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from muster.pipeline.session import SessionSettings, open_session
from muster.pipeline.sources.broker_security import security_in
from muster.pipeline.sources.run_source import StreamSettings, broker_source
from tests.pipeline.sources.streamed import Streamed


def main(bootstrap: str, home: str, jars: str, command_config: str, plain: str) -> None:
    security = {} if not command_config else {"security": security_in(command_config)}
    source = broker_source(bootstrap, "c", by_connector=True, **security)
    found: dict[str, Any] = {"batches": []}
    settings = SessionSettings(master="local[1]", extra={"spark.jars": jars})
    with open_session(settings) as spark:

        def run(**changes: Any) -> Streamed:
            stream = Streamed(spark, Path(home), lambda: source.stream(spark, StreamSettings(**changes)))
            stream.run_to_the_end()
            found["batches"].append(stream.batches)
            return stream

        run(offsets_in_all=2)
        commit(plain, 7)
        run(offsets_in_all=2)
        run()
        stream = run(tick_seconds=0.001)
        found["rows"] = [
            {name: row[name] for name in ("log_topic", "log_offset", "group_id", "committed_offset", "source", "dt")}
            for row in stream.rows()
        ]
        found["ends"] = source.ends()
    print(json.dumps(found))


def commit(bootstrap: str, *offsets: int) -> None:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "billing", "log_level": 0})
    for offset in offsets:
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
    consumer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
