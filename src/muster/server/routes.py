"""From the first four bytes of a request (api key and version, as one number) to everything needed to serve it.

A route is prepared when its first request comes, so that starting imports no codec and no handler that nobody uses.
Called by connections. Knows which APIs are served, nothing of what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from os import environ
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from muster.server.call import Call
from muster.wire import apis
from muster.wire.errors import WireError
from muster.wire.header import API_VERSIONS_KEY, has_flexible_response_header
from muster.wire.primitives import skip_tagged

if TYPE_CHECKING:
    from muster.server.intake.repeated_request import RepeatedRequest

Handler: TypeAlias = Callable[[Call, Any, Any], None]
"""handle(call, request message, node)"""
Learner: TypeAlias = Callable[["RepeatedRequest", Call, Any, Any, bytes, int], None]
"""learn(repeated: what to keep the request in, call, request message, node, payload: the bytes behind the correlation id, where in
it the body begins). It keeps nothing if the next such request may be answered otherwise."""
HandlerTable: TypeAlias = Mapping[int, "str | Handler"]
"""A handler, or the module that holds it as `handle`, perhaps with a `learn` beside it."""

LEARNS_REPEATS: Final = not environ.get("MUSTER_NO_REPEATS")
"""False: every request is read as a whole, which takes longer and gives the same answers (decision 0016)."""
_PREFIX = Struct(">i").pack
_KEY_AND_VERSION = Struct(">hh").unpack


class Route:
    """How one version of one API is read, handled and written."""

    __slots__ = (
        "api_key",
        "decode",
        "encode",
        "flexible_reply",
        "flexible_request",
        "handle",
        "learn",
        "name",
        "version",
    )

    def __init__(
        self,
        api_key: int,
        name: str,
        version: int,
        decode: Callable[[bytes, int], object],
        encode: Callable[[Any], bytes],
        handle: Handler,
        learn: Learner | None = None,
        *,
        flexible_request: bool,
        flexible_reply: bool,
    ) -> None:
        self.api_key = api_key
        self.name = name
        self.version = version
        self.decode = decode
        self.encode = encode
        self.handle = handle
        self.learn = learn
        """Of an API whose requests repeat (`RepeatedRequest`)."""
        self.flexible_request = flexible_request
        self.flexible_reply = flexible_reply

    def behind_tags(self, frame: bytes, position: int) -> int:
        """Where a request's body begins, if the tagged fields of its header begin at `position`."""
        if position < len(frame) and frame[position] == 0:
            return position + 1
        try:
            return skip_tagged(frame, position)
        except IndexError:
            raise WireError(
                f"{self.name} v{self.version}: the frame ends inside its header, in the tagged fields"
            ) from None

    def __repr__(self) -> str:
        return f"Route({self.name} v{self.version})"


class Routes:
    """The served APIs; `prepared` is the hot lookup, `find` fills it."""

    __slots__ = ("_handlers", "_unsupported_api_versions", "_when", "learns_repeats", "prepared")

    def __init__(self, handlers: HandlerTable, when: str = "", *, learns_repeats: bool = LEARNS_REPEATS) -> None:
        """`when` says in refusals why a table of few has so few: "before the client is authenticated"."""
        self._handlers = handlers
        self.learns_repeats = learns_repeats
        self._when = when
        self.prepared: dict[int, Route] = {}
        self._unsupported_api_versions: Route | None = None

    def find(self, prefix: int) -> Route:
        """The route of a request that begins with this number; WireError says why there is none."""
        api_key, version = _KEY_AND_VERSION(_PREFIX(prefix))
        entry = self._handlers.get(api_key)
        if entry is None and self._when and api_key in apis.APIS:
            raise WireError(f"{apis.APIS[api_key].name} is not served {self._when}")
        if entry is None or api_key not in apis.APIS:
            raise WireError(f"api key {api_key} (version {version}) is not served")
        api = apis.APIS[api_key]
        if not api.has_version(version):
            if api_key == API_VERSIONS_KEY:
                return self._for_unsupported_api_versions()
            raise WireError(
                f"{api.name} version {version} is not supported; supported: {api.min_version} to {api.max_version}"
            )
        route = _prepare(api, version, entry, self.learns_repeats)
        self.prepared[prefix] = route
        return route

    def only(self, names: tuple[str, ...], when: str) -> Routes:
        """A table of some of these, for a connection that may not have all yet."""
        keys = [apis.API_KEYS[name] for name in names]
        handlers = {key: self._handlers[key] for key in keys if key in self._handlers}
        return Routes(handlers, when, learns_repeats=self.learns_repeats)

    def _for_unsupported_api_versions(self) -> Route:
        """Header v2 whatever the number, the body ignored, the answer in v0 layout (spec 2.3). One for all of them."""
        if self._unsupported_api_versions is None:
            from muster.server.handlers import api_versions

            self._unsupported_api_versions = Route(
                API_VERSIONS_KEY,
                apis.APIS[API_VERSIONS_KEY].name,
                0,
                _ignore_body,
                apis.response_encoder(API_VERSIONS_KEY, 0),
                api_versions.refuse_version,
                flexible_request=True,
                flexible_reply=False,
            )
        return self._unsupported_api_versions


def _prepare(api: apis.Api, version: int, entry: str | Handler, learns_repeats: bool) -> Route:
    flexible = api.is_flexible(version)
    module = import_module(entry) if isinstance(entry, str) else None
    return Route(
        api.key,
        api.name,
        version,
        apis.request_decoder(api.key, version),
        apis.response_encoder(api.key, version),
        entry if module is None else module.handle,  # type: ignore[arg-type]
        getattr(module, "learn", None) if learns_repeats else None,
        flexible_request=flexible,
        flexible_reply=has_flexible_response_header(api.key, version),
    )


def _ignore_body(_frame: bytes, _position: int) -> object:
    return None
