"""Whatever bytes a record has: decoding never raises, and every record ends up in a table, in quarantine or in a count."""

from __future__ import annotations

from struct import pack

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.pipeline.decode.bronze import Pair, decoded

_one_row_a_record = ("s_offset_commit", "s_group_generation", "s_group_epoch", "s_member_epoch")

_rest_of_key = st.one_of(
    st.binary(max_size=30),
    st.tuples(st.binary(max_size=5), st.binary(max_size=5), st.integers(-(2**31), 2**31 - 1)).map(
        lambda parts: pack(">h", len(parts[0])) + parts[0] + pack(">h", len(parts[1])) + parts[1] + pack(">i", parts[2])
    ),
    st.tuples(st.binary(max_size=5), st.binary(max_size=5)).map(
        lambda parts: pack(">h", len(parts[0])) + parts[0] + pack(">h", len(parts[1])) + parts[1]
    ),
    st.binary(max_size=5).map(lambda group: pack(">h", len(group)) + group),
)
_key = st.one_of(
    st.none(),
    st.binary(max_size=3),
    st.tuples(st.integers(-1, 26), _rest_of_key).map(lambda parts: pack(">h", parts[0]) + parts[1]),
)
_value = st.one_of(
    st.none(),
    st.binary(max_size=60),
    st.tuples(st.integers(0, 4), st.binary(max_size=60)).map(lambda parts: pack(">h", parts[0]) + parts[1]),
)
_group_value = bytes.fromhex(
    "00030008636f6e73756d657200000001000572616e676500026d310000018bcfe568000000000100026d31ffff0003636964"
    "000a2f3132372e302e302e31000493e00000afc800000001010000000102"
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_key, _value), min_size=1, max_size=12), st.sampled_from([None, 50]))
@example([(bytes.fromhex("00020003677270"), _group_value)], None)
@example([(b"\x00\x01", b"")] * 30, 50)
def test_every_record_ends_up_somewhere(pairs: list[Pair], partition_count: int | None) -> None:
    made = decoded(*pairs, partition_count=partition_count)
    placed = {row["log_offset"] for name in _one_row_a_record for row in made[name]}
    refused = {row["log_offset"] for row in made["b_quarantine"]}
    assert len(placed | refused) + sum(row["records"] for row in made["unknown_type"]) == len(pairs)
    assert all(row["reason"] for row in made["b_quarantine"])
