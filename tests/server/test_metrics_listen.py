"""The metrics address: a page for Prometheus beside the Kafka port."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from muster.server.running import RunningServer
from muster.server.serve import ListenError
from muster.wire.generated.metadata import MetadataRequest
from tests.server.broker.whole_server import whole_server
from tests.server.raw_client import RawClient


def page(server: RunningServer, path: str = "/metrics") -> str:
    assert server.server is not None
    with urllib.request.urlopen(f"http://{server.server.metrics}{path}", timeout=20) as reply:
        text: str = reply.read().decode()
    return text


def test_metrics_show_the_coordinator_and_the_traffic() -> None:
    with whole_server({"muster.metrics.listen": "127.0.0.1:0"}) as server, RawClient(server.port) as client:
        client.ask("Metadata", 9, MetadataRequest([]))
        lines = page(server).splitlines()
        assert "muster_connections 1" in lines
        assert "muster_requests_total 1" in lines
        assert "# TYPE muster_requests_total counter" in lines
        assert any(line.startswith("# TYPE muster_group") for line in lines)


def test_other_paths_are_not_found() -> None:
    with whole_server({"muster.metrics.listen": "127.0.0.1:0"}) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            page(server, "/")
        caught.value.close()
        assert caught.value.code == 404


def test_a_metrics_port_that_is_taken_keeps_the_server_from_starting() -> None:
    with whole_server() as other:
        address = f"127.0.0.1:{other.port}"
        with pytest.raises(ListenError, match=rf"cannot listen on {address}: another program .* --metrics-listen"):
            whole_server({"muster.metrics.listen": address}).start()
