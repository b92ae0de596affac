"""The manifest: what a lake holds, as text and back, and the refusal of everything else."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from muster.pipeline.old.manifest import Batch, DataFile, LakeError, Manifest, Retired, parse_manifest


def _file(path: str, rows: int = 1) -> DataFile:
    return DataFile(path, rows, 100, "__consumer_offsets-3", "2026-11-15", 1_000, 2_000)


FULL = Manifest(
    schema_version=1,
    revision=7,
    published_ms=5,
    next_batch=8,
    tables={"b_log_record": (Batch(1, (_file("a", 3),)), Batch(4, (_file("b", 4),)))},
    next_offsets={"east": {"__consumer_offsets": {0: 10, 12: 99}}},
    retired=(Retired("g_lag", 2, 4),),
    silver_from_ms=3,
    gold_of_revision=6,
    gold_at_ms=2,
    provisional=True,
)


def test_what_is_written_is_what_is_read() -> None:
    assert parse_manifest(FULL.to_json(), "m", 1) == FULL


def test_a_lake_of_another_version_is_refused_with_both_versions_and_a_way_out() -> None:
    with pytest.raises(LakeError, match=r"schema version 1.*reads and writes 2.*make a new lake"):
        parse_manifest(FULL.to_json(), "m", 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON"),
        ("[]", "is not the manifest of a lake"),
        ('{"format": "other"}', "is not the manifest of a lake"),
        ('{"format": "muster-lake", "schema_version": 1}', "is damaged"),
    ],
)
def test_what_is_no_manifest_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(LakeError, match=rf"^/lake/manifest.json.*{says}"):
        parse_manifest(text, "/lake/manifest.json", 1)


def test_appending_adds_a_batch_and_an_empty_one_adds_nothing() -> None:
    after = FULL.with_appended({"b_log_record": Batch(8, (_file("c", 5),)), "b_quarantine": Batch(8, ())})
    assert [batch.number for batch in after.batches("b_log_record")] == [1, 4, 8]
    assert after.rows("b_log_record") == 12
    assert "b_quarantine" not in after.tables


def test_replacing_retires_what_was_there() -> None:
    after = FULL.with_replaced({"b_log_record": Batch(8, (_file("c"),))}).published(now_ms=50)
    assert [batch.number for batch in after.batches("b_log_record")] == [8]
    assert [(gone.number, gone.at_ms) for gone in after.retired if gone.table == "b_log_record"] == [(1, 50), (4, 50)]


def test_offsets_of_other_clusters_topics_and_partitions_stay() -> None:
    after = FULL.with_offsets("west", [("__consumer_offsets", 0, 5)]).with_offsets("east", [("__group_journal", 1, 2)])
    assert after.offset_of("east", "__consumer_offsets", 12) == 99
    assert after.offset_of("west", "__consumer_offsets", 0) == 5
    assert after.offset_of("east", "__group_journal", 1) == 2
    assert after.offset_of("north", "__consumer_offsets", 0) is None
    assert FULL.offset_of("west", "__consumer_offsets", 0) is None


def test_names_with_anything_in_them_survive() -> None:
    odd = replace(FULL, next_offsets={'"\n\u2028🦀': {"a:b": {0: 1}}})
    assert parse_manifest(odd.to_json(), "m", 1).next_offsets == odd.next_offsets
    json.loads(odd.to_json())
