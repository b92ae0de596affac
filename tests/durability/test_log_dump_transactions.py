"""`muster log dump` of what transactions leave behind: `__transaction_state`, and markers in topics. From a real Kafka's log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.wire.batch import Record, decode_records, encode_batch, encode_pairs
from tests.wire.kafka.transactions import recorded_log

STATE = "__transaction_state-0"


def written(directory: Path, name: str, batches: list[bytes]) -> str:
    (directory / name).mkdir()
    (directory / name / f"{0:020d}.log").write_bytes(b"".join(batches))
    return str(directory / name)


def dumped(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["log", "dump", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_transaction_records_are_decoded_in_a_directory_of_that_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = dumped(capsys, written(tmp_path, STATE, recorded_log(STATE)))
    records = [line for line in lines if line["kind"] == "record"]
    assert {line["type"] for line in records} == {"TransactionLog"}
    ongoing = records[1]
    assert (ongoing["transactional_id"], ongoing["state"], ongoing["producer_id"]) == ("librdkafka", "Ongoing", 0)
    assert ongoing["topics"] == [
        {"topic": "payments", "partitions": [0]},
        {"topic": "orders", "partitions": [0, 1]},
    ]
    (used_up,) = (line for line in records if line.get("next_producer_id", -1) != -1)
    assert (used_up["state"], used_up["producer_epoch"], used_up["client_transaction_version"]) == (
        "PrepareCommit",
        32_767,
        2,
    )
    assert records[-1] | {"file": "", "timestamp": 0, "offset": 0} == {
        "kind": "record",
        "file": "",
        "offset": 0,
        "timestamp": 0,
        "type": "TransactionLog",
        "type_number": 0,
        "transactional_id": "raw-0",
        "tombstone": True,
    }


def test_transaction_records_as_text_are_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "dump", written(tmp_path, STATE, recorded_log(STATE)[:2])]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert "TransactionLog: type_number=0 transactional_id=librdkafka producer_id=0 producer_epoch=0" in line
    assert "state=Ongoing topics=[{topic=payments partitions=[0]}, {topic=orders partitions=[0, 1]}]" in line


def test_a_segment_that_lies_elsewhere_is_decoded_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = written(tmp_path, "copy", recorded_log(STATE)[:1])
    assert "key_hex" in dumped(capsys, elsewhere)[1]
    assert dumped(capsys, "--transactions", elsewhere)[1]["state"] == "Empty"
    with pytest.raises(SystemExit):
        main(["log", "dump", "--transactions", "--offsets", elsewhere])
    assert "not allowed with" in capsys.readouterr().err


def test_what_is_no_transaction_record_is_shown_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (whole,) = decode_records(recorded_log(STATE)[0])
    assert whole.value is not None
    pairs = [(whole.key, b"\x00\x09" + whole.value[2:]), (b"\x00\x07later", b"?"), (whole.key, whole.value[:-1])]
    lines = dumped(capsys, written(tmp_path, STATE, [encode_pairs(pairs, 1_000)]))
    _, newer, unknown, cut = lines
    assert (newer["type"], "version 9 is not known" in newer["problem"]) == ("undecodable", True)
    assert (unknown["type"], unknown["type_number"], unknown["value"]) == ("unknown type 7", 7, "?")
    assert (cut["type"], "tagged field 0 needs 8 bytes" in cut["problem"]) == ("undecodable", True)


def test_markers_name_how_the_transaction_ended_and_the_coordinators_epoch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = written(tmp_path, "orders-0", recorded_log("orders-0"))
    markers = [line for line in dumped(capsys, directory) if "marker" in line]
    assert [(line["marker"], line["coordinator_epoch"]) for line in markers[:2]] == [("COMMIT", 0), ("ABORT", 0)]
    assert markers[-1]["coordinator_epoch"] == 2
    assert main(["log", "dump", directory]) == 0
    text = capsys.readouterr().out
    assert "producer 4000 epoch 32767 sequence -1, transactional, control" in text
    assert "COMMIT marker: coordinator_epoch=2" in text


def test_other_control_records_and_broken_ones_are_shown_as_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        Record(0, 1_000, b"\0\0\0\2", b"\xff"),
        Record(1, 1_000, b"\0\0", b""),
        Record(2, 1_000, b"\0\0\0\1", b""),
    ]
    batches = [encode_batch([record], producer_id=7, transactional=True, control=True) for record in records]
    leader_change, no_key, no_value = (
        line for line in dumped(capsys, written(tmp_path, "orders-0", batches)) if line["kind"] == "record"
    )
    assert (leader_change["marker"], leader_change["value_hex"]) == ("control type 2", "ff")
    assert (no_key["marker"], "needs 4 bytes, it has 2" in no_key["problem"]) == ("undecodable", True)
    assert (no_value["marker"], "needs 6 bytes, it has 0" in no_value["problem"]) == ("undecodable", True)
