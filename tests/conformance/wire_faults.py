"""A request as a frame, honest or damaged as the options of a script line say.

cut 3            the last bytes are missing, the frame is that much shorter
behind 0xff      bytes behind the complete body
tag 99 0x01      an unknown tagged field in the body (may be repeated)
header-tag 5 0x  the same in the header
old-header       a flexible request with the header of older versions
version 99       another version in the header than the body is written in
key 999          another API key
client null      another client id
size -1          another frame size
piecewise        every byte in its own segment
read v0          the answer is read in this version's layout
twice            a newcomer that is told its member id joins again with it (KIP-394)
until error_code 27   asked again and again until the answer has this; only that answer is noted
times 32766      asked so often, many at a time; only the last answer is noted
unnoted          the answer is not compared: what has to be there before a scenario begins
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Final

from tests.conformance import codec
from tests.conformance.values import Text
from tools.codecs.schema import Api

_SAME: Final = object()


@dataclass
class Faults:
    cut: int = 0
    behind: bytes = b""
    tags: list[tuple[int, bytes]] = field(default_factory=list)
    header_tags: list[tuple[int, bytes]] = field(default_factory=list)
    old_header: bool = False
    version: int | None = None
    key: int | None = None
    client: Any = _SAME
    size: int | None = None
    piecewise: bool = False
    read_version: int | None = None
    twice: bool = False
    until: tuple[str, Any] | None = None
    times: int = 1
    unnoted: bool = False


def read_faults(options: tuple[tuple[Any, ...], ...]) -> Faults:
    faults = Faults()
    for name, *values in options:
        match name:
            case "cut" | "behind" | "version" | "key" | "client" | "size" | "times":
                setattr(faults, name, values[0].text if isinstance(values[0], Text) else values[0])
            case "tag":
                faults.tags.append((values[0], values[1]))
            case "header-tag":
                faults.header_tags.append((values[0], values[1]))
            case "old-header" | "piecewise" | "twice" | "unnoted":
                setattr(faults, name.replace("-", "_"), True)
            case "until":
                faults.until = (values[0], values[1])
            case "read":
                faults.read_version = int(values[0][1:])
            case _:
                raise ValueError(f"no option is called {name!r}; see {__name__}")
    return faults


def frame_of(api: Api, version: int, number: int, client_id: str | None, body: codec.Tree, faults: Faults) -> bytes:
    flexible = codec.is_flexible(api, version) and not faults.old_header
    header = codec.request_header(
        api.key if faults.key is None else faults.key,
        version if faults.version is None else faults.version,
        number,
        client_id if faults.client is _SAME else faults.client,
        _section(faults.header_tags) if flexible else None,
    )
    payload = header + codec.encode_request(api, version, body, _section(faults.tags)) + faults.behind
    payload = payload[: len(payload) - faults.cut]
    return struct.pack(">i", len(payload) if faults.size is None else faults.size) + payload


def _section(tags: list[tuple[int, bytes]]) -> bytes:
    out = codec.uvarint(len(tags))
    for tag, payload in tags:
        out += codec.uvarint(tag) + codec.uvarint(len(payload)) + payload
    return out
