"""Patience for stores in the tests' own process; one cluster of three nodes for the tests of a module that give it back whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.log.postgres_server import be_patient


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


@pytest.fixture(scope="module")
def whole_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterStage]:
    with PostgresProcess() as database, ClusterStage(tmp_path_factory.mktemp("cluster"), database) as stage:
        stage.add(1, 2, 3)
        stage.coordinator_of("the first who asks")
        yield stage


@pytest.fixture
def cluster(whole_cluster: ClusterStage) -> ClusterStage:
    """All three nodes live and with their share."""
    gone = [node_id for node_id in (1, 2, 3) if node_id not in whole_cluster.running]
    whole_cluster.add(*gone)
    whole_cluster.wait_for_owners(1, 2, 3)
    return whole_cluster
