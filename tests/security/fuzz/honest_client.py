"""The well-behaved client beside the hostile ones: it commits, produces, reads back and beats, and notes whatever is not right.

Each answer is checked against what it did before, and timed. It runs in a process of its own, so that its waits are the server's,
and tells how it fares every second, until it is told to stop.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from muster.wire.batch import decode_records, encode_pairs, iterate_batches
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.server.broker.whole_server import create, fetch_request, produce
from tests.server.groups.group_client import GroupClient

TOPIC, GROUP = "honest-topic", "honest-group"


@dataclass
class News:
    """How the client has fared so far."""

    rounds: int = 0
    complaint: str | None = None
    median_ms: float = 0.0
    p99_ms: float = 0.0
    longest_ms: float = 0.0


class HonestProcess:
    """The client in its process, as the one who started it sees it."""

    def __init__(self, port: int) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(port, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.news: News = self._pipe.recv()

    def look(self) -> News:
        while self._pipe.poll():
            self.news = self._pipe.recv()
        return self.news

    def stop(self) -> News:
        with suppress(ConnectionError):
            self._pipe.send("stop")
        with suppress(EOFError, ConnectionError):
            while True:
                self.news = self._pipe.recv()
        self._process.join()
        return self.news


def _live(port: int, pipe: Connection) -> None:
    client = HonestClient(port)
    try:
        client.start()
        pipe.send(News())
        told = time.monotonic()
        while client.complaint is None and not pipe.poll():
            client.round()
            if time.monotonic() - told > 1:
                told = time.monotonic()
                pipe.send(client.news())
    except Exception as failure:
        client.complaint = f"round {client.rounds}: {failure!r}"
    pipe.send(client.news())
    pipe.close()


class HonestClient:
    def __init__(self, port: int) -> None:
        self._client = GroupClient(port)
        self.rounds = 0
        self._waits: list[float] = []
        """Seconds of every request."""
        self.complaint: str | None = None
        self._member: Any = None

    def news(self) -> News:
        waits = sorted(self._waits) or [0.0]
        figures = (waits[len(waits) // 2], waits[int(len(waits) * 0.99)], waits[-1])
        return News(self.rounds, self.complaint, *(1000 * each for each in figures))

    def start(self) -> None:
        create(self._client, TOPIC)
        deadline = time.monotonic() + 60
        while self._client.call("FindCoordinator", 3, FindCoordinatorRequest(GROUP, 0, [GROUP])).error_code:
            assert time.monotonic() < deadline, "no coordinator"  # the first answers say to come again
        while self._client.fetch_offsets(GROUP, []).groups[0].error_code:
            assert time.monotonic() < deadline, "the coordinator does not load"
        given = self._client.join(GROUP).answer()
        assert given.error_code == 79
        self._member = self._client.join(GROUP, given.member_id).answer()
        assert self._member.error_code == 0
        self._client.sync(GROUP, self._member.generation_id, given.member_id, [(given.member_id, b"mine")]).answer()

    def round(self) -> None:
        number = self.rounds
        member_id, generation = self._member.member_id, self._member.generation_id
        value = b"round %d" % number
        written = self._timed(lambda: produce(self._client, TOPIC, encode_pairs([(None, value)], 1_700_000_000_000)))
        self._expect("Produce", (written.error_code, written.base_offset), (0, number))
        (partition,) = (
            self._timed(lambda: self._client.call("Fetch", 12, fetch_request(TOPIC, number))).responses[0].partitions
        )
        found = [
            record.value
            for position, header in iterate_batches(partition.records)
            for record in decode_records(partition.records, header, position)
        ]
        self._expect("Fetch", found, [value])
        ids = {"generation": generation, "member_id": member_id}
        codes = self._timed(lambda: self._client.commit(GROUP, (TOPIC, 0, number), **ids))
        self._expect("OffsetCommit", codes, [0])
        self._expect("OffsetFetch", self._timed(lambda: self._client.committed(GROUP, TOPIC)), number)
        self._expect("Heartbeat", self._timed(lambda: self._client.beat(GROUP, generation, member_id)), 0)
        described = self._timed(lambda: self._client.describe(GROUP))
        self._expect("DescribeGroups", (described.group_state, len(described.members)), ("Stable", 1))
        self.rounds += 1

    def _timed(self, ask: Any) -> Any:
        began = time.perf_counter()
        answer = ask()
        self._waits.append(time.perf_counter() - began)
        return answer

    def _expect(self, what: str, found: object, expected: object) -> None:
        if found != expected and self.complaint is None:
            self.complaint = f"round {self.rounds}: {what} answered {found!r} instead of {expected!r}"
