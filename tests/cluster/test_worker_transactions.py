"""Transactions with `muster serve --workers`: the workers mark each other's partitions, through a listener with TLS, SASL and ACLs.

Clients come in plainly, as a super user; between the workers nobody is anything without the secret of their directory.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from muster.security.node_proof import DOCUMENT
from muster.server.setting_keys import AUTHORIZER_CLASS
from tests.cluster.transactional_stage import PARTITIONS, Nodes
from tests.cluster.workers_process import SETTINGS, WorkersProcess
from tests.interop.transactional import ConfluentTransactions, read_to_end
from tests.interop.waiting import eventually
from tests.security.certificates import Authority


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkersProcess]:
    home = tmp_path_factory.mktemp("workers")
    authority = Authority(home)
    settings = {
        **SETTINGS,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INSIDE:SASL_SSL",
        "inter.broker.listener.name": "INSIDE",
        "listener.name.inside.ssl.keystore.location": str(authority.server().keystore),
        "listener.name.inside.ssl.truststore.location": str(authority.file),
        "listener.name.inside.ssl.client.auth": "required",
        "authorizer.class.name": AUTHORIZER_CLASS,
        "super.users": "User:ANONYMOUS",
    }
    with WorkersProcess(home, settings=settings, further_listeners="INSIDE://127.0.0.1:0") as workers:
        yield workers


@pytest.fixture
def nodes(workers: WorkersProcess) -> Nodes:
    return Nodes(dict(enumerate(workers.ports, 1)))


def committed(nodes: Nodes, topic: str, partition: int = 0) -> list[bytes]:
    return read_to_end("confluent-kafka", nodes.bootstrap, topic, partition, committed=True)


def test_a_transaction_on_the_partitions_of_all_workers_is_seen_whole_or_not_at_all(nodes: Nodes) -> None:
    nodes.create("orders")
    assert set(nodes.leaders("orders").values()) == {1, 2, 3}
    producer = ConfluentTransactions(nodes.bootstrap, "tx")
    for value, end in ((b"aborted", producer.abort), (b"kept", producer.commit), (b"kept too", producer.commit)):
        producer.begin()
        for partition in range(PARTITIONS):
            producer.send("orders", partition, value)
        producer.send_offsets("billing", "orders", {0: 1})
        end()
    for partition in range(PARTITIONS):
        assert committed(nodes, "orders", partition) == [b"kept", b"kept too"]


def test_a_killed_worker_that_had_decided_finishes_in_its_next_life(workers: WorkersProcess, nodes: Nodes) -> None:
    nodes.create("payments")
    marked = nodes.leaders("payments")[0]
    name = nodes.name_coordinated_by("tx", *(nodes.ports.keys() - {marked}))
    coordinator = nodes.coordinator_of(name)
    producer = ConfluentTransactions(nodes.bootstrap, name)
    producer.begin()
    producer.send("payments", 0, b"kept")
    frozen = workers.pid_of(marked - 1)
    os.kill(frozen, signal.SIGSTOP)
    try:
        producer.commit()
        with nodes.client(coordinator) as client:
            assert client.state_of(name) == "PrepareCommit"
        workers.kill_worker(coordinator - 1)
    finally:
        os.kill(frozen, signal.SIGCONT)
    eventually("the marker", lambda: committed(nodes, "payments"), lambda seen: seen == [b"kept"])
    eventually("the end", lambda: nodes.state_of(name), lambda state: state == "CompleteCommit")


def test_the_secret_of_the_workers_is_read_by_nobody_else(workers: WorkersProcess) -> None:
    assert (workers.data / DOCUMENT).stat().st_mode & 0o777 == 0o600
