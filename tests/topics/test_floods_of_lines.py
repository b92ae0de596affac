"""A client that asks again and again for what a failing store cannot do: so many lines in a while, and no more."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.log_limit import LINES, LogLimit
from muster.topics import broker as broker_module
from muster.topics import catalog as catalog_module
from muster.topics.broker import Broker
from muster.topics.creation import NewTopic
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import NOW_MS, started

_MANY = LINES + 20


class _FailingStore(MemoryStore):
    is_failing = False

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        self._fail()
        super().delete(topic, partition, topic_id)

    def write_document(self, name: str, content: bytes) -> None:
        if name != "topics.json":
            self._fail()
        super().write_document(name, content)

    def _fail(self) -> None:
        if self.is_failing:
            raise StorageError("the disk is full")


def _delete_topics(broker: Broker) -> None:
    names = [f"t{number}" for number in range(_MANY)]
    assert {answer.error_code for answer in broker.delete_topics([(name, NO_TOPIC_ID) for name in names])} == {0}


def _try_again_to_delete(broker: Broker) -> None:
    broker.delete_topics([("t0", NO_TOPIC_ID)])
    for _ in range(_MANY):
        broker.apply_retention(NOW_MS)


def _ask_for_producer_ids(broker: Broker) -> None:
    assert [broker.new_producer_id() for _ in range(_MANY)] == [None] * _MANY


@pytest.mark.parametrize("ask", [_delete_topics, _try_again_to_delete, _ask_for_producer_ids])
def test_what_a_failing_store_cannot_do_is_told_so_many_times(
    ask: Callable[[Broker], None], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (broker_module, catalog_module):
        limit = LogLimit(logging.getLogger(module.__name__), "failures", lambda: 0.0)
        monkeypatch.setattr(module, "_failures", limit)
    store = _FailingStore()
    broker = started(store)
    broker.create_topics([NewTopic(f"t{number}") for number in range(_MANY)])
    store.is_failing = True
    ask(broker)
    assert len([line for line in caplog.messages if "the disk is full" in line]) == LINES
