"""Partitions that another node leads, and a catalog that other nodes change too."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

from muster.log.contract import NOBODY, DocumentChanged, Leader, LedElsewhere, LogConfig, StorageError
from muster.log.memory import MemoryLog, MemoryStore
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewPartitions, NewTopic
from muster.topics.leaders import Leaders
from muster.topics.produce import ProduceTerms
from muster.topics.refusal import TopicError
from muster.topics.topic import Topic
from muster.wire import errors
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import NOW_MS, ask, batch, fetch

HERE, THERE = 1, 2
DATABASE_TROUBLE = StorageError("the database refused: canceling statement due to statement timeout")


class SharedDocuments:
    def __init__(self) -> None:
        self.kept: dict[str, tuple[int, bytes]] = {}


class ClusterStore(MemoryStore):
    """Logs of its own, documents shared with other nodes: a write must name what was read last."""

    def __init__(self, shared: SharedDocuments) -> None:
        super().__init__()
        self._shared = shared
        self._seen: dict[str, int] = {}

    def read_document(self, name: str) -> bytes | None:
        version, content = self._shared.kept.get(name, (0, None))
        self._seen[name] = version
        return content

    def write_document(self, name: str, content: bytes) -> None:
        version = self._shared.kept.get(name, (0, b""))[0]
        if version != self._seen.get(name, 0):
            raise DocumentChanged(name)
        self._shared.kept[name] = (version + 1, content)
        self._seen[name] = version + 1


class MovingStore(ClusterStore):
    """Logs of which another node may have become the owner, or that cannot be asked for at all."""

    trouble: StorageError | None = None

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        if self.trouble is not None and partition == 2:
            raise self.trouble
        return super().open(topic, partition, topic_id, config)


class WatchedStore(MovingStore):
    """Lets a test look while the log of a third partition is opened, and notes what is released. Deletes nothing."""

    def __init__(self, shared: SharedDocuments) -> None:
        super().__init__(shared)
        self.look: Callable[[], object] = lambda: None
        self.released: list[tuple[str, int]] = []

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        if partition == 2:
            self.look()
        return super().open(topic, partition, topic_id, config)

    def release(self, topic: str, partition: int) -> None:
        self.released.append((topic, partition))
        super().release(topic, partition)

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        raise DATABASE_TROUBLE


class InterruptedStore(MovingStore):
    """Another node changes the catalog before the second write of a document from now on."""

    def __init__(self, shared: SharedDocuments) -> None:
        super().__init__(shared)
        self.interrupt: Callable[[], object] = lambda: None
        self._writes = 0

    def expect(self, interrupt: Callable[[], object]) -> None:
        self.interrupt, self._writes = interrupt, 0

    def write_document(self, name: str, content: bytes) -> None:
        self._writes += 1
        if self._writes == 2:
            self.interrupt()
        super().write_document(name, content)


class SilentStore(ClusterStore):
    """Cannot say that some topics have new partitions."""

    def __init__(self, shared: SharedDocuments) -> None:
        super().__init__(shared)
        self.trouble: dict[str, Exception] = {}
        self.announced: dict[str, int] = {}

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        if topic in self.trouble:
            raise self.trouble[topic]
        self.announced[topic] = len(partitions)


class LosingStore(ClusterStore):
    """The node's lease ends while the log of the second partition is asked for."""

    def __init__(self, shared: SharedDocuments) -> None:
        super().__init__(shared)
        self.leaders = LostLeaders()
        self.closed: list[int] = []

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        self.leaders.leads = self.leaders.leads and partition != 1
        return super().open(topic, partition, topic_id, config)

    def release(self, topic: str, partition: int) -> None:
        self.closed.append(partition)
        super().release(topic, partition)


class LostLeaders:
    node_id = HERE
    is_alone = False
    leads = True

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return Leader(HERE, 4) if self.leads else Leader(NOBODY, -1)


class OddIsElsewhere:
    node_id = HERE
    is_alone = False

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return Leader(THERE if partition % 2 else HERE, 4)


