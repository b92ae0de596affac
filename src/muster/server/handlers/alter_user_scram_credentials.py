"""AlterUserScramCredentials (51), version 0 (KIP-554): credentials of users are added, replaced and removed.

All alterations of one user happen or none; users are answered apart. The password itself does not come here: the client salts it.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TypeAlias

from muster.log.contract import StorageError
from muster.log_limit import LogLimit
from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.security.sasl import SCRAM_SHA_256, SCRAM_SHA_512
from muster.security.scram import MAX_ITERATIONS, MIN_ITERATIONS, ScramCredential, credential_of
from muster.security.users import MAX_NAME_CHARS, MAX_USERS
from muster.server.authorize import authorize_cluster, tell_change
from muster.server.call import Call
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    DUPLICATE_RESOURCE,
    KAFKA_STORAGE_ERROR,
    NONE,
    RESOURCE_NOT_FOUND,
    UNACCEPTABLE_CREDENTIAL,
    UNSUPPORTED_SASL_MECHANISM,
)
from muster.wire.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsRequestDeletion,
    AlterUserScramCredentialsRequestUpsertion,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResponseResult,
)

_failures = LogLimit(logging.getLogger("muster.users"), "changes of credentials that could not be kept", monotonic)
MECHANISM_NUMBERS = {SCRAM_SHA_256: 1, SCRAM_SHA_512: 2}
MECHANISM_NAMES = {number: name for name, number in MECHANISM_NUMBERS.items()}

Refusal: TypeAlias = tuple[int, str]
Alteration: TypeAlias = AlterUserScramCredentialsRequestDeletion | AlterUserScramCredentialsRequestUpsertion


def handle(call: Call, request: AlterUserScramCredentialsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: AlterUserScramCredentialsRequest, node: Node) -> AlterUserScramCredentialsResponse:
    names = list(dict.fromkeys(each.name for each in _alterations(request)))
    if not authorize_cluster(call, node, Operation.ALTER):
        denied = (CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
        return _response(dict.fromkeys(names, denied))
    refusals = _refusals(request, node)
    good = [name for name in names if name not in refusals]
    try:
        _alter(request, node, frozenset(good))
    except StorageError as error:
        _failures.error("credentials of %d users cannot be kept: %s", len(good), error)
        refusals.update(dict.fromkeys(good, (KAFKA_STORAGE_ERROR, "The credentials cannot be kept.")))
    else:
        for name in good:
            tell_change(call, node, f"altered the SCRAM credentials of user {quoted(name)}")
    return _response({name: refusals.get(name, (NONE, None)) for name in names})


def _alterations(request: AlterUserScramCredentialsRequest) -> list[Alteration]:
    return [*request.deletions, *request.upsertions]


def _alter(request: AlterUserScramCredentialsRequest, node: Node, good: frozenset[str]) -> None:
    if good:
        node.users.alter(
            [
                (each.name, MECHANISM_NAMES[each.mechanism], _credential(each))
                for each in request.upsertions
                if each.name in good
            ],
            [(each.name, MECHANISM_NAMES[each.mechanism]) for each in request.deletions if each.name in good],
        )


def _credential(upsertion: AlterUserScramCredentialsRequestUpsertion) -> ScramCredential:
    return credential_of(
        MECHANISM_NAMES[upsertion.mechanism], upsertion.salted_password, upsertion.salt, upsertion.iterations
    )


def _refusals(request: AlterUserScramCredentialsRequest, node: Node) -> dict[str, Refusal]:
    """By user name; the first thing that is wrong."""
    refusals: dict[str, Refusal] = {}
    altered: set[tuple[str, int]] = set()
    new: set[str] = set()
    for each in _alterations(request):
        name, mechanism = each.name, each.mechanism
        refusal: Refusal | None = None
        if not name:
            refusal = UNACCEPTABLE_CREDENTIAL, "Username must not be empty"
        elif mechanism not in MECHANISM_NAMES:
            refusal = UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"
        elif (name, mechanism) in altered:
            refusal = DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request"
        elif isinstance(each, AlterUserScramCredentialsRequestUpsertion):
            refusal = _upsertion_refusal(each) or _limit_refusal(node, name, new)
        elif MECHANISM_NAMES[mechanism] not in (node.users.mechanisms_of(name) or {}):
            refusal = RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"
        altered.add((name, mechanism))
        if refusal is not None:
            refusals.setdefault(name, refusal)
    return refusals


def _upsertion_refusal(upsertion: AlterUserScramCredentialsRequestUpsertion) -> Refusal | None:
    if upsertion.iterations < MIN_ITERATIONS:
        return UNACCEPTABLE_CREDENTIAL, "Too few iterations"
    if upsertion.iterations > MAX_ITERATIONS:
        return UNACCEPTABLE_CREDENTIAL, "Too many iterations"
    if not upsertion.salt or not upsertion.salted_password:
        # Deviates: Kafka keeps a credential without salt or password; nobody could mean that.
        return UNACCEPTABLE_CREDENTIAL, "Salt and salted password must not be empty"
    return None


def _limit_refusal(node: Node, name: str, new: set[str]) -> Refusal | None:
    if len(name) > MAX_NAME_CHARS:
        return UNACCEPTABLE_CREDENTIAL, f"Username is longer than {MAX_NAME_CHARS} characters"
    if node.users.mechanisms_of(name) is None:
        new.add(name)
    if len(node.users.names()) + len(new) > MAX_USERS and name in new:
        return UNACCEPTABLE_CREDENTIAL, f"There are {MAX_USERS} users already"
    return None


def _response(results: dict[str, tuple[int, str | None]]) -> AlterUserScramCredentialsResponse:
    return AlterUserScramCredentialsResponse(
        results=[
            AlterUserScramCredentialsResponseResult(name, code, message) for name, (code, message) in results.items()
        ]
    )
