"""Fuzzing of a whole server: `make fuzz`, or `python -m tests.security.fuzz SECONDS [SEED [LONGEST_WAIT_MS]]`.

Several hostile connections send requests of all APIs, as they should be or mutated, in pieces and without reading, interleaved
with a client that behaves well. A find is: the server ends, logs a fault of its own, grows beyond measure, or the well-behaved
client gets a wrong answer or waits too long. The seed is printed first; the last requests before a find are kept in a file.
"""

from __future__ import annotations

import select
import socket
import sys
import tempfile
import time
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path
from random import Random

from muster.server.handlers.table import SERVED
from tests.security.attacks.victim import Victim
from tests.security.fuzz.honest_client import HonestProcess, News
from tests.security.fuzz.mutations import Requests

CONNECTIONS = 8
KEPT_FRAMES = 400
MOST_MEGABYTES = 900
LONGEST_WAIT_MS = 1_000.0
"""Of a request of the well-behaved client, on a machine that fuzzes at the same time."""
FAULTS = ("Traceback", "serving", "coordinator shard of", "a callback failed", "data_received failed")
"""Words of log lines that only a fault of the server writes."""
SETTINGS = (
    *("--set", "group.initial.rebalance.delay.ms=0"),
    *("--set", "offsets.topic.num.partitions=4"),
    *("--set", "message.max.bytes=1000000"),
    *("--log-level", "warning"),
)


class HostileConnection:
    def __init__(self, port: int, random: Random) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._socket.setblocking(False)
        self._random = random
        self._reads = random.random() < 0.8
        self._left = b""
        self.is_closed = False
        self.received = 0

    def send(self, frame: bytes) -> None:
        """In pieces, and no more than the server takes: what is left goes out first the next time."""
        data = self._left + frame
        cut = len(data) if self._random.random() < 0.8 else self._random.randrange(len(data) + 1)
        try:
            sent = self._socket.send(data[:cut])
        except BlockingIOError:
            sent = 0
        except OSError:
            self.is_closed = True
            return
        self._left = data[sent:][:1_000_000]
        if self._reads:
            self._read()

    def _read(self) -> None:
        with suppress(BlockingIOError):
            while select.select([self._socket], [], [], 0)[0]:
                try:
                    data = self._socket.recv(1 << 20)
                except ConnectionError:
                    data = b""
                if not data:
                    self.is_closed = True
                    return
                self.received += len(data)

    def close(self) -> None:
        self._socket.close()


class Run:
    def __init__(self, seed: int, folder: Path, longest_wait_ms: float) -> None:
        self._random = Random(seed)
        self._longest_wait_ms = longest_wait_ms
        self._folder = folder
        self._frames: deque[bytes] = deque(maxlen=KEPT_FRAMES)
        self._requests = Requests(self._random, tuple(name for name in SERVED if not name.startswith("Sasl")))
        self.counted: Counter[str] = Counter()

    def run(self, seconds: float) -> str | None:
        """What was found; None if nothing was."""
        with Victim(self._folder, *SETTINGS) as victim:
            self._warm_up(victim)
            honest = HonestProcess(victim.port)
            hostile: list[HostileConnection] = []
            end = time.monotonic() + seconds
            find: str | None = None
            while find is None and time.monotonic() < end:
                self._step(victim, hostile)
                if self.counted["frames"] % 200 == 0:
                    find = self._look(victim, honest)
            find = find or self._look(victim, honest)
            for each in hostile:
                each.close()
            news = honest.stop()
            self._sum_up(victim, news)
            return find or (f"the well-behaved client: {news.complaint}" if news.complaint else None)

    def _warm_up(self, victim: Victim) -> None:
        """Each API once: a server loads the code of an API with its first request, and nobody's wait for that is a find."""
        for frame in self._requests.first_of_each():
            with suppress(OSError), socket.create_connection(("127.0.0.1", victim.port), timeout=10) as connection:
                connection.sendall(frame)
                connection.settimeout(0.5)
                connection.recv(1)

    def _step(self, victim: Victim, hostile: list[HostileConnection]) -> None:
        if len(hostile) < CONNECTIONS:
            hostile.append(HostileConnection(victim.port, self._random))
            self.counted["connections"] += 1
        connection = self._random.choice(hostile)
        frame = self._requests.next()
        self._frames.append(frame)
        self.counted["frames"] += 1
        self.counted["bytes sent"] += len(frame)
        received = connection.received
        connection.send(frame)
        self.counted["bytes received"] += connection.received - received
        if connection.is_closed or self._random.random() < 0.002:
            connection.close()
            hostile.remove(connection)

    def _look(self, victim: Victim, honest: HonestProcess) -> str | None:
        if not victim.is_alive:
            return f"the server ended with {victim.process.returncode}"
        news = honest.look()
        if news.complaint is not None:
            return f"the well-behaved client: {news.complaint}"
        if news.longest_ms > self._longest_wait_ms:
            return f"the well-behaved client waited {news.longest_ms:.0f} ms"
        if victim.peak_megabytes() > MOST_MEGABYTES:
            return f"the server took {victim.peak_megabytes():.0f} MB"
        said = victim.said()
        return next((f"the server logged {word!r}" for word in FAULTS if word in said), None)

    def _sum_up(self, victim: Victim, news: News) -> None:
        shown = ", ".join(f"{count} {what}" for what, count in self.counted.items())
        print(
            f"{shown}; {news.rounds} rounds of the well-behaved client, its waits: median {news.median_ms:.1f} ms,"
            f" 99 % {news.p99_ms:.1f} ms, longest {news.longest_ms:.1f} ms;"
            f" {victim.peak_megabytes() if victim.is_alive else 0:.0f} MB at most"
        )

    def keep(self) -> Path:
        path = self._folder / "frames"
        path.write_bytes(b"".join(len(frame).to_bytes(4, "big") + frame for frame in self._frames))
        return path


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 2**32
    longest_wait_ms = float(sys.argv[3]) if len(sys.argv) > 3 else LONGEST_WAIT_MS
    folder = Path(tempfile.mkdtemp(prefix="muster-fuzz-server-"))
    print(f"fuzzing a server for {seconds:.0f} s with seed {seed}, in {folder}", flush=True)
    run = Run(seed, folder, longest_wait_ms)
    find = run.run(seconds)
    if find is None:
        print("nothing was found")
        return 0
    print(f"FOUND: {find}; the last {KEPT_FRAMES} frames are in {run.keep()}, the log beside them")
    return 1


if __name__ == "__main__":
    sys.exit(main())
