"""What a schema says, as data: an API, its two messages, their structs and fields, and which versions have what.

Knows nothing of text or of Python code: `notation` makes these from `.api` files, `dialects` turn them into code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

FIXED_CODES: Final = {
    "bool": "?",
    "i8": "b",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "f64": "d",
    "uuid": "16s",
}
"""Types of one size, with the letter by which `struct` knows them."""

LENGTH_TYPES: Final = frozenset({"str", "bytes", "records"})
"""Types that are a length and that many bytes."""

LAST_VERSION: Final = 32767
"""The largest version that a request header can carry; `3+` ends here."""


class SchemaError(Exception):
    """A schema file that makes no sense. Says file, line, what was wrong and what would do."""


@dataclass(slots=True, frozen=True)
class Versions:
    """A closed range of versions. Prints as the notation writes it."""

    low: int
    high: int

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high

    def covers(self, other: Versions) -> bool:
        return self.low <= other.low and other.high <= self.high

    def __str__(self) -> str:
        if self.high == LAST_VERSION:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


NO_VERSIONS: Final = Versions(1, 0)


@dataclass(slots=True)
class Struct:
    """Fields in wire order. `class_name` is what the generated code calls it."""

    class_name: str
    fields: list[Field] = field(default_factory=list)

    def fields_of(self, version: int) -> list[Field]:
        """The untagged fields that this version has, in wire order."""
        return [each for each in self.fields if each.tag is None and version in each.versions]

    def tagged_fields_of(self, version: int) -> list[Field]:
        """The tagged fields that this version has, in the order of their tags, which is how they are written."""
        tagged = [each for each in self.fields if each.tag is not None and version in each.versions]
        return sorted(tagged, key=lambda each: each.tag or 0)


@dataclass(slots=True)
class Field:
    name: str
    type_name: str
    """A name from `FIXED_CODES` or `LENGTH_TYPES`, or the name of a struct."""
    versions: Versions
    is_array: bool = False
    nullable: Versions = NO_VERSIONS
    default: str | None = None
    """As written in the schema; None where the type's zero is meant."""
    tag: int | None = None
    struct: Struct | None = None

    @property
    def attribute(self) -> str:
        return snake_case(self.name)

    @property
    def is_ever_nullable(self) -> bool:
        return self.nullable is not NO_VERSIONS


@dataclass(slots=True)
class Message:
    """A request or a response: its outermost struct."""

    direction: str
    root: Struct


@dataclass(slots=True)
class Api:
    key: int
    name: str
    versions: Versions
    flexible: Versions
    request: Message
    response: Message

    @property
    def module_name(self) -> str:
        return snake_case(self.name)

    def version_numbers(self) -> range:
        return range(self.versions.low, self.versions.high + 1)

    def messages(self) -> Iterator[Message]:
        yield self.request
        yield self.response


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def structs_of(root: Struct) -> list[Struct]:
    """The struct and every struct inside it, inner ones first, each once."""
    found: list[Struct] = []
    for each in root.fields:
        if each.struct is not None:
            found += [inner for inner in structs_of(each.struct) if inner not in found]
    found.append(root)
    return found


def smallest_size(struct: Struct, version: int, flexible: bool) -> int:
    """The fewest bytes a struct can take: what an array count must leave room for before anything is allocated."""
    return sum(smallest_field_size(each, version, flexible) for each in struct.fields_of(version)) + flexible


def smallest_field_size(each: Field, version: int, flexible: bool) -> int:
    if each.is_array:
        return 1 if flexible else 4
    return smallest_element_size(each, version, flexible)


def smallest_element_size(each: Field, version: int, flexible: bool) -> int:
    if each.struct is not None:
        return 1 if version in each.nullable else smallest_size(each.struct, version, flexible)
    if each.type_name in LENGTH_TYPES:
        if flexible:
            return 1
        return 2 if each.type_name == "str" else 4
    return {"bool": 1, "i8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "uuid": 16}.get(each.type_name, 8)