def node(shared: SharedDocuments, store: ClusterStore | None = None, leaders: Leaders | None = None) -> Broker:
    leaders = leaders or OddIsElsewhere()
    broker = Broker(store or ClusterStore(shared), BrokerConfig(node_id=HERE), os.urandom, leaders=leaders)
    broker.start()
    return broker


@pytest.fixture
def broker() -> Broker:
    made = node(SharedDocuments())
    made.create_topics([NewTopic("t", 2)])
    return made


def produced_to(broker: Broker, partition: int) -> int:
    return broker.produce("t", partition, batch(b"x"), ProduceTerms(), NOW_MS).error_code


def names(topics: Sequence[Topic]) -> list[str]:
    return [topic.name for topic in topics]


def test_produce_to_a_partition_led_elsewhere_says_not_leader(broker: Broker) -> None:
    assert produced_to(broker, 1) == errors.NOT_LEADER_OR_FOLLOWER
    assert produced_to(broker, 0) == errors.NONE


def test_fetch_and_list_offsets_elsewhere_say_not_leader_but_judge_the_epoch_first(broker: Broker) -> None:
    """Kafka: a stale or unknown epoch is told before the leader is looked at."""
    (part,) = fetch(broker, ask(0, partition=1)).partitions
    assert part.error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert broker.list_offset("t", 1, -1).error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert broker.list_offset("t", 1, -1, current_epoch=3).error_code == errors.FENCED_LEADER_EPOCH
    assert broker.end_of_epoch("t", 1, 5, 0).error_code == errors.UNKNOWN_LEADER_EPOCH
    with pytest.raises(TopicError) as refused:
        broker.delete_records("t", 1, 0)
    assert refused.value.code == errors.NOT_LEADER_OR_FOLLOWER


def test_only_partitions_led_here_have_a_size(broker: Broker) -> None:
    assert [entry.partition for entry in broker.log_dirs()] == [0]


def test_a_partition_that_comes_here_is_opened_and_one_that_goes_is_closed(broker: Broker) -> None:
    coming, going = broker.partition("t", 1), broker.partition("t", 0)
    broker.catalog.lead(coming, Leader(HERE, 5))
    broker.catalog.lead(going, Leader(THERE, 5))
    assert produced_to(broker, 1) == errors.NONE
    assert produced_to(broker, 0) == errors.NOT_LEADER_OR_FOLLOWER
    with pytest.raises(LedElsewhere):
        going.log.read(0, 100)
    assert (coming.leader_id, coming.leader_epoch, going.leader_id) == (HERE, 5, THERE)


def test_two_nodes_that_create_topics_at_once_both_succeed_and_know_both() -> None:
    """The second write is refused by the store; the node takes over what the first did and tries again."""
    shared = SharedDocuments()
    first, second = node(shared), node(shared)
    assert first.create_topics([NewTopic("a", 1)])[0].error_code == errors.NONE
    assert second.create_topics([NewTopic("b", 1)])[0].error_code == errors.NONE
    assert names(second.catalog.topics()) == ["a", "b"]
    first.refresh()
    assert names(first.catalog.topics()) == ["a", "b"]


def test_a_name_that_another_node_took_meanwhile_exists_already() -> None:
    shared = SharedDocuments()
    first, second = node(shared), node(shared)
    first.create_topics([NewTopic("a", 1)])
    assert second.create_topics([NewTopic("a", 1)])[0].error_code == errors.TOPIC_ALREADY_EXISTS


def test_what_another_node_deleted_grew_or_changed_is_taken_over() -> None:
    shared = SharedDocuments()
    first = node(shared)
    first.create_topics([NewTopic("gone", 1), NewTopic("kept", 1)])
    second = node(shared)
    told: list[str] = []
    second.on_topics_gone = lambda topics: told.extend(names(topics))
    first.delete_topics([("gone", NO_TOPIC_ID)])
    first.alter_topic_configs("kept", [("retention.ms", 0, "1000")])
    first.catalog.grow(first.catalog.topics()[0], 3)
    second.refresh()
    (kept,) = second.catalog.topics()
    assert (told, kept.name, len(kept.partitions), kept.settings.log.retention_ms) == (["gone"], "kept", 3, 1000)


