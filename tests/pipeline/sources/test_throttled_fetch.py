"""A broker that throttles its readers: no record is missed for that."""

from __future__ import annotations

from typing import Any

import pytest

from muster.pipeline.sources.broker_client import BrokerClient, FetchAnswer
from muster.pipeline.sources.failure import SourceError
from muster.wire.generated.fetch import FetchResponse, FetchResponsePartition, FetchResponseTopic


class Throttling:
    """Stands for the connection to a broker that gives these answers, the last one again and again."""

    def __init__(self, *answers: FetchResponse) -> None:
        self.answers = list(answers)

    def ask(self, api: str, request: object, newest: int) -> FetchResponse:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def answer(records: bytes, throttle_ms: int = 0) -> FetchResponse:
    part = FetchResponsePartition(partition_index=0, high_watermark=9, records=records)
    return FetchResponse(throttle_time_ms=throttle_ms, responses=[FetchResponseTopic(topic="t", partitions=[part])])


def fetched(monkeypatch: pytest.MonkeyPatch, *answers: FetchResponse) -> tuple[FetchAnswer, list[float]]:
    pauses: list[float] = []
    client = BrokerClient("broker:9092", pause=pauses.append)
    connection: Any = Throttling(*answers)
    monkeypatch.setattr(client, "_to", lambda _: connection)
    return client.fetch(1, "t", 0, 5, 1_000), pauses


def test_answers_without_records_because_of_a_quota_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """KIP-219: Kafka names no topic in such an answer; others may, with nothing in it."""
    of_kafka = FetchResponse(throttle_time_ms=700, responses=[])
    found, pauses = fetched(monkeypatch, of_kafka, answer(b"", throttle_ms=300), answer(b"batch", throttle_ms=100))
    assert found == FetchAnswer(0, b"batch", 9)
    assert pauses == [0.7, 0.3]


def test_nothing_to_read_without_a_quota_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fetched(monkeypatch, answer(b"")) == (FetchAnswer(0, b"", 9), [])


def test_reader_that_is_always_throttled_is_told_which_quota_to_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match=r"t-0: the broker throttled 100 fetches .* offset 5: raise the quota"):
        fetched(monkeypatch, FetchResponse(throttle_time_ms=1, responses=[]))
