"""A log of which a broker's Metadata says nothing is not taken for one that does not exist: its records would be passed over."""

from __future__ import annotations

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.failure import SourceError
from muster.wire.errors import LEADER_NOT_AVAILABLE, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic


class Connection:
    """Answers Metadata with this error for every topic."""

    def __init__(self, error: int) -> None:
        self._error = error

    def ask(self, api: str, request: MetadataRequest) -> MetadataResponse:
        assert api == "Metadata"
        topics = [MetadataResponseTopic(error_code=self._error, name=each.name) for each in request.topics or ()]
        return MetadataResponse(topics=topics)


def ends(monkeypatch: pytest.MonkeyPatch, topic: str, error: int) -> dict[int, int]:
    monkeypatch.setattr(BrokerClient, "_any", lambda _: Connection(error))
    return BrokerLogs("broker:9092", topic).ends()


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        (CONSUMER_OFFSETS, TOPIC_AUTHORIZATION_FAILED),
        (CONSUMER_OFFSETS, LEADER_NOT_AVAILABLE),
        (GROUP_JOURNAL, LEADER_NOT_AVAILABLE),
    ],
)
def test_refused_log_is_an_error_with_its_name(monkeypatch: pytest.MonkeyPatch, topic: str, error: int) -> None:
    with pytest.raises(SourceError, match=rf"{topic}: the broker says nothing of it: [A-Z_]+"):
        ends(monkeypatch, topic, error)


@pytest.mark.parametrize(
    ("topic", "error"),
    [(CONSUMER_OFFSETS, UNKNOWN_TOPIC_OR_PARTITION), (GROUP_JOURNAL, TOPIC_AUTHORIZATION_FAILED)],
)
def test_log_that_is_not_there_is_empty(monkeypatch: pytest.MonkeyPatch, topic: str, error: int) -> None:
    assert ends(monkeypatch, topic, error) == {}