def test_a_topic_that_could_not_be_taken_over_is_never_replaced_by_one_of_the_same_name() -> None:
    """A client that asks such a node for the topic's metadata must not have it made anew, with one partition and another id."""
    shared = SharedDocuments()
    store = MovingStore(shared)
    first, second = node(shared), node(shared, store)
    first.create_topics([NewTopic("t", 4)])
    made = first.topic("t")
    store.trouble = StorageError("the database went away")
    with pytest.raises(StorageError):
        second.refresh()
    with pytest.raises(TopicError) as refused:
        second.auto_create("t")
    assert refused.value.code == errors.KAFKA_STORAGE_ERROR
    store.trouble = None
    assert made is not None
    assert (second.auto_create("t").topic_id, len(second.auto_create("t").partitions)) == (made.topic_id, 4)


def test_a_setting_that_a_later_release_wrote_is_trouble_with_the_catalog_and_nothing_is_written_over_it() -> None:
    """Whoever follows the cluster expects a StorageError, and tries again."""
    shared = SharedDocuments()
    first, second = node(shared), node(shared)
    first.create_topics([NewTopic("t", 1), NewTopic("u", 1)])
    second.refresh()
    (topic, _) = first.catalog.topics()
    first.catalog.change_configs(topic, {"later.setting": "1"}, topic.settings)
    first.create_topics([NewTopic("new", 1)])
    written = shared.kept["topics.json"]
    with pytest.raises(StorageError, match=r"topics\.json has a setting .*: topic t: .*later\.setting"):
        second.refresh()
    assert "new" in second.catalog, "it comes after that one"
    assert second.create_topics([NewTopic("v", 1)])[0].error_code == errors.KAFKA_STORAGE_ERROR
    assert shared.kept["topics.json"] == written


def test_a_topic_of_which_a_partition_has_moved_on_is_known_and_that_partition_led_by_nobody_yet() -> None:
    shared = SharedDocuments()
    store = MovingStore(shared)
    first, second = node(shared), node(shared, store)
    first.create_topics([NewTopic("t", 4)])
    store.trouble = LedElsewhere("t-2 is led since epoch 5, not 4")
    second.refresh()
    assert [second.partition("t", index).leader_id for index in range(4)] == [HERE, THERE, NOBODY, THERE]


def test_partitions_that_were_made_before_another_node_changed_something_are_not_made_again() -> None:
    """The request is judged anew then, and finds its own topics grown: that must not look like a mistake of the client."""
    shared = SharedDocuments()
    store = InterruptedStore(shared)
    first, second = node(shared), node(shared, store)
    first.create_topics([NewTopic("a", 1), NewTopic("b", 1)])
    second.refresh()
    store.expect(lambda: first.create_topics([NewTopic("c", 1)]))
    answers = second.create_partitions([NewPartitions("a", 2), NewPartitions("b", 2)])
    assert [(answer.name, answer.error_code) for answer in answers] == [("a", errors.NONE), ("b", errors.NONE)]
    assert {topic.name: len(topic.partitions) for topic in second.catalog.topics()} == {"a": 2, "b": 2, "c": 1}


def test_what_could_not_be_made_whole_here_is_left_to_the_nodes_that_have_heard_of_it() -> None:
    """They may have taken records for it. The node that began takes it over like any other change of others."""
    shared = SharedDocuments()
    store = MovingStore(shared)
    first, second = node(shared, store), node(shared)
    first.create_topics([NewTopic("t", 1)])
    store.trouble = StorageError("the database went away")
    assert first.create_topics([NewTopic("new", 3)])[0].error_code == errors.KAFKA_STORAGE_ERROR
    assert first.catalog.wants_refresh
    second.refresh()
    assert names(second.catalog.topics()) == ["new", "t"]
    store.trouble = None
    assert first.create_topics([NewTopic("new", 1)])[0].error_code == errors.TOPIC_ALREADY_EXISTS
    store.trouble = StorageError("the database went away")
    assert first.create_partitions([NewPartitions("t", 3)])[0].error_code == errors.KAFKA_STORAGE_ERROR
    store.trouble = None
    second.refresh()
    first.refresh()
    seen = [[(topic.topic_id, len(topic.partitions)) for topic in each.catalog.topics()] for each in (first, second)]
    assert seen[0] == seen[1]
    assert [count for _, count in seen[0]] == [3, 3]


