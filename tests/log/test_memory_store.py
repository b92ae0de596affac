"""The memory store's own promise: commits fail when a test says so."""

from __future__ import annotations

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from tests.log.batches import all_records, commit, open_log, put, stage


def test_a_failing_commit_gives_the_offsets_back_also_those_staged_since() -> None:
    store = MemoryStore()
    log = open_log(store)
    other = open_log(store, partition=1)
    put(store, log, "kept")
    refusal = StorageError("no space")
    store.failure = lambda topic, partition: refusal if partition == 0 else None
    stage(log, "lost")
    stage(other, "fine")
    pending = store.begin_commit()
    assert pending is not None
    stage(log, "staged since")
    pending.run()
    assert pending.finish() == [(log, refusal), (other, None)]
    assert (log.end_offset, log.durable_offset) == (1, 1)
    assert store.begin_commit() is None
    store.failure = None
    assert put(store, log, "again") == 1
    assert all_records(log) == [(0, "kept"), (1, "again")]
    assert commit(store) == ()
