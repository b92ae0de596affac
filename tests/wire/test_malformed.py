"""Bytes that are no message: every decoder gives a message or a WireError, and never more memory than the bytes justify."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.wire import apis
from muster.wire.errors import EncodeError, WireError
from muster.wire.generated.api_versions import ApiVersionsResponse
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.fetch import FetchRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupResponse
from tests.wire.messages import EVERY_MESSAGE, EVERY_VERSION, SCHEMAS, as_version_has_it, example, schema_of
from tests.wire.test_round_trip import codecs

HEARTBEAT, JOIN_GROUP, OFFSET_FETCH, API_VERSIONS = 12, 11, 9, 18
BREAKERS = [
    b"\x00",
    b"\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\xff\x07",
    b"\x80" * 6,
    b"\xff\xff\xff\xff\x0f",
]


def valid_body(name: str, direction: str, version: int) -> bytes:
    encode, _ = codecs(SCHEMAS[name].key, direction, version)
    return encode(as_version_has_it(example(name, direction), schema_of(name, direction).root, version))


def reads_or_refuses(decode: apis.Decoder, body: bytes) -> None:
    """Anything but a message or a WireError fails the test by itself."""
    with suppress(WireError):
        assert decode(body, 0) is not None


@pytest.mark.parametrize(("name", "direction", "version"), EVERY_VERSION)
def test_a_message_cut_short_anywhere_is_refused(name: str, direction: str, version: int) -> None:
    """Spec 2.1: a frame too short for its body closes the connection."""
    _, decode = codecs(SCHEMAS[name].key, direction, version)
    body = valid_body(name, direction, version)
    for end in range(len(body)):
        with pytest.raises(WireError):
            decode(body[:end], 0)


@pytest.mark.parametrize(("name", "direction", "version"), EVERY_VERSION)
def test_a_message_overwritten_anywhere_is_read_or_refused(name: str, direction: str, version: int) -> None:
    """Huge counts, negative lengths and endless varints in every place where they could stand."""
    _, decode = codecs(SCHEMAS[name].key, direction, version)
    body = valid_body(name, direction, version)
    for at in range(len(body)):
        for breaker in BREAKERS:
            reads_or_refuses(decode, body[:at] + breaker + body[at + len(breaker) :])


@pytest.mark.parametrize(("name", "direction"), EVERY_MESSAGE)
def test_random_bytes_are_read_or_refused(name: str, direction: str) -> None:
    api = SCHEMAS[name]

    @settings(max_examples=40, deadline=None)
    @given(body=st.binary(max_size=60))
    def check(body: bytes) -> None:
        for version in api.version_numbers():
            reads_or_refuses(codecs(api.key, direction, version)[1], body)

    check()


@pytest.mark.parametrize("count", ["7fffffff", "000fffff", "0000ffff"])
def test_a_count_beyond_the_frame_is_refused_before_anything_is_allocated(count: str) -> None:
    """Spec 2.1: an array count larger than what is left of the frame."""
    body = bytes.fromhex("000167" + count) + bytes(1000)
    # The least of several: what other threads of this process allocate meanwhile is traced as well.
    assert min(bytes_taken_by_refusing(body) for _ in range(5)) < 20_000


def bytes_taken_by_refusing(body: bytes) -> int:
    decode = apis.request_decoder(OFFSET_FETCH, 1)
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match="OffsetFetch request v1"):
            decode(body, 0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_null_where_none_is_allowed_is_refused_by_name() -> None:
    with pytest.raises(WireError, match="Heartbeat request v4: GroupId is null"):
        apis.request_decoder(HEARTBEAT, 4)(bytes.fromhex("0000000001036d310000"), 0)
    with pytest.raises(WireError, match="Heartbeat request v3: MemberId is null"):
        apis.request_decoder(HEARTBEAT, 3)(bytes.fromhex("000367727000000001ffffffff"), 0)


def test_any_negative_length_means_null_where_null_is_allowed() -> None:
    """Spec 2.1: -2 means the same as -1; in a varint the top bit of 32 makes the number negative."""
    old = apis.request_decoder(HEARTBEAT, 3)(bytes.fromhex("00036772700000000100026d31fffe"), 0)
    new = apis.request_decoder(HEARTBEAT, 4)(bytes.fromhex("0467727000000001036d31ffffffff0f00"), 0)
    assert old == new == HeartbeatRequest("grp", 1, "m1", None)


def test_a_varint_of_six_bytes_is_refused() -> None:
    with pytest.raises(WireError, match="more than five bytes"):
        apis.request_decoder(HEARTBEAT, 4)(bytes.fromhex("808080808000") + bytes(20), 0)


def test_bytes_that_are_not_utf8_come_back_as_replacement_characters() -> None:
    request = apis.request_decoder(HEARTBEAT, 3)(bytes.fromhex("0003ff727000000001000180ffff"), 0)
    assert (request.group_id, request.member_id) == ("\ufffdrp", "\ufffd")


def test_any_bool_byte_but_zero_is_true() -> None:
    decode = apis.request_decoder(OFFSET_FETCH, 8)
    assert decode(bytes.fromhex("010200"), 0).require_stable is True
    assert decode(bytes.fromhex("010000"), 0).require_stable is False


class TestTaggedSections:
    HEAD = "0467727000000001036d3100"

    def test_unknown_tags_are_skipped_also_out_of_order_and_repeated(self) -> None:
        body = bytes.fromhex(self.HEAD + "03" + "0901aa" + "0200" + "0902bbcc")
        assert apis.request_decoder(HEARTBEAT, 4)(body, 0) == HeartbeatRequest("grp", 1, "m1")

    def test_a_section_of_many_tags_is_skipped(self) -> None:
        body = bytes.fromhex(self.HEAD + "ac02" + "0500" * 300)
        assert apis.request_decoder(HEARTBEAT, 4)(body, 0) == HeartbeatRequest("grp", 1, "m1")

    @pytest.mark.parametrize("section", ["01", "0109", "010905aa", "0209017f", "ffffffff07" + "0500"])
    def test_a_section_that_promises_more_than_it_holds_is_refused(self, section: str) -> None:
        with pytest.raises(WireError):
            apis.request_decoder(HEARTBEAT, 4)(bytes.fromhex(self.HEAD + section), 0)

    def test_known_tags_are_kept_among_unknown_ones_and_the_last_of_a_repeated_one_counts(self) -> None:
        """ApiVersions response v3: tag 1 is the epoch of the finalized features, tag 3 a bool."""
        body = bytes.fromhex(
            "0000" + "01" + "00000000" + "04" + "0301ff" + "0900" + "01080000000000000007" + "01080000000000000008"
        )
        response = apis.response_decoder(API_VERSIONS, 3)(body, 0)
        assert response == ApiVersionsResponse(finalized_features_epoch=8, zk_migration_ready=True)

    def test_a_known_tag_that_does_not_fill_its_size_is_refused(self) -> None:
        body = bytes.fromhex("0000" + "01" + "00000000" + "01" + "0302ff00")
        with pytest.raises(WireError, match="ZkMigrationReady does not fill"):
            apis.response_decoder(API_VERSIONS, 3)(body, 0)

    def test_a_tagged_field_at_its_default_is_not_written(self) -> None:
        encode = apis.request_encoder(1, 12)
        plain = encode(FetchRequest())
        assert encode(FetchRequest(cluster_id="c")).hex() == plain.hex()[:-2] + "01" + "00" + "02" + "0263"


class TestEncodeErrors:
    """Null for a field that has none is our own mistake and names the field."""

    def test_null_for_a_string(self) -> None:
        """Of an API that is not compiled: compiled classes do not even take it."""
        message = CreateTopicsRequest([CreateTopicsRequestTopic(name=None)])  # type: ignore[arg-type]
        with pytest.raises(EncodeError, match=r"CreateTopics request v5-7 cannot be written.*topics\[0\].name"):
            apis.request_encoder(19, 7)(message)

    def test_null_for_a_string_that_may_be_null_only_later(self) -> None:
        with pytest.raises(EncodeError, match="ProtocolName may not be null"):
            apis.response_encoder(JOIN_GROUP, 6)(JoinGroupResponse(protocol_name=None))

    def test_a_number_that_does_not_fit(self) -> None:
        with pytest.raises(EncodeError, match="Heartbeat request v4"):
            apis.request_encoder(HEARTBEAT, 4)(HeartbeatRequest(generation_id=2**31))

    def test_a_string_too_long_for_its_length(self) -> None:
        with pytest.raises(EncodeError, match="Heartbeat request v3"):
            apis.request_encoder(HEARTBEAT, 3)(HeartbeatRequest(group_id="x" * 40_000))
