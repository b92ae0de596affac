"""The APIs we have codecs for, and the way to a codec: by key and version, importing an API's code when first asked.

What a server advertises is decided by the handlers it has; this table says only what can be read and written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TypeAlias

from muster.wire import message
from muster.wire.errors import WireError
from muster.wire.generated.index import ROWS
from muster.wire.late_dataclass import dataclass

IS_COMPILED: Final = not message.__file__.endswith(".py")
"""Whether this process runs the compiled form of the hot core, and so the codecs of the native dialect."""

Decoder: TypeAlias = Callable[[bytes, int], Any]
"""(buf, pos) -> message, or WireError. Bytes behind a complete message are ignored (spec 2.1)."""

Encoder: TypeAlias = Callable[[Any], bytes]
"""message -> its body without header, or EncodeError. Fields that the version lacks are left out."""


@dataclass(slots=True, frozen=True)
class Api:
    key: int
    name: str
    module: str
    """Name of the module in `muster.wire.generated` that has the classes and codecs."""
    min_version: int
    max_version: int
    flexible_from: int | None
    """The first version with varint lengths, tagged sections and the longer headers; None if there is none."""

    def is_flexible(self, version: int) -> bool:
        return self.flexible_from is not None and version >= self.flexible_from

    def has_version(self, version: int) -> bool:
        return self.min_version <= version <= self.max_version


APIS: Final[dict[int, Api]] = {row[0]: Api(*row) for row in ROWS}
API_KEYS: Final[dict[str, int]] = {api.name: api.key for api in APIS.values()}


def request_decoder(api_key: int, version: int) -> Decoder:
    codec: Decoder = _codec(api_key, version, "REQUEST_DECODERS")
    return codec


def request_encoder(api_key: int, version: int) -> Encoder:
    codec: Encoder = _codec(api_key, version, "REQUEST_ENCODERS")
    return codec


def response_decoder(api_key: int, version: int) -> Decoder:
    codec: Decoder = _codec(api_key, version, "RESPONSE_DECODERS")
    return codec


def response_encoder(api_key: int, version: int) -> Encoder:
    codec: Encoder = _codec(api_key, version, "RESPONSE_ENCODERS")
    return codec


def generated_module(api_key: int) -> ModuleType:
    """The generated module of an API: its message classes and, but for the hot APIs, the tables of its codecs."""
    api = APIS.get(api_key)
    if api is None:
        raise WireError(f"api key {api_key} is unknown")
    return import_module(f"muster.wire.generated.{api.module}")


@cache
def _codec(api_key: int, version: int, table: str) -> Any:
    """Bounded by the codecs there are: an unknown key or version raises and is not kept."""
    module = generated_module(api_key)
    api = APIS[api_key]
    if not hasattr(module, table):
        # A hot API: its codecs are apart from its classes. What servers need of them is there in the native dialect too.
        is_native = IS_COMPILED and table in ("REQUEST_DECODERS", "RESPONSE_ENCODERS")
        module = import_module(f"{module.__name__}_{'native' if is_native else 'struct'}")
    codec = getattr(module, table).get(version)
    if codec is None:
        raise WireError(f"{api.name} has no version {version}, only {api.min_version} to {api.max_version}")
    return codec
