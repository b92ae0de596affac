"""Old records asked for apart: a request that lacks them is worked out again, and finds what it would have found at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from muster.log.contract import NotReadYet, StorageError
from muster.log.postgres import questions
from muster.log.postgres.partition_log import PostgresLog
from muster.log.postgres.questions import Reading
from muster.log.postgres.store import PostgresStore
from tests.log.batches import open_log, put, records_in
from tests.log.postgres_server import empty_database

T = TypeVar("T")


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    """Has forty batches in two partitions, none of them in memory."""
    url = empty_database()
    writing = PostgresStore(url, 1, claims_alone=True)
    for partition in range(2):
        log = open_log(writing, partition=partition)
        for number in range(20):
            put(writing, log, f"{partition}-{number}", timestamp_ms=1_000 + number)
    writing.close()
    made = PostgresStore(url, 1, claims_alone=True)
    yield made
    made.close()


def opened(store: PostgresStore, partition: int = 0) -> PostgresLog:
    log = open_log(store, partition=partition)
    assert isinstance(log, PostgresLog)
    return log


def work_out(store: PostgresStore, reading: Reading, work: Callable[[], T]) -> T:
    """As the runtime does it; the database is asked between two rounds, never during one."""
    for _ in range(10):
        store.questions.reading = reading
        try:
            return work()
        except NotReadYet:
            assert reading.open
        finally:
            store.questions.reading = None
        reading.answer(store.apart)
    raise AssertionError("it never had all that it needs")


@pytest.mark.parametrize(("offset", "max_bytes"), [(0, 1 << 20), (0, 1), (7, 300), (19, 1 << 20), (20, 1 << 20)])
def test_records_read_apart_are_those_read_at_once(store: PostgresStore, offset: int, max_bytes: int) -> None:
    log = opened(store)
    assert work_out(store, Reading(), lambda: log.read(offset, max_bytes)) == log.read(offset, max_bytes)


def test_offsets_by_time_and_headers_read_apart_are_those_read_at_once(store: PostgresStore) -> None:
    log = opened(store)
    for look in (
        lambda: log.offset_for_timestamp(1_011),
        lambda: log.offset_for_timestamp(9_999),
        log.max_timestamp,
        lambda: [header.base_offset for _, header in log.read_headers(2)],
    ):
        assert work_out(store, Reading(), look) == look()


def test_a_log_that_grows_meanwhile_does_not_change_the_question(store: PostgresStore) -> None:
    """Or a request to a busy log would never be answered."""
    log, reading = opened(store), Reading()
    asked = []
    for number in range(3):
        store.questions.reading = reading
        with pytest.raises(NotReadYet):
            log.read(0, 300)
        store.questions.reading = None
        asked.append(list(reading.open))
        put(store, log, f"new {number}")
    assert asked[0] == asked[1] == asked[2]
    assert records_in(work_out(store, reading, lambda: log.read(0, 1 << 20)))[0] == (0, "0-0")


def test_a_request_for_more_old_records_than_fit_gets_those_of_its_first_partitions(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, reading = opened(store, 0), opened(store, 1), Reading()
    monkeypatch.setattr(questions, "MOST_BYTES", 300)
    assert len(records_in(work_out(store, reading, lambda: first.read(0, 1 << 20)))) == 20, "it has to get on"
    assert work_out(store, reading, lambda: second.read(0, 1 << 20)) == b""


def test_a_partition_of_which_less_is_wanted_the_next_time_is_not_asked_for_again(store: PostgresStore) -> None:
    """Other partitions of the same fetch came first, and have taken their part of its bytes."""
    log, reading = opened(store), Reading()
    whole = records_in(work_out(store, reading, lambda: log.read(0, 1 << 20)))
    store.questions.reading = reading
    part = records_in(log.read(0, 300))
    store.questions.reading = None
    assert 0 < len(part) < len(whole)
    assert part == whole[: len(part)]


def test_a_database_that_is_away_is_the_answer_and_not_asked_again(store: PostgresStore) -> None:
    log, reading = opened(store), Reading()
    store.set_reachable(is_reachable=False)
    with pytest.raises(StorageError, match="cannot be reached") as refused:
        work_out(store, reading, lambda: log.read(0, 1 << 20))
    assert not isinstance(refused.value, NotReadYet)
    store.set_reachable(is_reachable=True)
