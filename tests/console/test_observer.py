"""What changes in a cluster while it is being asked."""

from __future__ import annotations

from muster.client.cluster import Cluster
from muster.console.observer import Observer
from muster.testing import Broker
from tests.console.fleet import run


def test_a_group_that_is_deleted_between_two_questions_has_no_offsets_held_back(broker: Broker) -> None:
    async def asked() -> object:
        async with Cluster(broker.bootstrap_servers) as cluster:
            return await Observer(cluster)._unstable("deleted-meanwhile", {})

    assert not run(asked())
