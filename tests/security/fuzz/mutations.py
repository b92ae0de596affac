"""Requests of every API as a client sends them, and what a hostile one makes of them.

Pure: everything follows from the random source that is given, so a seed plays the same again. Knows schemas and frames, no
sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from struct import pack
from typing import Any, Final

from muster.wire.apis import API_KEYS, APIS, request_encoder
from muster.wire.batch import encode_pairs
from muster.wire.header import encode_request_header
from muster.wire.message import Message
from tests.wire.messages import SCHEMAS, as_version_has_it, example, schema_of
from tests.wire.test_malformed import BREAKERS

GROUPS: Final = ("fuzz-a", "fuzz-b", "fuzz-c", "", "g" * 200, "\x1b[31m", "kept")
TOPICS: Final = ("fuzz-t", "fuzz-u", "nowhere", "not valid", "", "__consumer_offsets")
CLIENTS: Final = ("fuzz", None, "", "x" * 300, "\x1b]0;x\x07", "__admin_client")
NUMBERS: Final = (-1, 0, 1, 2, 3, 100, 1_000, 10_000, 2**15 - 1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_LIMITS: Final = {"i8": 7, "i16": 15, "i32": 31, "i64": 63}


def batches(random: Random) -> bytes:
    """Records for a Produce: sound, or broken in some byte."""
    pairs = [(random.choice((None, b"k")), bytes(random.randrange(50))) for _ in range(random.choice((1, 2, 10, 500)))]
    batch = bytearray(encode_pairs(pairs, random.choice((0, 1_700_000_000_000, 2**62))))
    for _ in range(random.choice((0, 0, 0, 1, 3))):
        batch[random.randrange(len(batch))] = random.randrange(256)
    return bytes(batch) * random.choice((1, 1, 1, 2))


class Requests:
    """Frames of all APIs that the server serves."""

    def __init__(self, random: Random, names: tuple[str, ...]) -> None:
        self._random = random
        self._names = names
        self._number = 0

    def first_of_each(self) -> Iterator[bytes]:
        """A sound request of every version of every API."""
        for name in self._names:
            api = APIS[API_KEYS[name]]
            for version in range(api.min_version, api.max_version + 1):
                message = as_version_has_it(example(name, "request"), schema_of(name, "request").root, version)
                body = request_encoder(api.key, version)(message)
                payload = encode_request_header(api.key, version, 1, "fuzz") + body
                yield pack(">i", len(payload)) + payload

    def next(self) -> bytes:
        """One frame, with its size in front; perhaps not a whole one, perhaps not one at all."""
        random = self._random
        name = random.choice(self._names)
        api = APIS[API_KEYS[name]]
        version = random.randint(api.min_version, api.max_version)
        message = self._message(name, version)
        self._number += 1
        try:
            body = request_encoder(api.key, version)(message)
        except Exception:
            body = random.randbytes(random.randrange(64))  # values that no message can have
        frame = encode_request_header(api.key, version, self._number, random.choice(CLIENTS)) + body
        return self._mutated(frame)

    def _message(self, name: str, version: int) -> Message:
        message = as_version_has_it(example(name, "request"), schema_of(name, "request").root, version)
        self._vary(message, depth=0)
        return message

    def _vary(self, message: Message, depth: int) -> None:
        """Give fields values that mean something here, or that mean trouble."""
        random = self._random
        for name, value in message.fields():
            if isinstance(value, Message):
                self._vary(value, depth + 1)
            elif isinstance(value, (list, tuple)):
                setattr(message, name, self._varied_list(name, list(value), depth))
            elif random.random() < 0.7:
                setattr(message, name, self._varied(name, value))

    def _varied_list(self, name: str, items: list[Any], depth: int) -> list[Any]:
        random = self._random
        for item in items:
            if isinstance(item, Message):
                self._vary(item, depth + 1)
        items = [item if isinstance(item, Message) else self._varied(name, item) for item in items]
        times = random.choice((0, 1, 1, 1, 2, 5, 200 if depth == 0 else 20))
        return items * times if random.random() < 0.4 else items

    def _varied(self, name: str, value: Any) -> Any:
        random = self._random
        if isinstance(value, bool):
            return random.random() < 0.5
        if isinstance(value, int):
            return random.choice(NUMBERS) if random.random() < 0.3 else random.randrange(4)
        if isinstance(value, str):
            if "group" in name or "key" in name:
                return random.choice(GROUPS)
            return random.choice(TOPICS if "topic" in name or name == "name" else (*TOPICS, *GROUPS))
        if isinstance(value, bytes):
            return batches(random) if name == "records" else random.randbytes(random.randrange(40))
        return value

    def _mutated(self, payload: bytes) -> bytes:
        random = self._random
        if random.random() < 0.5:
            return pack(">i", len(payload)) + payload
        mutations: tuple[Callable[[bytes], bytes], ...] = (self._flipped, self._cut, self._broken, self._grown)
        payload = random.choice(mutations)(payload)
        size = len(payload)
        if random.random() < 0.1:
            size = random.choice((0, 1, 3, size + 1, size - 1, 2**31 - 1, -1, 104_857_600, 50_000_000))
        return pack(">i", max(-(2**31), size)) + payload

    def _flipped(self, payload: bytes) -> bytes:
        changed = bytearray(payload)
        for _ in range(self._random.choice((1, 2, 8))):
            changed[self._random.randrange(len(changed))] ^= 1 << self._random.randrange(8)
        return bytes(changed)

    def _cut(self, payload: bytes) -> bytes:
        return payload[: self._random.randrange(len(payload))]

    def _broken(self, payload: bytes) -> bytes:
        at = self._random.randrange(len(payload))
        breaker = self._random.choice(BREAKERS)
        return payload[:at] + breaker + payload[at + len(breaker) :]

    def _grown(self, payload: bytes) -> bytes:
        at = self._random.randrange(len(payload))
        return payload[:at] + self._random.randbytes(self._random.choice((1, 10, 3_000, 200_000))) + payload[at:]


assert SCHEMAS, "the schemas are where they belong"
