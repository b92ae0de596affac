"""Bytes of records as people read them: JSON, text or hex, cut at a limit that is said. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

FORMS: Final = ("auto", "json", "text", "hex")
SHORT_BYTES: Final = 2_000
LONG_BYTES: Final = 1 << 20
_HEX_ROW: Final = 16
_ONE_LINE: Final = 100
"""JSON that is no longer is not spread over lines."""
_INDENT: Final = "  "
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Shown:
    text: str
    form: str
    """What it was shown as: json, text, hex, or null."""
    size: int
    is_cut: bool


def show_bytes(value: bytes | None, form: str = "auto", most: int = SHORT_BYTES) -> Shown:
    """Never fails: what is no JSON or no text is shown as the next simpler thing, down to hex."""
    if value is None:
        return Shown("null", "null", 0, False)
    if form in ("auto", "json"):
        found = _as_json(value, most)
        if found is not None:
            return found
    if form != "hex":
        text = _as_text(value, most)
        if text is not None:
            return Shown(text, "text", len(value), len(value) > most)
    most_hex = most // 4
    return Shown(_as_hex(value[:most_hex]), "hex", len(value), len(value) > most_hex)


def _as_json(value: bytes, most: int) -> Shown | None:
    """The JSON as it was written, in lines: names that come twice and all digits of numbers stay, which parsing would lose."""
    if len(value) > LONG_BYTES or value.lstrip()[:1] not in (b"{", b"[", b'"'):
        return None
    try:
        written = value.decode(json.detect_encoding(value), "surrogatepass")
        json.loads(written)
    except (ValueError, RecursionError):
        return None
    text = _joined(_laid_out(written, in_lines=False), _ONE_LINE)
    if len(text) > _ONE_LINE:
        text = _joined(_laid_out(written, in_lines=True), most)
    return Shown(_visible(text[:most]), "json", len(value), len(text) > most)


def _laid_out(written: str, *, in_lines: bool) -> Iterator[str]:
    """Valid JSON as `json.dumps` lays it out, token by token."""
    depth, before = 0, ""
    for found in _TOKEN.finditer(written):
        token = found[0]
        is_empty = before in ("{", "[") and token in ("}", "]")
        depth -= token in ("}", "]")
        if in_lines and not is_empty and (before in ("{", "[", ",") or token in ("}", "]")):
            yield "\n" + depth * _INDENT
        elif before in (",", ":"):
            yield " "
        depth += token in ("{", "[")
        yield json.dumps(json.loads(token), ensure_ascii=False) if token.startswith('"') else token
        before = token


def _joined(pieces: Iterable[str], most: int) -> str:
    """All of them, or enough to be longer than that: spread over lines, nested JSON can be a thousand times as long as it was."""
    taken, length = [], 0
    for piece in pieces:
        taken.append(piece)
        length += len(piece)
        if length > most:
            break
    return "".join(taken)


def _as_text(value: bytes, most: int) -> str | None:
    cut = value[:most]
    for missing in range(4):  # a character may have been cut in its middle
        try:
            return _visible(cut[: len(cut) - missing].decode("utf-8"))
        except UnicodeDecodeError:
            if len(value) <= most:
                return None
    return None


def _visible(text: str) -> str:
    """Control characters but line breaks and tabs are shown by their names, as are those that turn the direction of text."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def _as_hex(value: bytes) -> str:
    rows = []
    for at in range(0, len(value), _HEX_ROW):
        part = value[at : at + _HEX_ROW]
        letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        rows.append(f"{at:08x}  {part.hex(' '):<{_HEX_ROW * 3 - 1}}  {letters}")
    return "\n".join(rows)
