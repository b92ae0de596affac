"""The struct dialect: plain Python over `struct.Struct`, the fastest form that needs no compiler.

Measured against the form that mypyc compiles best, which interpreted is 1.4 to 5.8 times slower: hence dialects.
"""

from __future__ import annotations

from typing import Final

from tools.codecs.dialects.layouts import Layouts
from tools.codecs.dialects.struct_decode import DecoderWriter
from tools.codecs.dialects.struct_encode import EncoderWriter
from tools.codecs.schema import Api, Message

IN_MESSAGE: Final = frozenset({"octets_of"})
IN_VARINT: Final = frozenset({"read_uvarint", "uvarint"})


class StructDialect:
    """Fulfils `interface.Dialect`."""

    def __init__(self, *, by_constructor: bool = False) -> None:
        """`by_constructor`: for classes that may be compiled, which have no other way to be made. It takes a little longer."""
        self.by_constructor = by_constructor
        self.layouts = Layouts()
        self.used: set[str] = set()

    def decode_body(self, api: Api, message: Message, version: int) -> list[str]:
        return DecoderWriter(api, version, self.layouts, self.used, self.by_constructor).body(message)

    def encode_body(self, api: Api, message: Message, version: int) -> list[str]:
        return EncoderWriter(api, version, self.layouts, self.used).body(message)

    def item_functions(self) -> list[list[str]]:
        return []  # whoever lays items out without objects uses those of the native dialect, interpreted if need be

    def imports(self) -> list[str]:
        varints = sorted(self.used & IN_VARINT)
        return [
            "from struct import Struct, error as StructError",
            "",
            f"from muster.wire.message import {', '.join(['Message', 'encode_failure', *sorted(self.used & IN_MESSAGE)])}",
            f"from muster.wire.primitives import {', '.join(sorted(self.used - IN_MESSAGE - IN_VARINT))}",
            *([f"from muster.wire.varint import {', '.join(varints)}"] if varints else []),
        ]

    def constants(self) -> list[str]:
        new = [] if self.by_constructor else ["new = Message.__new__"]
        return [*new, *self.layouts.constants()]
