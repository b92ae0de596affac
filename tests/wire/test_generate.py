"""The generator: committed code is what the schemas give, rare shapes work too, and the API table is the agreed one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from muster.wire import apis
from muster.wire.errors import EncodeError, WireError
from tools.codecs.dialects.struct_dialect import StructDialect
from tools.codecs.generate import GENERATED, generated_files, load_apis, module_text, ranges
from tools.codecs.notation import parse_api
from tools.codecs.schema import SchemaError

AGREED = """
    Produce 0 3-13 9, Fetch 1 4-17 12, ListOffsets 2 1-10 6, Metadata 3 0-13 9, OffsetCommit 8 2-10 8, OffsetFetch 9 1-10 6,
    FindCoordinator 10 0-6 3, JoinGroup 11 0-9 6, Heartbeat 12 0-4 4, LeaveGroup 13 0-5 4, SyncGroup 14 0-5 4,
    DescribeGroups 15 0-6 5, ListGroups 16 0-5 3, SaslHandshake 17 0-1 None, ApiVersions 18 0-4 3,
    CreateTopics 19 2-7 5, DeleteTopics 20 1-6 4,
    DeleteRecords 21 0-2 2, InitProducerId 22 0-5 2, OffsetForLeaderEpoch 23 2-4 4,
    AddPartitionsToTxn 24 0-5 3, AddOffsetsToTxn 25 0-4 3, EndTxn 26 0-5 3, WriteTxnMarkers 27 1-2 1, TxnOffsetCommit 28 0-5 3,
    DescribeAcls 29 1-3 2, CreateAcls 30 1-3 2, DeleteAcls 31 1-3 2,
    DescribeConfigs 32 1-4 4, AlterConfigs 33 0-2 2, DescribeLogDirs 35 1-4 2, SaslAuthenticate 36 0-2 2,
    CreatePartitions 37 0-3 2,
    DeleteGroups 42 0-2 2, IncrementalAlterConfigs 44 0-1 1, OffsetDelete 47 0-0 None,
    DescribeClientQuotas 48 0-1 1, AlterClientQuotas 49 0-1 1,
    DescribeUserScramCredentials 50 0-0 0, AlterUserScramCredentials 51 0-0 0, DescribeCluster 60 0-2 0,
    DescribeProducers 61 0-0 0, DescribeTransactions 65 0-0 0, ListTransactions 66 0-2 0,
    ConsumerGroupHeartbeat 68 0-1 0, ConsumerGroupDescribe 69 0-1 0, ListConfigResources 74 0-1 0, DescribeTopicPartitions 75 0-0 0
"""
"""Name, key, versions, first flexible version: what spec 2.2 and the handlers build on."""


def test_the_committed_code_is_what_the_schemas_give() -> None:
    """Run `make generate` and commit the result if this fails."""
    expected = generated_files(load_apis())
    committed = {path.name: path.read_text(encoding="utf-8") for path in GENERATED.glob("*.py")}
    assert committed.keys() == expected.keys()
    stale = [name for name, text in expected.items() if committed[name] != text]
    assert stale == []


def test_the_api_table_is_the_agreed_one() -> None:
    rows = [
        f"{api.name} {api.key} {api.min_version}-{api.max_version} {api.flexible_from}" for api in apis.APIS.values()
    ]
    assert rows == [row.strip() for row in AGREED.split(",")]


def test_versions_with_equal_bodies_share_one_function() -> None:
    assert apis.request_decoder(12, 0) is apis.request_decoder(12, 2)
    assert apis.request_decoder(12, 2) is not apis.request_decoder(12, 3)


def test_an_api_is_imported_when_its_codec_is_first_asked_for() -> None:
    """So that a server starts without the code of APIs that nobody calls."""
    script = (
        "import sys; from muster.wire import apis, header\n"
        "loaded = lambda: sorted(name.rsplit('.')[-1] for name in sys.modules if '.generated.' in name)\n"
        "print(loaded()); apis.request_decoder(35, 1); print(loaded())"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["['index']", "['describe_log_dirs', 'index']"]


def test_an_unknown_api_or_version_is_refused() -> None:
    with pytest.raises(WireError, match="api key 4 is unknown"):
        apis.request_decoder(4, 0)
    with pytest.raises(WireError, match="OffsetCommit has no version 1, only 2 to 10"):
        apis.response_encoder(8, 1)


@pytest.mark.parametrize(("versions", "said"), [([0], "0"), ([0, 1, 2], "0-2"), ([1, 3, 4, 9], "1,3-4,9")])
def test_versions_are_said_as_ranges(versions: list[int], said: str) -> None:
    assert ranges(versions) == said


def test_a_file_with_the_wrong_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.api").write_text("api 1 Thing versions 0 flexible none\nrequest\nresponse\n")
    with pytest.raises(SchemaError, match=r"other.api: describes Thing, so it has to be called thing.api"):
        load_apis(tmp_path)


def test_a_key_used_twice_is_refused(tmp_path: Path) -> None:
    for name in ("One", "Two"):
        (tmp_path / f"{name.lower()}.api").write_text(f"api 1 {name} versions 0 flexible none\nrequest\nresponse\n")
    with pytest.raises(SchemaError, match=r"two.api: key 1 already belongs to One"):
        load_apis(tmp_path)


RARE = """
api 999 Rare  versions 0-1  flexible 1+

