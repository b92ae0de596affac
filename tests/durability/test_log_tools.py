"""`muster log dump` and `muster log repair`, on directories of ours and on a recorded one of Kafka's."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.core.consumer.records import CurrentAssignment, CurrentStored, MemberErased
from muster.core.consumer.states import MemberState
from muster.core.records import GroupErased, GroupStored, OffsetCommitted, OffsetErased, Record, StoredMember
from muster.log.checkpoints import CLEAN_OFFSETS, RECOVERY_POINTS, parse_offsets
from muster.log.contract import StorageError
from muster.log.files import FileStore
from muster.wire.batch import encode_pairs, with_offset_and_epoch
from tests.coordinator_records import encode_records
from tests.log.batches import all_records, batch_of, open_log, put
from tests.log.compacting import add_batch, compact, marker, open_compacted

KAFKAS = Path(__file__).parents[1] / "conformance" / "recordings" / "kafka-4.3.1" / "data-directory.tar.xz"


def filled(directory: Path, records: int = 20, segment_bytes: int = 300) -> None:
    store = FileStore(str(directory))
    log = open_log(store, segment_bytes=segment_bytes)
    for number in range(records):
        put(store, log, f"value {number}")
    store.close()


def segments(directory: Path) -> list[Path]:
    return sorted((directory / "t-0").glob("*.log"))


def damage(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 0xFF
    path.write_bytes(content)


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# -- dump


def test_dump_shows_every_batch_and_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path)
    assert main(["log", "dump", str(tmp_path / "t-0")]) == 0
    text = capsys.readouterr().out
    assert text.count("batch ") == 20
    assert "batch 19..19 at" in text
    assert "19 1970-01-01T00:00:01.000Z 'k' = 'value 19'" in text


def test_dump_as_json_lines_can_be_read_by_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path, records=2)
    assert main(["log", "dump", "--json", str(segments(tmp_path)[0])]) == 0
    batch, record, *_ = json_lines(capsys.readouterr().out)
    assert (batch["kind"], batch["base_offset"], batch["records"], batch["position"]) == ("batch", 0, 1, 0)
    assert (record["kind"], record["offset"], record["key"], record["value"]) == ("record", 0, "k", "value 0")


def test_dump_decodes_the_coordinators_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = FileStore(str(tmp_path))
    log = open_log(store, topic="__consumer_offsets")
    member = StoredMember("m-1", "i-1", "client", "/127.0.0.1", 60_000, 45_000, b"\0\1", b"")
    records: list[Record] = [
        OffsetCommitted("g", "orders", 3, 42, 1, "note", 1_000, topic_id=bytes(range(16))),
        GroupStored("g", "consumer", 7, "range", "m-1", 1_000, (member,)),
        OffsetErased("g", "orders", 3),
        GroupErased("g"),
    ]
    current = CurrentAssignment(3, 2, MemberState.UNREVOKED_PARTITIONS, {bytes(16): {0: 2}}, {bytes(16): {1: 3}})
    records += [CurrentStored("g", "m-1", current), MemberErased("g", "m-1")]
    pairs = [*encode_records(records), (b"\0\x0a\0\x01g", b"\x00\x01"), (b"\0\x63", b"?"), (b"\0\x02\0", b"")]
    add_batch(store, log, encode_pairs(pairs, 1_000))
    add_batch(store, log, marker(7, committed=True))
    store.close()
    directory = str(tmp_path / "__consumer_offsets-0")
    assert main(["log", "dump", "--json", directory]) == 0
    lines = json_lines(capsys.readouterr().out)
    commit, group, erased, group_erased, consumer, gone, share_member, unknown, broken, ended = (
        line for line in lines if line["kind"] == "record"
    )
    assert (commit["type"], commit["group_id"], commit["topic"], commit["partition"]) == (
        "OffsetCommit",
        "g",
        "orders",
        3,
    )
    assert (commit["offset"], commit["committed_offset"], commit["metadata"]) == (0, 42, "note")
    assert (group["type"], group["generation"], group["members"][0]["member_id"]) == ("GroupMetadata", 7, "m-1")
    assert (erased["type"], erased["tombstone"]) == ("OffsetCommit", True)
    assert (group_erased["type"], group_erased["tombstone"]) == ("GroupMetadata", True)
    assert (consumer["type"], consumer["member_id"]) == ("ConsumerGroupCurrentMemberAssignment", "m-1")
    assert consumer["current"] == {
        "epoch": 3,
        "previous_epoch": 2,
        "state": "UNREVOKED_PARTITIONS",
        "assigned": {"00" * 16: {"0": 2}},
        "revoking": {"00" * 16: {"1": 3}},
    }
    assert (gone["type"], gone["tombstone"]) == ("ConsumerGroupMemberMetadata", True)
    assert (share_member["type"], share_member["value_hex"]) == ("ShareGroupMemberMetadata", "0001")
    assert unknown["type"] == "unknown type 99"
    assert broken["type"] == "undecodable"
    assert ended["marker"] == "COMMIT"
    assert main(["log", "dump", directory]) == 0
    assert "OffsetCommit: type_number=1 group_id=g topic=orders partition=3" in capsys.readouterr().out


def test_dump_reads_a_directory_that_kafka_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(KAFKAS) as archive:
        archive.extractall(tmp_path, filter="data")
    logs = [path for path in tmp_path.rglob("__consumer_offsets-*/*.log") if path.stat().st_size]
    assert logs
    for log in logs:
        assert main(["log", "dump", "--json", str(log)]) == 0
    records = [line for line in json_lines(capsys.readouterr().out) if line["kind"] == "record"]
    types = {line["type"] for line in records if "type" in line}
    assert {"OffsetCommit", "GroupMetadata"} <= types
    assert "undecodable" not in types


def test_dump_says_where_a_batch_is_bad_and_goes_on_with_the_next_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path)
    damage(segments(tmp_path)[0], 70)
    assert main(["log", "dump", str(tmp_path / "t-0")]) == 1
    said = capsys.readouterr()
    assert f"{segments(tmp_path)[0]}: damaged at position 0: checksum" in said.err
    assert "'value 19'" in said.out


@pytest.mark.parametrize(
    ("name", "problem"),
    [("nowhere", "No such file"), ("note.txt", "is no segment file"), ("empty", "has no .log files")],
)
def test_dump_of_something_else_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, problem: str
) -> None:
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    assert main(["log", "dump", str(tmp_path / name)]) == 2
    assert problem in capsys.readouterr().err


# -- repair


def test_repair_of_a_sound_directory_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path)
    assert main(["log", "repair", str(tmp_path)]) == 0
    assert "nothing to repair" in capsys.readouterr().out


def test_repair_shows_what_would_go_and_without_consent_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    bad = segments(tmp_path)[1]
    damage(bad, 70)
    before = {path: path.read_bytes() for path in segments(tmp_path)}
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["log", "repair", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert f"{bad}: position 0, offset {int(bad.stem)}: checksum" in said.out
    assert f"gives up offsets {int(bad.stem)} to 19" in said.out
    assert "--yes" in said.err
    assert {path: path.read_bytes() for path in segments(tmp_path)} == before


@pytest.mark.parametrize("at", [0, 2, -1])
def test_repair_cuts_at_the_damage_and_the_log_opens_and_grows_again(tmp_path: Path, at: int) -> None:
    filled(tmp_path)
    bad = segments(tmp_path)[at]
    first_lost = int(bad.stem)
    damage(bad, 70)
    (tmp_path / ".kafka_cleanshutdown").unlink()
    store = FileStore(str(tmp_path))
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n0\n")
    store._recovery_points = {}
    with pytest.raises(StorageError, match="muster log repair"):
        open_log(store)
    store._release_directory()
    assert main(["log", "repair", "--yes", str(tmp_path)]) == 0
    again = FileStore(str(tmp_path))
    log = open_log(again, segment_bytes=300)
    assert all_records(log) == [(number, f"value {number}") for number in range(first_lost)]
    assert put(again, log, "new") == first_lost
    again.close()
    assert main(["log", "repair", str(tmp_path)]) == 0


def test_repair_of_one_partition_leaves_the_others_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = FileStore(str(tmp_path))
    for partition in (0, 1):
        log = open_log(store, partition=partition)
        for number in range(5):
            put(store, log, str(number))
    store.close()
    for partition in (0, 1):
        damage(tmp_path / f"t-{partition}" / f"{0:020d}.log", 100)
    assert main(["log", "repair", "--yes", str(tmp_path / "t-1")]) == 0
    assert "t-1: cut at offset 1" in capsys.readouterr().out
    assert main(["log", "repair", str(tmp_path)]) == 1
    assert "t-0" in capsys.readouterr().out


def test_a_cut_log_is_not_taken_for_compacted_further_than_it_is(tmp_path: Path) -> None:
    """The offsets behind the cut are given out again, to records that no compaction has seen."""
    store = FileStore(str(tmp_path))
    log = open_compacted(store)
    for number in range(20):
        add_batch(store, log, encode_pairs([(b"k%d" % number, b"x" * 50)], 1_000))
    compact(log)
    store.close()
    assert parse_offsets((tmp_path / CLEAN_OFFSETS).read_bytes(), "") != {}
    damage(segments(tmp_path)[1], 100)
    assert main(["log", "repair", "--yes", str(tmp_path)]) == 0
    assert parse_offsets((tmp_path / CLEAN_OFFSETS).read_bytes(), "") == {}


def test_a_torn_tail_is_shown_and_left_to_the_next_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path)
    with segments(tmp_path)[-1].open("ab") as file:
        file.write(with_offset_and_epoch(batch_of("torn"), 20, 0)[:-5])
    assert main(["log", "repair", str(tmp_path)]) == 0
    assert "which the next start cuts by itself" in capsys.readouterr().out


def test_an_end_that_is_missing_before_the_recovery_point_is_no_torn_tail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A clean stop synced it."""
    filled(tmp_path)
    last = segments(tmp_path)[-1]
    last.write_bytes(last.read_bytes()[:-5])
    assert main(["log", "repair", "--yes", str(tmp_path)]) == 0
    assert "everything before offset 20 was synced" in capsys.readouterr().out
    assert parse_offsets((tmp_path / RECOVERY_POINTS).read_bytes(), "") == {}
    assert main(["log", "repair", str(tmp_path)]) == 0
    assert "nothing to repair" in capsys.readouterr().out


def test_repair_refuses_while_a_server_uses_the_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = FileStore(str(tmp_path))
    assert main(["log", "repair", "--yes", str(tmp_path)]) == 1
    assert "in use by process" in capsys.readouterr().err
    store.close()


def test_repair_of_something_else_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "repair", str(tmp_path / "nowhere")]) == 2
    assert "is not a directory" in capsys.readouterr().err
