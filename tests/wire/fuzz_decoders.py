"""Coverage-guided fuzzing of every decoder: `make fuzz`, or `python tests/wire/fuzz_decoders.py SECONDS`.

The input chooses message and version by its first three bytes, the rest is the body. A message or a WireError is right,
anything else is a find: atheris stops, prints the traceback and writes the input to a crash file. Messages that were read are
written and read again and have to be equal: what we accept we can also say.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import FunctionType

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from muster.wire import apis, primitives
from muster.wire.consumer_protocol import decode_subscribed_topics, decode_subscription
from muster.wire.errors import EncodeError, WireError
from tests.wire.messages import EVERY_VERSION, SCHEMAS
from tests.wire.test_malformed import valid_body
from tests.wire.test_round_trip import codecs

CODECS: list[tuple[apis.Encoder, apis.Decoder]] = [
    codecs(SCHEMAS[name].key, direction, version) for name, direction, version in EVERY_VERSION
]


def check(raw: bytes) -> None:
    """One input: raises only what is a defect of ours."""
    body = raw[2:]
    encode, decode = CODECS[int.from_bytes(raw[:2], "big") % len(CODECS)]
    decode_subscribed_topics(body)
    with suppress(WireError):
        decode_subscription(body)
    try:
        message = decode(body, 0)
    except WireError:
        return
    try:
        again = decode(encode(message), 0)
    except EncodeError:
        # An i16 length can no longer hold a string whose bad bytes were read as three-byte replacement characters.
        assert b"\xef\xbf\xbd" in repr(message).encode()
        return
    # A tagged struct that says only defaults is read but not written, so compare what is written.
    assert encode(again) == encode(message), f"{message!r} came back as {again!r}"


def seeds() -> list[bytes]:
    """A valid body of every message and version."""
    return [
        index.to_bytes(2, "big") + valid_body(name, direction, version)
        for index, (name, direction, version) in enumerate(EVERY_VERSION)
    ]


def watched_functions() -> list[FunctionType]:
    """What coverage guides by: our decoders and what they call. Watching every loaded module took a minute to start."""
    decoders = {decode for _, decode in CODECS if isinstance(decode, FunctionType)}
    shared = [each for each in vars(primitives).values() if isinstance(each, FunctionType)]
    return [*sorted(decoders, key=lambda each: (each.__module__, each.__name__)), *shared]


def main() -> int:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install '.[fuzz]' (it has wheels for Linux and CPython 3.11 to 3.13)")
        return 1
    corpus = Path(tempfile.mkdtemp(prefix="muster-fuzz-"))
    for index, seed in enumerate(seeds()):
        (corpus / f"seed-{index:03}").write_bytes(seed)
    print(f"fuzzing {len(CODECS)} decoders for {seconds} s; inputs that reach new code are kept in {corpus}")
    for function in watched_functions():
        atheris.instrument_func(function)
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=4096", str(corpus)], check)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
