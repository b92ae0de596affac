"""How a record is printed: its value alone, a format of one's own, or JSON. Pure: records to bytes.

On a terminal everything that it would act on is shown instead of sent; in a pipe values are the bytes that they are.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from muster.cli.support.escapes import unescaped
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean
from muster.explain.words import plain

if TYPE_CHECKING:
    from muster.client.partitions import TopicPartition
    from muster.wire.batch import Record

Printed: TypeAlias = "Callable[[TopicPartition, Record], bytes]"
_NULL: Final = b"null"


def _time(record: Record) -> bytes:
    if record.timestamp_ms < 0:
        return b"-"  # it has none
    try:
        moment = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return b"-"
    return (moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{record.timestamp_ms % 1000:03d}Z").encode()


def _headers(record: Record) -> bytes:
    return b",".join(name.encode() + b"=" + (_NULL if value is None else value) for name, value in record.headers)


_FIELDS: Final[dict[str, Callable[[TopicPartition, Record], bytes]]] = {
    "topic": lambda place, record: place.topic.encode(),
    "partition": lambda place, record: b"%d" % place.partition,
    "offset": lambda place, record: b"%d" % record.offset,
    "timestamp": lambda place, record: b"%d" % record.timestamp_ms,
    "time": lambda place, record: _time(record),
    "key": lambda place, record: _NULL if record.key is None else record.key,
    "value": lambda place, record: _NULL if record.value is None else record.value,
    "headers": lambda place, record: _headers(record),
    "size": lambda place, record: b"%d" % len(record.value or b""),
}
FIELD_NAMES: Final = tuple(_FIELDS)
_PART: Final = re.compile(r"\{\{|\}\}|\{(\w*)\}|([{}])")


def printer(format_: str | None, *, as_json: bool, on_terminal: bool) -> Printed:
    """UsageError if the format has fields that there are not."""
    if as_json:
        return lambda place, record: (json.dumps(as_object(place, record), ensure_ascii=False) + "\n").encode()
    parts = _parsed("{value}" if format_ is None else unescaped(format_, "--format"))

    def printed(place: TopicPartition, record: Record) -> bytes:
        contents = (part if isinstance(part, bytes) else _foreign(part(place, record), on_terminal) for part in parts)
        return b"".join(contents) + b"\n"

    return printed


def as_object(place: TopicPartition, record: Record) -> dict[str, Any]:
    """What is not UTF-8 is in `key_base64`, `value_base64`."""
    return {
        "topic": place.topic,
        "partition": place.partition,
        "offset": record.offset,
        "timestamp": record.timestamp_ms,
        **_content("key", record.key),
        **_content("value", record.value),
        "headers": [{"name": name, **_content("value", value)} for name, value in record.headers],
    }


def _content(name: str, content: bytes | None) -> dict[str, str | None]:
    try:
        return {name: None if content is None else content.decode()}
    except UnicodeDecodeError:
        assert content is not None
        return {name: None, f"{name}_base64": base64.b64encode(content).decode()}


def _parsed(text: str) -> list[bytes | Callable[[TopicPartition, Record], bytes]]:
    parts: list[bytes | Callable[[TopicPartition, Record], bytes]] = []
    at = 0
    for found in _PART.finditer(text):
        parts.append(text[at : found.start()].encode())
        at = found.end()
        if found[0] in ("{{", "}}"):
            parts.append(found[0][:1].encode())
        elif found[2] is not None or found[1] not in _FIELDS:
            near = did_you_mean(found[1] or "", FIELD_NAMES) or ";"
            raise UsageError(f"--format: {found[0]} is no field{near} there are {{{'}, {'.join(FIELD_NAMES)}}}")
        else:
            parts.append(_FIELDS[found[1]])
    parts.append(text[at:].encode())
    return [part for part in parts if part != b""]


def _foreign(content: bytes, on_terminal: bool) -> bytes:
    return plain(content.decode(errors="backslashreplace")).encode() if on_terminal else content
