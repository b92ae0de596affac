"""AlterUserScramCredentials and DescribeUserScramCredentials (KIP-554): by confluent-kafka's admin client and by raw requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from muster.log.contract import StorageError
from muster.log_limit import LINES, LogLimit
from muster.security.scram import salted_password
from muster.security.users import Users
from muster.server.handlers import alter_user_scram_credentials
from muster.wire.errors import KAFKA_STORAGE_ERROR
from muster.wire.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsRequestDeletion,
    AlterUserScramCredentialsRequestUpsertion,
)
from muster.wire.generated.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequestUserName,
)
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer

SHA_256, SHA_512 = 1, 2
SALT = b"salt of twenty-four byte"
UNSUPPORTED_SASL_MECHANISM, RESOURCE_NOT_FOUND, DUPLICATE_RESOURCE, UNACCEPTABLE_CREDENTIAL = 33, 91, 92, 93
CLUSTER_AUTHORIZATION_FAILED = 31


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SecureServer]:
    with SecureServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: SecureServer) -> Iterator[RawSaslClient]:
    with RawSaslClient(server.port("PLAINTEXT")) as connected:
        yield connected


def upsertion(
    name: str, mechanism: int = SHA_256, iterations: int = 4096, salt: bytes = SALT
) -> AlterUserScramCredentialsRequestUpsertion:
    salted = salted_password("SCRAM-SHA-512" if mechanism == SHA_512 else "SCRAM-SHA-256", "new-password", SALT, 4096)
    return AlterUserScramCredentialsRequestUpsertion(name, mechanism, iterations, salt, salted)


def alter(
    client: RawSaslClient,
    upsertions: list[AlterUserScramCredentialsRequestUpsertion] | None = None,
    deletions: list[tuple[str, int]] | None = None,
) -> list[tuple[str, int, str | None]]:
    request = AlterUserScramCredentialsRequest(
        [AlterUserScramCredentialsRequestDeletion(*each) for each in deletions or ()], upsertions or []
    )
    reply = client.ask("AlterUserScramCredentials", 0, request)
    return [(each.user, each.error_code, each.error_message) for each in reply.results]


def describe(client: RawSaslClient, names: list[str] | None = None) -> list[tuple[str, int, list[tuple[int, int]]]]:
    users = None if names is None else [DescribeUserScramCredentialsRequestUserName(name) for name in names]
    reply = client.ask("DescribeUserScramCredentials", 0, DescribeUserScramCredentialsRequest(users))
    assert reply.error_code == 0
    return [
        (each.user, each.error_code, [(one.mechanism, one.iterations) for one in each.credential_infos])
        for each in reply.results
    ]


def test_an_admin_client_adds_describes_and_removes_a_user(server: SecureServer) -> None:
    admin = AdminClient({"bootstrap.servers": server.address("PLAINTEXT")})
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 5000)
    added = admin.alter_user_scram_credentials([UserScramCredentialUpsertion("dora", info, b"explorer")])
    assert added["dora"].result(20) is None
    described = admin.describe_user_scram_credentials(["dora"])["dora"].result(20)
    (shown,) = described.scram_credential_infos
    assert (shown.mechanism, shown.iterations) == (ScramMechanism.SCRAM_SHA_256, 5000)
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as dora:
        assert dora.scram("dora", "explorer").error_code == 0
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as dora:
        assert dora.plain("dora", "explorer").error_code == 0
    everybody = admin.describe_user_scram_credentials().result(20)
    assert sorted(everybody) == ["alice", "bob", "dora"]
    removed = admin.alter_user_scram_credentials([UserScramCredentialDeletion("dora", ScramMechanism.SCRAM_SHA_256)])
    assert removed["dora"].result(20) is None
    with RawSaslClient(server.port("SASL_PLAINTEXT")) as dora:
        assert dora.scram("dora", "explorer").error_code == 58
    with pytest.raises(KafkaException, match="RESOURCE_NOT_FOUND"):
        admin.describe_user_scram_credentials(["dora"])["dora"].result(20)


def test_no_names_describe_everybody(client: RawSaslClient) -> None:
    both = [(SHA_256, 4096), (SHA_512, 4096)]
    assert describe(client) == describe(client, []) == [("alice", 0, both), ("bob", 0, both)]


def test_unknown_and_repeated_names_are_refused_by_name(client: RawSaslClient) -> None:
    assert describe(client, ["nobody", "bob", "alice", "bob"]) == [
        ("nobody", RESOURCE_NOT_FOUND, []),
        ("bob", DUPLICATE_RESOURCE, []),
        ("alice", 0, [(SHA_256, 4096), (SHA_512, 4096)]),
    ]


@pytest.mark.parametrize(
    ("bad", "code", "message"),
    [
        (upsertion("", SHA_256), UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        (upsertion("x", 7), UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        (upsertion("x", SHA_256, 4095), UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        (upsertion("x", SHA_256, 16385), UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        (upsertion("x" * 1001), UNACCEPTABLE_CREDENTIAL, "Username is longer than 1000 characters"),
        (upsertion("x", salt=b""), UNACCEPTABLE_CREDENTIAL, "Salt and salted password must not be empty"),
    ],
)
def test_a_bad_credential_is_refused_and_others_in_the_request_are_kept(
    client: RawSaslClient, bad: AlterUserScramCredentialsRequestUpsertion, code: int, message: str
) -> None:
    assert alter(client, [bad, upsertion("good", SHA_512)]) == [(bad.name, code, message), ("good", 0, None)]
    assert describe(client, ["good"]) == [("good", 0, [(SHA_512, 4096)])]


def test_all_of_a_users_alterations_happen_or_none(client: RawSaslClient) -> None:
    (result,) = alter(client, [upsertion("alice", SHA_256, 8192)], [("alice", 9)])
    assert result[:2] == ("alice", UNSUPPORTED_SASL_MECHANISM)
    assert describe(client, ["alice"]) == [("alice", 0, [(SHA_256, 4096), (SHA_512, 4096)])]


def test_altering_a_credential_twice_is_refused(client: RawSaslClient) -> None:
    (result,) = alter(client, [upsertion("alice")], [("alice", SHA_256)])
    assert result[:2] == ("alice", DUPLICATE_RESOURCE)


def test_removing_what_is_not_there_is_refused(client: RawSaslClient) -> None:
    assert alter(client, deletions=[("nobody", SHA_256), ("bob", SHA_512)]) == [
        ("nobody", RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"),
        ("bob", 0, None),
    ]


def test_users_are_limited_in_number(client: RawSaslClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muster.server.handlers.alter_user_scram_credentials.MAX_USERS", 3)
    assert [code for _, code, _ in alter(client, [upsertion("carol"), upsertion("dave"), upsertion("alice")])] == [
        0,
        UNACCEPTABLE_CREDENTIAL,
        0,
    ]


def test_credentials_that_cannot_be_kept_are_told_so_many_times(
    client: RawSaslClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Users, "alter", fail)
    limit = LogLimit(logging.getLogger("muster.users"), "failures", lambda: 0.0)
    monkeypatch.setattr(alter_user_scram_credentials, "_failures", limit)
    for _ in range(LINES + 5):
        assert [code for _, code, _ in alter(client, [upsertion("carol")])] == [KAFKA_STORAGE_ERROR]
    assert len([line for line in caplog.messages if "the disk is full" in line]) == LINES


def test_only_those_who_may_alter_the_cluster_may_alter_users(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[allow]]\nprincipal = "User:alice"\noperation = "DESCRIBE"\nresource = "cluster"\n')
    with (
        SecureServer(tmp_path, {"muster.rules": str(rules)}) as server,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as alice,
        RawSaslClient(server.port("PLAINTEXT")) as anybody,
    ):
        alice.scram()
        assert alter(alice, [upsertion("mallory")])[0][:2] == ("mallory", CLUSTER_AUTHORIZATION_FAILED)
        assert [name for name, _, _ in describe(alice)] == ["alice", "bob"]
        refused = anybody.ask("DescribeUserScramCredentials", 0, DescribeUserScramCredentialsRequest(None))
        assert (refused.error_code, refused.results) == (CLUSTER_AUTHORIZATION_FAILED, [])
