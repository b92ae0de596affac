"""Records a second from segment files to rows, on one core and without Spark: what a worker of the pipeline can do at most.

Writes its own `__consumer_offsets` segments first: commits of 1 to 20 partitions as clients send them, most in the layout that
Kafka writes now, some with metadata, some tombstones, a group record now and then. Times are CPU seconds of this process, reading
and checksums included. If Kafka's jars are there (`make conformance` fetches them), its own decoder reads the same log.
"""

from __future__ import annotations

import platform
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

from muster.core.hashing import partition_for
from muster.core.records import GroupStored, OffsetCommitted, OffsetErased, StoredMember
from muster.log.record_codec import encode_record, encode_records
from muster.wire.batch import encode_pairs, with_offset_and_epoch
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription

RECORDS = 2_000_000
LOG_PARTITIONS = 4
GROUPS = 2_000
TOPICS = 100
SEGMENT_BYTES = 100 << 20
NOW_MS = 1_700_000_000_000
TOPIC = "__consumer_offsets"

DECODE_FLOOR, DECODE_TARGET = 400_000, 1_000_000
CURRENT_FLOOR, CURRENT_TARGET = 500_000, 800_000
KAFKA_RECORDED = 91_000
"""Kafka's DumpLogSegments with --offsets-decoder, records a second and core on the reference machine."""


def main(records: int = RECORDS) -> None:
    from muster.pipeline.decode import decode_batch
    from muster.pipeline.decode.current_offsets import current_offsets
    from muster.pipeline.sources.log_directories import log_folders
    from muster.pipeline.sources.log_source import Stretch
    from muster.pipeline.sources.segments import SegmentLogs

    print(f"decode, one core of {_machine()}")
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        written = write_segments(directory, records)
        size = sum(file.stat().st_size for file in directory.rglob("*.log"))
        print(f"  {written:,} records in {size / 1e6:,.0f} MB, {LOG_PARTITIONS} log partitions, {GROUPS:,} groups")
        logs = SegmentLogs((str(directory),))
        stretches = [Stretch(partition, 0, end) for partition, end in logs.ends().items()]

        def to_bronze() -> int:
            return sum(rows.num_rows for each in stretches for rows in logs.open(each).bronze())

        def to_silver() -> int:
            total = 0
            for each in stretches:
                for bronze in logs.open(each).bronze():
                    total += sum(rows.num_rows for rows in decode_batch(bronze).values())
            return total

        def to_current() -> int:
            return int(current_offsets(log_folders([str(directory)], TOPIC)).num_rows)

        to_current()  # so that every measured run finds its libraries loaded
        bronze_s, _ = _cpu_seconds(to_bronze)
        silver_s, rows = _cpu_seconds(to_silver)
        current_s, keys = _cpu_seconds(to_current)
        _show("segments to bronze rows", written, bronze_s)
        _show("bronze to silver rows (decode)", written, silver_s - bronze_s, DECODE_FLOOR, DECODE_TARGET)
        _show("segments to silver rows", written, silver_s)
        _show(f"segments to current offsets ({keys:,} keys)", written, current_s, CURRENT_FLOOR, CURRENT_TARGET)
        print(f"  {rows:,} silver rows; most memory {_peak_mb():.0f} MB, libraries included")
        _kafka_side_by_side(directory)