def test_while_a_change_that_failed_half_way_cannot_be_taken_over_every_name_gets_an_answer() -> None:
    shared = SharedDocuments()
    store = MovingStore(shared)
    broker = node(shared, store)
    broker.create_topics([NewTopic("t", 1)])
    store.trouble = DATABASE_TROUBLE
    for _ in range(2):
        (created, other) = broker.create_topics([NewTopic("new", 3), NewTopic("other", 1)])
        assert (created.name, created.error_code) == ("new", errors.KAFKA_STORAGE_ERROR)
        assert (other.name, other.error_code, other.topic) == ("other", errors.KAFKA_STORAGE_ERROR, None)
    topic_id = broker.catalog.topics()[0].topic_id
    references: list[tuple[str | None, bytes]] = [("missing", NO_TOPIC_ID), (None, topic_id)]
    deleted = broker.delete_topics(references)
    assert [(each.name, each.topic_id) for each in deleted] == references
    assert {each.error_code for each in deleted} == {errors.KAFKA_STORAGE_ERROR}
    assert broker.create_partitions([NewPartitions("t", 2)])[0].error_code == errors.KAFKA_STORAGE_ERROR
    assert names(broker.catalog.topics()) == ["t"]


def test_topics_that_have_grown_before_the_catalog_could_not_be_taken_over_are_told_so() -> None:
    shared = SharedDocuments()
    store = InterruptedStore(shared)
    first, second = node(shared), node(shared, store)
    first.create_topics([NewTopic("a", 1), NewTopic("b", 1)])
    second.refresh()

    def interrupt() -> None:
        first.create_topics([NewTopic("c", 3)])
        store.trouble = DATABASE_TROUBLE

    store.expect(interrupt)
    answers = second.create_partitions([NewPartitions("a", 2), NewPartitions("b", 2)])
    told = [(answer.name, answer.error_code) for answer in answers]
    assert told == [("a", errors.NONE), ("b", errors.KAFKA_STORAGE_ERROR)]


def test_partitions_are_seen_when_all_of_them_are_open_and_not_at_all_if_one_cannot_be() -> None:
    """What was produced to one that is taken back would wait for ever."""
    shared = SharedDocuments()
    store = WatchedStore(shared)
    broker = node(shared, store)
    broker.create_topics([NewTopic("t", 1)])
    seen: list[int] = []
    store.look = lambda: seen.append(len(broker.catalog.topics()[0].partitions))
    store.trouble = DATABASE_TROUBLE
    assert broker.create_partitions([NewPartitions("t", 4)])[0].error_code == errors.KAFKA_STORAGE_ERROR
    assert (seen, len(broker.catalog.topics()[0].partitions)) == ([1], 1)
    assert ("t", 1) in store.released
    store.trouble = None
    broker.refresh()
    assert len(broker.catalog.topics()[0].partitions) == 4


def test_what_is_led_of_a_deleted_topic_is_closed_though_it_cannot_be_deleted() -> None:
    store = WatchedStore(SharedDocuments())
    broker = node(SharedDocuments(), store)
    broker.create_topics([NewTopic("t", 4)])
    assert broker.delete_topics([("t", NO_TOPIC_ID)])[0].error_code == errors.NONE
    assert store.released == [("t", 0), ("t", 2)]


