"""The same message as an entity of kio, an independent implementation of the protocol made from Kafka's own schemas.

Fields are matched by their order, which is Kafka's in both; kio calls some by other names.
"""

from __future__ import annotations

import dataclasses
import datetime
import io
import uuid
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, get_args

from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer

from muster.wire.message import Message
from tools.codecs.schema import Struct

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def entity_class(module: str, class_name: str, direction: str, version: int) -> type[Any]:
    """The kio class; ModuleNotFoundError if kio lacks the version."""
    found: type[Any] = getattr(import_module(f"kio.schema.{module}.v{version}.{direction}"), class_name)
    return found


def to_entity(message: Message, struct: Struct, version: int, cls: type[Any]) -> Any:
    ours = [each for each in struct.fields if version in each.versions]
    theirs = dataclasses.fields(cls)
    assert len(ours) == len(theirs), f"{cls} has {[each.name for each in theirs]}"
    arguments: dict[str, Any] = {}
    for mine, field in zip(ours, theirs, strict=True):
        value = getattr(message, mine.attribute)
        if mine.struct is None:
            kind = field.metadata["kafka_type"]
            if mine.is_array and value is not None:
                arguments[field.name] = tuple(scalar(item, kind) for item in value)
            else:
                arguments[field.name] = value if value is None else scalar(value, kind)
        elif mine.is_array:
            inner = entity_inside(field.type)
            items = None if value is None else tuple(to_entity(item, mine.struct, version, inner) for item in value)
            arguments[field.name] = items
        elif value is not None:
            arguments[field.name] = to_entity(value, mine.struct, version, entity_inside(field.type))
        else:
            arguments[field.name] = None if mine.tag is None else entity_inside(field.type)()
    return cls(**arguments)


def defaults(module: ModuleType, struct: Struct, version: int, cls: type[Any]) -> Iterator[tuple[Any, Any, str]]:
    """(our default as kio would hold it, kio's default, field) for every scalar field that has one in kio."""
    empty = getattr(module, struct.class_name)()
    ours = [each for each in struct.fields if version in each.versions]
    for mine, field in zip(ours, dataclasses.fields(cls), strict=True):
        if mine.struct is not None:
            yield from defaults(module, mine.struct, version, entity_inside(field.type))
        elif field.default is not dataclasses.MISSING and not mine.is_array:
            value = getattr(empty, mine.attribute)
            kind = field.metadata["kafka_type"]
            yield (None if value is None else scalar(value, kind)), field.default, f"{cls.__name__}.{field.name}"


def scalar(value: Any, kind: str) -> Any:
    if kind == "error_code":
        return ErrorCode(value)
    if kind.startswith("timedelta"):
        return datetime.timedelta(milliseconds=value)
    if kind == "datetime_i64":
        return None if value == -1 else EPOCH + datetime.timedelta(milliseconds=value)
    if kind == "uuid":
        return uuid.UUID(bytes=value) if any(value) else None
    return value


def entity_inside(annotation: Any) -> type[Any]:
    """The dataclass in `tuple[X, ...] | None` and the like."""
    if dataclasses.is_dataclass(annotation):
        assert isinstance(annotation, type)
        return annotation
    for inner in get_args(annotation):
        if inner is not Ellipsis and inner is not type(None):
            return entity_inside(inner)
    raise AssertionError(f"no entity in {annotation}")


def write(entity: Any) -> bytes:
    buffer = io.BytesIO()
    entity_writer(type(entity))(buffer, entity)
    return buffer.getvalue()


def read(cls: type[Any], body: bytes) -> Any:
    entity, size = entity_reader(cls)(body, 0)
    assert size == len(body)
    return entity
