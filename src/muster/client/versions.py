"""Which version of each API two sides have in common, from the answer to ApiVersions.

Some APIs are spoken in an older version than both know, because later ones name topics by id alone, and names are what
callers have and what old brokers know too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from muster.client.failure import ClientError
from muster.wire.apis import API_KEYS, APIS
from muster.wire.errors import UNSUPPORTED_VERSION
from muster.wire.generated.api_versions import ApiVersionsResponseApiKey
from muster.wire.header import API_VERSIONS_KEY

BY_NAME_UP_TO: Final = {"Produce": 12, "Fetch": 12, "OffsetCommit": 9, "OffsetFetch": 9}
"""KIP-516: from the next version on these take topic ids only."""


class CommonVersions:
    """What can be said on one connection."""

    def __init__(self, offered: Iterable[ApiVersionsResponseApiKey]) -> None:
        self._common: dict[str, int] = {}
        self._offered = {each.api_key: (each.min_version, each.max_version) for each in offered}
        for key, (least, most) in self._offered.items():
            api = APIS.get(key)
            if api is None:
                continue
            version = min(most, api.max_version, BY_NAME_UP_TO.get(api.name, most))
            if version >= max(least, api.min_version):
                self._common[api.name] = version

    def __contains__(self, api: str) -> bool:
        return api in self._common

    def of(self, api: str) -> int:
        """The version to speak; ClientError if there is none."""
        version = self._common.get(api)
        if version is not None:
            return version
        known = APIS[API_KEYS[api]]
        theirs = self._offered.get(known.key)
        if self._offered.keys() == {API_VERSIONS_KEY}:
            detail = "nothing but ApiVersions is spoken there, as at the metrics address of Muster"
            raise ClientError(UNSUPPORTED_VERSION, f"ask {api}", detail, hint="Check the port")
        detail = f"the server has versions {theirs[0]} to {theirs[1]}" if theirs else "the server does not have it"
        ours = f"this client has {known.min_version} to {known.max_version}"
        raise ClientError(UNSUPPORTED_VERSION, f"ask {api}", f"{detail}, {ours}")
