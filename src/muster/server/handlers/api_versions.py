"""ApiVersions (18), versions 0 to 4: what this server speaks.

v1 throttle time. v3 flexible body behind the old response header, client software name and version, features. v4 may
show features whose lowest version is 0. An unsupported version is answered in v0 layout, so that any client can read
it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from muster.core.transactions.config import TRANSACTION_VERSION
from muster.server.call import Call
from muster.server.handlers.table import HANDLERS, advertised_range
from muster.wire.apis import APIS
from muster.wire.errors import INVALID_REQUEST, UNSUPPORTED_VERSION
from muster.wire.generated.api_versions import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    ApiVersionsResponseApiKey,
    ApiVersionsResponseFinalizedFeature,
    ApiVersionsResponseSupportedFeature,
)

_API_VERSIONS: Final = 18
_CLIENT_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")

SHOWS_LOWEST_0_SINCE: Final = 4
GROUP_VERSION: Final = 1
"""From 1 on clients may use the consumer protocol (KIP-848)."""
METADATA_VERSION: Final = 30
"""The level of the Kafka release whose behaviour is followed (4.3); tools show it as the broker's version."""


def handle(call: Call, request: ApiVersionsRequest, node: object) -> None:
    if call.version >= 3 and not _names_its_software(request):
        call.reply(ApiVersionsResponse(error_code=INVALID_REQUEST))
        return
    call.reply(_everything(call.version >= SHOWS_LOWEST_0_SINCE))


def refuse_version(call: Call, request: object, node: object) -> None:
    """A version that is not supported: only the range of ApiVersions itself, and the connection stays (KIP-511)."""
    call.reply(ApiVersionsResponse(error_code=UNSUPPORTED_VERSION, api_keys=[_api_key(_API_VERSIONS)]))


def _names_its_software(request: ApiVersionsRequest) -> bool:
    return all(map(_CLIENT_SOFTWARE.fullmatch, (request.client_software_name, request.client_software_version)))


@cache
def _everything(shows_lowest_0: bool) -> ApiVersionsResponse:
    lowest_0 = [
        ApiVersionsResponseSupportedFeature("group.version", 0, GROUP_VERSION),
        ApiVersionsResponseSupportedFeature("transaction.version", 0, TRANSACTION_VERSION),
    ]
    return ApiVersionsResponse(
        api_keys=[_api_key(key) for key in sorted(HANDLERS)],
        supported_features=[
            ApiVersionsResponseSupportedFeature("metadata.version", METADATA_VERSION, METADATA_VERSION),
            *(lowest_0 if shows_lowest_0 else ()),
        ],
        finalized_features_epoch=0,
        finalized_features=[
            ApiVersionsResponseFinalizedFeature("metadata.version", METADATA_VERSION, METADATA_VERSION),
            ApiVersionsResponseFinalizedFeature("group.version", GROUP_VERSION, GROUP_VERSION),
            ApiVersionsResponseFinalizedFeature("transaction.version", TRANSACTION_VERSION, TRANSACTION_VERSION),
        ],
    )


def _api_key(key: int) -> ApiVersionsResponseApiKey:
    low, high = advertised_range(APIS[key])
    return ApiVersionsResponseApiKey(key, low, high)
