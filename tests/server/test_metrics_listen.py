"""The metrics address: a page for Prometheus beside the Kafka port."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from muster.server.running import RunningServer
from muster.server.serve import ListenError
from muster.testing import Broker
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


def test_the_server_is_alive_and_ready() -> None:
    with whole_server({"muster.metrics.listen": "127.0.0.1:0"}) as server:
        assert page(server, "/healthz") == "ok\n"
        assert page(server, "/readyz") == "ready\n"


def test_a_server_that_stops_is_alive_and_not_ready() -> None:
    with whole_server({"muster.metrics.listen": "127.0.0.1:0"}) as server:
        assert server.server is not None
        server.server.monitoring.is_accepting = False  # as `stop` does first
        assert page(server, "/healthz") == "ok\n"
        with pytest.raises(urllib.error.HTTPError) as caught:
            page(server, "/readyz")
        assert caught.value.code == 503
        assert caught.value.read() == b"not ready: it starts or stops: no client is accepted\n"
        caught.value.close()


def test_a_server_that_loads_groups_is_not_ready() -> None:
    with Broker({"muster.metrics.listen": "127.0.0.1:0"}) as broker:
        with broker.faults.coordinator_loading("billing"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                page(broker._running, "/readyz")
            assert caught.value.read() == b"not ready: 1 partition of __consumer_offsets still to be loaded\n"
            caught.value.close()
        assert page(broker._running, "/readyz") == "ready\n"
