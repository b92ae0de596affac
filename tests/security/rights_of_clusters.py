"""The rights that the APIs about the cluster ask for: settings of brokers and groups, ACLs, users, producer ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from muster.security.resources import Operation
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntity,
    AlterClientQuotasRequestEntry,
)
from muster.wire.generated.alter_configs import AlterConfigsRequest, AlterConfigsRequestResource
from muster.wire.generated.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsRequestDeletion,
)
from muster.wire.generated.create_acls import CreateAclsRequest, CreateAclsRequestCreation
from muster.wire.generated.delete_acls import DeleteAclsRequest, DeleteAclsRequestFilter
from muster.wire.generated.describe_acls import DescribeAclsRequest
from muster.wire.generated.describe_client_quotas import DescribeClientQuotasRequest
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.describe_log_dirs import DescribeLogDirsRequest
from muster.wire.generated.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestResource,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_config_resources import ListConfigResourcesRequest
from tests.security.rights import CLUSTER, GROUP, TOPIC, TRANSACTIONAL_ID, Right, whole

DESCRIBE, ALTER = Operation.DESCRIBE, Operation.ALTER
DESCRIBE_CONFIGS, ALTER_CONFIGS = Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS
_DENIED = CLUSTER_AUTHORIZATION_FAILED
_BROKER, _GROUP = 4, 32
_ANY_ACL: dict[str, Any] = {"resource_type_filter": 1, "pattern_type_filter": 1, "operation": 1, "permission_type": 1}
_NAMELESS: dict[str, Any] = {"resource_name_filter": "none", "principal_filter": None, "host_filter": None}


def _top(reply: Any) -> dict[str, int]:
    return whole(reply.error_code)


def _first(entries: str) -> Callable[[Any], dict[str, int]]:
    return lambda reply: whole(getattr(reply, entries)[0].error_code)


def _resources(reply_field: str) -> Callable[[Any], dict[str, int]]:
    return lambda reply: {entry.resource_name: entry.error_code for entry in getattr(reply, reply_field)}


RIGHTS: Final = (
    Right(
        "FindCoordinator",
        (Operation.CLUSTER_ACTION, CLUSTER),
        _DENIED,
        6,
        lambda _: FindCoordinatorRequest("", 2, ["g:AAAAAAAAAAAAAAAAAAAAAA:0"]),
        _first("coordinators"),
        about="of a share group",
    ),
    Right(
        "InitProducerId",
        (Operation.IDEMPOTENT_WRITE, CLUSTER),
        _DENIED,
        4,
        lambda _: InitProducerIdRequest(None, 1),
        _top,
        instead=(Operation.WRITE, TOPIC),
        about="without a transactional id",
    ),
    Right(
        "InitProducerId",
        (Operation.WRITE, TRANSACTIONAL_ID),
        TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        4,
        lambda names: InitProducerIdRequest(names[0], 1),
        _top,
        about="with a transactional id",
    ),
    Right("DescribeLogDirs", (DESCRIBE, CLUSTER), _DENIED, 4, lambda _: DescribeLogDirsRequest(None), _top),
    Right(
        "DescribeConfigs",
        (DESCRIBE_CONFIGS, CLUSTER),
        _DENIED,
        4,
        lambda _: DescribeConfigsRequest([DescribeConfigsRequestResource(_BROKER, "1", None)]),
        _first("results"),
        about="of a broker",
    ),
    Right(
        "DescribeConfigs",
        (DESCRIBE_CONFIGS, GROUP),
        GROUP_AUTHORIZATION_FAILED,
        4,
        lambda names: DescribeConfigsRequest([DescribeConfigsRequestResource(_GROUP, name, None) for name in names]),
        _resources("results"),
        several=True,
        about="of groups",
    ),
    Right(
        "ListConfigResources",
        (DESCRIBE_CONFIGS, CLUSTER),
        _DENIED,
        1,
        lambda _: ListConfigResourcesRequest(),
        _top,
    ),
    Right(
        "AlterConfigs",
        (ALTER_CONFIGS, CLUSTER),
        _DENIED,
        2,
        lambda _: AlterConfigsRequest([AlterConfigsRequestResource(_BROKER, "1")]),
        _first("responses"),
        about="of a broker",
    ),
    Right(
        "AlterConfigs",
        (ALTER_CONFIGS, GROUP),
        GROUP_AUTHORIZATION_FAILED,
        2,
        lambda names: AlterConfigsRequest([AlterConfigsRequestResource(_GROUP, name) for name in names]),
        _resources("responses"),
        several=True,
        about="of groups",
    ),
    Right(
        "IncrementalAlterConfigs",
        (ALTER_CONFIGS, CLUSTER),
        _DENIED,
        1,
        lambda _: IncrementalAlterConfigsRequest([IncrementalAlterConfigsRequestResource(_BROKER, "1")]),
        _first("responses"),
        about="of a broker",
    ),
    Right(
        "IncrementalAlterConfigs",
        (ALTER_CONFIGS, GROUP),
        GROUP_AUTHORIZATION_FAILED,
        1,
        lambda names: IncrementalAlterConfigsRequest(
            [IncrementalAlterConfigsRequestResource(_GROUP, name) for name in names]
        ),
        _resources("responses"),
        several=True,
        about="of groups",
    ),
    Right(
        "DescribeAcls", (DESCRIBE, CLUSTER), _DENIED, 3, lambda _: DescribeAclsRequest(**_ANY_ACL, **_NAMELESS), _top
    ),
    Right(
        "CreateAcls",
        (ALTER, CLUSTER),
        _DENIED,
        3,
        lambda names: CreateAclsRequest([CreateAclsRequestCreation(6, names[0], 3, "User:nobody", "*", 8, 3)]),
        _first("results"),
    ),
    Right(
        "DeleteAcls",
        (ALTER, CLUSTER),
        _DENIED,
        3,
        lambda _: DeleteAclsRequest([DeleteAclsRequestFilter(**_ANY_ACL, **_NAMELESS)]),
        _first("filter_results"),
    ),
    Right(
        "DescribeClientQuotas",
        (DESCRIBE_CONFIGS, CLUSTER),
        _DENIED,
        1,
        lambda _: DescribeClientQuotasRequest([], strict=False),
        _top,
    ),
    Right(
        "AlterClientQuotas",
        (ALTER_CONFIGS, CLUSTER),
        _DENIED,
        1,
        lambda names: AlterClientQuotasRequest(
            [AlterClientQuotasRequestEntry([AlterClientQuotasRequestEntity("user", names[0])], [])], validate_only=True
        ),
        _first("entries"),
    ),
    Right(
        "DescribeUserScramCredentials",
        (DESCRIBE, CLUSTER),
        _DENIED,
        0,
        lambda _: DescribeUserScramCredentialsRequest(None),
        _top,
    ),
    Right(
        "AlterUserScramCredentials",
        (ALTER, CLUSTER),
        _DENIED,
        0,
        lambda names: AlterUserScramCredentialsRequest([AlterUserScramCredentialsRequestDeletion(names[0], 1)]),
        _first("results"),
    ),
)
