"""One node whose records are in the database and not in its memory, and what is looked at while that database says nothing."""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import NewTopic as TopicToMake

from muster.wire.errors import NONE
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.produce import ProduceRequest
from tests.cluster.database_requests import DOOMED, GROWING, OLD, PARTITIONS, TAIL, Question, acl_to_be_deleted
from tests.cluster.lone_member import LoneMember
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import PATIENCE_SECONDS, eventually
from tests.server.raw_client import RawClient

RIGHTS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
"""So that ACLs are kept; for whoever comes it is as without."""
PATIENT = {**SETTINGS, **RIGHTS, "muster.lease.ms": "30000", "offsets.commit.timeout.ms": "30000"}
"""Nothing gives up before a freeze is over."""


@contextmanager
def frozen(database: PostgresProcess) -> Iterator[None]:
    database.freeze()
    try:
        yield
    finally:
        database.thaw()


def set_up(stage: ClusterStage) -> int:
    """Four topics, whose records this life of the node has not in memory; returns an epoch of the life before."""
    stage.add(1)
    config = {"bootstrap.servers": stage.bootstrap, "log_level": 0}
    topics = {OLD: PARTITIONS, DOOMED: 1, GROWING: 1, TAIL: 1}
    admin = AdminClient(config)
    made = admin.create_topics([TopicToMake(name, count, 1) for name, count in topics.items()])
    for each in made.values():
        each.result(PATIENCE_SECONDS)
    producer = Producer({**config, "enable.idempotence": True})
    for partition in range(PARTITIONS):
        for number in range(3):
            producer.produce(OLD, f"record {number}", partition=partition, timestamp=1_000 + number)
        assert producer.flush(PATIENCE_SECONDS) == 0
    stage.ask(1, "CreateAcls", 1, acl_to_be_deleted())
    epoch = leaders(stage)[0][1]
    stage.coordinator_of("whoever asks first has the topic made")
    stage.nodes[1].stop()
    stage.add(1)
    eventually("it to lead again", lambda: leaders(stage), lambda led: [each[0] for each in led] == [1] * PARTITIONS)
    return epoch


def leaders(stage: ClusterStage) -> list[tuple[int, int]]:
    """Leader and epoch of each partition."""
    (topic,) = stage.ask(1, "Metadata", 7, MetadataRequest([MetadataRequestTopic(name=OLD)])).topics
    return [(each.leader_id, each.leader_epoch) for each in topic.partitions]


def read_code(question: Question, client: RawClient) -> None:
    """A node reads the code of an API when its first request comes, in the loop: here, and not during a freeze."""
    nothing = ProduceRequest(acks=-1) if question.api == "Produce" else type(question.message)()
    client.ask(question.api, question.version, nothing)


def has_answer(client: RawClient, within_s: float = 0) -> bool:
    return bool(select.select([client.socket], [], [], within_s)[0])


def joined(stage: ClusterStage, group: str) -> LoneMember:
    member = LoneMember(group)
    eventually("its group to be led", lambda: member.try_to_join(stage.nodes[1].port), lambda code: code == NONE)
    return member
