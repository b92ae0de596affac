"""Offsets that a transaction holds back, and records that it has not committed, as a browser shows them."""

from __future__ import annotations

from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.looking import lacks, shows, text_of
from tests.interop.transactional import ConfluentTransactions


def test_a_group_shows_which_transaction_holds_its_offsets_back(
    broker: Broker, console: ConsoleProcess, browser: Browser
) -> None:
    broker.create_topic("sink", 1)
    producer = ConfluentTransactions(broker.bootstrap_servers, "copier")
    for offset in (1, 2):  # the second time there is a committed offset that the pending one stands before
        producer.begin()
        producer.send("sink", 0, f"copy {offset}".encode())
        producer.send_offsets("copying", "orders", {0: offset, 1: offset})
        if offset == 1:
            producer.commit()
    browser.visit(f"{console.address}/group?id=copying")
    shows(browser, "#lag", "orders 0, 1: not final", "Transaction copier (producer ", "Ongoing", "has not ended")
    assert text_of(browser, "#lag tbody tr").count("not final") == 1

    browser.visit(f"{console.address}/messages?topic=sink")
    shows(browser, "#records", "copy 1", "copy 2")
    browser.visit(f"{console.address}/messages?topic=sink&committed=1")
    assert "copy 2" not in shows(browser, "#records", "copy 1")

    browser.visit(f"{console.address}/group?id=copying")
    shows(browser, "#lag", "not final")
    producer.commit()
    lacks(browser, "#lag", "not final")
    browser.visit(f"{console.address}/messages?topic=sink&committed=1")
    shows(browser, "#records", "copy 1", "copy 2")
    assert browser.complaints() == []
