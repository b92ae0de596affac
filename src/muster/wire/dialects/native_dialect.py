"""The native dialect: the form that mypyc compiles best, over `librt.strings`; for the APIs that servers see most.

Measured: compiled it takes a quarter to a sixth of what the struct dialect takes, which gains next to nothing from being
compiled; interpreted it is 1.4 to 5.8 times slower than that.
"""

from __future__ import annotations

from muster.wire.dialects.native_decode import NativeDecoderWriter
from muster.wire.dialects.native_encode import NativeEncoderWriter
from muster.wire.schema import Api, Message

_IN_PRIMITIVES = frozenset({"misfit", "overrun"})


class NativeDialect:
    """Fulfils `interface.Dialect`."""

    def __init__(self) -> None:
        self.librt: set[str] = {"BytesWriter"}
        self.used: set[str] = {"overrun"}

    def decode_body(self, api: Api, message: Message, version: int) -> list[str]:
        return NativeDecoderWriter(api, version, self.librt, self.used).body(message)

    def encode_body(self, api: Api, message: Message, version: int) -> list[str]:
        return NativeEncoderWriter(api, version, self.librt, self.used).body(message)

    def imports(self) -> list[str]:
        return [
            f"from librt.strings import {', '.join(sorted(self.librt))}",
            "from mypy_extensions import i64",
            "",
            "from muster.wire.message import Message, encode_failure",
            f"from muster.wire.native import {', '.join(sorted(self.used - _IN_PRIMITIVES))}",
            f"from muster.wire.primitives import {', '.join(sorted(self.used & _IN_PRIMITIVES))}",
        ]

    def constants(self) -> list[str]:
        return []
