"""A broker behind TLS and SASL as the source of a run: our own reader, Spark's connector where it is, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.broker_security import java_properties, security_in, security_of
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.run_source import broker_source
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.listeners import address_of
from tests.pipeline.stream.lakes import LakeRun
from tests.security.certificates import Authority

PASSWORD = 'cor"rect\\horse'
"""With what has to be escaped in Java's login line."""


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def server(tmp_path: Path, authority: Authority) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256,PLAIN",
        "ssl.keystore.location": authority.server().keystore,
        "offsets.topic.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


@pytest.fixture
def history(server: RunningServer) -> RunningServer:
    """A user, and seven commits."""
    from confluent_kafka import Consumer, TopicPartition
    from confluent_kafka.admin import (
        AdminClient,
        NewTopic,
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialUpsertion,
    )

    plain = {"bootstrap.servers": address_of(server, "PLAINTEXT"), "log_level": 0}
    secret = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    wish = UserScramCredentialUpsertion("ada", secret, PASSWORD.encode())
    admin = AdminClient(plain)
    admin.alter_user_scram_credentials([wish])["ada"].result(30)
    admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result(30)
    consumer = Consumer({**plain, "group.id": "billing"})
    for offset in range(7):
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
    consumer.close()
    return server


def config(folder: Path, authority: Authority, mechanism: str = "SCRAM-SHA-256", **changes: str) -> str:
    said = {
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": authority.file,
        "sasl.mechanism": mechanism,
        "sasl.username": "ada",
        "sasl.password": PASSWORD.replace("\\", "\\\\"),
    } | {name.replace("_", "."): value for name, value in changes.items()}
    file = folder / "client.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in said.items()))
    return str(file)


def committed(lake: Lake) -> list[int]:
    rows = lake.arrow("log", ["log_offset", "topic", "committed_offset"]).to_pylist()
    rows.sort(key=lambda row: row["log_offset"])
    return [row["committed_offset"] for row in rows if row["topic"] is not None]


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "PLAIN"])
def test_own_reader_reads_a_broker_behind_tls_and_sasl(
    spark: Any, history: RunningServer, authority: Authority, tmp_path: Path, mechanism: str
) -> None:
    """The workers are given the certificates themselves: the files may be gone."""
    file = Path(config(tmp_path, authority, mechanism))
    source = broker_source(address_of(history, "SASL_SSL"), None, security_in(str(file)))
    file.unlink()
    Path(authority.file).unlink()
    lake = LakeRun(spark, tmp_path / "lake", source).run()
    assert committed(lake) == list(range(7))
    assert {row["topic"] for row in lake.arrow("b_leo_sample").to_pylist()} == {"orders"}


def test_wrong_password_and_unknown_authority_are_said(
    history: RunningServer, authority: Authority, tmp_path: Path
) -> None:
    address = address_of(history, "SASL_SSL")
    with pytest.raises(SourceError, match=rf"{address}: .*SASL_AUTHENTICATION_FAILED"):
        broker_source(address, None, security_in(config(tmp_path, authority, sasl_password="wrong")))
    (tmp_path / "other").mkdir()
    with pytest.raises(SourceError, match=rf"{address}: its certificate is not trusted"):
        broker_source(address, None, security_in(config(tmp_path, Authority(tmp_path / "other"))))
    with pytest.raises(SourceError, match=r"nowhere\.pem cannot be read as PEM"):
        security_in(config(tmp_path, authority, ssl_ca_location="nowhere.pem"))


def test_security_is_said_to_java_in_its_own_words() -> None:
    properties = {
        "security.protocol": "SASL_SSL",
        "ssl.ca.pem": "CA",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "ada",
        "sasl.password": 'a"b',
    }
    said = java_properties(security_of(properties))
    assert said["ssl.truststore.certificates"] == "CA"
    assert said["sasl.jaas.config"].endswith('ScramLoginModule required username="ada" password="a\\"b";')
    with pytest.raises(SourceError, match="use --reader own"):
        java_properties(security_of({**properties, "enable.ssl.certificate.verification": "false"}))
