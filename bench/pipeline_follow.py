"""`make pipeline-follow`: `muster pipeline run --follow` beside a busy server for a while, with a restart and a killed worker.

A real `muster serve`, about 2,000 commits a second of 20 groups, a group whose members come and go, a restart of the server in the
middle and a Python worker of Spark killed. At the end: how far behind it is, memory over time, and whether a rebuild from the log
table gives the same tables. `python -m bench.pipeline_follow 30` runs for 30 minutes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.pipeline_processes import family

GROUPS, PARTITIONS, COMMITS_A_SECOND = 20, 10, 10
EVERY_S, GOLD_EVERY_S = 10, 60
_BEHIND = re.compile(r"batch (\d+): ([\d,]+) records? read, ([\d,]+) behind")
COMPARED = (
    *("s_group_generation", "s_member", "s_assignment", "b_journal_event", "s_current_offset"),
    *("g_rebalance", "g_rebalance_pause", "g_rebalance_episode", "g_member", "g_member_churn"),
    *("g_assignment_balance", "g_hot_committers", "g_data_quality"),
)


class Load:
    """Commits of simple consumers and a group that rebalances, on threads of this process."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._stop = threading.Event()
        self.commits = 0
        self._threads = [threading.Thread(target=self._commit, args=(n,), daemon=True) for n in range(GROUPS)]
        self._threads.append(threading.Thread(target=self._come_and_go, daemon=True))

    def __enter__(self) -> Load:
        from confluent_kafka.admin import AdminClient, NewTopic

        admin = AdminClient({"bootstrap.servers": self._address, "log_level": 0})
        admin.create_topics([NewTopic("orders", PARTITIONS, 1)])["orders"].result(30)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _commit(self, number: int) -> None:
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        consumer = Consumer({"bootstrap.servers": self._address, "group.id": f"team-{number}", "log_level": 0})
        offset = 0
        while not self._stop.wait(1 / COMMITS_A_SECOND):
            offset += 1
            try:
                consumer.commit(
                    offsets=[TopicPartition("orders", p, offset) for p in range(PARTITIONS)], asynchronous=False
                )
                self.commits += PARTITIONS
            except KafkaException:
                continue  # the server is being restarted
        consumer.close()

    def _come_and_go(self) -> None:
        from confluent_kafka import Consumer

        settings = {
            "bootstrap.servers": self._address,
            "group.id": "restless",
            "log_level": 0,
            "session.timeout.ms": 10_000,
        }
        stays = Consumer(settings)
        stays.subscribe(["orders"])
        while not self._stop.is_set():
            other = Consumer(settings)
            other.subscribe(["orders"])
            until = time.monotonic() + 15
            while time.monotonic() < until and not self._stop.is_set():
                stays.poll(0.2)
                other.poll(0.2)
            other.close()
        stays.close()


@contextmanager
def _server(data: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "muster", "serve", "--listen", f"127.0.0.1:{port}", "--data", str(data)]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        yield running
    finally:
        running.terminate()
        running.wait(30)


def main(minutes: float) -> int:
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        port = 39_092
        with _server(home / "data", port) as server:
            _await_port(port)
            with Load(f"127.0.0.1:{port}") as load:
                lines, memory = _follow(home, port, minutes, server)
                print(f"{load.commits:,} commits in {minutes:g} minutes")
        return _judge(home, lines, memory)


def _await_port(port: int) -> None:
    import socket

    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("muster serve did not come up")


def _follow(home: Path, port: int, minutes: float, server: subprocess.Popen[bytes]) -> tuple[list[str], list[float]]:
    flags = ["--every", f"{EVERY_S}s", "--gold-every", f"{GOLD_EVERY_S}s"]
    command = [
        sys.executable,
        "-m",
        "muster",
        "pipeline",
        "run",
        "--bootstrap",
        f"127.0.0.1:{port}",
        "--lake",
        str(home / "lake"),
    ]
    lines: list[str] = []
    memory: list[float] = []
    with subprocess.Popen([*command, "--follow", *flags], stderr=subprocess.PIPE, text=True) as running:

        def read() -> None:
            assert running.stderr is not None
            for line in running.stderr:
                lines.append(line.rstrip())
                print(f"  {line.rstrip()}", flush=True)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        began = time.monotonic()
        acts: list[tuple[float, str, Callable[[], object]]] = [
            (minutes * 60 * 0.4, "kill a Python worker", lambda: _kill_worker(running.pid)),
            (minutes * 60 * 0.6, "restart the server", lambda: _restart(server, home / "data", port)),
        ]
        while time.monotonic() - began < minutes * 60 and running.poll() is None:
            time.sleep(2)
            memory.append(_memory_mb(running.pid))
            if acts and time.monotonic() - began > acts[0][0]:
                _, what, act = acts.pop(0)
                print(f"  -- {what}", flush=True)
                act()
        running.send_signal(signal.SIGINT)
        running.wait(120)
        reader.join(10)
    print(f"exit code {running.returncode}")
    return lines, memory


