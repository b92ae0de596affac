"""Connections of a cluster: what is under way when it is closed is closed too."""

from __future__ import annotations

import pytest

from muster.client.addresses import Address
from muster.client.cluster import Cluster
from muster.client.connection import Connection
from muster.client.failure import ClientError
from muster.testing import Broker
from tests.client.members import run


def test_a_connection_that_is_made_while_the_cluster_is_closed_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be authenticated as somebody who has logged out."""
    opened: list[Connection] = []
    really = Connection.open

    async def story() -> None:
        with Broker() as broker:
            cluster = Cluster(broker.bootstrap_servers)

            async def open_while_closing(*args: object, **options: object) -> Connection:
                opened.append(await really(*args, **options))  # type: ignore[arg-type]
                await cluster.close()
                return opened[-1]

            monkeypatch.setattr(Connection, "open", open_while_closing)
            host, port = broker.bootstrap_servers.rsplit(":", 1)
            with pytest.raises(ClientError, match="the cluster was closed on this side"):
                await cluster.connect(Address(host, int(port)))
            (connection,) = opened
            assert connection.gone
            assert not cluster._connections

    run(story)
