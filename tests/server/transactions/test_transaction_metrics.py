"""The numbers of the transaction coordinator, and of offsets that transactions hold back, at a running server."""

from __future__ import annotations

from muster.runtime.metrics import Metric, coordinator_metrics
from muster.runtime.transaction_metrics import transaction_metrics
from tests.server.transactions.txn_client import TIMEOUT_MS, TxnClient, TxnServer


def gathered(server: TxnServer) -> dict[str, float]:
    """name, or name and label -> number, of those that are not 0."""
    server.settle()

    def gather() -> list[Metric | None]:
        node = server.node
        return [*coordinator_metrics(node.coordinator), *transaction_metrics(node.transactions, node.clock.now_ms())]

    return {
        " ".join([metric.name.removeprefix("muster_"), *labels.values()]): number
        for metric in server.run(gather)
        if metric is not None
        for labels, number in metric.samples
        if number
    }


def test_an_open_transaction_shows_with_its_age_and_its_pending_offsets(server: TxnServer, client: TxnClient) -> None:
    client.started("idle")
    producer = client.started()
    client.add_offsets(producer)
    assert client.commit_offset(producer, 5) == 0
    server.pass_time(1_500)
    found = gathered(server)
    assert (found["transactional_ids Empty"], found["transactional_ids Ongoing"]) == (1, 1)
    assert (found["open_transactions"], found["oldest_transaction_ms"], found["pending_offsets"]) == (1, 1_500, 1)
    client.end(producer)
    found = gathered(server)
    assert (found["transactional_ids CompleteCommit"], found["transactions_ended_total commit"]) == (1, 1)
    assert not found.keys() & {"open_transactions", "oldest_transaction_ms", "pending_offsets"}


def test_ends_are_counted_by_who_decided_them(server: TxnServer, client: TxnClient) -> None:
    for _ in range(2):
        producer = client.started("aborts")
        client.add(producer, ("orders", [0]))
        client.end(producer, commit=False)
        server.settle()
    client.add(client.started("slow"), ("orders", [0]))
    server.pass_time(TIMEOUT_MS)
    client.add(client.started("fenced"), ("orders", [0]))
    client.init("fenced")
    found = gathered(server)
    ended = {name.split()[1]: number for name, number in found.items() if name.startswith("transactions_ended_total")}
    assert ended == {"abort": 2, "timeout": 1, "fence": 1}