def _below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for each in family():
        try:
            parent = int(Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(each)
    found, look_at = [], [pid]
    while look_at:
        found.append(look_at.pop())
        look_at += children.get(found[-1], [])
    return found


def _memory_mb(pid: int) -> float:
    total = 0
    for each in _below(pid):
        try:
            status = Path(f"/proc/{each}/status").read_text()
        except OSError:
            continue
        if "VmRSS:" in status:
            total += int(status.partition("VmRSS:")[2].split()[0])
    return total / 1024


def _kill_worker(pid: int) -> None:
    """A Python worker that runs tasks: a child of Spark's daemon."""
    for each in reversed(_below(pid)):
        try:
            command = Path(f"/proc/{each}/cmdline").read_text()
        except OSError:
            continue
        if "pyspark.worker" in command:
            os.kill(each, signal.SIGKILL)
            return
    print("  -- no worker was found")


def _restart(server: subprocess.Popen[bytes], data: Path, port: int) -> None:
    server.send_signal(signal.SIGTERM)
    server.wait(30)
    command = [sys.executable, "-m", "muster", "serve", "--listen", f"127.0.0.1:{port}", "--data", str(data)]
    again = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    server.pid, server.returncode = again.pid, None
    server.poll, server.wait, server.terminate = again.poll, again.wait, again.terminate  # type: ignore[method-assign]
    _await_port(port)


def _judge(home: Path, lines: list[str], memory: list[float]) -> int:
    found = [match for line in lines if (match := _BEHIND.search(line))]
    behind = int(found[-1][3].replace(",", "")) if found else -1
    allowed = 2 * EVERY_S * GROUPS * PARTITIONS * COMMITS_A_SECOND
    quarter = len(memory) // 4
    early, late = memory[quarter : 2 * quarter], memory[-quarter:]
    print(f"behind at the end: {behind:,} records (two triggers are {allowed:,})")
    print(
        f"memory of Python and Java: second quarter {sum(early) / len(early):,.0f} MB, last {sum(late) / len(late):,.0f} MB"
    )
    # In a process of its own, with a session that knows how much is to be done.
    command = [sys.executable, "-m", "bench.pipeline_follow", "--compare", str(home / "data"), str(home / "lake")]
    is_same = subprocess.run([*command, _cluster(home / "lake")]).returncode == 0
    return 0 if 0 <= behind < allowed and is_same else 1


def _cluster(lake: Path) -> str:
    from muster.pipeline.lake.reader import Lake

    (cluster,) = Lake.open(lake).round.batches
    return str(cluster)


def _rows(lake: object, table: str) -> list[str]:
    from muster.pipeline.lake.reader import Lake

    assert isinstance(lake, Lake)
    return sorted(map(repr, lake.arrow(table).to_pylist()))


def compare(data: str, lake: str, cluster: str) -> int:
    """Whether everything anew from the log table is what the rounds have left; nothing more is read of the source."""
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.round import RoundWriter
    from muster.pipeline.round_settings import Gold, RoundSettings
    from muster.pipeline.session import SessionSettings, open_session
    from muster.pipeline.sources.run_source import directory_source
    from muster.pipeline.tables.settings import GoldSettings

    writer = RoundWriter(
        Location.parse(lake), directory_source((data,), cluster), RoundSettings(GoldSettings(now_ms=0))
    )
    with open_session(SessionSettings(pending_records=1_000_000)) as spark:
        writer.make_gold(spark, Gold())  # the last rounds may have left the tables of now as they were
        before = {table: _rows(Lake.open(lake), table) for table in COMPARED}
        writer.rebuild(spark)
    after = {table: _rows(Lake.open(lake), table) for table in COMPARED}
    different = {table: set(before[table]) ^ set(after[table]) for table in COMPARED if before[table] != after[table]}
    print(f"tables that a rebuild makes differently: {', '.join(different) or 'none'}")
    for table, rows in different.items():
        print(f"  {table}: {len(rows)} rows, one of them {min(rows, default='only in number')}")
    return 1 if different else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(compare(*sys.argv[2:]))
    else:
        sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30))
