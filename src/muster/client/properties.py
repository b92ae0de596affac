"""Files of client properties in Java's format, as `--command-config` of Kafka's tools takes them.

`key=value`, `key: value` or `key value`; `#` and `!` begin comments; a backslash at the end goes on with the next line.
Knows no property by name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from muster.client.failure import ClientError
from muster.wire.errors import INVALID_CONFIG

_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_KEY: Final = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)


def read_properties(path: str | Path) -> dict[str, str]:
    """The properties of a file; ClientError if it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ClientError(INVALID_CONFIG, f"read {path}", error.strerror or str(error), "Check the path") from None
    except UnicodeDecodeError:
        raise ClientError(INVALID_CONFIG, f"read {path}", "it is not text", "Give a properties file") from None
    return parse_properties(text)


def parse_properties(text: str) -> dict[str, str]:
    """Later lines win, as in Java."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        match = _KEY.match(line)
        assert match is not None, "the pattern matches any text"
        found[_unescaped(match[1])] = _unescaped(match[2])
    return found


def _logical_lines(text: str) -> list[str]:
    lines: list[str] = []
    going_on = False
    for raw in text.splitlines():
        line = raw.lstrip()
        if not going_on and (not line or line[0] in "#!"):
            continue
        begun = lines.pop() if going_on else ""
        going_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        lines.append(begun + (line[:-1] if going_on else line))
    return lines


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2]), text)
