"""Unmodified clients meet ACLs as themselves, over SASL: denied group, topic, creation and idempotent writing, and ACLs by admin.

The users and their rights are those of `acl_users`.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import errors as aiokafka_errors
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from muster.security.acls import AclFilter
from muster.topics.creation import NewTopic as TopicToMake
from tests.interop.kafka_python import KafkaAdminClient, KafkaConsumer, KafkaProducer
from tests.interop.kafka_python import NewTopic as KafkaPythonTopic
from tests.interop.kafka_python import errors as kafka_python_errors
from tests.interop.waiting import PATIENCE_SECONDS
from tests.security.acl_users import ALICE_MAY, PASSWORDS, SETTINGS
from tests.security.secure_server import SecureServer

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureServer]:
    folder: Path = tmp_path_factory.mktemp("acls")
    with SecureServer(folder, SETTINGS, PASSWORDS) as server:
        node = server.running.node
        server.running.run(node.broker.create_topics, [TopicToMake("orders"), TopicToMake("secret")])
        yield server


@pytest.fixture
def server(shared: SecureServer) -> SecureServer:
    """With alice's ACLs and no others."""
    acls = shared.running.node.acls

    def renew() -> None:
        acls.delete([AclFilter()])
        acls.create(ALICE_MAY)

    shared.running.run(renew)
    return shared


# ---- confluent-kafka


def confluent(server: SecureServer, user: str, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": server.address("SASL_PLAINTEXT"),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": user,
        "sasl.password": PASSWORDS[user],
        **more,
    }


def confluent_admin(server: SecureServer, user: str) -> AdminClient:
    return AdminClient(confluent(server, user))


def answer(futures: dict[Any, Any]) -> list[Any]:
    """What each future gives, or the error's code."""
    answers: list[Any] = []
    for future in futures.values():
        try:
            answers.append(future.result(PATIENCE_SECONDS))
        except KafkaException as error:
            answers.append(error.args[0].code())
    return answers


def on_secret(operation: AclOperation) -> AclBinding:
    """Allowed to bob, by prefix."""
    return AclBinding(
        ResourceType.TOPIC, "sec", ResourcePatternType.PREFIXED, "User:bob", "*", operation, AclPermissionType.ALLOW
    )


READ_SECRET = on_secret(AclOperation.READ)
ANYTHING_OF_BOB = AclBindingFilter(
    ResourceType.ANY, None, ResourcePatternType.ANY, "User:bob", None, AclOperation.ANY, AclPermissionType.ANY
)


def test_confluent_admin_makes_lists_and_deletes_acls_which_count_at_once(server: SecureServer) -> None:
    admin = confluent_admin(server, "admin")
    bob = confluent_admin(server, "bob")
    assert "secret" not in bob.list_topics(timeout=PATIENCE_SECONDS).topics
    assert answer(admin.create_acls([READ_SECRET])) == [None]
    assert admin.describe_acls(ANYTHING_OF_BOB).result(PATIENCE_SECONDS) == [READ_SECRET]
    assert "secret" in bob.list_topics(timeout=PATIENCE_SECONDS).topics
    assert answer(admin.delete_acls([ANYTHING_OF_BOB])) == [[READ_SECRET]]
    assert admin.describe_acls(ANYTHING_OF_BOB).result(PATIENCE_SECONDS) == []
    assert "secret" not in bob.list_topics(timeout=PATIENCE_SECONDS).topics


def test_confluent_admin_without_rights_is_told_so(server: SecureServer) -> None:
    bob = confluent_admin(server, "bob")
    assert answer(bob.create_acls([READ_SECRET])) == [KafkaError.CLUSTER_AUTHORIZATION_FAILED]
    assert answer(bob.delete_acls([ANYTHING_OF_BOB])) == [KafkaError.CLUSTER_AUTHORIZATION_FAILED]
    # This client shows no error of DescribeAcls to its user, with Apache Kafka neither.
    assert answer({0: bob.describe_acls(ANYTHING_OF_BOB)}) == [[]]
    assert answer(bob.create_topics([NewTopic("new", 1, 1)])) == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    assert answer(bob.delete_topics(["secret"])) == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    assert answer(bob.describe_consumer_groups(["billing"])) == [KafkaError.GROUP_AUTHORIZATION_FAILED]
    cluster = bob.describe_cluster(include_authorized_operations=True).result(PATIENCE_SECONDS)
    assert list(cluster.authorized_operations or ()) == []


def confluent_error(consumer: Any) -> Any:
    """The first error that the application is shown; what is not one is passed over."""
    for _ in range(200):
        message = consumer.poll(PATIENCE_SECONDS / 10)
        if message is not None and message.error() is not None:
            return message.error().code()
    return None


@pytest.mark.parametrize(
    ("user", "topic", "group", "code"),
    [
        ("bob", "orders", "billing", KafkaError.GROUP_AUTHORIZATION_FAILED),
        ("alice", "orders", "other", KafkaError.GROUP_AUTHORIZATION_FAILED),
        ("alice", "secret", "billing", KafkaError.TOPIC_AUTHORIZATION_FAILED),
    ],
)
def test_confluent_consumer_is_denied(server: SecureServer, user: str, topic: str, group: str, code: int) -> None:
    consumer = confluent_kafka.Consumer(confluent(server, user, **{"group.id": group}))
    consumer.subscribe([topic])
    try:
        assert confluent_error(consumer) == code
    finally:
        consumer.close()


