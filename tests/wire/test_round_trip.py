"""Every message in every version comes back as it went, whatever stands in its fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.wire import apis
from tests.wire.messages import EVERY_MESSAGE, SCHEMAS, as_version_has_it, messages_of, schema_of


@pytest.mark.parametrize(("name", "direction"), EVERY_MESSAGE)
def test_a_message_decoded_from_its_bytes_is_what_the_version_has_of_it(name: str, direction: str) -> None:
    """Spec 2.1: a field that the version lacks is left out and comes back as its default."""
    api, root = SCHEMAS[name], schema_of(name, direction).root

    @settings(max_examples=25, deadline=None)
    @given(message=messages_of(name, direction), junk=st.binary(max_size=3))
    def check(message: Any, junk: bytes) -> None:
        for version in api.version_numbers():
            expected = as_version_has_it(message, root, version)
            encode, decode = codecs(api.key, direction, version)
            body = encode(expected)
            assert decode(b"junk" + body, 4) == expected
            assert decode(body + junk, 0) == expected, "bytes behind a complete body are ignored (spec 2.1)"

    check()


def codecs(key: int, direction: str, version: int) -> tuple[apis.Encoder, apis.Decoder]:
    if direction == "request":
        return apis.request_encoder(key, version), apis.request_decoder(key, version)
    return apis.response_encoder(key, version), apis.response_decoder(key, version)
