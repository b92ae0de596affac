"""Users, ACLs and quotas that are changed at one worker count at the others too, for real clients, on files and on a database.

`admin` is a super user and changes things; `alice` is whom they are changed for. Two workers, each the leader of one
partition of `orders`, so that both have to know.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from muster.cli.exit_codes import DONE
from muster.cli.main import main
from tests.cluster.workers_process import SETTINGS, WorkersProcess
from tests.interop.waiting import PATIENCE_SECONDS, eventually
from tests.log.postgres_server import empty_database

PASSWORDS = {"admin": "a-secret", "alice": "b-secret"}
SECURE = {
    **SETTINGS,
    "muster.lease.ms": "1000",
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "connection.failed.authentication.delay.ms": "1",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin",
    "quota.window.num": "2",
}
TOPIC = "orders"
NODES = (1, 2)


@pytest.fixture(params=["files", "postgres"])
def workers(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WorkersProcess]:
    """Where `admin` may come in, and `orders` is led by both."""
    monkeypatch.setenv("ADMIN", PASSWORDS["admin"])
    flags = ["--store", empty_database()] if request.param == "postgres" else []
    place = flags or ["--data", str(tmp_path / "data")]
    assert main(["users", "add", "admin", "--password-env", "ADMIN", *place]) == DONE
    with WorkersProcess(tmp_path, len(NODES), settings=SECURE, flags=flags) as running:
        admin = admin_at(running)
        admin.create_topics([NewTopic(TOPIC, len(NODES), 1)])[TOPIC].result(PATIENCE_SECONDS)

        def leaders() -> list[int]:
            return sorted(
                each.leader for each in admin.list_topics(TOPIC, PATIENCE_SECONDS).topics[TOPIC].partitions.values()
            )

        eventually("both workers to lead", leaders, lambda seen: seen == list(NODES))
        yield running


def config(port: int, user: str, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": f"127.0.0.1:{port}",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": user,
        "sasl.password": PASSWORDS[user],
        "log_level": 0,
        "reconnect.backoff.max.ms": 200,
        **more,
    }


def admin_at(workers: WorkersProcess) -> AdminClient:
    return AdminClient(config(workers.port, "admin"))


def is_let_in(port: int, user: str) -> bool:
    """Whether the worker itself believes the password."""
    refused: list[KafkaError] = []

    def note(error: KafkaError) -> None:
        if error.code() == KafkaError._AUTHENTICATION:
            refused.append(error)

    client = Producer(config(port, user, error_cb=note))
    while not refused:
        try:
            client.list_topics(timeout=0.5)
            return True
        except KafkaException:
            client.poll(0)
    return False


def alter_alice(workers: WorkersProcess, change: Any) -> None:
    admin = admin_at(workers)
    admin.alter_user_scram_credentials([change])["alice"].result(PATIENCE_SECONDS)


def add_alice(workers: WorkersProcess) -> None:
    scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096)
    alter_alice(workers, UserScramCredentialUpsertion("alice", scram, PASSWORDS["alice"].encode()))


def allow_alice(workers: WorkersProcess, operation: AclOperation) -> None:
    acl = AclBinding(
        *(ResourceType.TOPIC, TOPIC, ResourcePatternType.LITERAL, "User:alice", "*"),
        *(operation, AclPermissionType.ALLOW),
    )
    admin = admin_at(workers)
    for done in admin.create_acls([acl]).values():
        done.result(PATIENCE_SECONDS)


def allow_alice_no_longer(workers: WorkersProcess, operation: AclOperation) -> None:
    unwanted = AclBindingFilter(
        *(ResourceType.ANY, None, ResourcePatternType.ANY, "User:alice", None),
        *(operation, AclPermissionType.ANY),
    )
    admin = admin_at(workers)
    for done in admin.delete_acls([unwanted]).values():
        assert len(done.result(PATIENCE_SECONDS)) == 1


def sees_topic(port: int) -> bool:
    """Whether the worker tells alice of it."""
    client = Producer(config(port, "alice"))
    return client.list_topics(TOPIC, PATIENCE_SECONDS).topics[TOPIC].error is None


class Writing:
    """alice at work: what became of each record, and who slowed her down."""

    def __init__(self, workers: WorkersProcess) -> None:
        self.throttled_by: set[int] = set()
        self._workers = workers
        self._producer = self._begin()

    def _begin(self) -> Producer:
        return Producer(config(self._workers.port, "alice", throttle_cb=self._note_throttle, **{"linger.ms": 0}))

    def _note_throttle(self, event: Any) -> None:
        self.throttled_by.add(event.broker_id)

    def write(self) -> list[str]:
        """A record to each partition; for each the error's name, or "stored"."""
        answers: dict[int, str] = {}

        def note(error: KafkaError | None, message: Any) -> None:
            answers[message.partition()] = "stored" if error is None else error.name()

        for partition in range(len(NODES)):
            try:
                self._producer.produce(TOPIC, b"x" * 1_000, partition=partition, on_delivery=note)
            except KafkaException as refusal:
                answers[partition] = refusal.args[0].name()
        assert self._producer.flush(PATIENCE_SECONDS) == 0
        if set(answers.values()) != {"stored"}:
            self._producer = self._begin()  # librdkafka asks no more about a topic that it was refused
        return [answers[partition] for partition in range(len(NODES))]


def test_a_user_made_at_one_worker_comes_in_at_both_and_removed_at_one_comes_in_at_none(
    workers: WorkersProcess,
) -> None:
    assert [is_let_in(port, "alice") for port in workers.ports] == [False, False]
    add_alice(workers)
    eventually("alice to be known", lambda: [is_let_in(port, "alice") for port in workers.ports], all)
    alter_alice(workers, UserScramCredentialDeletion("alice", ScramMechanism.SCRAM_SHA_256))
    eventually("alice to be forgotten", lambda: not any(is_let_in(port, "alice") for port in workers.ports))


def test_acls_and_quotas_changed_at_one_worker_count_at_both(workers: WorkersProcess) -> None:
    add_alice(workers)
    eventually("alice to be known", lambda: [is_let_in(port, "alice") for port in workers.ports], all)
    assert [sees_topic(port) for port in workers.ports] == [False, False]
    allow_alice(workers, AclOperation.DESCRIBE)
    eventually("both workers to tell her of it", lambda: [sees_topic(port) for port in workers.ports], all)
    refused, stored = ["TOPIC_AUTHORIZATION_FAILED"] * 2, ["stored"] * 2
    alice = Writing(workers)
    assert alice.write() == refused
    allow_alice(workers, AclOperation.WRITE)
    eventually("both workers to let her write", alice.write, lambda answers: answers == stored)
    assert alice.throttled_by == set()
    set_quota(workers)

    def who_slows_her_down() -> set[int]:
        assert alice.write() == stored
        return alice.throttled_by

    eventually("both workers to slow her down", who_slows_her_down, lambda nodes: nodes == set(NODES))
    allow_alice_no_longer(workers, AclOperation.WRITE)
    eventually("both workers to refuse her", alice.write, lambda answers: answers == refused)


def set_quota(workers: WorkersProcess) -> None:
    signing_in = ["--user", "admin", "--sasl-mechanism", "SCRAM-SHA-256", "--sasl-password-env", "ADMIN"]
    flags = ["--bootstrap", workers.address, "--security-protocol", "SASL_PLAINTEXT", *signing_in]
    # Less than one record in a second: however slowly she writes, that is too fast.
    assert main(["quotas", "set", "producer_byte_rate=900", "--for-user", "alice", *flags]) == DONE
