"""The test kit and transactions: what is open, what is pending, a timeout on demand, and ends that stop half way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from muster.core.journal import JournalEvent
from muster.runtime.transaction_metrics import marker_metrics
from muster.testing import Broker, UnusedFault, WaitTimeout
from tests.interop.client_confluent import QUIET
from tests.interop.transactional import ConfluentTransactions, read_to_end
from tests.testing.test_control_pages import Controlled, controlled

__all__ = ["controlled"]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"source": 1, "sink": 1}) as running:
        yield running


def begun(broker: Broker, name: str = "t", offset: int = 5) -> ConfluentTransactions:
    """A producer with a record in sink-0, and an offset of the group `copy` for source-0."""
    producer = ConfluentTransactions(broker.bootstrap_servers, name)
    producer.begin()
    producer.send("sink", 0, b"value")
    producer.send_offsets("copy", "source", {0: offset})
    return producer


def read_committed(broker: Broker) -> list[bytes]:
    """What a read_committed consumer sees of sink-0, up to the last stable offset."""
    return read_to_end(ConfluentTransactions.library, broker.bootstrap_servers, "sink", committed=True)


def markers_waiting(broker: Broker) -> float:
    """What the metrics say."""
    told = broker.run(lambda: list(marker_metrics(broker.kit.node.transactions.marker_writer)))
    (found,) = [each for each in told if each.name == "muster_transaction_markers_waiting"]
    ((_, count),) = found.samples
    return count


# ---- looking


def test_an_open_transaction_and_its_pending_offsets_are_seen_and_gone_when_it_is_committed(broker: Broker) -> None:
    assert broker.transactions() == []
    assert broker.transaction("t").state() == "Dead"
    producer = begun(broker)
    (view,) = broker.transactions()
    assert (view.transactional_id, view.state, view.is_open) == ("t", "Ongoing", True)
    assert ("sink", 0) in view.partitions
    assert view.unmarked == view.partitions
    group = broker.group("copy")
    (pending,) = group.pending_offsets()
    assert (pending.topic, pending.partition, pending.offset) == ("source", 0, 5)
    assert (pending.transactional_id, pending.producer_id) == ("t", view.producer_id)
    assert group.offsets() == {}
    producer.commit()
    assert broker.transaction("t").wait("CompleteCommit").is_open is False
    assert (group.pending_offsets(), group.offsets()) == ([], {("source", 0): 5})


def test_a_wait_that_is_in_vain_says_what_is(broker: Broker) -> None:
    begun(broker)
    with pytest.raises(WaitTimeout, match=r"did not reach Empty within 0 s\nit is: t is Ongoing, 2 partitions"):
        broker.transaction("t").wait("Empty", timeout=0)
    with pytest.raises(ValueError, match="'Open' is no state of a transaction; the states are Empty, Ongoing"):
        broker.transaction("t").wait("Open")


# ---- a timeout


def test_a_transaction_expires_on_demand_and_its_producer_is_fenced(broker: Broker) -> None:
    producer = begun(broker)
    broker.transaction("t").expire()
    broker.transaction("t").wait("CompleteAbort")
    assert broker.group("copy").pending_offsets() == []
    with pytest.raises(KafkaException, match=producer.fenced):
        producer.commit()
    with pytest.raises(ValueError, match="only an Ongoing transaction can time out: t is CompleteAbort"):
        broker.transaction("t").expire()


def test_a_transaction_expires_when_the_clock_is_moved_past_its_timeout(broker: Broker) -> None:
    begun(broker)
    broker.clock.advance(seconds=59)
    assert broker.transaction("t").state() == "Ongoing"
    broker.clock.advance(seconds=2)
    assert broker.transaction("t").wait("CompleteAbort").unmarked == ()


# ---- phases of the end


def test_an_end_that_fails_before_it_is_decided_is_asked_for_again_by_the_client(broker: Broker) -> None:
    producer = begun(broker)
    fault = broker.faults.error("EndTxn", "COORDINATOR_NOT_AVAILABLE", transactional_id="t")
    assert str(fault) == "EndTxn of transactional id t is answered COORDINATOR_NOT_AVAILABLE, 1 more times"
    other = begun(broker, "other", 7)
    other.commit()
    assert fault.uses == 0
    producer.commit()
    assert fault.uses == 1
    broker.transaction("t").wait("CompleteCommit")


def test_an_end_that_is_decided_and_not_answered_is_complete_all_the_same(broker: Broker) -> None:
    producer = begun(broker)
    dropped = broker.faults.drop_reply("EndTxn", transactional_id="t")
    producer.commit()
    assert dropped.uses == 1
    broker.transaction("t").wait("CompleteCommit")


def test_an_end_without_markers_shows_to_nobody_until_the_fault_is_removed(broker: Broker) -> None:
    producer = begun(broker)
    with broker.faults.hold_markers("t") as held:
        producer.commit()
        view = broker.transaction("t").view()
        assert (view.state, view.unmarked) == ("PrepareCommit", view.partitions)
        assert read_committed(broker) == []
        assert [each.offset for each in broker.group("copy").pending_offsets()] == [5]
        assert markers_waiting(broker) == 2
    assert held.uses == 1
    broker.transaction("t").wait("CompleteCommit")
    assert markers_waiting(broker) == 0
    assert read_committed(broker) == [b"value"]
    assert broker.group("copy").offsets() == {("source", 0): 5}


def test_between_two_markers_one_partition_knows_of_the_end_and_the_other_does_not(broker: Broker) -> None:
    producer = begun(broker)
    with broker.faults.hold_markers("t", after=1):
        producer.commit()
        broker.wait_for(broker.kit.settle())
        view = broker.transaction("t").view()
        assert view.state == "PrepareCommit"
        assert view.unmarked == view.partitions[1:]
        assert view.partitions[0] == ("sink", 0)
        assert read_committed(broker) == [b"value"]
        assert broker.group("copy").offsets() == {}
    broker.transaction("t").wait("CompleteCommit")
    assert broker.group("copy").offsets() == {("source", 0): 5}


def test_a_decided_end_is_carried_out_by_the_coordinator_that_takes_over(broker: Broker) -> None:
    producer = begun(broker)
    held = broker.faults.hold_markers("t")
    producer.commit()
    broker.run(setattr, held._fault, "is_over", True)  # the markers that were held are lost with their coordinator
    broker.transaction("t").move_coordinator()
    broker.transaction("t").wait("CompleteCommit")
    assert broker.group("copy").offsets() == {("source", 0): 5}


def test_faults_are_narrowed_to_transactional_ids_only_where_requests_name_one(broker: Broker) -> None:
    with pytest.raises(ValueError, match="Heartbeat names no transactional id"):
        broker.faults.drop_reply("Heartbeat", transactional_id="t")
    with pytest.raises(ValueError, match="cannot be written before the others are held: -1"):
        broker.faults.hold_markers("t", after=-1)


@pytest.mark.parametrize("api", ["InitProducerId", "AddPartitionsToTxn", "TxnOffsetCommit", "EndTxn"])
def test_each_step_of_a_transaction_can_meet_an_error_that_the_client_tries_again(broker: Broker, api: str) -> None:
    fault = broker.faults.error(api, "COORDINATOR_LOAD_IN_PROGRESS")
    begun(broker).commit()
    assert fault.uses == 1
    assert broker.group("copy").wait(committed={("source", 0): 5}).state == "Empty"


def test_markers_that_were_never_held_are_warned_of() -> None:
    with (
        pytest.warns(UnusedFault, match="markers of transactional id t are held back after the first 0"),
        Broker() as it,
    ):
        it.faults.hold_markers("t")


# ---- over HTTP


def test_transactions_are_seen_expired_and_held_over_http(controlled: Controlled) -> None:
    controlled.ask("POST", "/topics", {"name": "http-sink", "partitions": 1})
    producer = ConfluentTransactions(f"127.0.0.1:{controlled.port}", "http")
    producer.begin()
    producer.send("http-sink", 0, b"v")
    producer.send_offsets("http-group", "http-sink", {0: 3})
    (pending,) = controlled.ask("GET", "/groups/http-group/pending-offsets")["pending"]
    assert (pending["offset"], pending["transactional_id"]) == (3, "http")
    fault = controlled.ask("POST", "/faults", {"kind": "hold_markers", "transactional_id": "http", "after": 1})
    assert fault["text"] == "markers of transactional id http are held back after the first 1"
    assert controlled.ask("POST", "/transactions/http/expire", {})["state"] == "PrepareAbort"
    controlled.ask("DELETE", f"/faults/{fault['id']}")
    view = controlled.ask("GET", "/transactions/http/wait?state=CompleteAbort")
    assert (view["is_open"], view["partitions"]) == (False, [])
    listed = controlled.ask("GET", "/transactions")["transactions"]
    assert [each["transactional_id"] for each in listed] == ["http"]
    assert controlled.ask("POST", "/transactions/http/move-coordinator", {})["state"] == "CompleteAbort"
    code, why = controlled.refused("GET", "/transactions/http/wait?state=Ongoing&timeout=0")
    assert (code, "did not reach Ongoing" in why) == (408, True)


# ---- who waits


def test_a_consumer_that_waits_for_a_transaction_is_told_of_in_the_journal_and_gets_its_offset_at_the_end(
    broker: Broker,
) -> None:
    """Clients with `isolation.level=read_committed` ask for stable offsets (KIP-447), and ask again when they are refused."""
    producer = begun(broker)
    broker.clock.advance(seconds=2)
    settings = {"group.id": "copy", "client.id": "late", "isolation.level": "read_committed", **QUIET}
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, **settings})
    with ThreadPoolExecutor(1) as apart:
        asked = apart.submit(consumer.committed, [TopicPartition("source", 0)], 60)
        broker.group("copy").wait(where=lambda _: bool(waits(broker)))
        producer.commit()
        assert [each.offset for each in asked.result()] == [5]
    consumer.close()
    awaited, released = waits(broker)
    assert (awaited.kind, awaited.client_id) == ("offsets_awaited", "late")
    assert (released.kind, released.cause) == ("offsets_released", "transaction_committed")
    assert released.detail["transactional_id"] == "t"
    assert "transaction t of producer" in broker.group("copy").explain()


def waits(broker: Broker) -> list[JournalEvent]:
    return [event for event in broker.kit.journal("copy") if event.kind.startswith("offsets_")]