def write_segments(directory: Path, records: int) -> int:
    """Segments of every log partition with about this many records in all."""
    total = 0
    for partition in range(LOG_PARTITIONS):
        chance = random.Random(partition)
        folder = directory / f"{TOPIC}-{partition}"
        folder.mkdir(parents=True)
        total += _write_partition(folder, partition, records // LOG_PARTITIONS, chance)
    return total


def _write_partition(folder: Path, partition: int, records: int, chance: random.Random) -> int:
    offset = 0
    file = (folder / f"{0:020d}.log").open("wb")
    while offset < records:
        if file.tell() > SEGMENT_BYTES:
            file.close()
            file = (folder / f"{offset:020d}.log").open("wb")
        pairs = _commit(chance, partition, offset) if chance.random() > 0.001 else [_group(chance, partition)]
        file.write(with_offset_and_epoch(encode_pairs(pairs, NOW_MS + offset), offset, 0))
        offset += len(pairs)
    file.close()
    return offset


@cache
def _group_name(partition: int, number: int) -> str:
    """A name whose hash leads to that log partition, as those that a coordinator writes there."""
    names = (f"service-{number}-consumers-{suffix}" for suffix in count())
    return next(name for name in names if partition_for(name, LOG_PARTITIONS) == partition)


def _commit(chance: random.Random, partition: int, offset: int) -> list[tuple[bytes | None, bytes | None]]:
    number = chance.randrange(GROUPS // LOG_PARTITIONS)
    group, topic = _group_name(partition, number), f"events.topic-{number % TOPICS}"
    kind = chance.random()
    if kind < 0.01:
        return [encode_record(OffsetErased(group, topic, chance.randrange(20)))]
    metadata = "" if kind < 0.9 else f"checkpoint-{offset}"
    topic_id = bytes([number % TOPICS]) * 16 if kind < 0.8 else None
    count = chance.randint(1, 20)
    commits = [
        OffsetCommitted(group, topic, p, offset + p, 3, metadata, NOW_MS + offset, -1, topic_id) for p in range(count)
    ]
    return list(encode_records(commits))


def _group(chance: random.Random, partition: int) -> tuple[bytes, bytes | None]:
    number = chance.randrange(GROUPS // LOG_PARTITIONS)
    subscription = encode_subscription(Subscription([f"events.topic-{number % TOPICS}"]))
    members = tuple(
        StoredMember(
            f"member-{index}",
            None,
            "client",
            "/10.0.0.1",
            300_000,
            45_000,
            subscription,
            encode_assignment(Assignment([(f"events.topic-{number % TOPICS}", [index])])),
        )
        for index in range(5)
    )
    return encode_record(
        GroupStored(_group_name(partition, number), "consumer", 1, "range", "member-0", NOW_MS, members)
    )


def _cpu_seconds(work: Callable[[], int]) -> tuple[float, int]:
    """The quicker of two runs, and what it returned."""
    runs: list[float] = []
    result = 0
    for _ in range(2):
        began = time.process_time()
        result = work()
        runs.append(time.process_time() - began)
    return min(runs), result


def _show(what: str, records: int, seconds: float, floor: int | None = None, target: int | None = None) -> None:
    rate = records / seconds
    aim = f"; floor {floor:,}, target {target:,}: {_verdict(rate, floor, target)}" if floor and target else ""
    print(f"  {what}: {rate:,.0f} records/s, {1e6 / rate:.2f} µs each{aim}")


def _verdict(rate: float, floor: int, target: int) -> str:
    return "target met" if rate >= target else "floor met" if rate >= floor else "BELOW THE FLOOR"


def _kafka_side_by_side(directory: Path) -> None:
    from tests.conformance import kafka

    if not (kafka.CACHE / "complete").exists():
        print(
            f"  Kafka's DumpLogSegments: its jars are not here; recorded on the reference machine: {KAFKA_RECORDED:,}/s"
        )
        return
    file = min((directory / f"{TOPIC}-0").glob("*.log"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = kafka.run_tool("org.apache.kafka.tools.DumpLogSegments", "--offsets-decoder", "--files", str(file))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = ran.stdout.count("\n| offset:")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not shown:
        print(f"  Kafka's DumpLogSegments printed no record: {ran.stderr[-300:]}")
        return
    print(
        f"  Kafka's DumpLogSegments --offsets-decoder: {shown / seconds:,.0f} records/s ({shown:,} in {seconds:.1f} CPU s)"
    )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _machine() -> str:
    try:
        lines = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout.splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("Model name"))
    except (OSError, subprocess.CalledProcessError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
