"""The story of the demo, step by step. Everything is real: the server is `muster serve` with files on disk, the
clients are librdkafka's."""

from __future__ import annotations

import itertools
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

HOME = Path(".demo")
TOPIC, GROUP, PARTITIONS = "orders", "billing", 6
PATIENCE_SECONDS = 60


class Server:
    """`muster serve`, restarted at will on the same port and data."""

    def __init__(self) -> None:
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> float:
        """Returns how many milliseconds it took until it listened."""
        command = [
            sys.executable,
            "-m",
            "muster",
            "serve",
            "--listen",
            f"127.0.0.1:{self.port}",
            "--data",
            str(HOME / "data"),
        ]
        command += ["--set", "group.initial.rebalance.delay.ms=500", "--log-level", "warning"]
        began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"listening on \S+:(\d+)", line)
        if found is None:
            sys.exit("the server did not start; its message is above")
        self.port = int(found.group(1))
        return (time.perf_counter() - began) * 1e3

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
            assert self.process.stdout is not None
            self.process.stdout.close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


class Fleet:
    """Consumer processes and what they say."""

    def __init__(self) -> None:
        self.said: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.owned: dict[str, list[int]] = {}
        self.read: dict[int, list[int]] = defaultdict(list)

    def add(self, name: str, address: str) -> None:
        command = [sys.executable, "-m", "demo.consumer", address, GROUP, TOPIC]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.processes[name] = process
        self.owned[name] = []
        threading.Thread(target=self._listen, args=(name, process), daemon=True).start()

    def _listen(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.said.put((name, json.loads(line)))

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()
        del self.owned[name]

    def stop(self) -> None:
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            process.wait(20)

    def watch_until(self, what: str, condition: Any) -> None:
        """Take in what the consumers say until the condition holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            try:
                name, event = self.said.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                sys.exit(f"waited {PATIENCE_SECONDS} s in vain: {what}")
            if name not in self.owned:
                continue
            if event["event"] == "assigned":
                self.owned[name] = event["partitions"]
            elif event["event"] == "revoked":
                self.owned[name] = []
            else:
                self.read[event["partition"]].append(event["offset"])

    def shares_everything(self) -> bool:
        return all(self.owned.values()) and sorted(itertools.chain(*self.owned.values())) == list(range(PARTITIONS))

    def count(self) -> int:
        return sum(len(offsets) for offsets in self.read.values())

    def show(self) -> None:
        for name, partitions in sorted(self.owned.items()):
            print(f"     {name}: partitions {partitions}")


def muster(*arguments: str) -> None:
    """The command line, as anybody would call it."""
    done = subprocess.run([sys.executable, "-m", "muster", *arguments], check=False)
    if done.returncode:
        sys.exit(f"muster {' '.join(arguments)} ended with {done.returncode}")


def say(text: str) -> None:
    print(f"\n== {text}")


def produce(address: str, count: int) -> None:
    producer = Producer(
        {"bootstrap.servers": address, "enable.idempotence": True, "compression.type": "zstd", "log_level": 0}
    )
    for number in range(count):
        producer.produce(TOPIC, key=str(number), value=f"order {number}", partition=number % PARTITIONS)
    if producer.flush(PATIENCE_SECONDS):
        sys.exit("not everything could be produced")


def committed(address: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": address, "group.id": GROUP, "log_level": 0})
    try:
        wanted = [TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)]
        return [answer.offset for answer in consumer.committed(wanted, timeout=PATIENCE_SECONDS)]
    finally:
        consumer.close()


def journal(address: str) -> list[dict[str, Any]]:
    """Every event of the group, read like any topic."""
    consumer = Consumer(
        {"bootstrap.servers": address, "group.id": "journal-reader", "enable.partition.eof": True, "log_level": 0}
    )
    try:
        count = len(
            consumer.list_topics("__group_journal", timeout=PATIENCE_SECONDS).topics["__group_journal"].partitions
        )
        consumer.assign([TopicPartition("__group_journal", index, 0) for index in range(count)])
        events, ended = [], 0
        while ended < count:
            message = consumer.poll(PATIENCE_SECONDS)
            if message is None:
                sys.exit("the journal cannot be read")
            if message.error():
                ended += 1
            elif (message.key() or b"").decode() == GROUP:
                events.append(json.loads(message.value() or b"{}"))
        return sorted(events, key=lambda event: event["at_ms"])
    finally:
        consumer.close()


def show_journal(events: list[dict[str, Any]]) -> None:
    began = events[0]["at_ms"]
    for event in events:
        if event["kind"] not in ("rebalance_started", "rebalance_ended", "member_expelled", "member_left"):
            continue
        who = f" by {event['member'][:18]}…" if "member" in event else ""
        phases = ""
        if "sync_phase_ms" in event:
            phases = f", join phase {event['join_phase_ms']} ms, sync phase {event['sync_phase_ms']} ms"
        what = f"generation {event['generation']}  {event['kind']}: {event['cause']}"
        print(f"  {(event['at_ms'] - began) / 1e3:7.2f} s  {what}{who}{phases}")


def story(server: Server, fleet: Fleet) -> None:
    took = server.start()
    say(
        f"a server listens on {server.address} after {took:.0f} ms (files in {HOME}/data, synced to disk before it answers)"
    )

    say(f"create topic {TOPIC} with {PARTITIONS} partitions, produce 600 records (idempotent, zstd)")
    admin = AdminClient({"bootstrap.servers": server.address, "log_level": 0})
    for future in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
        future.result()
    produce(server.address, 600)

    say(f"three consumers join group {GROUP}")
    for name in ("anna", "boris", "clara"):
        fleet.add(name, server.address)
    fleet.watch_until("a stable group of three", fleet.shares_everything)
    fleet.show()
    fleet.watch_until("all records to be read", lambda: fleet.count() == 600)
    print("     600 records read and committed")

    say("boris is killed: no goodbye, only silence. The group heals when his session of 6 s is over")
    began = time.monotonic()
    fleet.kill("boris")
    fleet.watch_until("the group to heal", fleet.shares_everything)
    print(f"     healed after {time.monotonic() - began:.1f} s")
    fleet.show()

    say("the server restarts; consumers find it again and go on where they were")
    server.stop()
    took = server.start()
    produce(server.address, 600)
    fleet.watch_until("the second half to be read", lambda: fleet.count() == 1200)
    for partition, offsets in sorted(fleet.read.items()):
        if offsets != list(range(len(offsets))):
            sys.exit(f"partition {partition} was not read once and in order: {offsets}")
    print(
        f"     restarted in {took:.0f} ms; 1200 records read, each once and in order; committed: {committed(server.address)}"
    )

    say("why did it rebalance? The journal knows")
    show_journal(journal(server.address))
    say("50 more records come in, and nobody reads them: the group falls behind")
    fleet.stop()
    produce(server.address, 50)
    server.stop()

    say("the pipeline: Spark turns the log, the journal and the end offsets of the data directory into tables")
    lake = str(HOME / "lake")
    began = time.monotonic()
    muster("pipeline", "run", "--from", str(HOME / "data"), "--lake", lake, "--cluster", "demo")
    print(f"     made in {time.monotonic() - began:.0f} s, most of it Spark's start")
    for question in ("lag", "status", "rebalances", "members", "expiring --within 30d"):
        say(f"muster {question} --lake {lake} --group {GROUP}")
        muster(*question.split(), "--lake", lake, "--group", GROUP)
    report = str(HOME / "report.html")
    muster("pipeline", "report", "--lake", lake, "--out", report)
    say(f"done; the report is {report}, open it in a browser")


def total(began: float, arguments: list[str]) -> str:
    """How long all of it took: since make began, which gives its seconds since 1970, else since this program did."""
    if arguments:
        return f"     {time.time() - int(arguments[0]):.0f} s in all, with what was installed for it"
    return f"     {time.time() - began:.0f} s in all"


def main(arguments: list[str]) -> None:
    began = time.time()
    os.chdir(Path(__file__).parents[1])
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir()
    server, fleet = Server(), Fleet()
    try:
        story(server, fleet)
    finally:
        for process in fleet.processes.values():
            process.kill()
        server.stop()
    print(total(began, arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
