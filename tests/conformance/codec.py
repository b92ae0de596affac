"""Messages as plain dictionaries, read and written straight from the schemas, field by field.

Not the generated codecs on purpose: this one shows which fields a version has, bytes behind the end and unknown tagged
fields, and it can write what no honest client would (null where it is not allowed). The judge must not share the fault.
Called by the player of scripts. Knows no sockets.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any, Final

from tools.codecs.generate import load_apis
from tools.codecs.schema import FIXED_CODES, Api, Field, Struct

Tree = dict[str, Any]

BYTES_BEHIND_THE_END: Final = "_bytes_behind_the_end"
UNKNOWN_TAGS: Final = "_unknown_tagged_fields"
API_VERSIONS_KEY: Final = 18


@cache
def apis() -> dict[str, Api]:
    return {api.name: api for api in load_apis()}


def api_named(name: str) -> Api:
    found = apis().get(name)
    if found is None:
        raise ValueError(f"no API is called {name!r}; known are {', '.join(sorted(apis()))}")
    return found


def is_flexible(api: Api, version: int) -> bool:
    return version in api.flexible


def has_flexible_response_header(api: Api, version: int) -> bool:
    """ApiVersions answers with the old header in every version, because the client may not know better (KIP-511)."""
    return is_flexible(api, version) and api.key != API_VERSIONS_KEY


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_uvarint(buf: bytes, pos: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = buf[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, pos


def request_header(api_key: int, version: int, correlation_id: int, client_id: str | None, tags: bytes | None) -> bytes:
    """`tags` is the tagged section of a flexible header, None for the old header."""
    raw = None if client_id is None else client_id.encode()
    length = -1 if raw is None else len(raw)
    return struct.pack(">hhih", api_key, version, correlation_id, length) + (raw or b"") + (tags or b"")


def encode_request(api: Api, version: int, body: Tree, tags: bytes = b"\0") -> bytes:
    out = bytearray()
    _write_struct(out, api.request.root, version, is_flexible(api, version), body, api.name)
    if tags != b"\0":
        out[-1:] = tags
    return bytes(out)


def decode_response(api: Api, version: int, buf: bytes, pos: int) -> Tree:
    tree, pos = _read_struct(buf, pos, api.response.root, version, is_flexible(api, version))
    if pos < len(buf):
        tree[BYTES_BEHIND_THE_END] = buf[pos:].hex()
    return tree


def read_tree(shape: Struct, buf: bytes, pos: int) -> Tree:
    """A struct of a record: flexible, version 0, to the end of the bytes."""
    tree, pos = _read_struct(buf, pos, shape, 0, True)
    if pos < len(buf):
        tree[BYTES_BEHIND_THE_END] = buf[pos:].hex()
    return tree


def write_tree(shape: Struct, tree: Tree) -> bytes:
    """What `read_tree` has read, unknown tagged fields included."""
    out = bytearray()
    tail = bytes.fromhex(tree.get(BYTES_BEHIND_THE_END, ""))
    _write_struct(
        out, shape, 0, True, {name: each for name, each in tree.items() if name != BYTES_BEHIND_THE_END}, "record"
    )
    return bytes(out) + tail


def default_of(each: Field) -> Any:
    if each.default == "null":
        return None
    if each.is_array:
        return []
    if each.struct is not None:
        return None if each.is_ever_nullable else {}
    if each.type_name in ("str", "bytes", "records"):
        return each.default or ("" if each.type_name == "str" else b"")
    if each.type_name == "uuid":
        return bytes(16)
    if each.type_name == "bool":
        return each.default == "true"
    return int(each.default or 0)


def _write_struct(out: bytearray, shape: Struct, version: int, flexible: bool, tree: Tree, where: str) -> None:
    known = {each.attribute for each in shape.fields}
    if strange := set(tree) - known - {UNKNOWN_TAGS}:
        raise ValueError(f"{where} has no field {', '.join(sorted(strange))}; it has {', '.join(sorted(known))}")
    for each in shape.fields_of(version):
        _write_field(out, each, version, flexible, tree.get(each.attribute, default_of(each)), f"{where}.{each.name}")
    if flexible:
        _write_tags(out, shape, version, tree, where)


def _write_tags(out: bytearray, shape: Struct, version: int, tree: Tree, where: str) -> None:
    present = [each for each in shape.tagged_fields_of(version) if tree.get(each.attribute) is not None]
    unknown = tree.get(UNKNOWN_TAGS, {})
    out += uvarint(len(present) + len(unknown))
    for tag, raw in unknown.items():
        out += uvarint(int(tag)) + uvarint(len(raw) // 2) + bytes.fromhex(raw)
    for each in present:
        payload = bytearray()
        _write_field(payload, each, version, True, tree[each.attribute], f"{where}.{each.name}")
        out += uvarint(each.tag or 0) + uvarint(len(payload)) + payload


def _write_field(out: bytearray, each: Field, version: int, flexible: bool, value: Any, where: str) -> None:
    if not each.is_array:
        _write_element(out, each, version, flexible, value, where)
        return
    count = -1 if value is None else len(value)
    out += uvarint(count + 1) if flexible else struct.pack(">i", count)
    for item in value or ():
        _write_element(out, each, version, flexible, item, where)


def _write_element(out: bytearray, each: Field, version: int, flexible: bool, value: Any, where: str) -> None:
    if each.struct is not None:
        if each.is_ever_nullable and not each.is_array:
            out += struct.pack(">b", -1 if value is None else 1)
            if value is None:
                return
        _write_struct(out, each.struct, version, flexible, value, where)
    elif each.type_name in ("str", "bytes", "records"):
        raw = value.encode() if isinstance(value, str) else value
        length = -1 if raw is None else len(raw)
        narrow = ">h" if each.type_name == "str" else ">i"
        out += uvarint(length + 1) if flexible else struct.pack(narrow, length)
        out += raw or b""
    else:
        try:
            out += struct.pack(">" + FIXED_CODES[each.type_name], value)
        except struct.error as error:
            raise ValueError(f"{where} cannot hold {value!r}: {error}") from error


def _read_struct(buf: bytes, pos: int, shape: Struct, version: int, flexible: bool) -> tuple[Tree, int]:
    tree: Tree = {}
    for each in shape.fields_of(version):
        tree[each.attribute], pos = _read_field(buf, pos, each, version, flexible)
    if flexible:
        pos = _read_tags(buf, pos, shape, version, tree)
    return tree, pos


def _read_tags(buf: bytes, pos: int, shape: Struct, version: int, tree: Tree) -> int:
    tagged = {each.tag: each for each in shape.tagged_fields_of(version)}
    count, pos = read_uvarint(buf, pos)
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        each = tagged.get(tag)
        if each is None:
            tree.setdefault(UNKNOWN_TAGS, {})[str(tag)] = buf[pos : pos + size].hex()
        else:
            tree[each.attribute], _ = _read_field(buf, pos, each, version, True)
        pos += size
    return pos


def _read_field(buf: bytes, pos: int, each: Field, version: int, flexible: bool) -> tuple[Any, int]:
    if not each.is_array:
        return _read_element(buf, pos, each, version, flexible)
    count, pos = _read_length(buf, pos, ">i", flexible)
    if count < 0:
        return None, pos
    items = []
    for _ in range(count):
        item, pos = _read_element(buf, pos, each, version, flexible)
        items.append(item)
    return items, pos


def _read_element(buf: bytes, pos: int, each: Field, version: int, flexible: bool) -> tuple[Any, int]:
    if each.struct is not None:
        if each.is_ever_nullable and not each.is_array:
            present = struct.unpack_from(">b", buf, pos)[0]
            pos += 1
            if present < 0:
                return None, pos
        return _read_struct(buf, pos, each.struct, version, flexible)
    if each.type_name in ("str", "bytes", "records"):
        length, pos = _read_length(buf, pos, ">h" if each.type_name == "str" else ">i", flexible)
        if length < 0:
            return None, pos
        raw = buf[pos : pos + length]
        if len(raw) < length:
            raise ValueError(f"{each.name} promises {length} bytes, {len(raw)} are left")
        return (raw.decode() if each.type_name == "str" else raw), pos + length
    layout = ">" + FIXED_CODES[each.type_name]
    return struct.unpack_from(layout, buf, pos)[0], pos + struct.calcsize(layout)


def _read_length(buf: bytes, pos: int, narrow: str, flexible: bool) -> tuple[int, int]:
    if flexible:
        length, pos = read_uvarint(buf, pos)
        return length - 1, pos
    return struct.unpack_from(narrow, buf, pos)[0], pos + struct.calcsize(narrow)
