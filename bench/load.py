"""How long a coordinator takes to load a partition of `__consumer_offsets`, and what it holds in memory afterwards.

A log of a million committed offsets (2,000 groups, 50 topics, 10 partitions each) is written with the product's own encoder
and loaded by the product's own loader, piece by piece as the server does it. `python -m bench.load [RECORDS]`. Kafka's
figure is that of Apache Kafka 4.3.1 on two cores of the same kind of machine: recorded, not measured again.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time

from bench.figures import LOAD
from muster.core.config import GroupConfig
from muster.core.records import OffsetCommitted
from muster.core.shard import Shard
from muster.log.contract import LogConfig, PartitionLog
from muster.log.files import FileStore
from muster.runtime.offsets_load import OffsetsLoad
from muster.wire.batch import encode_pairs, parse_header
from tests.coordinator_records import encode_records

RECORDS = 1_000_000
RUNS = 3
KAFKA_SECONDS = 0.9
_TOPICS = 50
_PARTITIONS = 10
_RECORDS_A_BATCH = 10
_BUFFER_BYTES = 5_242_880
"""`offsets.load.buffer.size`."""


def main(records: int = RECORDS) -> None:
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as directory:
        store = FileStore(directory, "os")
        log = store.open("__consumer_offsets", 0, bytes(16), LogConfig())
        _fill(store, log, records)
        print(
            f"loading {records:,} committed offsets, {log.size_bytes() / 1e6:.0f} MB in batches of {_RECORDS_A_BATCH}"
        )
        runs = [_load(log) for _ in range(RUNS)]
        store.close()
    seconds = min(took for took, _, _ in runs)
    longest_ms = max(longest for _, longest, _ in runs) * 1000
    held = runs[0][2]
    print(
        f"  {seconds:.2f} s, {records / seconds:,.0f} records/s (best of {RUNS});"
        f" floor {LOAD.floor} s, target {LOAD.target} s per million"
    )
    print(f"  Apache Kafka 4.3.1 on two cores: {KAFKA_SECONDS} s per million")
    print(f"  longest piece {longest_ms:.1f} ms: others wait no longer than that")
    print(f"  {held / records:.0f} bytes held per offset, {held / 1e6:.0f} MB in all")


def _fill(store: FileStore, log: PartitionLog, records: int) -> None:
    groups = max(1, records // (_TOPICS * _PARTITIONS))
    topic_ids = [index.to_bytes(16, "big") for index in range(1, _TOPICS + 1)]
    for number in range(groups):
        for topic in range(_TOPICS):
            commits = [
                OffsetCommitted(
                    f"group-{number}",
                    f"topic-{topic}",
                    at,
                    number * 1_000 + at,
                    1,
                    "",
                    1_700_000_000_000,
                    -1,
                    topic_ids[topic],
                )
                for at in range(_PARTITIONS)
            ]
            batch = encode_pairs(encode_records(commits), 1_700_000_000_000)
            log.append(batch, parse_header(batch), 0, 1_700_000_000_000)
        commit = store.begin_commit()
        assert commit is not None
        commit.run()
        commit.finish()


def _load(log: PartitionLog) -> tuple[float, float, int]:
    """Seconds of CPU (loading does not wait for anything), the longest piece of it, and the bytes that the process grew by."""
    gc.collect()
    before = _resident()
    shard = Shard(GroupConfig(), lambda: "unused")
    load = OffsetsLoad(shard, log, _BUFFER_BYTES)
    longest = 0.0
    began = at = time.process_time()
    finished = False
    while not finished:
        finished = load.step()
        now = time.process_time()
        longest, at = max(longest, now - at), now
    took = time.process_time() - began
    held = _resident() - before
    assert shard.offsets.count == load.records, f"{shard!r} from {load.records} records"
    return took, longest, held


def _resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
