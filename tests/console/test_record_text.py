"""Bytes as people read them, whatever they are."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.console.record_text import FORMS, show_bytes


@pytest.mark.parametrize(
    ("value", "form", "shown_as", "text"),
    [
        (None, "auto", "null", "null"),
        (b"", "auto", "text", ""),
        (b'{"b":1}', "auto", "json", '{"b": 1}'),
        (b'{"b": "' + b"x" * 100 + b'"}', "auto", "json", '{\n  "b": "' + "x" * 100 + '"\n}'),
        (b'{"a":1,"a":2}', "auto", "json", '{"a": 1, "a": 2}'),
        (b"[0.10000000000000000001,12.50,1e400,-0]", "auto", "json", "[0.10000000000000000001, 12.50, 1e400, -0]"),
        (b'{"a\\"b{" : [ ] }', "auto", "json", '{"a\\"b{": []}'),
        (b"{broken", "json", "text", "{broken"),
        (b'{"b": 1}', "text", "text", '{"b": 1}'),
        (b"a\tb\nc", "auto", "text", "a\tb\nc"),
        (b"bell\x07", "auto", "text", "bell\\x07"),
        (b"\xff", "auto", "hex", "00000000  ff" + " " * 47 + "."),
        (b"ab", "hex", "hex", "00000000  61 62" + " " * 44 + "ab"),
    ],
)
def test_each_form(value: bytes | None, form: str, shown_as: str, text: str) -> None:
    found = show_bytes(value, form)
    assert (found.form, found.text, found.is_cut) == (shown_as, text, False)


def test_a_cut_in_the_middle_of_a_character_is_still_text() -> None:
    found = show_bytes("é".encode() * 10, "text", 5)
    assert (found.text, found.is_cut, found.size) == ("éé", True, 20)


@given(st.binary(max_size=300), st.sampled_from(FORMS), st.integers(8, 64))
def test_anything_can_be_shown_and_is_never_longer_than_it_may_be(value: bytes, form: str, most: int) -> None:
    found = show_bytes(value, form, most)
    assert found.size == len(value)
    assert all(c.isprintable() or c in "\n\t" for c in found.text)
    assert len(found.text) <= 80 + 10 * most


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50)
@given(st.lists(_JSON, max_size=5), st.integers(8, 400))
def test_json_is_what_its_whole_form_begins_with(value: object, most: int) -> None:
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) > 100:
        whole = json.dumps(value, ensure_ascii=False, indent=2)
    found = show_bytes(json.dumps(value).encode(), "json", most)
    everything = show_bytes(json.dumps(value).encode(), "json", 1 << 20)
    assert found.is_cut == (len(whole) > most)
    assert everything.text.startswith(found.text)
    assert not everything.is_cut


def test_of_json_that_is_cut_no_more_is_spread_over_lines_than_is_shown() -> None:
    record = b"[" + b",".join([b"[" * 300 + b"]" * 300] * 300) + b"]"
    tracemalloc.start()
    found = show_bytes(record)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.form, found.is_cut, len(found.text)) == ("json", True, 2_000)
    assert most_bytes < 100 * len(record), "spread over lines it has 300 times as many bytes"
