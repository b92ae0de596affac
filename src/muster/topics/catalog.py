"""The topics of this node, in memory and in `topics.json`; nobody else adds, drops or changes one.

The order of steps makes crashes harmless: a topic is in the document before its logs are made, and marked as going
before they are removed. `load` makes missing logs, removes those that were going, and adopts logs that a Kafka broker
left in the data directory. What may be asked for is decided elsewhere (creation.py, deletion.py, config_changes.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Sequence
from time import monotonic

from muster.log.contract import NOBODY, DocumentChanged, Leader, LogStore, StorageError
from muster.log_limit import LogLimit
from muster.topics.adoption import Found, find_unknown_topics, survey
from muster.topics.catalog_document import DOCUMENT, StoredCatalog, StoredTopic, decode_catalog, encode_catalog
from muster.topics.config_types import ConfigError
from muster.topics.configs import TopicDefaults, TopicSettings
from muster.topics.leaders import Leaders
from muster.topics.names import collision_key
from muster.topics.opening import log_elsewhere, open_log, open_partition
from muster.topics.topic import Partition, Topic

logger = logging.getLogger(__name__)
_failures = LogLimit(logger, "logs of topics that could not be removed or closed", monotonic)


class Catalog:
    def __init__(
        self, store: LogStore, defaults: TopicDefaults, new_topic_id: Callable[[], bytes], leaders: Leaders
    ) -> None:
        self.store = store
        self.leaders = leaders
        self.defaults = defaults
        self.new_topic_id = new_topic_id
        self.adopted: Sequence[Found] = ()
        """What `load` found in the data directory without knowing it."""
        self._by_name: dict[str, Topic] = {}
        self._by_id: dict[bytes, Topic] = {}
        self._names_by_collision_key: dict[str, str] = {}
        self._deleting: list[str] = []
        self._unannounced: list[bytes] = []
        """Ids of topics with partitions of which the store has not been told yet; the last one is told first."""
        self._announce_troubles: dict[bytes, str] = {}
        """Why these could not be told, as it was logged last."""
        self.is_behind = False
        """The document was read and not all of it is known here: writing would take away what other nodes made."""
        self.changes = 0
        """Grows whenever a topic comes or goes: who remembers one looks at this."""
        self.additions = 0
        """Grows whenever a topic comes."""
        self.enlargements = 0
        """Grows whenever a topic gets partitions."""

    # Reading

    @property
    def wants_refresh(self) -> bool:
        """Something could not be taken over, or told to the store: it waits for the next `refresh`."""
        return self.is_behind or bool(self._unannounced)

    @property
    def unannounced(self) -> frozenset[bytes]:
        """Ids of topics with partitions of which the store could not be told."""
        return frozenset(self._unannounced)

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def partition_count(self) -> int:
        return sum(len(topic.partitions) for topic in self._by_name.values())

    def topics(self) -> list[Topic]:
        """Every topic, by name."""
        return [self._by_name[name] for name in sorted(self._by_name)]

    def partitions(self) -> Iterable[Partition]:
        for topic in self.topics():
            yield from topic.partitions

    def get(self, name: str) -> Topic | None:
        return self._by_name.get(name)

    def by_id(self, topic_id: bytes) -> Topic | None:
        return self._by_id.get(topic_id)

    def partition(self, name: str, index: int) -> Partition | None:
        topic = self._by_name.get(name)
        return topic.partition(index) if topic is not None else None

    def colliding(self, name: str) -> str | None:
        """A topic whose name differs only in '.' and '_', if there is one."""
        return self._names_by_collision_key.get(collision_key(name))

    # Starting

    def load(self) -> None:
        """Bring back what exists. Call once, before anything else."""
        stored = decode_catalog(self.store.read_document(DOCUMENT))
        known = {topic.name for topic in stored.topics}
        self._deleting = [name for name in stored.deleting if name not in known]
        if self.leaders.is_alone:
            self._clear_leftovers(self._deleting)
        else:
            self.retry_deletions()
        for entry in stored.topics:
            self._restore(entry)
        self._announce()
        if self.leaders.is_alone:
            self._adopt()

    def _restore(self, entry: StoredTopic) -> Topic:
        topic = Topic(entry.name, entry.topic_id, entry.configs, self._settings_of(entry))
        self._open_logs(topic, entry.partitions, entry.leader_epochs, [], some_may_be_offline=True)
        self._index(topic)
        return topic

    def _settings_of(self, entry: StoredTopic) -> TopicSettings:
        try:
            return self.defaults.settings(entry.configs)
        except ConfigError as error:
            raise ConfigError(f"topic {entry.name}: {error}") from error

    def _adopt(self) -> None:
        found = find_unknown_topics(self.store, self._by_name, self.new_topic_id)
        for topic in found:
            survey(self._restore(topic.stored), topic)
        self.adopted = found
        if found:
            self._write()

    # Changing: the caller has checked that the change is allowed

    def add(self, new: Iterable[Topic], partition_counts: Sequence[int]) -> None:
        """Make topics and their logs, all or none of them."""
        topics = list(new)
        self._refuse_if_behind()  # a topic that is not known here would be taken for what a deleted one has left
        names = {topic.name for topic in topics}
        if self.leaders.is_alone:
            self._clear_leftovers(names)
        else:
            self.store.make_room(sorted(names))
        planned = [
            StoredTopic(topic.name, topic.topic_id, count, topic.overrides)
            for topic, count in zip(topics, partition_counts, strict=True)
        ]
        self._write(planned)
        opened: list[Partition] = []
        try:
            for topic, count in zip(topics, partition_counts, strict=True):
                self._open_logs(topic, count, {}, opened)
        except StorageError:
            self._undo(opened)
            raise
        for topic in topics:
            self._index(topic)
        self._announce()

    def _undo(self, opened: Sequence[Partition]) -> None:
        """Take back a change that failed half-way; in a cluster, keep what the document says and wait for a refresh.

        These were opened, others could not be, and the document names all of them already. In a cluster others may use them by
        now. On a single server the document is written anew, unless a log stays behind that it would not name any more.
        """
        self.is_behind = not self.leaders.is_alone
        put_away = self.store.delete if self.leaders.is_alone else self.store.release
        for partition in opened:
            try:
                put_away(partition.topic.name, partition.index)
            except StorageError as error:
                _failures.warning("%s cannot be taken back: %s", partition, error)
                self.is_behind = True
        if self.is_behind:
            return
        try:
            self._write()
        except StorageError:
            self.is_behind = True

    def remove(self, topics: Sequence[Topic]) -> None:
        """Forget topics and their logs. A log that cannot be removed now goes later; its topic is gone all the same."""
        # They are there until the store knows that they are not: others may look while it is asked.
        deleting = self._deleting + [topic.name for topic in topics]
        self._write(gone=frozenset(topic.name for topic in topics), deleting=deleting)
        self._deleting = deleting
        for topic in topics:
            self._unindex(topic)
            if not self.leaders.is_alone:
                self._release_logs(topic)
        for topic in topics:
            try:
                self._delete_logs(topic.name, topic.topic_id)
            except StorageError as error:
                _failures.warning("topic %s is deleted, but its logs are still there: %s", topic.name, error)

    def _release_logs(self, topic: Topic) -> None:
        """Whatever becomes of its logs, nothing that is open may serve another topic of that name."""
        for partition in topic.partitions:
            if partition.is_led_here:
                try:
                    self.store.release(topic.name, partition.index)
                except StorageError as error:
                    _failures.warning("%s cannot be closed: %s", partition, error)

    def _delete_logs(self, name: str, topic_id: bytes | None = None) -> None:
        """`topic_id`: another node may have made another topic of that name by now."""
        for topic, index in self.store.partitions():
            if topic == name:
                self.store.delete(topic, index, topic_id)
        if any(topic == name for topic, _ in self.store.partitions()):
            return  # another node has some of its logs and removes those
        # The document names it until the next write: there is nothing left that it could remove.
        self._deleting = [other for other in self._deleting if other != name]

    def _clear_leftovers(self, names: Container[str]) -> None:
        """A new topic must not begin with the records of a deleted one."""
        for name in [leftover for leftover in self._deleting if leftover in names]:
            self._delete_logs(name)

    def retry_deletions(self) -> None:
        """Remove logs of deleted topics that could not be removed before. Never raises: it is tried again."""
        if self.is_behind:
            return  # a topic that is not known here may have one of these names again
        for name in [leftover for leftover in self._deleting if leftover not in self._by_name]:
            try:
                self._delete_logs(name)
            except StorageError as error:
                _failures.warning("the logs of the deleted topic %s are still there: %s", name, error)

    def grow(self, topic: Topic, partition_count: int) -> None:
        self._write([_stored(topic, partition_count)])
        opened: list[Partition] = []
        try:
            self._open_logs(topic, partition_count, {}, opened)
        except StorageError:
            self._undo(opened)
            raise
        self._announce()

    def change_configs(self, topic: Topic, overrides: dict[str, str], settings: TopicSettings) -> None:
        changed = _stored(topic, len(topic.partitions))
        changed.configs = overrides
        self._write([changed])
        self._use_configs(topic, overrides, settings)

    def _use_configs(self, topic: Topic, overrides: dict[str, str], settings: TopicSettings) -> None:
        topic.overrides = overrides
        topic.settings = settings
        for partition in topic.partitions:
            partition.log.config = settings.log

    # Leadership, and what other nodes did

    def lead(self, partition: Partition, leader: Leader) -> None:
        """Somebody else leads the partition now, or this node does again. StorageError if its log cannot be opened."""
        is_here = leader.node_id == self.leaders.node_id
        if partition.is_led_here:
            self.store.release(partition.topic.name, partition.index)
        partition.forget_producers()
        partition.is_led_here = False
        partition.leader_id, partition.leader_epoch = leader.node_id, leader.epoch
        partition.log = log_elsewhere(partition.topic, partition.index)
        if is_here:
            partition.log = open_log(self.store, partition.topic, partition.index, leader)
        partition.is_led_here = is_here

    def refresh(self, gone: list[Topic]) -> None:
        """Take over what other nodes made of the catalog; topics that are gone are put into `gone`. StorageError if it cannot be
        taken over whole: then nothing is written before another call has succeeded. What cannot be announced holds nothing up."""
        self.is_behind = True
        refused = self._take_over(decode_catalog(self.store.read_document(DOCUMENT)), gone)
        self.is_behind = refused is not None
        self._announce()
        if refused is not None:
            raise StorageError(f"{DOCUMENT} has a setting that this release does not take: {refused}") from refused

    def _take_over(self, stored: StoredCatalog, gone: list[Topic]) -> ConfigError | None:
        """What is wrong with a topic's settings holds up that topic alone; the first such error is returned."""
        self._deleting = list(stored.deleting)
        ids = {entry.topic_id for entry in stored.topics}
        gone += [topic for topic in self.topics() if topic.topic_id not in ids]
        for topic in gone:
            self._unindex(topic)
            for partition in topic.partitions:
                self.store.release(topic.name, partition.index)
        refused: ConfigError | None = None
        for entry in stored.topics:
            try:
                self._take_over_topic(entry)
            except ConfigError as error:
                refused = refused or error
        return refused

    def _take_over_topic(self, entry: StoredTopic) -> None:
        topic_here = self._by_id.get(entry.topic_id)
        if topic_here is None:
            self._restore(entry)
            return
        self._open_logs(topic_here, entry.partitions, entry.leader_epochs, [], some_may_be_offline=True)
        if topic_here.overrides != entry.configs:
            self._use_configs(topic_here, entry.configs, self._settings_of(entry))

    # Keeping

    def _open_logs(
        self,
        topic: Topic,
        count: int,
        leader_epochs: dict[int, int],
        opened: list[Partition],
        *,
        some_may_be_offline: bool = False,
    ) -> None:
        """Nobody sees any of them before all are open: what a client was told of one that is taken back would be wrong. `opened`
        is given each as it comes, for whoever takes them back. `some_may_be_offline`: a log that cannot be used is no reason to do
        without the others."""
        first, before = len(topic.partitions), len(opened)
        for index in range(first, count):
            leader = self.leaders.of(topic.name, index, leader_epochs.get(index, 0))
            opened.append(open_partition(self.store, self.leaders, topic, index, leader, some_may_be_offline))
        new = opened[before:]
        topic.partitions.extend(new)
        if topic.topic_id in self._by_id:
            self._let_go_of_lost(new)  # of a topic that is not known yet, when it is
        self.enlargements += first < count  # now: groups that look while a log is opened would count too few
        if first < count and not self.leaders.is_alone:
            # Said by every node that hears of the topic: whoever made it may have died before saying so.
            self._unannounced.append(topic.topic_id)

    def _let_go_of_lost(self, partitions: Iterable[Partition]) -> None:
        """The lease may have been lost while later ones were opened. Who gives everything up then looks at what is known, and
        these were not: what is led here by an older view is given up now."""
        for partition in partitions:
            leader = self.leaders.of(partition.topic.name, partition.index, partition.leader_epoch)
            if partition.is_led_here and leader != (partition.leader_id, partition.leader_epoch):
                self.lead(partition, Leader(NOBODY, partition.leader_epoch))

    def _announce(self) -> None:
        """Tell the store of new partitions. A topic for which that fails waits for the next `refresh`, behind all others."""
        while self._unannounced:
            topic_id = self._unannounced.pop()
            topic = self._by_id.get(topic_id)
            if topic is not None:  # else it was deleted since, or is taken over with the next refresh
                try:
                    self.store.announce(topic.name, topic_id, range(len(topic.partitions)))
                except (DocumentChanged, StorageError) as error:
                    self._unannounced.insert(0, topic_id)
                    self._tell_unannounced(topic, str(error))
                    return
            self._announce_troubles.pop(topic_id, None)

    def _tell_unannounced(self, topic: Topic, why: str) -> None:
        """Once for each reason: it is tried again and again, perhaps for ever."""
        if self._announce_troubles.get(topic.topic_id) != why:
            self._announce_troubles[topic.topic_id] = why
            logger.warning("the partitions of %s cannot be announced now, it is tried again: %s", topic.name, why)

    def _index(self, topic: Topic) -> None:
        self._let_go_of_lost(topic.partitions)
        self.changes += 1
        self.additions += 1
        self._by_name[topic.name] = topic
        self._by_id[topic.topic_id] = topic
        self._names_by_collision_key[collision_key(topic.name)] = topic.name

    def _unindex(self, topic: Topic) -> None:
        self.changes += 1
        del self._by_name[topic.name]
        del self._by_id[topic.topic_id]
        self._names_by_collision_key.pop(collision_key(topic.name), None)

    def _write(
        self,
        changes: Iterable[StoredTopic] = (),
        gone: Container[str] = (),
        deleting: Sequence[str] | None = None,
    ) -> None:
        self._refuse_if_behind()
        entries = {
            topic.name: _stored(topic, len(topic.partitions)) for topic in self.topics() if topic.name not in gone
        }
        for changed in changes:
            entries[changed.name] = changed
        leftovers = self._deleting if deleting is None else deleting
        self.store.write_document(DOCUMENT, encode_catalog(entries.values(), leftovers))

    def _refuse_if_behind(self) -> None:
        if self.is_behind:
            raise DocumentChanged(f"{DOCUMENT} was read and could not be taken over whole")


def _stored(topic: Topic, partition_count: int) -> StoredTopic:
    epochs = {partition.index: partition.leader_epoch for partition in topic.partitions if partition.leader_epoch}
    return StoredTopic(topic.name, topic.topic_id, partition_count, topic.overrides, epochs)
