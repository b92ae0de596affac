"""AlterClientQuotas (49), versions 0 to 1 (KIP-546): quotas are set and removed, each entity for itself.

What is answered without an error is durable and counts from the next request on, also for connections that are open.
"""

from __future__ import annotations

from typing import TypeAlias

from muster.log.contract import StorageError
from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.quota_entities import TYPES, Entity, QuotaRefused, check_value, checked_entity
from muster.security.quota_store import Change, TooManyQuotas
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, tell_change
from muster.server.call import Call
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    INVALID_REQUEST,
    KAFKA_STORAGE_ERROR,
    NONE,
    POLICY_VIOLATION,
)
from muster.wire.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntry,
    AlterClientQuotasResponse,
    AlterClientQuotasResponseEntity,
    AlterClientQuotasResponseEntry,
)

Asked: TypeAlias = tuple[tuple[str, str | None], ...]
"""(type, name) pairs as the client sent them, in the order in which they are shown."""
Answer: TypeAlias = tuple[int, str | None]


def handle(call: Call, request: AlterClientQuotasRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: AlterClientQuotasRequest, node: Node) -> AlterClientQuotasResponse:
    answers: dict[Asked, Answer] = {}
    if not authorize_cluster(call, node, Operation.ALTER_CONFIGS):
        denied = (CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
        return _response({_asked(entry): denied for entry in request.entries})
    changes: dict[Asked, Change] = {}
    for entry in request.entries:
        asked = _asked(entry)
        try:
            if asked in answers:
                raise QuotaRefused(_twice(asked))
            changes[asked] = _change(entry, asked)
            answers[asked] = (NONE, None)
        except QuotaRefused as refused:
            changes.pop(asked, None)
            answers[asked] = (INVALID_REQUEST, str(refused))
    if not request.validate_only:
        failure = _alter(call, node, list(changes.values()))
        answers.update(dict.fromkeys(changes, failure))
    return _response(answers)


def _asked(entry: AlterClientQuotasRequestEntry) -> Asked:
    names = {each.entity_type: each.entity_name for each in entry.entity}
    order = [*(each for each in TYPES if each in names), *(each for each in names if each not in TYPES)]
    return tuple((each, names[each]) for each in order)


def _change(entry: AlterClientQuotasRequestEntry, asked: Asked) -> Change:
    entity: Entity = checked_entity(asked)
    values: dict[str, float | None] = {}
    for op in entry.ops:
        if op.key in values:
            raise QuotaRefused(_twice(asked))
        if not op.remove:  # as in Kafka, anything may be removed, whether there is such a quota or not
            check_value(entity, op.key, op.value)
        values[op.key] = None if op.remove else op.value
    return entity, values


def _twice(asked: Asked) -> str:
    names = ", ".join(f"{each}={'null' if name is None else name}" for each, name in asked)
    return f"Ignoring duplicate entity ClientQuotaEntity(entries={{{names}}})"


def _alter(call: Call, node: Node, changes: list[Change]) -> Answer:
    """The answer that all of them get: they are made together."""
    try:
        node.quotas.alter(changes)
    except TooManyQuotas as refused:
        return POLICY_VIOLATION, str(refused)
    except StorageError as error:
        return KAFKA_STORAGE_ERROR, str(error)
    for entity, values in changes:
        if values:
            words = ", ".join(
                f"{key} removed" if value is None else f"{key}={value:.12g}" for key, value in values.items()
            )
            tell_change(call, node, f"set quotas of {quoted(str(entity))}: {quoted(words)}")
    return NONE, None


def _response(answers: dict[Asked, Answer]) -> AlterClientQuotasResponse:
    return AlterClientQuotasResponse(
        entries=[
            AlterClientQuotasResponseEntry(
                code, message, [AlterClientQuotasResponseEntity(each, name) for each, name in asked]
            )
            for asked, (code, message) in answers.items()
        ]
    )
