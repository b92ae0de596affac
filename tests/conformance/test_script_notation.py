"""The notation of scripts: what is written becomes the request that is meant, and nonsense is refused with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.wire.batch import parse_header
from tests.conformance.codec import api_named, decode_response, encode_request
from tests.conformance.naming import Names
from tests.conformance.player import Broker, Player
from tests.conformance.script import Ask, Await, Scenario, Script, ScriptError, all_scripts, read_script
from tests.conformance.values import Tokens, plain, read_value, resolve

ORDERS = bytes(range(16))


class FixedScope:
    def look_up(self, name: str) -> Any:
        return {"A": "member-of-a", "group": "the-group", "self.producer": 7, "self.epoch": 2, "now": 1_000}[name]

    def topic_id(self, topic: str) -> bytes:
        return {"orders": ORDERS}[topic]


def _read(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "some.script"
    path.write_text(text)
    return read_script(path)


def _field(api: str, name: str, text: str) -> Any:
    field = next(each for each in api_named(api).request.root.fields if each.attribute == name)
    return resolve(read_value(Tokens(text)), field, FixedScope())


def test_a_struct_is_written_in_the_order_of_its_fields() -> None:
    """Module text of `values`; the topic's id follows from its name where versions differ in that."""
    assert _field("OffsetCommit", "topics", "[(orders [(0 100 -1 note)])]") == [
        {
            "name": "orders",
            "topic_id": ORDERS,
            "partitions": [
                {
                    "partition_index": 0,
                    "committed_offset": 100,
                    "committed_leader_epoch": -1,
                    "committed_metadata": "note",
                }
            ],
        }
    ]


def test_a_topic_id_that_is_given_is_kept() -> None:
    topics = _field("OffsetCommit", "topics", f"[(x [] topic_id=0x{bytes(16).hex()})]")
    assert topics == [{"name": "x", "partitions": [], "topic_id": bytes(16)}]


def test_references_and_made_values_stand_for_what_they_mean() -> None:
    assert _field("SyncGroup", "assignments", "[($A repeat(ab 3))]") == [
        {"member_id": "member-of-a", "assignment": b"ababab"}
    ]
    assert _field("DescribeGroups", "groups", "many(2 $group)") == ["the-group", "the-group"]


def test_a_batch_in_a_transaction_is_the_sender_s_own() -> None:
    raw = plain(read_value(Tokens("txn-batch((k v) sequence=4)")), FixedScope())
    header = parse_header(raw)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, 4)
    assert header.is_transactional
    assert header.max_timestamp == 1_000


def test_numbers_that_were_learnt_can_be_added_to() -> None:
    script = Script("some")
    player = Player(Broker("none", "", 0, {}), script, Scenario("K", "title", 1), None)
    player._learn("P", "InitProducerId", {"producer_id": 40, "producer_epoch": 3})
    player._learn("P", "InitProducerId", {"producer_id": -1, "producer_epoch": -1})
    assert [player.look_up(name) for name in ("P.producer+500", "P.epoch", "P.epoch-1")] == [540, 3, 2]
    assert player.look_up("txn-b") == "some-K.txn-b"


def test_a_range_of_versions_is_asked_in_order(tmp_path: Path) -> None:
    (step,) = _read(tmp_path, "== K title\nA: Heartbeat v1..v3 generation=7").scenarios[0].steps
    assert isinstance(step, Ask)
    assert step.versions == (1, 2, 3)


def test_waiting_and_going_on_are_read(tmp_path: Path) -> None:
    steps = _read(tmp_path, "== K title\nA> JoinGroup v3   # parked\nwaits A\nthen A B").scenarios[0].steps
    assert [type(each) for each in steps] == [Ask, Await, Await]
    assert [each.must_wait for each in steps] == [True, True, False]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("A: Heartbeet", "no API is called 'Heartbeet'"),
        ("A: Heartbeat v9", "Heartbeat has the versions 0-4"),
        ("A: Heartbeat generation", "name=value"),
        ("A: Heartbeat group=[a", "not closed"),
        ("wait A", "neither a step nor the name of a definition"),
    ],
)
def test_nonsense_is_refused_with_file_and_line(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(ScriptError, match=r"some\.script:2: ") as refused:
        _read(tmp_path, f"== K title\n{line}")
    assert complaint in str(refused.value)


def test_two_scenarios_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="more than one scenario is called K"):
        _read(tmp_path, "== K one\nA: ListGroups\n== K two\nA: ListGroups")


def test_every_scenario_has_a_title_and_steps() -> None:
    """Scripts are reading matter."""
    assert [each.key for script in all_scripts() for each in script.scenarios if not (each.title and each.steps)] == []


def test_bytes_behind_an_answer_are_shown() -> None:
    """Or a broker that sends too much would pass."""
    answer = decode_response(api_named("Heartbeat"), 4, bytes.fromhex("00000000001b00") + b"!", 0)
    assert answer == {"throttle_time_ms": 0, "error_code": 27, "_bytes_behind_the_end": "21"}


def test_a_golden_request_is_written_byte_by_byte() -> None:
    """Spec 2.5: the body of an OffsetFetch v8 for all topics of one group."""
    body = {"groups": [{"group_id": "grp", "topics": None}], "require_stable": True}
    assert encode_request(api_named("OffsetFetch"), 8, body).hex() == "020467727000000100"


def test_ids_keep_their_name_and_times_and_ports_lose_their_value() -> None:
    names = Names("g", "t", {"orders": ORDERS})
    first, second = "A-" + "0" * 8 + "-0000-0000-0000-" + "0" * 12, "B-" + "1" * 8 + "-0000-0000-0000-" + "0" * 12
    tree = {"member_id": first, "leader": second, "again": first, "port": 9092, "topic_id": ORDERS}
    assert names.tree("X", "", tree) == {
        "member_id": "A-<1>",
        "leader": "B-<2>",
        "again": "A-<1>",
        "port": "<port>",
        "topic_id": "<id of orders>",
    }
