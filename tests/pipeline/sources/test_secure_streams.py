"""A stream from a broker behind TLS and SASL: security travels in the options of the source, files in it as their content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.sources.broker_security import client_properties, security_in, security_of
from muster.pipeline.sources.run_source import StreamSettings, broker_source
from muster.server.running import RunningServer
from tests.listeners import address_of
from tests.pipeline.jobs.test_secure_broker import (  # noqa: F401  # fixtures: a broker behind TLS and SASL with commits
    authority,
    config,
    history,
    server,
)
from tests.pipeline.sources.streamed import Streamed
from tests.pipeline.sources.written_log import TOPIC
from tests.security.certificates import Authority


@pytest.mark.parametrize(
    "security",
    [
        PLAINTEXT,
        Security(protocol="SSL", ca_pem="CA", certificate_pem="C", key_pem="K", key_password="p"),
        Security(protocol="SSL", verify_certificate=False, verify_host_name=False),
        Security(protocol="SASL_SSL", mechanism="PLAIN", username="ada", password='a"b\\'),
        Security(protocol="SASL_PLAINTEXT", mechanism="OAUTHBEARER", token_file="/token"),
    ],
)
def test_any_security_comes_back_from_its_properties(security: Security) -> None:
    assert security_of(client_properties(security)) == security


def test_stream_and_ends_of_a_broker_behind_tls_and_sasl(
    spark: Any,
    history: RunningServer,  # noqa: F811
    authority: Authority,  # noqa: F811
    tmp_path: Path,
) -> None:
    """The files of certificates may be gone when the query runs."""
    file = Path(config(tmp_path, authority))
    source = broker_source(address_of(history, "SASL_SSL"), None, security_in(str(file)))
    file.unlink()
    Path(authority.file).unlink()
    stream = Streamed(spark, tmp_path / "stream", lambda: source.stream(spark, StreamSettings()))
    stream.run_to_the_end()
    assert [row["committed_offset"] for row in stream.rows() if row["log_topic"] == TOPIC] == list(range(7))
    assert source.sample_ends(spark, dict, 0).count() == 2
