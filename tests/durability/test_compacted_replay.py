"""A coordinator that loads a compacted `__consumer_offsets` knows what the one that wrote it knew (law 2, spec 5.7)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from muster.core.config import GroupConfig
from muster.core.records import (
    GroupErased,
    GroupStored,
    OffsetCommitted,
    OffsetErased,
    Record,
    StoredMember,
)
from muster.core.shard import Shard
from muster.log.contract import LogConfig, LogStore, PartitionLog
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from muster.runtime.offsets_load import OffsetsLoad
from muster.wire.batch import encode_pairs, parse_header
from tests.coordinator_records import encode_records
from tests.log.batches import commit
from tests.log.compacting import compact

TOPIC_ID = bytes(range(1, 17))
DAY_MS = 86_400_000


def random_records(random: Random, now_ms: int) -> list[Record]:
    """What one outcome may ask for: some commits, a group's state, or tombstones."""
    group = f"group-{random.randrange(6)}"
    kind = random.randrange(10)
    if kind < 6:
        return [
            OffsetCommitted(group, "orders", partition, random.randrange(1_000), 1, "m", now_ms, topic_id=TOPIC_ID)
            for partition in random.sample(range(8), random.randint(1, 4))
        ]
    if kind < 8:
        member = StoredMember("m-1", None, "client", "/127.0.0.1", 60_000, 45_000, b"sub", b"assigned")
        return [GroupStored(group, "consumer", random.randrange(50), "range", "m-1", now_ms, (member,))]
    if kind == 8:
        return [OffsetErased(group, "orders", random.randrange(8))]
    return [*(OffsetErased(group, "orders", partition) for partition in range(8)), GroupErased(group)]


def loaded(log: PartitionLog) -> Shard:
    shard = Shard(GroupConfig(), lambda: "unused")
    load = OffsetsLoad(shard, log, 4_096)
    while not load.step():
        pass
    return shard


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["memory", "files"])
def test_replaying_the_compacted_log_equals_the_live_facts(tmp_path: Path, kind: str, seed: int) -> None:
    random = Random(seed)
    store: LogStore = MemoryStore() if kind == "memory" else FileStore(str(tmp_path), "os")
    config = LogConfig(segment_bytes=2_000, cleanup_delete=False, cleanup_compact=True, delete_retention_ms=DAY_MS)
    log = store.open("__consumer_offsets", 0, TOPIC_ID, config)
    live = Shard(GroupConfig(), lambda: "unused")
    now_ms = 1_000_000
    rounds = 0
    for _ in range(400):
        now_ms += random.randrange(DAY_MS // 50)
        records = random_records(random, now_ms)
        batch = encode_pairs(encode_records(records), now_ms)
        base = log.append(batch, parse_header(batch), 0, now_ms)
        assert [failure for _, failure in commit(store)] == [None]
        for at, record in enumerate(records):
            live.replay(record, base + at)
        if log.dirty_ratio(now_ms) is not None:
            compact(log, now_ms, piece_bytes=5_000)
            rounds += 1
            replayed = loaded(log)
            assert replayed.facts == live.facts
            assert replayed.offsets == live.offsets
    assert rounds > 3
    assert log.size_bytes() < 20_000
    store.close()
