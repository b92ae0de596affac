"""Lines into records: the value, a key before it, headers for all, or everything as JSON. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.client.producing import NewRecord

_MOST_SHOWN: Final = 60
_FIELDS: Final = ("key", "key_base64", "value", "value_base64", "headers", "partition", "timestamp")
_PASSED_OVER: Final = ("topic", "offset")
"""`muster consume --json` writes them; where a record goes is said on the command line and by the broker."""


class BadLine(Exception):
    """A line that is no record. Says why; the caller knows which line it was."""


@dataclass(frozen=True, slots=True)
class LineFormat:
    key_separator: bytes | None = None
    null: bytes | None = None
    """A value or key that is this text is none at all: a tombstone."""
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None
    as_json: bool = False

    def record(self, line: bytes) -> NewRecord:
        from muster.client.producing import NewRecord

        if self.as_json:
            return self._from_json(line)
        key: bytes | None = None
        value = line
        if self.key_separator is not None:
            before, found, after = line.partition(self.key_separator)
            if not found:
                raise BadLine(f"there is no {self.key_separator.decode()!r} between key and value in {_shown(line)}")
            key, value = before, after
        return NewRecord(self._or_null(value), self._or_null(key), self.headers, None, self.partition)

    def _or_null(self, content: bytes | None) -> bytes | None:
        return None if self.null is not None and content == self.null else content

    def _from_json(self, line: bytes) -> NewRecord:
        from muster.client.producing import NewRecord

        try:
            found = json.loads(line)
        except ValueError as error:
            raise BadLine(f"not JSON: {error}: {_shown(line)}") from None
        if not isinstance(found, dict):
            raise BadLine(f"not a JSON object: {_shown(line)}")
        strange = [name for name in found if name not in _FIELDS and name not in _PASSED_OVER]
        if strange:  # a misspelt value would be written as a tombstone
            raise BadLine(f"there is no field {strange[0]!r}; there are {', '.join(_FIELDS)}")
        partition = _number(found, "partition")
        return NewRecord(
            _content(found, "value"),
            _content(found, "key"),
            (*self.headers, *_headers(found)),
            _number(found, "timestamp"),
            partition if self.partition is None else self.partition,
        )


def parse_headers(texts: list[str]) -> tuple[tuple[str, bytes | None], ...]:
    headers: list[tuple[str, bytes | None]] = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--header {text}: write NAME=VALUE")
        headers.append((name, value.encode()))
    return tuple(headers)


def _content(found: Mapping[str, Any], name: str) -> bytes | None:
    """Text, any other JSON as it is written, or bytes as `muster consume --json` writes what is not text."""
    encoded = found.get(f"{name}_base64")
    if encoded is not None:
        try:
            return base64.b64decode(encoded, validate=True)
        except (ValueError, TypeError):
            raise BadLine(f"{name}_base64 is not base64") from None
    content = found.get(name)
    if content is None or isinstance(content, str):
        return None if content is None else content.encode()
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _headers(found: Mapping[str, Any]) -> list[tuple[str, bytes | None]]:
    """An object, or a list of objects with name and value, as names may come twice."""
    headers = found.get("headers") or []
    if isinstance(headers, dict):
        headers = [{"name": name, "value": value} for name, value in headers.items()]
    if not isinstance(headers, list) or not all(isinstance(each, dict) and "name" in each for each in headers):
        raise BadLine("headers must be an object, or a list of objects with name and value")
    return [(str(each["name"]), _content(each, "value")) for each in headers]


def _number(found: Mapping[str, Any], name: str) -> int | None:
    number = found.get(name)
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise BadLine(f"{name} must be a whole number, not {number!r}")
    return number


def _shown(line: bytes) -> str:
    text = repr(line.decode(errors="replace"))
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...'"
