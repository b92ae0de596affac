"""Messages of every API, made from the schemas: strategies for hypothesis, and what one version leaves of a message."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from muster.wire.apis import generated_module
from muster.wire.message import Message
from tools.codecs.generate import load_apis
from tools.codecs.schema import FIXED_CODES, Api, Field, Struct
from tools.codecs.schema import Message as MessageSchema

SCHEMAS: dict[str, Api] = {api.name: api for api in load_apis()}
EVERY_MESSAGE: list[tuple[str, str]] = [
    (name, direction) for name in sorted(SCHEMAS) for direction in ("request", "response")
]
EVERY_VERSION: list[tuple[str, str, int]] = [
    (name, direction, version) for name, direction in EVERY_MESSAGE for version in SCHEMAS[name].version_numbers()
]

TEXT = st.one_of(st.text(max_size=6), st.sampled_from(["", "x" * 126, "y" * 127, "z" * 128, "é" * 300]))
BYTES = st.one_of(st.binary(max_size=6), st.sampled_from([b"", b"x" * 127, b"y" * 20_000]))
ERROR_CODES = [-1, 0, 3, 15, 16, 22, 25, 27, 69, 79, 82, 100]


def schema_of(name: str, direction: str) -> MessageSchema:
    api = SCHEMAS[name]
    return api.request if direction == "request" else api.response


def integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def scalars(each: Field) -> st.SearchStrategy[Any]:
    if each.name.endswith("ErrorCode"):
        return st.sampled_from(ERROR_CODES)
    if each.type_name == "i64" and each.name.endswith(("Ms", "Timestamp")):
        return st.integers(-1, 10**13)  # what the other implementation can hold as a point in time
    return {
        "bool": st.booleans(),
        "i8": integers(8),
        "i16": integers(16),
        "u16": st.integers(0, 2**16 - 1),
        "i32": integers(32),
        "u32": st.integers(0, 2**32 - 1),
        "i64": integers(64),
        "f64": st.floats(allow_nan=False),
        "uuid": st.binary(min_size=16, max_size=16),
        "str": TEXT,
        "bytes": BYTES,
        "records": BYTES,
    }[each.type_name]


def values(module: ModuleType, each: Field) -> st.SearchStrategy[Any]:
    one = scalars(each) if each.struct is None else messages(module, each.struct)
    value: st.SearchStrategy[Any] = st.lists(one, max_size=3) if each.is_array else one
    is_tagged_struct = each.tag is not None and each.struct is not None and not each.is_array
    return st.none() | value if each.is_ever_nullable or is_tagged_struct else value


def messages(module: ModuleType, struct: Struct) -> st.SearchStrategy[Any]:
    """A message with a value in every field of every version."""
    fields = {each.attribute: values(module, each) for each in struct.fields}
    return st.builds(getattr(module, struct.class_name), **fields)


@cache
def messages_of(name: str, direction: str) -> st.SearchStrategy[Any]:
    return messages(generated_module(SCHEMAS[name].key), schema_of(name, direction).root)


def as_version_has_it(message: Message, struct: Struct, version: int) -> Message:
    """What is left of a message in one version: absent fields at their defaults, no null where it has none."""
    empty = type(message)()
    for each in struct.fields:
        if version in each.versions:
            value = getattr(message, each.attribute)
            setattr(empty, each.attribute, _value_in(value, each, version))
    return empty


def _value_in(value: Any, each: Field, version: int) -> Any:
    if each.struct is None:
        if value is None and version not in each.nullable:
            return [] if each.is_array else (b"" if each.type_name in ("bytes", "records") else "")
        return value
    if each.is_array:
        if value is None:
            return None if version in each.nullable else []
        return [as_version_has_it(item, each.struct, version) for item in value]
    if value is None:
        return None
    inner = as_version_has_it(value, each.struct, version)
    # A tagged struct that says nothing but defaults is not sent.
    return None if each.tag is not None and inner == type(inner)() else inner


def example(name: str, direction: str) -> Message:
    """A small fixed message with something in every field: a seed for mutations."""
    return _example(generated_module(SCHEMAS[name].key), schema_of(name, direction).root)


def _example(module: ModuleType, struct: Struct) -> Message:
    made: Message = getattr(module, struct.class_name)()
    for each in struct.fields:
        value: Any = _example(module, each.struct) if each.struct is not None else _sample(each)
        setattr(made, each.attribute, [value, value] if each.is_array else value)
    return made


def _sample(each: Field) -> Any:
    if each.type_name not in FIXED_CODES:
        return "abc" if each.type_name == "str" else b"abc"
    return {"bool": True, "f64": 1.5, "uuid": bytes(range(16))}.get(each.type_name, 7)
