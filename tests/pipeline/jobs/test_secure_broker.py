"""A broker behind TLS and SASL as the source of a run: our own reader, Spark's connector where it is, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, read_round
from muster.pipeline.old.jobs_sources import broker_source
from muster.pipeline.old.lake import Lake
from muster.pipeline.sources.broker_security import java_properties, security_in, security_of
from muster.pipeline.sources.failure import SourceError
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.jobs.kafka_log import rows_in
from tests.pipeline.sources.connector_jars import connector_jars
from tests.security.certificates import Authority

ROOT = Path(__file__).parents[3]
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

    plain = {"bootstrap.servers": server.address_of("PLAINTEXT"), "log_level": 0}
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


def committed(lake: Path) -> list[int]:
    rows = sorted(rows_in(lake, "s_offset_commit.rows"), key=lambda row: row["log_offset"])
    return [row["committed_offset"] for row in rows]


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "PLAIN"])
def test_own_reader_reads_a_broker_behind_tls_and_sasl(
    spark: Any, history: RunningServer, authority: Authority, tmp_path: Path, mechanism: str
) -> None:
    """The workers are given the certificates themselves: the files may be gone."""
    file = Path(config(tmp_path, authority, mechanism))
    source = broker_source(history.address_of("SASL_SSL"), None, security_in(str(file)))
    file.unlink()
    Path(authority.file).unlink()
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        assert read_round(spark, writer, source, RunSettings(), Watch()).behind == 0
        assert source.end_offsets({}, 0).num_rows
    assert committed(tmp_path / "lake") == list(range(7))


def test_wrong_password_and_unknown_authority_are_said(
    history: RunningServer, authority: Authority, tmp_path: Path
) -> None:
    address = history.address_of("SASL_SSL")
    with pytest.raises(SourceError, match=rf"{address}: .*SASL_AUTHENTICATION_FAILED"):
        broker_source(address, None, security_in(config(tmp_path, authority, sasl_password="wrong")))
    (tmp_path / "other").mkdir()
    with pytest.raises(SourceError, match=rf"{address}: its certificate is not trusted"):
        broker_source(address, None, security_in(config(tmp_path, Authority(tmp_path / "other"))))
    with pytest.raises(SourceError, match=r"nowhere\.pem cannot be read as PEM"):
        security_in(config(tmp_path, authority, ssl_ca_location="nowhere.pem"))


def test_spark_connector_reads_the_same_commits_in_two_runs(
    history: RunningServer, authority: Authority, tmp_path: Path
) -> None:
    """The second goes on where the first was stopped."""
    jars = ",".join(map(str, connector_jars()))
    (tmp_path / "client").mkdir()
    file = config(tmp_path / "client", authority)
    arguments = [history.address_of("SASL_SSL"), str(tmp_path / "lake"), jars, file]
    command = [sys.executable, "-m", "tests.pipeline.jobs.connector_read", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert committed(tmp_path / "lake") == list(range(7))
    assert {row["source"] for row in rows_in(tmp_path / "lake", "b_log_record")} == {"kafka"}


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
