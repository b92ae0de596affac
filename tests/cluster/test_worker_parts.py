"""What the workers' supervisor is made of: shares, restarts, the line to a worker, a shared catalog (docs/cluster.md, Workers)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from muster.cluster.view import NodeEntry
from muster.cluster.worker_channel import MAX_WAITING_BYTES, Channel, channel_pair
from muster.cluster.worker_place import WorkerPlace
from muster.cluster.worker_restarts import LONG_LIFE_S, LONGEST_DELAY_S, Restarts
from muster.cluster.worker_shares import share_of
from muster.cluster.worker_silence import SilenceWatch, WakingTime
from muster.log.shared_files import SharedFileStore
from muster.runtime.worker_seat import WorkerLeaders
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic

WORKERS = 2


# -- shares


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_the_partitions_of_a_topic_are_spread_evenly(workers: int) -> None:
    for topic in ("orders", "payments", "__consumer_offsets"):
        led = Counter(share_of(topic, partition, workers) for partition in range(50))
        assert max(led.values()) - min(led.values()) <= 1
        assert len(led) == workers


def test_topics_of_one_partition_do_not_all_go_to_the_same_worker() -> None:
    assert len({share_of(f"topic-{number}", 0, 4) for number in range(20)}) == 4


def test_a_groups_journal_is_written_by_its_coordinator() -> None:
    for partition in range(50):
        assert share_of("__group_journal", partition, 3) == share_of("__consumer_offsets", partition, 3)


# -- restarts


def test_a_worker_that_keeps_ending_is_started_slower_and_slower_and_counts_as_away() -> None:
    restarts = Restarts()
    delays = []
    for _ in range(10):
        restarts.begin(now_s=0.0)
        delays.append(restarts.delay_after_end(now_s=0.1))
    assert delays == sorted(delays)
    assert (delays[0], delays[-1]) == (0.1, LONGEST_DELAY_S)
    assert restarts.is_hopeless
    assert restarts.count == 9


def test_a_worker_that_lived_long_is_started_again_at_once() -> None:
    restarts = Restarts()
    for _ in range(5):
        restarts.begin(now_s=0.0)
        restarts.delay_after_end(now_s=0.1)
    restarts.begin(now_s=0.0)
    assert restarts.delay_after_end(now_s=LONG_LIFE_S) == 0.1
    assert not restarts.is_hopeless


# -- the line


def test_messages_arrive_whole_and_in_order() -> None:
    here, there = channel_pair()
    for number in range(3):
        here.send({"changed": f"document {number}\n"})
    assert there.receive() == [{"changed": f"document {number}\n"} for number in range(3)]
    assert there.receive() == []
    here.close()
    there.close()


def all_that_came(channel: Channel) -> list[dict[str, Any]]:
    received: list[dict[str, Any]] = []
    while messages := channel.receive():
        received += messages
    return received


def test_a_worker_that_does_not_listen_never_holds_the_supervisor_up() -> None:
    """Messages that do not fit are dropped whole: workers look at the documents by themselves too."""
    here, there = channel_pair()
    for _ in range(20_000):
        here.send({"changed": "x" * 100})
    received = all_that_came(there)
    assert 0 < len(received) < 20_000
    here.send({"live": [1]})
    received += all_that_came(there)
    assert all(message == {"changed": "x" * 100} for message in received[:-1])
    assert len(here._unsent) <= MAX_WAITING_BYTES + 200
    here.close()
    there.close()


def test_a_line_that_is_ended_can_still_be_answered() -> None:
    here, there = channel_pair()
    here.say_stop()
    assert there.receive() is None
    there.send({"closed": True})
    there.close()
    assert here.receive() == [{"closed": True}]
    assert here.receive() is None
    here.send({"live": []})  # nobody is there, and nothing happens
    here.close()


# -- a catalog that several workers change


class Shared:
    """The broker of one worker on a shared directory."""

    def __init__(self, directory: Path, number: int, *, was_clean: bool = True) -> None:
        nodes = [NodeEntry(node_id, {}) for node_id in range(WORKERS)]
        place = WorkerPlace(number, nodes, str(directory))
        self.store = SharedFileStore(str(directory), place.is_mine, number=place.number, was_clean=was_clean)
        config = BrokerConfig(node_id=number, cluster_id="c")
        self.broker = Broker(self.store, config, lambda count: next(IDS), leaders=WorkerLeaders(place))
        self.broker.start()

    def create(self, name: str) -> None:
        (created,) = self.broker.create_topics([NewTopic(name, WORKERS, 1)])
        assert created.error_code == 0, created

    def delete(self, name: str) -> None:
        (deleted,) = self.broker.delete_topics([(name, bytes(16))])
        assert deleted.error_code == 0, deleted


IDS = (bytes([8, *([0] * 14), number]) for number in range(1, 200))


def test_a_worker_that_was_dead_when_a_topic_was_deleted_removes_its_part_when_it_is_back(tmp_path: Path) -> None:
    first, second = Shared(tmp_path, 0), Shared(tmp_path, 1)
    first.create("t")
    second.broker.refresh()
    assert sorted(path.name for path in tmp_path.glob("t-*")) == ["t-0", "t-1"]
    first.delete("t")  # the second one is dead and does not hear of it
    assert len(list(tmp_path.glob("t-*"))) == 1
    first.create("other")  # the document is written anew, and still says what is to be removed
    back = Shared(tmp_path, 1, was_clean=False)
    assert list(tmp_path.glob("t-*")) == []
    for each in (first, back):
        each.store.close()


def test_a_worker_that_was_dead_when_a_topic_was_made_again_begins_with_an_empty_log(tmp_path: Path) -> None:
    first, second = Shared(tmp_path, 0), Shared(tmp_path, 1)
    first.create("t")
    second.broker.refresh()
    first.delete("t")
    first.create("t")
    back = Shared(tmp_path, 1, was_clean=False)
    topic = back.broker.topic("t")
    assert topic is not None
    assert all(back.store.topic_id_of("t", index) == topic.topic_id for index in range(WORKERS))
    for each in (first, back):
        each.store.close()


def test_two_workers_that_make_different_topics_at_once_both_succeed(tmp_path: Path) -> None:
    first, second = Shared(tmp_path, 0), Shared(tmp_path, 1)
    first.create("a")
    second.create("b")
    first.create("c")
    assert [topic.name for topic in first.broker.catalog.topics()] == ["a", "b", "c"]
    for each in (first, second):
        each.store.close()


# -- silence


def watched(limit_s: float = 10.0) -> tuple[SilenceWatch, WakingTime]:
    watch = SilenceWatch()
    watch.note_sign()
    return watch, WakingTime(limit_s, now_s=0.0)


def test_a_worker_is_silent_for_as_long_as_the_supervisor_saw_no_sign() -> None:
    watch, waking = watched()
    silent = [watch.grow(waking.passed(float(now_s))) for now_s in range(1, 12)]
    assert silent == [float(now_s) for now_s in range(1, 12)]
    watch.note_sign()
    assert watch.grow(waking.passed(12.0)) == 1.0


def test_a_machine_that_slept_for_an_hour_takes_no_worker_for_hung() -> None:
    """The supervisor slept too: of the gap between two of its looks only a late look counts."""
    watch, waking = watched(10.0)
    assert watch.grow(waking.passed(3_600.0)) == 2.0
    assert watch.grow(waking.passed(3_601.0)) == 3.0


def test_a_worker_that_still_starts_is_not_watched_however_long_it_takes() -> None:
    watch, waking = watched()
    watch.begin_life()
    assert [watch.grow(waking.passed(float(now_s))) for now_s in range(1, 100)] == [0.0] * 99
