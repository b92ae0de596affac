"""A client that calls itself `__admin_client` writes to the coordinator's own topics.

A key of `00 01` made a coordinator partition unloadable for ever. Clients cannot write there now, and a record that cannot be
decoded keeps nobody from his coordinator.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.cli.main import main
from muster.core.hashing import partition_for
from muster.wire.errors import INVALID_TOPIC_EXCEPTION, NONE
from tests.security.attacks.asking import fetch, free_port, metric, produce, said
from tests.server.groups.group_client import GroupClient
from tests.server.groups.muster_process import MusterProcess


@pytest.mark.parametrize("client_id", ["__admin_client", "adminclient-1", "", None])
def test_clients_cannot_write_internal_topics_whatever_they_call_themselves(
    tmp_path: Path, client_id: str | None
) -> None:
    with MusterProcess(tmp_path / "data") as server:
        server.client("g").close()
        with GroupClient(server.port, client_id) as client:
            for topic in ("__consumer_offsets", "__group_journal"):
                for partition in range(4):
                    assert produce(client, topic, partition, b"v", b"\0\1")[0] == INVALID_TOPIC_EXCEPTION
            assert fetch(client, "__consumer_offsets", 0) == (NONE, 0)


def test_a_record_that_cannot_be_decoded_is_skipped_counted_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    partition, port = partition_for("g", 4), free_port()
    with MusterProcess(data, "--set", "muster.internal.topics.writable=true") as server:
        server.create_topic("orders", 1)
        with server.client("g") as client:
            assert client.commit("g", ("orders", 0, 7)) == [NONE]
            for key in (b"\0\1", b"\0\2\x7f\xff", b"\0"):
                assert produce(client, "__consumer_offsets", partition, b"v", key)[0] == NONE
    with MusterProcess(data, "--metrics-listen", f"127.0.0.1:{port}") as server, server.client("g") as client:
        assert client.committed("g") == 7
        assert client.commit("g", ("orders", 0, 8)) == [NONE]
        assert metric(port, "muster_undecodable_records_total") == 3
    assert f"__consumer_offsets-{partition}: 3 records cannot be decoded and were skipped" in said(data)
    assert main(["log", "dump", str(data / f"__consumer_offsets-{partition}")]) == 0
    assert capsys.readouterr().out.count("undecodable") == 3
