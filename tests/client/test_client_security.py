"""The client over TLS and SASL against a server that wants them: right, and wrong in every way that happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.client import admin
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.client.security import Security
from muster.security.users import new_credential
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.client.members import DiaryMember, run
from tests.listeners import address_of
from tests.security.certificates import Authority, Issued, name_of

PASSWORD = "correct horse"


class Scene:
    """One server with a listener of each kind."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder)
        self.stranger = Authority(folder, "stranger")
        self.client = self.authority.client(name_of("ada"))
        server, named = self.authority.server(), self.authority.server("elsewhere.example", name="elsewhere")
        kinds = {"TLS": "SSL", "MUTUAL": "SSL", "NAMED": "SSL", "WORDS": "SASL_PLAINTEXT", "BOTH": "SASL_SSL"}
        self.server = RunningServer(
            Settings.of(
                {
                    "muster.storage": "memory",
                    "group.initial.rebalance.delay.ms": "0",
                    "listeners": ",".join(f"{name}://localhost:0" for name in kinds),
                    "listener.security.protocol.map": ",".join(f"{name}:{kind}" for name, kind in kinds.items()),
                    "ssl.keystore.type": "PEM",
                    "ssl.keystore.location": server.keystore,
                    "ssl.truststore.type": "PEM",
                    "ssl.truststore.location": self.authority.file,
                    "listener.name.named.ssl.keystore.location": named.keystore,
                    "listener.name.mutual.ssl.client.auth": "required",
                    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
                }
            )
        )

    def start(self) -> None:
        self.server.start()
        mechanisms = ("SCRAM-SHA-256", "SCRAM-SHA-512")
        credentials = [("ada", each, new_credential(each, PASSWORD)) for each in mechanisms]
        self.server.run(self.server.node.users.alter, credentials)

    def security(self, protocol: str, *, client: Issued | None = None, **properties: str) -> Security:
        given = {"security.protocol": protocol, **{key.replace("_", "."): text for key, text in properties.items()}}
        if protocol.endswith("SSL"):
            given.setdefault("ssl.ca.location", self.authority.file)
        if client is not None:
            given["ssl.certificate.location"], given["ssl.key.location"] = client.certificate_file, client.key_file
        return Security.of(given)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    made = Scene(tmp_path_factory.mktemp("certificates"))
    made.start()
    yield made
    made.server.stop()


def topics(address: str, security: Security) -> list[str]:
    async def story() -> list[str]:
        async with Cluster(address, security=security, patience_seconds=1) as cluster:
            return [each.name for each in await admin.list_topics(cluster)]

    return run(story)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize(("listener", "protocol"), [("WORDS", "SASL_PLAINTEXT"), ("BOTH", "SASL_SSL")])
def test_the_right_password_opens_and_a_wrong_one_is_told_so(
    scene: Scene, listener: str, protocol: str, mechanism: str
) -> None:
    right = scene.security(protocol, sasl_mechanism=mechanism, sasl_username="ada", sasl_password=PASSWORD)
    assert topics(address_of(scene.server, listener), right) == []
    wrong = scene.security(protocol, sasl_mechanism=mechanism, sasl_username="ada", sasl_password="wrong")
    with pytest.raises(ClientError, match=rf"authenticate with {mechanism} as ada: SASL_AUTHENTICATION_FAILED"):
        topics(address_of(scene.server, listener), wrong)


def test_a_mechanism_that_the_listener_lacks_is_answered_with_those_it_has(scene: Scene) -> None:
    security = Security(protocol="SASL_PLAINTEXT", mechanism="OAUTHBEARER", token="t")
    with pytest.raises(ClientError, match=r"UNSUPPORTED_SASL_MECHANISM: the listener offers .*PLAIN"):
        topics(address_of(scene.server, "WORDS"), security)


def test_tls_with_the_right_authority_opens(scene: Scene) -> None:
    assert topics(address_of(scene.server, "TLS"), scene.security("SSL")) == []


def test_a_certificate_in_the_properties_themselves_is_as_good_as_a_file(scene: Scene) -> None:
    security = Security(
        protocol="SSL",
        ca_pem=scene.authority.root.certificate_pem,
        certificate_pem=scene.client.certificate_pem,
        key_pem=scene.client.key_pem("hush"),
        key_password="hush",
    )
    assert topics(address_of(scene.server, "MUTUAL"), security) == []


def test_a_listener_that_wants_a_certificate_gets_it_or_refuses(scene: Scene) -> None:
    mutual = address_of(scene.server, "MUTUAL")
    assert topics(mutual, scene.security("SSL", client=scene.client)) == []
    with pytest.raises(ClientError, match="NETWORK_EXCEPTION"):
        topics(mutual, scene.security("SSL"))


def test_an_unknown_authority_is_not_trusted(scene: Scene) -> None:
    with pytest.raises(ClientError, match=r"certificate is not trusted.*Set ssl.ca.location"):
        topics(address_of(scene.server, "TLS"), scene.security("SSL", ssl_ca_location=scene.stranger.file))
    careless = scene.security("SSL", ssl_ca_location=scene.stranger.file, enable_ssl_certificate_verification="false")
    assert topics(address_of(scene.server, "TLS"), careless) == []


def test_a_certificate_for_another_name_is_not_trusted_unless_names_do_not_count(scene: Scene) -> None:
    address = address_of(scene.server, "NAMED")
    with pytest.raises(ClientError, match=r"certificate is not trusted: Hostname mismatch|IP address mismatch"):
        topics(address, scene.security("SSL"))
    assert topics(address, scene.security("SSL", ssl_endpoint_identification_algorithm="none")) == []


def test_a_plain_client_at_a_tls_listener_is_told_where_to_look(scene: Scene) -> None:
    with pytest.raises(ClientError, match=r"security.protocol is what the listener speaks"):
        topics(address_of(scene.server, "TLS"), Security())


def test_a_tls_client_at_a_plain_listener_is_told_where_to_look(scene: Scene) -> None:
    with pytest.raises(ClientError, match=r"the TLS handshake failed.*Check that the listener speaks TLS"):
        topics(address_of(scene.server, "WORDS"), scene.security("SSL"))


def test_a_file_that_is_no_certificate_is_named(scene: Scene, tmp_path: Path) -> None:
    empty = tmp_path / "nothing.pem"
    empty.write_text("nothing")
    with pytest.raises(ClientError, match=r"load certificates of authorities from .*nothing.pem: INVALID_CONFIG"):
        topics(address_of(scene.server, "TLS"), scene.security("SSL", ssl_ca_location=str(empty)))


def test_a_member_joins_over_tls_and_scram(scene: Scene) -> None:
    async def story() -> None:
        security = scene.security(
            "SASL_SSL", sasl_mechanism="SCRAM-SHA-512", sasl_username="ada", sasl_password=PASSWORD
        )
        async with Cluster(address_of(scene.server, "BOTH"), security=security) as cluster:
            await admin.create_topic(cluster, "secret", 1)
            async with DiaryMember(cluster, "g", ["secret"]) as member:
                await member.stable()
                assert member.diary == [("assigned", "secret-0")]
            await admin.delete_topics(cluster, ["secret"])

    run(story)
