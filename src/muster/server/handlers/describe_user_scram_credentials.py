"""DescribeUserScramCredentials (50), version 0 (KIP-554): which users there are, by which mechanisms. Never how they prove it.

No names, or null, asks for everybody.
"""

from __future__ import annotations

from collections import Counter

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster
from muster.server.call import Call
from muster.server.handlers.alter_user_scram_credentials import MECHANISM_NUMBERS
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, DUPLICATE_RESOURCE, NONE, RESOURCE_NOT_FOUND
from muster.wire.generated.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResponseCredentialInfo,
    DescribeUserScramCredentialsResponseResult,
)


def handle(call: Call, request: DescribeUserScramCredentialsRequest, node: Node) -> None:
    if not authorize_cluster(call, node, Operation.DESCRIBE):
        call.reply(
            DescribeUserScramCredentialsResponse(
                error_code=CLUSTER_AUTHORIZATION_FAILED, error_message="Cluster authorization failed."
            )
        )
        return
    asked = [user.name for user in request.users or ()]
    names = list(dict.fromkeys(asked)) or node.users.names()
    repeated = {name for name, times in Counter(asked).items() if times > 1}
    call.reply(
        DescribeUserScramCredentialsResponse(
            error_message=None, results=[_result(node, name, is_repeated=name in repeated) for name in names]
        )
    )


def _result(node: Node, name: str, *, is_repeated: bool) -> DescribeUserScramCredentialsResponseResult:
    if is_repeated:
        return DescribeUserScramCredentialsResponseResult(
            name,
            DUPLICATE_RESOURCE,
            f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}",
        )
    credentials = node.users.mechanisms_of(name)
    if credentials is None:
        return DescribeUserScramCredentialsResponseResult(
            name, RESOURCE_NOT_FOUND, f"Attempt to describe a user credential that does not exist: {name}"
        )
    return DescribeUserScramCredentialsResponseResult(
        name,
        NONE,
        None,
        [
            DescribeUserScramCredentialsResponseCredentialInfo(MECHANISM_NUMBERS[mechanism], credential.iterations)
            for mechanism, credential in sorted(credentials.items())
        ],
    )