@pytest.mark.parametrize("trouble", [DATABASE_TROUBLE, DocumentChanged("topics.json was changed by another node")])
def test_a_topic_that_cannot_be_announced_is_made_all_the_same_and_announced_with_a_later_refresh(
    trouble: Exception,
) -> None:
    """It is in the document: there is no way back, and others know it already."""
    store = SilentStore(SharedDocuments())
    broker = node(SharedDocuments(), store)
    store.trouble = {"t": trouble}
    assert broker.create_topics([NewTopic("t", 2)])[0].error_code == errors.NONE
    assert broker.create_partitions([NewPartitions("t", 3)])[0].error_code == errors.NONE
    assert len(broker.catalog.topics()[0].partitions) == 3
    broker.refresh()
    assert broker.catalog.wants_refresh
    store.trouble = {}
    broker.refresh()
    assert (store.announced, broker.catalog.wants_refresh) == ({"t": 3}, False)


def test_a_topic_that_cannot_be_announced_holds_up_neither_other_topics_nor_a_start() -> None:
    shared = SharedDocuments()
    store = SilentStore(shared)
    first, second = node(shared), node(shared, store)
    first.create_topics([NewTopic("bad", 1), NewTopic("good", 1)])
    store.trouble = {"bad": DATABASE_TROUBLE}
    second.refresh()
    second.refresh()
    assert store.announced == {"good": 1}
    assert second.create_topics([NewTopic("new", 1)])[0].error_code == errors.NONE
    assert store.announced == {"good": 1, "new": 1}
    second.alter_topic_configs("good", [("retention.ms", 0, "1000")])
    assert second.delete_topics([("good", NO_TOPIC_ID)])[0].error_code == errors.NONE
    again = node(shared, store)
    assert names(again.catalog.topics()) == ["bad", "new"]
    assert again.catalog.wants_refresh


def test_why_a_topic_cannot_be_announced_is_logged_once_however_often_it_is_tried(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = SilentStore(SharedDocuments())
    broker = node(SharedDocuments(), store)
    store.trouble = {"t": DATABASE_TROUBLE}
    broker.create_topics([NewTopic("t", 1)])
    for _ in range(3):
        broker.refresh()
    assert len(caplog.messages) == 1
    store.trouble = {"t": StorageError("another reason")}
    broker.refresh()
    broker.refresh()
    assert [message.rpartition(": ")[2] for message in caplog.messages] == [
        "canceling statement due to statement timeout",
        "another reason",
    ]


def test_a_topic_that_is_deleted_before_it_could_be_announced_is_not_announced_any_more() -> None:
    shared = SharedDocuments()
    store = SilentStore(shared)
    broker = node(shared, store)
    store.trouble = {"t": DATABASE_TROUBLE}
    broker.create_topics([NewTopic("t", 1)])
    broker.delete_topics([("t", NO_TOPIC_ID)])
    store.trouble = {}
    broker.refresh()
    assert (store.announced, broker.catalog.wants_refresh) == ({}, False)


def test_a_topic_is_made_though_this_node_leads_what_a_deleted_one_of_its_name_has_left() -> None:
    """The view still names the leaders of the old rows, which are refused; announcing the topic takes them away."""
    shared = SharedDocuments()
    store = MovingStore(shared)
    broker = node(shared, store)
    store.trouble = LedElsewhere("t-2 belongs to another topic of that name")
    assert broker.create_topics([NewTopic("t", 4)])[0].error_code == errors.NONE
    assert [broker.partition("t", index).leader_id for index in range(4)] == [HERE, THERE, NOBODY, THERE]


def test_logs_that_are_opened_while_the_lease_is_lost_do_not_stay_open() -> None:
    """Who gives everything up looks at the topics that are known, and this one is not yet."""
    shared = SharedDocuments()
    store = LosingStore(shared)
    first, second = node(shared), node(shared, store, store.leaders)
    first.create_topics([NewTopic("t", 3)])
    second.refresh()
    assert [second.partition("t", index).is_led_here for index in range(3)] == [False, False, False]
    assert sorted(store.closed) == [0, 1]
    assert produced_to(second, 0) == errors.NOT_LEADER_OR_FOLLOWER


def test_producer_ids_of_two_nodes_never_meet() -> None:
    shared = SharedDocuments()
    first, second = node(shared), node(shared)
    ids = [broker.new_producer_id() for _ in range(3000) for broker in (first, second)]
    assert len(set(ids)) == len(ids)
