"""DescribeClientQuotas (48), versions 0 to 1 (KIP-546): the quotas that are set, for whom a filter says."""

from __future__ import annotations

from typing import Final

from muster.runtime.node import Node
from muster.security.quota_entities import ALL_KEYS, CLIENT_ID, IP, TYPES, USER
from muster.security.quota_store import QuotaFilter
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster
from muster.server.call import Call
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, INVALID_REQUEST, UNSUPPORTED_VERSION
from muster.wire.generated.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    DescribeClientQuotasResponseEntity,
    DescribeClientQuotasResponseEntry,
    DescribeClientQuotasResponseValue,
)
from muster.wire.special_values import MATCH_ANY_NAME, MATCH_DEFAULT, MATCH_EXACT

_WITHOUT_NAME: Final = {MATCH_DEFAULT: "MATCH_TYPE_DEFAULT", MATCH_ANY_NAME: "MATCH_TYPE_SPECIFIED"}


class _FilterRefused(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def handle(call: Call, request: DescribeClientQuotasRequest, node: Node) -> None:
    if not authorize_cluster(call, node, Operation.DESCRIBE_CONFIGS):
        call.reply(_refused(CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."))
        return
    try:
        wanted = _filter(request)
    except _FilterRefused as refused:
        call.reply(_refused(refused.code, str(refused)))
        return
    call.reply(
        DescribeClientQuotasResponse(
            error_message="",  # not null: observed on a real broker
            entries=[
                DescribeClientQuotasResponseEntry(
                    [DescribeClientQuotasResponseEntity(*part) for part in entity.names],
                    [DescribeClientQuotasResponseValue(key, values[key]) for key in ALL_KEYS if key in values],
                )
                for entity, values in node.quotas.matching(wanted)
            ],
        )
    )


def _refused(code: int, message: str) -> DescribeClientQuotasResponse:
    return DescribeClientQuotasResponse(error_code=code, error_message=message, entries=None)


def _filter(request: DescribeClientQuotasRequest) -> QuotaFilter:
    exact: dict[str, str | None] = {}
    any_name: set[str] = set()
    for component in request.components:
        entity_type, kind, name = component.entity_type, component.match_type, component.match
        if not entity_type:
            raise _FilterRefused(INVALID_REQUEST, "Invalid empty entity type.")
        if entity_type in exact or entity_type in any_name:
            raise _FilterRefused(
                INVALID_REQUEST, f"Entity type {entity_type} cannot appear more than once in the filter."
            )
        if entity_type not in TYPES:
            raise _FilterRefused(UNSUPPORTED_VERSION, f"Unsupported entity type {entity_type}")
        if kind == MATCH_EXACT and name is None:
            raise _FilterRefused(INVALID_REQUEST, "Request specified MATCH_TYPE_EXACT, but set match string to null.")
        if kind in _WITHOUT_NAME and name is not None:
            raise _FilterRefused(
                INVALID_REQUEST, f"Request specified {_WITHOUT_NAME[kind]}, but also specified a match string."
            )
        if kind in (MATCH_EXACT, MATCH_DEFAULT):
            exact[entity_type] = name
        elif kind == MATCH_ANY_NAME:
            any_name.add(entity_type)
        else:
            raise _FilterRefused(INVALID_REQUEST, f"Unknown match type {kind}")
    asked = exact.keys() | any_name
    if IP in asked and asked & {USER, CLIENT_ID}:
        raise _FilterRefused(
            INVALID_REQUEST,
            "Invalid entity filter component combination. IP filter component should not be used with user or clientId"
            " filter component.",
        )
    return QuotaFilter(exact, frozenset(any_name), request.strict)
