"""Muster on a data directory that Apache Kafka 4.3.1 left with open transactions: it takes them over as a restarted Kafka does.

The directory and what Kafka showed of it were kept by `make conformance-record`; `make conformance` does the same live and also
lets Kafka take over what Muster wrote.
"""

from __future__ import annotations

import copy
import json
import tarfile
from typing import Any

import pytest

from muster.wire.errors import UNSTABLE_OFFSET_COMMIT
from tests.conformance import exchange_transactions as exchange
from tests.conformance.compare import differences
from tests.conformance.kafka import Node
from tests.movable_clock import MovableClock
from tests.server.transactions.txn_client import TxnServer

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.fixture(scope="module")
def kafkas() -> Any:
    return json.loads(exchange.RECORDED.read_text())


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, kafkas: Any) -> Any:
    """What Muster shows, at the time of the recording: later on the open transactions would have timed out."""
    folder = tmp_path_factory.mktemp("kafka-data")
    with tarfile.open(exchange.DIRECTORY) as archive:
        archive.extractall(folder, filter="data")
    settings = {**exchange.SETTINGS, "muster.storage": "files", "muster.data": str(folder)}
    with TxnServer(settings, clock=MovableClock(kafkas["began_ms"])) as server:
        server.pass_time(2 * exchange.LATE_MS)
        before, after = exchange.views("Muster", Node("127.0.0.1", server.port, folder))
    return json.loads(json.dumps({"after the start": before, "after the ends": after}))


@pytest.mark.parametrize("when", ["after the start", "after the ends"])
def test_transactions_that_kafka_left_are_taken_over_as_kafka_does(ours: Any, kafkas: Any, when: str) -> None:
    """Design, law 9: files on disk are Kafka's."""
    assert list(differences(ours[when], kafkas[when], "")) == []


def test_the_directory_holds_open_aborted_and_committed_ones_and_pending_offsets(ours: Any) -> None:
    """An empty view would agree with anything."""
    before, after = ours["after the start"], ours["after the ends"]
    states = {name: found["transaction_state"] for name, found in before["transactions"].items()}
    assert {"Ongoing", "CompleteCommit", "CompleteAbort"} <= set(states.values())
    assert (states["late"], states["open"]) == ("CompleteAbort", "Ongoing")
    assert before["records"]["0"]["end 1"] < before["records"]["0"]["end 0"]
    assert after["records"]["0"]["end 1"] == after["records"]["0"]["end 0"]
    assert before["records"]["0"]["aborted 1"]
    unstable = [each["error_code"] for each in before["offsets"]["True"]]
    stable = [each["committed_offset"] for each in after["offsets"]["True"]]
    assert (unstable, stable) == ([UNSTABLE_OFFSET_COMMIT, UNSTABLE_OFFSET_COMMIT, 0], [7, 1, -1])


def test_a_transaction_that_is_missing_shows(ours: Any) -> None:
    """The checker is proved by a mutation that it must catch."""
    changed = copy.deepcopy(ours["after the start"])
    changed["records"]["0"]["aborted 1"].pop()
    assert len(list(differences(ours["after the start"], changed, ""))) == 1