def test_confluent_producer_writes_idempotently_only_with_a_right(server: SecureServer) -> None:
    """KIP-679: the right to write to any topic is one; who may only see the topic fails for good."""
    admin = confluent_admin(server, "admin")
    assert answer(admin.create_acls([on_secret(AclOperation.DESCRIBE)])) == [None]
    producer = confluent_kafka.Producer(confluent(server, "bob", **{"enable.idempotence": True}))
    producer.produce("secret", b"x")
    with pytest.raises(KafkaException) as failed:
        producer.flush(PATIENCE_SECONDS)
    assert (failed.value.args[0].code(), failed.value.args[0].fatal()) == (
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        True,
    )
    assert answer(admin.create_acls([on_secret(AclOperation.WRITE)])) == [None]
    producer = confluent_kafka.Producer(confluent(server, "bob", **{"enable.idempotence": True}))
    written: list[Any] = []
    producer.produce("secret", b"x", on_delivery=lambda error, _: written.append(error))
    assert producer.flush(PATIENCE_SECONDS) == 0
    assert written == [None]


# ---- aiokafka


def aio(server: SecureServer, user: str) -> dict[str, Any]:
    return {
        "bootstrap_servers": server.address("SASL_PLAINTEXT"),
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_plain_username": user,
        "sasl_plain_password": PASSWORDS[user],
    }


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, PATIENCE_SECONDS))


def test_aiokafka_is_denied_group_topic_and_writing(server: SecureServer) -> None:
    async def consume(user: str, topic: str, group: str) -> type[BaseException]:
        consumer = AIOKafkaConsumer(topic, group_id=group, auto_offset_reset="earliest", **aio(server, user))
        try:
            await consumer.start()
            await consumer.getone()
        except aiokafka_errors.KafkaError as error:
            return type(error)
        finally:
            await consumer.stop()
        raise AssertionError("nothing was denied")

    async def produce(user: str, topic: str, *, idempotent: bool) -> type[BaseException]:
        producer = AIOKafkaProducer(enable_idempotence=idempotent, **aio(server, user))
        try:
            await producer.start()
            await producer.send_and_wait(topic, b"x")
        except aiokafka_errors.KafkaError as error:
            return type(error)
        finally:
            await producer.stop()
        raise AssertionError("nothing was denied")

    assert run(consume("alice", "orders", "other")) is aiokafka_errors.GroupAuthorizationFailedError
    assert run(consume("bob", "orders", "billing")) is aiokafka_errors.TopicAuthorizationFailedError
    assert run(produce("alice", "orders", idempotent=False)) is aiokafka_errors.TopicAuthorizationFailedError


# ---- kafka-python


def kafka_python(server: SecureServer, user: str) -> dict[str, Any]:
    return aio(server, user) | {"request_timeout_ms": 10_000}


def test_kafka_python_is_denied_group_topic_and_creation(server: SecureServer) -> None:
    """Its consumer only logs a topic that it may not see: it waits, in case the right comes."""
    consumer = KafkaConsumer("orders", group_id="other", **kafka_python(server, "alice"))
    with pytest.raises(kafka_python_errors.GroupAuthorizationFailedError):
        consumer.poll(timeout_ms=1_000 * PATIENCE_SECONDS)
    consumer.close()
    producer = KafkaProducer(enable_idempotence=False, **kafka_python(server, "alice"))
    with pytest.raises(kafka_python_errors.TopicAuthorizationFailedError):
        producer.send("orders", b"x").get(timeout=PATIENCE_SECONDS)
    producer.close()
    admin = KafkaAdminClient(**kafka_python(server, "alice"))
    with pytest.raises(kafka_python_errors.TopicAuthorizationFailedError):
        admin.create_topics([KafkaPythonTopic("new", 1, 1)])
    admin.close()


def test_kafka_python_admin_lists_acls_or_is_told_that_it_may_not(server: SecureServer) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
        from kafka.admin import ACLFilter, ACLOperation, ACLPermissionType, ACLResourcePatternType
        from kafka.admin import ResourcePatternFilter as Named
        from kafka.admin import ResourceType as Kinds

    wanted = ACLFilter(
        principal="User:alice",
        host=None,
        operation=ACLOperation.ANY,
        permission_type=ACLPermissionType.ANY,
        resource_pattern=Named(Kinds.GROUP, "billing", ACLResourcePatternType.MATCH),
    )
    admin = KafkaAdminClient(**kafka_python(server, "admin"))
    acls, error = admin.describe_acls(wanted)
    admin.close()
    assert error is kafka_python_errors.NoError
    assert [(acl.principal, acl.operation, acl.resource_pattern.resource_name) for acl in acls] == [
        ("User:alice", ACLOperation.READ, "billing")
    ]
    bob = KafkaAdminClient(**kafka_python(server, "bob"))
    with pytest.raises(kafka_python_errors.ClusterAuthorizationFailedError):
        bob.describe_acls(wanted)
    bob.close()
