"""Rows of `log`: one a record, in log order, and every table that single records make can be had from them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muster.core.internal_topics import GROUP_JOURNAL
from muster.core.journal import JournalEvent
from muster.core.records import GroupErased, GroupStored, OffsetCommitted, OffsetErased, StoredMember
from muster.pipeline.decode.log_rows import log_rows, problem_rows
from muster.pipeline.log_schema import LOG
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined, quarantine_rows
from muster.pipeline.sources.journal import journal_rows
from muster.pipeline.sources.log_source import Stretch, partition_count
from muster.pipeline.sources.segments import SegmentLogs
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from tests.pipeline.decode.bronze import NOW_MS, Pair, bronze_of, encoded
from tests.pipeline.decode.flattened import tables_of_log
from tests.pipeline.decode.test_kafka_log import data  # noqa: F401  # the fixture: a log of a real Kafka
from tests.pipeline.decode.test_muster_log import act, server_on, wake
from tests.pipeline.decode.test_no_record_kills import _key, _value
from tests.pipeline.oracle.decode_batch import decode_batch
from tests.server.broker.whole_server import create
from tests.server.groups.group_client import GroupClient
from tests.server.raw_client import RawClient


def check_equal_to_the_tables(bronze: pa.RecordBatch, partition_count: int | None = None) -> list[dict[str, Any]]:
    """`log_rows` against `decode_batch`: a row a record, and the same tables."""
    made = log_rows(bronze, partition_count)
    assert made.schema == LOG
    made.validate(full=True)
    log: list[dict[str, Any]] = made.to_pylist()
    assert [row["log_offset"] for row in log] == bronze.column("log_offset").to_pylist()
    expected = {name: rows.to_pylist() for name, rows in decode_batch(bronze, partition_count).items()}
    found = tables_of_log(log)
    refused, expected_refused = found.pop("b_quarantine"), expected.pop("b_quarantine")
    assert found == {name: sorted(rows, key=_in_order) for name, rows in expected.items()}
    assert {row["log_offset"] for row in refused} == {row["log_offset"] for row in expected_refused}
    if len(refused) == len(expected_refused):
        expected_refused.sort(key=_in_order)
        for row, other in zip(refused, expected_refused, strict=True):
            assert (row["reason"], row["where"], row["dt"]) == (other["reason"], other["where"], other["dt"])
    return log


def _in_order(row: dict[str, Any]) -> Any:
    return row.get("log_offset", row.get("first_offset"))


def commits(count: int, group: str = "g", metadata: str = "") -> list[Pair]:
    return encoded(*[OffsetCommitted(group, "t", number % 5, number, 2, metadata, NOW_MS) for number in range(count)])


def member(name: str, assignment: bytes, instance: str | None = None) -> StoredMember:
    subscription = encode_subscription(Subscription(["t"]))
    return StoredMember(name, instance, "client", "/host", 300_000, 45_000, subscription, assignment)


def group(*members: StoredMember, protocol_type: str = "consumer") -> Pair:
    (pair,) = encoded(GroupStored("g", protocol_type, 7, "range", "m1", NOW_MS - 5, members))
    return pair


def test_commits_alone_stay_columns() -> None:
    log = check_equal_to_the_tables(bronze_of(commits(100)))
    assert {row["record_type"] for row in log} == {1}
    assert {row["problem"] for row in log} == {None}
    assert {row["key"] for row in log} == {None}, "bytes are kept only of what cannot be decoded"


def test_records_of_every_kind_lie_in_log_order() -> None:
    assignment = encode_assignment(Assignment([("t", [0, 2]), ("u", [1])]))
    pairs = [
        *commits(30, metadata="note"),
        group(member("m1", assignment, "i1"), member("m2", b"")),
        *encoded(OffsetErased("g", "t", 1)),
        (b"\x00\x0b\x00\x01s", b"\0\0"),
        (b"\x00\x03\x00\x01g", b"\0\0" + pack(">i", 9) + b"\0"),
        (b"\x00\x07\x00\x01g\x00\x01m", None),
        (None, b"nothing"),
        (commits(1)[0][0], b"\x00\x09"),
        *encoded(GroupErased("g")),
        *commits(3),
    ]
    log = check_equal_to_the_tables(bronze_of(pairs))
    kinds = [(row["record_type"], row["is_tombstone"], row["problem"] is not None) for row in log[30:38]]
    assert kinds == [
        (2, False, False),
        (1, True, False),
        (11, None, False),
        (3, False, False),
        (7, True, False),
        (None, None, True),
        (1, None, True),
        (2, True, False),
    ]
    assert log[30]["generation"]["members"][0]["assigned"] == [
        {"topic": "t", "partition": 0},
        {"topic": "t", "partition": 2},
        {"topic": "u", "partition": 1},
    ]
    assert log[34]["epoch"]["member_id"] == "m"
    assert (log[36]["group_id"], log[36]["value"]) == (None, b"\x00\x09")
    assert (log[32]["key"], log[32]["value"]) == (None, None), "of a type that is not decoded no bytes are kept"


def test_group_with_an_assignment_that_cannot_be_decoded_is_there_and_has_a_problem() -> None:
    good = encode_assignment(Assignment([("t", [0])]))
    pair = group(member("m1", b"\x00"), member("m2", good), member("m3", b"\x00\x01"))
    (row,) = check_equal_to_the_tables(bronze_of([pair]))
    assert [each["assigned"] for each in row["generation"]["members"]] == [None, [{"topic": "t", "partition": 0}], None]
    assert "member 'm1': " in row["problem"]
    assert "; member 'm3': " in row["problem"]
    assert (row["key"], row["value"]) == pair
    (other,) = check_equal_to_the_tables(bronze_of([group(member("m1", b"\x01"), protocol_type="connect")]))
    assert (other["problem"], other["generation"]["members"][0]["assigned"]) == (None, None)


def test_misplaced_group_is_a_problem_and_no_commit() -> None:
    log = check_equal_to_the_tables(bronze_of([*commits(2), group()], partition=0), partition_count=50)
    assert all(row["problem"].startswith("misplaced: group 'g' belongs into partition 3 of 50") for row in log)
    assert {row["group_id"] for row in log} == {None}


def test_control_records_keep_their_type_and_say_nothing_else() -> None:
    bronze = bronze_of([(b"\x00\x00\x00\x01", b"\0" * 6)] * 2, is_control=True, control_type=1, producer_id=5)
    log = check_equal_to_the_tables(bronze)
    assert {(row["control_type"], row["record_type"], row["group_id"], row["problem"]) for row in log} == {
        (1, None, None, None)
    }


def test_journal_records_become_events_and_what_is_none_a_problem() -> None:
    event = JournalEvent("member_left", NOW_MS, "g", 7, "member_left", "m1", "i1", "c1", "/h", "bye", {"result": "x"})
    value = json.dumps(event.to_json()).encode()
    bronze = bronze_of([(b"g", value), (b"g", b"[1]"), (b"g", value)], log_topic=GROUP_JOURNAL)
    log = log_rows(bronze, 50).to_pylist()
    events, refused = (rows.to_pylist() for rows in journal_rows(bronze))
    found = [{**row, **row["event"]} for row in log if row["event"] is not None]
    assert [{name: row[name] for name in events[0] if name != "dt"} for row in found] == [
        {name: row[name] for name in row if name != "dt"} for row in events
    ]
    assert [(row["log_offset"], row["problem"], row["place"], row["value"]) for row in log if row["problem"]] == [
        (row["log_offset"], row["reason"], row["where"], row["value"]) for row in refused
    ]
    assert {row["record_type"] for row in log} == {None}


def test_several_logs_in_one_batch_are_decoded_each_as_its_own() -> None:
    event = json.dumps({"kind": "k", "group": "g", "at_ms": 5}).encode()
    parts = [
        bronze_of(commits(3), partition=3),
        bronze_of([(b"g", event)], partition=3, log_topic=GROUP_JOURNAL),
        bronze_of(commits(2), partition=4),
    ]
    log = log_rows(pa.concat_batches(parts), 50).to_pylist()
    assert [(row["log_topic"], row["log_partition"], row["problem"] is None) for row in log] == [
        *[("__consumer_offsets", 3, True)] * 3,
        (GROUP_JOURNAL, 3, True),
        *[("__consumer_offsets", 4, False)] * 2,
    ]
    assert log_rows(bronze_of([]), 50).num_rows == 0


def test_batch_that_cannot_be_read_is_a_row_without_an_offset() -> None:
    place = LogPlace("c", "__consumer_offsets", 4, "segment")
    found = [
        Quarantined(place, 30, "file at byte 7", "bad checksum", None, b"bytes"),
        Quarantined(place, -1, "file at byte 9", "no batch"),
    ]
    rows = problem_rows(quarantine_rows(found))
    assert rows.schema == LOG
    first, second = rows.to_pylist()
    assert (first["log_offset"], first["problem"]) == (-1, "bad checksum (base offset 30)")
    assert (first["place"], first["value"], first["log_partition"]) == ("file at byte 7", b"bytes", 4)
    assert (second["log_offset"], second["problem"], second["record_ms"]) == (-1, "no batch", None)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_key, _value), min_size=1, max_size=12), st.sampled_from([None, 50]))
@example([(b"\x00\x01", b"")] * 30, 50)
def test_any_records_give_the_tables_that_decoding_gives(pairs: list[Pair], partition_count: int | None) -> None:
    check_equal_to_the_tables(bronze_of(pairs), partition_count)


def test_log_of_a_real_kafka_gives_the_tables_that_decoding_gives(data: Path) -> None:  # noqa: F811
    logs = SegmentLogs((str(data),))
    records = 0
    for partition, end in logs.ends().items():
        for bronze in logs.open(Stretch(partition, 0, end)).bronze():
            records += len(check_equal_to_the_tables(bronze, partition_count(logs.ends())))
    assert records > 100


def test_log_of_a_muster_server_gives_the_tables_that_decoding_gives(tmp_path: Path) -> None:
    chance = random.Random(3)
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            wake(client)
            for topic in ("orders", "payments"):
                create(client, topic, 4)
            for _ in range(50):
                act(client, chance)
        with GroupClient(server.port) as member_client:
            member_client.join("g1", version=3).answer()
    logs = SegmentLogs((str(tmp_path),))
    types: set[int] = set()
    for partition, end in logs.ends().items():
        for bronze in logs.open(Stretch(partition, 0, end)).bronze():
            types |= {row["record_type"] for row in check_equal_to_the_tables(bronze, partition_count(logs.ends()))}
    assert types >= {1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_any_slices_of_a_log_give_the_rows_of_the_whole(seed: int) -> None:
    chance = np.random.default_rng(seed)
    pairs = [*commits(40), group(member("m1", b"")), *commits(40), *encoded(GroupErased("g")), (None, None)]
    whole = log_rows(bronze_of(pairs))
    cut = int(chance.integers(1, len(pairs)))
    bronze = bronze_of(pairs)
    parts = [log_rows(bronze.slice(0, cut)), log_rows(bronze.slice(cut))]
    assert pa.concat_batches(parts).to_pylist() == whole.to_pylist()
