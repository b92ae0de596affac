"""A metrics page with very many series is made in slices of time: between two of them the loop serves clients."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from types import ModuleType
from urllib.request import urlopen

import pytest

from muster.runtime import metrics, transaction_metrics
from muster.runtime.metrics import SAMPLES_A_PIECE, Metric, exposition
from muster.server import limit_metrics, storage_metrics
from muster.server.group_offset_metrics import group_offset_metrics
from muster.server.metrics_page import SLICE_SECONDS, joined_in_slices
from muster.server.monitoring import Monitoring
from muster.wire.special_values import NO_EXPIRY
from tests.server.groups.group_server import GroupServer
from tests.server.raw_client import PATIENCE_SECONDS
from tests.server.transactions.txn_client import TxnServer

OFFSETS = 3 * SAMPLES_A_PIECE


def test_others_have_their_turn_after_each_slice() -> None:
    """The clock says that each piece takes half a slice, and a little."""
    ticks = count()
    turns: list[int] = []

    async def scrape() -> str:
        loop = asyncio.get_running_loop()
        made: list[str] = []

        def take_turn() -> None:
            turns.append(len(made))
            if len(made) < 10:
                loop.call_soon(take_turn)

        def pieces() -> Iterator[str]:
            for number in range(10):
                made.append(f"{number} ")
                yield made[-1]

        loop.call_soon(take_turn)
        return await joined_in_slices(pieces(), lambda: next(ticks) * SLICE_SECONDS * 0.51)

    assert asyncio.run(scrape()) == "0 1 2 3 4 5 6 7 8 9 "
    assert turns == [2, 4, 6, 8, 10]


def test_no_piece_is_long_and_together_they_are_the_page() -> None:
    samples = tuple(({"group": f"g{number}"}, float(number)) for number in range(OFFSETS + 1))
    made = [Metric("m", "gauge", "about", samples), None, Metric("n", "gauge", "about", (({}, 1.5),))]
    pieces = list(exposition(made))
    assert max(piece.count("\n") for piece in pieces) == SAMPLES_A_PIECE
    page = "".join(pieces)
    assert (page.count("\nm{"), page.endswith("# TYPE n gauge\nn 1.5\n")) == (OFFSETS + 1, True)


def test_groups_that_go_and_come_while_a_page_is_made_are_seen_or_not() -> None:
    with GroupServer() as server:

        def scrape() -> str:
            stores = [shard.offsets for shard in server.node.coordinator.shards()]
            for store, group in zip(stores, ("first", "second"), strict=False):
                for partition in range(OFFSETS):
                    store.put_offset(group, "orders", partition, 7, -1, "", 0, NO_EXPIRY, partition, None)
            made = group_offset_metrics(server.node, 10 * OFFSETS, 0)
            begun = [next(made), next(made)]
            assert begun[1] is None, "a place to pause, in the middle of a group"
            for partition in range(SAMPLES_A_PIECE + 1, OFFSETS):
                stores[0].erase("first", "orders", partition)
            stores[0].put_offset("third", "orders", 0, 7, -1, "", 0, NO_EXPIRY, 0, None)
            stores[1].erase("second", "orders", 0)
            return "".join(exposition([*begun, *made]))

        text = server.run(scrape)
    of_groups = [text.count(f'muster_group_committed_offset{{group="{name}"') for name in ("first", "second")]
    assert of_groups == [SAMPLES_A_PIECE + 1, OFFSETS - 1]


def test_what_is_committed_while_a_page_is_made_is_not_older_than_nothing() -> None:
    with GroupServer() as server:

        def scrape() -> str:
            store = server.node.coordinator.shards()[0].offsets
            store.put_offset("late", "orders", 0, 7, -1, "", 5_000, NO_EXPIRY, 0, None)
            return "".join(exposition(group_offset_metrics(server.node, OFFSETS, 4_000)))

        assert 'muster_group_last_commit_age_seconds{group="late"} 0\n' in server.run(scrape)


@pytest.mark.parametrize("module", [metrics, transaction_metrics, storage_metrics, limit_metrics])
def test_what_is_counted_one_by_one_has_places_to_pause(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups, transactional ids, partitions and connections."""

    def pauses(server: TxnServer) -> int:
        running = server._running.server
        assert running is not None
        return list(running.monitoring._metrics()).count(None)

    with TxnServer() as server:
        client = server.txn_client()
        client.started()
        assert server.client().commit("g", ("orders", 0, 5)) == [0]
        before = server.run(lambda: pauses(server))
        monkeypatch.setattr(module, "SAMPLES_A_PIECE", 1)
        assert server.run(lambda: pauses(server)) > before


def test_a_page_that_cannot_be_made_is_a_closed_connection_and_a_line(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Monitoring) -> Iterator[Metric]:
        yield Metric("m", "gauge", "about", ())
        raise RuntimeError("a bug")

    monkeypatch.setattr(Monitoring, "_metrics", broken)
    with GroupServer({"muster.metrics.listen": "127.0.0.1:0"}) as server, pytest.raises(OSError, match=r"."):
        urlopen(f"http://{server.metrics_address}/metrics", timeout=PATIENCE_SECONDS)
    assert any("a page cannot be made" in line for line in caplog.messages)
