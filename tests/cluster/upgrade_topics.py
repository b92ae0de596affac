"""Topics that are deleted and made anew while nodes of two releases share a cluster."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg

from muster.wire.errors import NONE, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest
from tests.cluster.stage import ClusterStage
from tests.interop.client_confluent import ConfluentSender
from tests.interop.vocabulary import Sent
from tests.interop.waiting import eventually

TOPIC = "made-again"
PARTITIONS = 3
ROUNDS = 3
"""Of each node, in which it renews its lease and plans if it thinks that somebody has to."""
_PUT_ASIDE = """
INSERT INTO muster.partitions (topic, partition, topic_id, owner)
SELECT 'deleted/' || number, 0, gen_random_uuid(), number % 2 + 1 FROM generate_series(1, 6) AS number
"""
"""As the old nodes may have shared them out before the third one came: they make room for it by moving others."""
_LEASES = "SELECT node_id, lease_until FROM muster.nodes ORDER BY node_id"


def check_that_leaders_stay(stage: ClusterStage) -> None:
    """While records of deleted topics are there, which are kept here for that long."""
    with (
        psycopg.connect(stage.database.url, autocommit=True) as connection,
        psycopg.connect(stage.database.url) as keeper,
    ):
        connection.execute(_PUT_ASIDE)
        keeper.execute("SELECT 1 FROM muster.partitions WHERE starts_with(topic, 'deleted/') FOR KEY SHARE")
        connection.execute("UPDATE muster.cluster SET changes = changes + 1")  # so that everybody looks
        eventually("leaders that stay where they are", lambda: _stay(connection))


def _stay(connection: Any) -> bool:
    before = _epochs(connection)
    for _ in range(ROUNDS):
        leases = connection.execute(_LEASES).fetchall()
        eventually(
            "everybody to renew",
            lambda: connection.execute(_LEASES).fetchall(),
            lambda renewed: all(later > earlier for (_, earlier), (_, later) in zip(leases, renewed, strict=True)),  # noqa: B023
        )
    return _epochs(connection) == before


def _epochs(connection: Any) -> list[tuple[int, int]]:
    return list(connection.execute("SELECT id, epoch FROM muster.partitions ORDER BY id").fetchall())


def make_again(stage: ClusterStage, old: int, present: int) -> None:
    """Each of the two deletes what the other one made."""
    for maker, deleter in ((old, present), (present, old)):
        wanted = CreateTopicsRequestTopic(TOPIC, PARTITIONS, 1)
        made = stage.ask(maker, "CreateTopics", 4, CreateTopicsRequest([wanted], 30_000))
        assert made.topics[0].error_code == NONE, made
        sender = ConfluentSender(stage.bootstrap, "none", idempotent=False)
        with closing(sender):
            for partition in range(PARTITIONS):
                assert sender.send(TOPIC, partition, [Sent(b"the first one")]) == [0]
        code = eventually("it to be deleted", lambda: _delete(stage, deleter), lambda code: code == NONE)  # noqa: B023
        assert code == NONE


def _delete(stage: ClusterStage, node_id: int) -> int:
    """A node may not have heard of it yet."""
    answer = stage.ask(node_id, "DeleteTopics", 3, DeleteTopicsRequest(topic_names=[TOPIC], timeout_ms=30_000))
    code = int(answer.responses[0].error_code)
    assert code in (NONE, UNKNOWN_TOPIC_OR_PARTITION), answer
    return code