request
  Numbers   u16[]
  Longs     i64[]?  = null
  Ids       uuid[]
  Weight    f64
  Big       u32
  Flags     bool[]
  Names     str[]?  = null
  Origin    Place
    Row     i16
    Marks   bytes[]
  Target    Place?  = null
  Note      str     1+  = none  tag 0
  Level     i8      1+  = 3     tag 1
  Places    Place[] 1+          tag 200
  Home      Home    1+          tag 5
    Street  str
    Code    i32     = -1

response
"""


@pytest.fixture(scope="module")
def rare() -> ModuleType:
    """A schema with the shapes that no API of ours has yet."""
    module = ModuleType("rare")
    exec(module_text(parse_api(RARE, "rare.api"), StructDialect()), module.__dict__)
    return module


def rare_message(module: Any) -> Any:
    return module.RareRequest(
        numbers=[1, 65535],
        longs=[-1, 2**62],
        ids=[bytes(16), b"u" * 16],
        weight=2.5,
        big=2**32 - 1,
        flags=[True, False],
        names=["a", ""],
        origin=module.RareRequestPlace(1, [b"x", b""]),
        target=module.RareRequestPlace(2, []),
        note="n",
        level=9,
        places=[module.RareRequestPlace(3, [b"y"])] * 2,
        home=module.RareRequestHome("s", 1),
    )


def test_rare_shapes_come_back_as_they_went(rare: Any) -> None:
    full = rare_message(rare)
    assert rare.REQUEST_DECODERS[1](rare.REQUEST_ENCODERS[1](full), 0) == full
    old = rare.REQUEST_DECODERS[0](rare.REQUEST_ENCODERS[0](full), 0)
    assert (old.numbers, old.ids, old.target.row) == ([1, 65535], [bytes(16), b"u" * 16], 2)
    assert (old.note, old.level, list(old.places), old.home) == ("none", 3, [], None)


def test_rare_shapes_at_their_defaults_write_no_tags(rare: Any) -> None:
    raw = rare.REQUEST_ENCODERS[1](rare.RareRequest(home=rare.RareRequestHome()))
    assert raw.hex() == "01" + "00" + "01" + "00" * 8 + "00" * 4 + "01" + "00" + "000001" + "00" + "ff" + "00"
    assert rare.REQUEST_DECODERS[1](raw, 0) == rare.RareRequest()


def test_a_message_without_fields_is_empty_bytes(rare: Any) -> None:
    assert rare.RESPONSE_ENCODERS[0](rare.RareResponse()) == b""
    assert rare.RESPONSE_ENCODERS[1](rare.RareResponse()) == b"\0"
    assert rare.RESPONSE_DECODERS[1](b"\0", 0) == rare.RareResponse()


def test_a_struct_that_is_always_there_is_made_by_default_and_not_shared(rare: Any) -> None:
    one, two = rare.RareRequest(), rare.RareRequest()
    assert one.origin == two.origin == rare.RareRequestPlace()
    assert one.origin is not two.origin


def test_a_missing_struct_is_named_in_the_error(rare: Any) -> None:
    message = rare.RareRequest()
    message.origin = None
    with pytest.raises(EncodeError, match=r"Rare request v0 cannot be written.*origin"):
        rare.REQUEST_ENCODERS[0](message)


def test_messages_print_their_fields_and_compare_by_them(rare: Any) -> None:
    place = rare.RareRequestPlace(1, [b"x"])
    assert repr(place) == "RareRequestPlace(row=1, marks=[b'x'])"
    assert place == rare.RareRequestPlace(1, (b"x",))
    assert place != rare.RareRequestPlace(1, [b"y"])
    assert place != (1, [b"x"])
