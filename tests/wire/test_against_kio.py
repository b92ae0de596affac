"""Our bytes are the bytes that kio, an independent implementation, writes for the same message, and each reads the other's.

kio is made from Kafka's own schema files, so this checks our schemas as much as the code made from them.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from muster.wire import apis
from tests.wire import kio_oracle
from tests.wire.messages import EVERY_MESSAGE, SCHEMAS, as_version_has_it, messages_of, schema_of
from tests.wire.test_round_trip import codecs

KIO_LACKS: set[tuple[str, int]] = set()
"""(API, version) that kio does not have. It has all of ours; a name here would be one left unchecked."""


@pytest.mark.parametrize(("name", "direction"), EVERY_MESSAGE)
def test_our_bytes_are_the_bytes_of_kio(name: str, direction: str) -> None:
    api, root = SCHEMAS[name], schema_of(name, direction).root
    versions = [version for version in api.version_numbers() if (name, version) not in KIO_LACKS]
    classes = {
        version: kio_oracle.entity_class(api.module_name, root.class_name, direction, version) for version in versions
    }

    @settings(max_examples=10, deadline=None)
    @given(message=messages_of(name, direction))
    def check(message: Any) -> None:
        for version, cls in classes.items():
            expected = as_version_has_it(message, root, version)
            entity = kio_oracle.to_entity(expected, root, version, cls)
            encode, decode = codecs(api.key, direction, version)
            body = encode(expected)
            theirs = kio_oracle.write(entity)
            assert body.hex() == theirs.hex(), f"{name} {direction} v{version}"
            assert kio_oracle.write(kio_oracle.read(cls, body)) == body
            assert decode(theirs, 0) == expected

    check()


def test_every_api_version_is_flexible_where_kio_says_so() -> None:
    for api in apis.APIS.values():
        for version in range(api.min_version, api.max_version + 1):
            cls = kio_oracle.entity_class(api.module, f"{api.name}Request", "request", version)
            assert (cls.__api_key__, cls.__flexible__) == (api.key, api.is_flexible(version)), f"{api.name} v{version}"


@pytest.mark.parametrize(("name", "direction"), EVERY_MESSAGE)
def test_defaults_are_those_of_kio(name: str, direction: str) -> None:
    """A field that a version lacks, or that a handler leaves alone, has the value that Kafka gives it."""
    api, root = SCHEMAS[name], schema_of(name, direction).root
    for version in api.version_numbers():
        cls = kio_oracle.entity_class(api.module_name, root.class_name, direction, version)
        for mine, theirs, where in kio_oracle.defaults(apis.generated_module(api.key), root, version, cls):
            assert mine == theirs, f"{name} {direction} v{version} {where}"
