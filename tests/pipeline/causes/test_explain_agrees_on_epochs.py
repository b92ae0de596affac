"""Law: of consumer groups too (KIP-848) `muster groups explain --from DIR` and the pipeline find the same rebalances and causes.

The log is what the coordinator writes in random histories of members, topics, timers and failing appends.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random

import polars as pl
import pytest

from muster.core.journal import JournalEvent
from muster.core.records import SingleRecord
from muster.explain.causes import EPOCH_CAUSES, inferred_epoch_cause
from muster.log.record_codec import encode_record
from muster.pipeline.tables.consumer_epochs import finished_bumps
from tests.core.consumer.consumer_world import Consumers
from tests.core.consumer.test_consumer_properties import STEPS, ConsumerHistory
from tests.pipeline.causes.test_explain_agrees import JOURNAL_TOPIC, explained, piped
from tests.pipeline.sources.written_log import WrittenLog

MOVES_ON, OTHERS = 9, 12
Told = list[tuple[int, SingleRecord]]


def log_of(seed: int) -> tuple[Told, list[JournalEvent]]:
    """Records with the times at which they became durable."""
    random = Random(seed)
    history, told = ConsumerHistory(), Told()
    for _ in range(150):
        what = random.randrange(STEPS)
        how = random.randrange(60)
        if what == OTHERS:
            how -= how % 3  # DeleteGroups only: classic members have a test of their own
        if what == MOVES_ON and how % 5 == 4:
            how = 1
        history.play([(what, random.randrange(4), how)])
        told += [(history.world.now_ms, record) for record in history.world.log[len(told) :]]
    return told, history.world.journal


def write(told: Told, events: list[JournalEvent], directory: Path) -> None:
    log = WrittenLog(directory)
    for at_ms, record in told:
        log.append(encode_record(record), at_ms=at_ms)
    journal = WrittenLog(directory, JOURNAL_TOPIC) if events else None
    for event in events:
        assert journal is not None
        journal.append((event.group_id.encode(), json.dumps(event.to_json()).encode()), at_ms=event.at_ms)


@pytest.mark.parametrize("seed", range(25))
def test_random_history_of_a_consumer_group_has_the_same_causes(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, _ = log_of(seed)
    write(told, [], tmp_path)
    found = explained(tmp_path, capsys)
    assert sorted(piped(tmp_path)) == sorted(found)


@pytest.mark.parametrize("seed", range(10))
def test_with_a_journal_the_pipeline_has_its_causes(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One row an epoch, with the cause that raised it. Explain tells epochs on the way to one stable group as one rebalance."""
    told, events = log_of(seed)
    write(told, events, tmp_path)
    raised = [(event.generation, event.cause) for event in events if event.kind == "epoch_raised"]
    found = piped(tmp_path)
    assert found
    for epoch, cause in found:
        # Members that subscribe to nothing come without an epoch: the log of the first one shows nobody before it.
        assert (epoch, cause) in raised or (cause == "first_member" and (epoch, "new_member") in raised)
    ours = explained(tmp_path, capsys)
    assert {epoch for epoch, _ in ours} <= {epoch for epoch, _ in raised}


def test_random_histories_have_every_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the law would be about little. Who comes and who goes with one and the same epoch is for the next test."""
    causes: set[str] = set()
    for seed in range(25):
        told, _ = log_of(seed)
        write(told, [], tmp_path / str(seed))
        causes |= {cause for _, cause in explained(tmp_path / str(seed), capsys)}
    assert causes == {cause for _, cause, _ in EPOCH_CAUSES} - {"members_changed"}


def test_every_combination_of_facts_has_the_same_cause_in_both() -> None:
    for nobody, came, went, from_empty in product((False, True), repeat=4):
        if nobody and (came or went):
            continue
        facts = {"nobody": nobody, "came": came, "went": went, "from_empty": from_empty}
        row = {
            "cluster": "c",
            "group_id": "g",
            "generation": 3,
            "group_life": 0,
            "log_offset": 1,
            "end_offset": 2,
            "started_ms": 1,
            "ended_ms": 2,
            "trigger_member": "m",
            "members_after": 1,
            "joined": None if nobody else (["a"] if came else []),
            "gone": None if nobody else (["b"] if went else []),
            "aborted_generations": 0,
            "from_empty": from_empty,
        }
        lists = {"joined": pl.List(pl.String), "gone": pl.List(pl.String)}
        (found,) = finished_bumps(pl.DataFrame([row], schema_overrides=lists)).to_dicts()
        cause = inferred_epoch_cause(facts)
        assert found["cause"] == cause
        assert found["confidence"] == next(
            sure for wanted, _, sure in EPOCH_CAUSES if all(facts[name] for name in wanted)
        )


def test_first_member_of_a_group_is_seen_as_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first epoch on record is 2 (docs/spec/records.md)."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.settle_down("a", "b")
    write([(world.now_ms, record) for record in world.log], [], tmp_path)
    assert explained(tmp_path, capsys) == piped(tmp_path) == [(2, "first_member"), (3, "new_member")]
