"""The differences from Apache Kafka that are meant, each with its reason. What is not listed here is a fault.

Patterns are those of `fnmatch` over the title of the play, the API and the path of the field. Read by `compare`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

ABSENT: Final = "<absent>"
_ANYTHING: Final = "*"


@dataclass(frozen=True)
class Deviation:
    reason: str
    title: str = "*"
    api: str = "*"
    field: str = "*"
    step: str = "*"
    ours: Any = _ANYTHING


DEVIATIONS: Final[tuple[Deviation, ...]] = (
    Deviation(
        "only what is served is shown: share and streams groups and others are not built",
        api="ApiVersions",
        field="api_keys[*]",
        ours=ABSENT,
    ),
    *(
        Deviation(
            "this version adds nothing that a single node could use",
            api="ApiVersions",
            field=f"api_keys[{key}].max_version",
        )
        for key in (1, 2, 35)
    ),
    Deviation(
        "an ACL that says ANY or MATCH is refused by itself; Kafka answers UNKNOWN_SERVER_ERROR for the whole request",
        title="acls-A2b",
        api="CreateAcls",
    ),
    Deviation(
        "who may not see or change ACLs is told which request was refused, not how the server holds it in memory",
        title="acl_rights-A7",
        field="*error_message",
    ),
    Deviation(
        "a message about addresses is spelled as it is meant",
        title="quotas-Q2",
        api="AlterClientQuotas",
        field="entries[0].error_message",
    ),
    Deviation(
        "a quota is a finite number; Kafka keeps infinite ones and NaN too", title="quotas-Q3b", api="AlterClientQuotas"
    ),
    Deviation(
        "share groups and streams groups are not built, and so are their settings",
        title="cg_configs-G2",
        api="DescribeConfigs",
        field="results[0].configs[s*]",
        ours=ABSENT,
    ),
    Deviation(
        "a subscription that cannot be read is the client's fault: INCONSISTENT_GROUP_PROTOCOL, not UNKNOWN_SERVER_ERROR",
        title="cg_classic-C3",
        api="JoinGroup",
        step="*(range 0x*",
        field="error_code",
        ours=23,
    ),
    Deviation(
        "an assignment that cannot be read is answered like such a subscription, not UNKNOWN_SERVER_ERROR",
        title="cg_migration-M6",
        api="ConsumerGroupHeartbeat",
        field="error_*",
    ),
    Deviation("features that are not built are not shown", api="ApiVersions", field="*_features[*]", ours=ABSENT),
    Deviation(
        "there is one metadata level, nothing to upgrade from",
        api="ApiVersions",
        field="supported_features[metadata.version].min_version",
    ),
    Deviation(
        "the waiting SyncGroup of a member that is gone is answered UNKNOWN_MEMBER_ID; Kafka never answers it (spec 13.10)",
        title="leave-T111",
        step="waits B*",
    ),
    Deviation(
        "after a member was put out for lack of room the join phase is looked at again; Kafka lets it time out (spec 13.16)",
        title="capacity-T062",
        step="waits A.2 C*",
    ),
    Deviation(
        "a group made by a commit that stored nothing shows at once; Kafka shows it after the shard's next write (spec 4.1)",
        title="offset_commit-T163b",
        api="DescribeGroups",
    ),
    Deviation(
        "an oversize commit is answered INVALID_COMMIT_OFFSET_SIZE, the code of the published schema (spec 13.14)",
        title="offset_commit-13.14*",
        field="*error_code",
        ours=28,
    ),
    Deviation(
        "no fetch sessions: id 0 tells the client to send whole requests (KIP-227)", title="records-F6", api="Fetch"
    ),
    Deviation(
        "a batch that does not fit is left out whole; Kafka sends its beginning, which clients drop",
        title="records-F3",
        field="*.records[*]",
        ours=ABSENT,
    ),
    Deviation(
        "aborted transactions behind the batches that are returned are left out; Kafka's sparse index may name some",
        title="txn_read-R2",
        step="*max_bytes=1 *",
        api="Fetch",
        field="*.aborted_transactions[*]",
        ours=ABSENT,
    ),
    Deviation(
        "a transactional id that is listed several times is described once",
        title="txn_views-D1",
        api="DescribeTransactions",
        field="transaction_states[*]",
        ours=ABSENT,
    ),
    Deviation(
        "played with logs in memory, which have no disk of a size",
        title="records-D1",
        field="results[*]*_bytes",
        ours=-1,
    ),
    Deviation(
        "a topic that Metadata creates is there at once; Kafka answers UNKNOWN_TOPIC_OR_PARTITION first",
        title="topics-M4",
        api="Metadata",
        step="*allow_auto_topic_creation=true",
    ),
    Deviation(
        "eligible leader replicas (KIP-966) are not built; with them Kafka keeps min.insync.replicas as a cluster setting",
        field="*configs[min.insync.replicas].config_source",
        ours=5,
    ),
    Deviation(
        "an operation that does not exist is the client's fault: INVALID_REQUEST with a text, not UNKNOWN_SERVER_ERROR",
        title="configs-A1*",
        step="*(retention.ms 9 1)*",
    ),
)

TO_MEND: Final[tuple[Deviation, ...]] = ()
"""Faults that are known and not yet mended: shown as expected failures, not as accepted."""


def first_match(
    listed: tuple[Deviation, ...], title: str, step: str, api: str, field: str, ours: Any
) -> Deviation | None:
    for each in listed:
        if (
            fnmatchcase(title, each.title)
            and fnmatchcase(api, each.api)
            and fnmatchcase(_plain(field), _plain(each.field))
            and fnmatchcase(_plain(step), _plain(each.step))
            and each.ours in (_ANYTHING, ours)
        ):
            return each
    return None


def _plain(text: str) -> str:
    """Square brackets are keys in paths, not sets of characters."""
    return text.replace("[", "<").replace("]", ">")
