"""A server with both coordinators, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.transactions.txn_client import TxnClient, TxnServer


@pytest.fixture
def server() -> Iterator[TxnServer]:
    with TxnServer() as running:
        yield running


@pytest.fixture
def client(server: TxnServer) -> TxnClient:
    return server.txn_client()
