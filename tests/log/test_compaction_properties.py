"""Compaction against a plain dict, with any mixture of records, segments, rounds, restarts and codecs."""

from __future__ import annotations

import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from muster.log.contract import LogStore, PartitionLog
from muster.log.files import FileStore
from muster.log.memory import MemoryStore
from tests.log.compacting import DAY_MS, Pair, add, compact, content, latest, open_compacted

KEYS = [f"key-{number}" for number in range(8)]

pairs = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | st.text("xyz", max_size=60)), min_size=1, max_size=5)
codecs = st.sampled_from([0, 0, 0, 1, 2, 3, 4])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), pairs, codecs),
        st.tuples(st.just("compact"), st.integers(0, 3), st.sampled_from([50, 1_000, 1_000_000])),
        st.tuples(st.just("reopen"), st.booleans(), st.just(0)),
    ),
    max_size=40,
)


def apply(model: dict[str, str], batch: list[Pair]) -> None:
    for key, value in batch:
        assert key is not None
        if value is None:
            model.pop(key, None)
        else:
            model[key] = value


def run(store: LogStore, script: list[Any], reopen: Any = None) -> tuple[LogStore, PartitionLog, dict[str, str]]:
    log = open_compacted(store, segment_bytes=250, delete_retention_ms=DAY_MS, index_interval_bytes=100)
    model: dict[str, str] = {}
    now_ms = 10_000
    for what, first, second in script:
        if what == "add":
            add(store, log, *first, timestamp_ms=now_ms, compression=second)
            apply(model, first)
        elif what == "compact":
            now_ms += first * DAY_MS // 2
            compact(log, now_ms, piece_bytes=second)
        elif reopen is not None:
            store = reopen(store, clean=first)
            log = open_compacted(store, segment_bytes=250, delete_retention_ms=DAY_MS, index_interval_bytes=100)
        assert latest(log) == model
    return store, log, model


@given(steps)
@settings(deadline=None, max_examples=150)
def test_in_memory_a_reader_ends_up_with_the_last_value_of_every_key(script: list[Any]) -> None:
    _, log, model = run(MemoryStore(), script)
    compact(log, 10_000)
    assert latest(log) == model
    offsets = [record.offset for record in content(log)]
    assert offsets == sorted(set(offsets))


@given(steps)
@settings(deadline=None, max_examples=60)
def test_in_files_too_also_after_restarts(script: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as directory:

        def reopen(store: FileStore, *, clean: bool) -> FileStore:
            end = store.open("t", 0, bytes(range(16)), store.get("t", 0).config).durable_offset  # type: ignore[union-attr]
            if clean:
                store.close()
            else:  # as after a kill: no mark, no saved indexes; in a thread of its own process the lock would go too
                store._release_directory()
            again = FileStore(directory, "os")
            assert open_compacted(again, segment_bytes=250, index_interval_bytes=100).durable_offset == end
            return again

        store, log, model = run(FileStore(directory, "os"), script, reopen)
        compact(log, 10_000)
        assert latest(log) == model
        store.close()


@given(st.lists(pairs, min_size=30, max_size=60))
@settings(deadline=None, max_examples=40)
def test_once_compacted_every_closed_key_has_one_record(batches: list[list[Pair]]) -> None:
    store = MemoryStore()
    log = open_compacted(store, segment_bytes=250, delete_retention_ms=0)
    for batch in batches:
        add(store, log, *batch)
    report = compact(log, 10_000)
    closed = [record.key for record in content(log) if record.offset < report.clean_offset]
    assert len(closed) == len(set(closed))
