"""Quotas of a cluster, Muster's or any Kafka's: list them, set and remove them. Each takes the cluster first and raises
ClientError."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.security.quota_entities import Entity
from muster.wire.errors import NONE
from muster.wire.generated.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntity,
    AlterClientQuotasRequestEntry,
    AlterClientQuotasRequestOp,
    AlterClientQuotasResponse,
)
from muster.wire.generated.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasRequestComponent,
    DescribeClientQuotasResponse,
)
from muster.wire.special_values import MATCH_ANY_NAME, MATCH_DEFAULT, MATCH_EXACT


async def list_quotas(
    cluster: Cluster, names: Mapping[str, str | None], any_name: Sequence[str] = (), *, strict: bool = False
) -> list[tuple[Entity, dict[str, float]]]:
    """Those of entities that have these parts with these names (None: the default) and these parts with any name. `strict`: and
    no other parts."""
    components = [
        DescribeClientQuotasRequestComponent(each, MATCH_DEFAULT if name is None else MATCH_EXACT, name)
        for each, name in names.items()
    ] + [DescribeClientQuotasRequestComponent(each, MATCH_ANY_NAME, None) for each in any_name]

    async def attempt() -> list[tuple[Entity, dict[str, float]]]:
        reply: DescribeClientQuotasResponse = await cluster.ask_any(
            "DescribeClientQuotas", DescribeClientQuotasRequest(components, strict)
        )
        if reply.error_code != NONE:
            raise ClientError(reply.error_code, "list quotas", reply.error_message)
        return [
            (
                Entity.of({part.entity_type: part.entity_name for part in entry.entity}),
                {value.key: value.value for value in entry.values},
            )
            for entry in reply.entries or ()
        ]

    return await cluster.persist(attempt)


async def alter_quotas(
    cluster: Cluster, entity: Entity, changes: Mapping[str, float | None], *, validate_only: bool = False
) -> None:
    """Set these, and remove those whose value is None: all or nothing."""
    request = AlterClientQuotasRequest(
        [
            AlterClientQuotasRequestEntry(
                [AlterClientQuotasRequestEntity(each, name) for each, name in entity.names],
                [AlterClientQuotasRequestOp(key, value or 0.0, value is None) for key, value in changes.items()],
            )
        ],
        validate_only,
    )

    async def attempt() -> None:
        reply: AlterClientQuotasResponse = await cluster.ask_controller("AlterClientQuotas", request)
        for entry in reply.entries:
            if entry.error_code != NONE:
                raise ClientError(entry.error_code, f"set quotas of {entity}", entry.error_message)

    await cluster.persist(attempt)
