"""Opens the logs of a topic's partitions, or puts something in their place that says why there is none here.

Which topics there are and who is told of a partition is the catalog's business.
"""

from __future__ import annotations

import logging

from muster.log.contract import NOBODY, Leader, LedElsewhere, LogStore, LogUnusable, PartitionLog
from muster.log.elsewhere import LogElsewhere
from muster.log.offline import LogOffline
from muster.topics.leaders import Leaders
from muster.topics.topic import Partition, Topic

logger = logging.getLogger(__name__)


def open_partition(
    store: LogStore, leaders: Leaders, topic: Topic, index: int, leader: Leader, may_be_offline: bool
) -> Partition:
    """`may_be_offline`: a log that cannot be used is no reason to fail. The topic's list of partitions is left alone."""
    if leader.node_id != leaders.node_id:
        return Partition(topic, index, log_elsewhere(topic, index), leader.node_id, leader.epoch, False)
    log: PartitionLog
    try:
        log = open_log(store, topic, index, leader)
        if leaders.of(topic.name, index, leader.epoch) != leader:
            # The lease was lost while the store was asked: who gives up what is led here does not know of this one.
            store.release(topic.name, index)
            raise LedElsewhere(f"{topic.name}-{index} has another leader since it was asked for")
    except LedElsewhere:
        # Owners have moved since this node looked, or the row is one that a deleted topic left. The topic is there all the
        # same, and who leads it is heard of soon.
        return Partition(topic, index, log_elsewhere(topic, index), NOBODY, leader.epoch, False)
    except LogUnusable as error:
        if not may_be_offline:
            raise
        return Partition(topic, index, _log_offline(topic, index, error), NOBODY, leader.epoch, False)
    return Partition(topic, index, log, leader.node_id, leader.epoch, True)


def open_log(store: LogStore, topic: Topic, index: int, leader: Leader) -> PartitionLog:
    """`leader`: this node. LedElsewhere if the store knows of a later epoch: whoever believes in an older one would sign its
    records with it, after those of others (decision 0012). News of it are on their way."""
    log = store.open(topic.name, index, topic.topic_id, topic.settings.log)
    epoch = getattr(log, "epoch", leader.epoch)  # a store that one node has for itself keeps none
    if epoch != leader.epoch:
        store.release(topic.name, index)
        raise LedElsewhere(f"{topic.name}-{index} is led since epoch {epoch}, not {leader.epoch}")
    return log


def log_elsewhere(topic: Topic, index: int) -> LogElsewhere:
    return LogElsewhere(topic.name, index, topic.settings.log)


def _log_offline(topic: Topic, index: int, error: LogUnusable) -> LogOffline:
    logger.error(
        "%s-%d is offline, everything else is served; requests for it get KAFKA_STORAGE_ERROR until it is mended"
        " ('muster log repair' on the data directory, while the server is stopped) and the server is started again: %s",
        topic.name,
        index,
        error,
    )
    return LogOffline(topic.name, index, topic.settings.log, str(error))
