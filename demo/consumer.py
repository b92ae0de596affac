"""One consumer process of the demo: an unmodified confluent-kafka (librdkafka) client. Says what it does, a JSON line
each."""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

from confluent_kafka import Consumer, TopicPartition


def say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


def main(bootstrap: str, group: str, topic: str) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "session.timeout.ms": 6_000,
            "heartbeat.interval.ms": 500,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 100,
            "reconnect.backoff.max.ms": 500,
            "log_level": 0,
        }
    )

    def on_assign(_: Consumer, partitions: list[TopicPartition]) -> None:
        say(event="assigned", partitions=sorted(partition.partition for partition in partitions))

    def on_revoke(_: Consumer, partitions: list[TopicPartition]) -> None:
        say(event="revoked", partitions=sorted(partition.partition for partition in partitions))

    going = True

    def stop(*_: Any) -> None:
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    consumer.subscribe([topic], on_assign=on_assign, on_revoke=on_revoke)
    while going:
        message = consumer.poll(0.2)
        if message is None or message.error():
            continue
        consumer.commit(message, asynchronous=False)
        say(event="read", partition=message.partition(), offset=message.offset())
    consumer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
