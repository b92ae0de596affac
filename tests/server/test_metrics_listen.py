"""The metrics address: a page for Prometheus beside the Kafka port."""

from __future__ import annotations

import struct
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


def numbers(server: RunningServer) -> dict[str, float]:
    """Of the metrics without labels."""
    lines = (line.split(" ") for line in page(server).splitlines() if not line.startswith("#") and "{" not in line)
    return {name: float(value) for name, value in lines}


def test_connections_that_come_go_and_are_refused_are_counted() -> None:
    settings = {"muster.metrics.listen": "127.0.0.1:0", "max.connections": "2"}
    with whole_server(settings) as server, RawClient(server.port) as client:
        client.ask("Metadata", 9, MetadataRequest([]))
        with RawClient(server.port) as rude:
            rude.send(struct.pack(">ihhih", 10, 3, 999, 7, -1))  # Metadata in a version that there is not
            assert rude.is_closed_by_server()
        with RawClient(server.port) as second, RawClient(server.port) as third:
            second.ask("Metadata", 9, MetadataRequest([]))
            assert third.is_closed_by_server()
            found = numbers(server)
        expected = {
            "muster_connections": 2,
            "muster_connections_accepted_total": 3,
            "muster_connections_over_limit_total": 1,
            "muster_requests_total": 2,
            "muster_refused_requests_total": 1,
            "muster_handler_failures_total": 0,
            "muster_offline_partitions": 0,
            "muster_muted_connections": 0,
            "muster_request_bytes_held": 0,
        }
        assert {name: found[name] for name in expected} == expected


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
