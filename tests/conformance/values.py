"""Values as scripts write them: read into a small tree, then resolved to what a field of a request holds.

    orders  "with blanks \\u00e9"  42  null  true  0x0102      a word, a text, a number, ... bytes
    $A  $A.generation  $A.epoch+1  $group  $group-b  $topic  $txn  $now    what the conversation has taught (see `Scope`)
    [a b c]                                                    a list; commas are blanks
    (orders [(0 100)] committed_metadata=x)                    a struct: fields in schema order, then by name
    subscription(orders events) assigned((orders 0 1))  batch((k v))  repeat(x 9)     made values
    txn-batch((k v) sequence=0)                                a batch in a transaction of the producer who sends it
    many(9 (0 100))                                            a list of nine times the same

Called by the player. Knows schemas, knows no sockets.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from muster.wire.batch import Record, encode_batch
from tools.codecs.schema import Field, Struct

_TOKEN: Final = re.compile(
    r"""[\s,]*(?:
      (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<mark>[\[\]()=|])
    | (?P<word>[^\s,\[\]()=|"]+)
    )""",
    re.VERBOSE,
)
COMPRESSIONS: Final = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
RECORD_TIME_MS: Final = 1_700_000_000_000
"""The timestamp of every produced record: far enough from now to be told from the server's own times."""


@dataclass(frozen=True)
class Reference:
    name: str


@dataclass(frozen=True)
class Group:
    """Something in round brackets: a struct, or the arguments of a made value when `call` is given."""

    items: tuple[Any, ...]
    named: Mapping[str, Any] = field(default_factory=dict)
    call: str = ""


@dataclass(frozen=True)
class Text:
    """A text in quotes: never taken for a number."""

    text: str


class Scope(Protocol):
    """What references mean at this moment of the conversation."""

    def look_up(self, name: str) -> Any: ...

    def topic_id(self, topic: str) -> bytes: ...


class Tokens:
    """The rest of a line."""

    def __init__(self, line: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        position = 0
        while line[position:].strip(" \t,"):
            found = _TOKEN.match(line, position)
            if found is None:
                raise ValueError(f"cannot read {line[position:]!r}")
            kind = found.lastgroup or ""
            self._tokens.append((kind, found.group(kind), found.start(kind)))
            position = found.end()
        self._next = 0

    def peek(self, ahead: int = 0) -> str:
        at = self._next + ahead
        return self._tokens[at][1] if at < len(self._tokens) else ""

    def take(self) -> tuple[str, str]:
        if self._next >= len(self._tokens):
            raise ValueError("the line ends where a value is expected")
        kind, text, _ = self._tokens[self._next]
        self._next += 1
        return kind, text

    def touches_next(self) -> bool:
        """Whether an opening bracket follows the last token without a blank: `batch(`, not `batch (`."""
        if self._next >= len(self._tokens):
            return False
        _, text, start = self._tokens[self._next - 1]
        return self._tokens[self._next][1] == "(" and self._tokens[self._next][2] == start + len(text)


def read_assignments(tokens: Tokens, end: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Values, then `name=value` pairs, until `end` (which is left) or the end of the line."""
    items: list[Any] = []
    named: dict[str, Any] = {}
    while tokens.peek() not in ("", end):
        if tokens.peek(1) == "=":
            name = tokens.take()[1]
            tokens.take()
            named[name] = read_value(tokens)
        else:
            items.append(read_value(tokens))
    return tuple(items), named


def read_value(tokens: Tokens) -> Any:
    kind, text = tokens.take()
    if kind == "text":
        return Text(json.loads(text))
    if text in ("[", "("):
        closing = "]" if text == "[" else ")"
        items, named = read_assignments(tokens, closing)
        if tokens.peek() != closing:
            raise ValueError(f"a {text} is not closed")
        tokens.take()
        return list(items) if text == "[" else Group(items, named)
    if kind == "word" and tokens.touches_next():
        arguments = read_value(tokens)
        return Group(arguments.items, arguments.named, text)
    if kind != "word":
        raise ValueError(f"{text!r} stands where a value is expected")
    return _word(text)


def _word(text: str) -> Any:
    if text.startswith("$"):
        return Reference(text[1:])
    if text.startswith("0x"):
        return bytes.fromhex(text[2:])
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return {"null": None, "true": True, "false": False}.get(text, text)


def resolve(value: Any, each: Field, scope: Scope) -> Any:
    """What the field holds: references looked up, structs as dictionaries, words as the field's type wants them."""
    if each.is_array:
        if isinstance(value, Group) and value.call == "many":
            times, item = value.items
            value = [item] * times
        value = plain(value, scope)
        if value is None or not isinstance(value, list):
            return value
        return [resolve_element(item, each, scope) for item in value]
    return resolve_element(value, each, scope)


def resolve_element(value: Any, each: Field, scope: Scope) -> Any:
    if each.struct is not None and isinstance(value, Group) and not value.call:
        return resolve_struct(value, each.struct, scope)
    value = plain(value, scope)
    if each.type_name == "str" and isinstance(value, int):
        return str(value)
    if each.type_name in ("bytes", "records") and isinstance(value, str):
        return value.encode()
    if each.type_name == "uuid" and isinstance(value, str):
        return scope.topic_id(value)
    if each.type_name == "f64":
        return float(value)
    if each.type_name not in ("str", "bytes", "records", "uuid") and isinstance(value, str):
        raise ValueError(f"{each.name} is a number, not {value!r}")
    return value


def resolve_struct(literal: Group, shape: Struct, scope: Scope) -> dict[str, Any]:
    """A struct's topic id follows from its topic's name unless it is given, so that one line serves all versions."""
    by_name = {each.attribute: each for each in shape.fields}
    topic_field = next((by_name[name] for name in ("name", "topic") if name in by_name), None)
    id_field = by_name.get("topic_id")
    order = [each for each in shape.fields if each is not id_field or topic_field is None]
    if len(literal.items) > len(order):
        raise ValueError(f"{len(literal.items)} values for the {len(order)} fields of {shape.class_name}")
    given = {each.attribute: value for each, value in zip(order, literal.items, strict=False)}
    given.update(literal.named)
    if strange := set(given) - set(by_name):
        raise ValueError(f"{shape.class_name} has no field {', '.join(sorted(strange))}; it has {', '.join(by_name)}")
    tree = {name: resolve(value, by_name[name], scope) for name, value in given.items()}
    replaces_name = id_field and topic_field and not topic_field.versions.covers(id_field.versions)
    if replaces_name and topic_field and "topic_id" not in tree and tree.get(topic_field.attribute):
        tree["topic_id"] = scope.topic_id(tree[topic_field.attribute])
    return tree


def plain(value: Any, scope: Scope) -> Any:
    if isinstance(value, Reference):
        return scope.look_up(value.name)
    if isinstance(value, Text):
        return value.text
    if isinstance(value, Group) and value.call:
        made = _MADE.get(value.call)
        if made is None:
            raise ValueError(f"nothing makes {value.call}(...); there are {', '.join(sorted(_MADE))}")
        return made([plain(item, scope) for item in value.items], value.named, scope)
    if isinstance(value, Group):
        return tuple(plain(item, scope) for item in value.items)
    return value


def _subscription(items: list[Any], named: Mapping[str, Any], scope: Scope) -> bytes:
    """What a consumer sends as metadata: its topics and no user data (spec 2.4); of version 1 if `owned` is given."""
    owned = named.get("owned")
    out = struct.pack(">hi", 0 if owned is None else 1, len(items))
    for topic in items:
        out += struct.pack(">h", len(topic)) + topic.encode()
    out += struct.pack(">i", -1)
    return out if owned is None else out + _topic_partitions([plain(each, scope) for each in owned])


def _assigned(items: list[Any], named: Mapping[str, Any], scope: Scope) -> bytes:
    """An assignment of version 0 as leaders send it: (topic partition ...) each."""
    return struct.pack(">h", 0) + _topic_partitions(items) + struct.pack(">i", -1)


def _topic_partitions(items: list[Any]) -> bytes:
    out = struct.pack(">i", len(items))
    for topic, *partitions in items:
        out += struct.pack(">h", len(topic)) + topic.encode()
        out += struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    return out


def _repeat(items: list[Any], named: Mapping[str, Any], scope: Scope) -> str:
    text, times = items
    return str(text) * int(times)


def _batch(items: list[Any], named: Mapping[str, Any], scope: Scope) -> bytes:
    """A record batch of (key value) pairs as producers send it."""
    options = {name: plain(value, scope) for name, value in named.items()}
    records = [
        Record(index, int(options.get("time", RECORD_TIME_MS)), _bytes(key), _bytes(value))
        for index, (key, value) in enumerate(items)
    ]
    raw = encode_batch(
        records,
        compression=COMPRESSIONS[options.get("compression", "none")],
        producer_id=int(options.get("producer", -1)),
        producer_epoch=int(options.get("epoch", -1)),
        base_sequence=int(options.get("sequence", -1)),
        transactional=bool(options.get("transactional")),
        control=bool(options.get("control")),
    )
    if "flip" in options:
        at = int(options["flip"])
        raw = raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :]
    return raw


def _transactional_batch(items: list[Any], named: Mapping[str, Any], scope: Scope) -> bytes:
    """Of this moment: a marker has the broker's time, and a log rolls when the times of two batches are weeks apart."""
    own = {
        "producer": Reference("self.producer"),
        "epoch": Reference("self.epoch"),
        "time": Reference("now"),
        "transactional": True,
    }
    return _batch(items, own | dict(named), scope)


def _bytes(value: Any) -> bytes | None:
    return value if value is None or isinstance(value, bytes) else str(value).encode()


_MADE: Final = {
    "subscription": _subscription,
    "assigned": _assigned,
    "repeat": _repeat,
    "batch": _batch,
    "txn-batch": _transactional_batch,
}
