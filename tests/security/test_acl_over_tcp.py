"""ACLs of a whole server: made over TCP, kept over restarts, told to the audit; and what settings turn on (docs/security.md).

Everybody is User:ANONYMOUS on a plain listener, so ACLs go by address: 127.0.0.1 is the operator, GUEST is not.
"""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from muster.core.hashing import partition_for
from muster.core.internal_topics import GROUP_JOURNAL
from muster.log.contract import StorageError
from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError
from muster.topics.creation import NewTopic
from muster.wire.batch import decode_records, iterate_batches
from muster.wire.generated.create_acls import CreateAclsRequest, CreateAclsRequestCreation
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_acls import DeleteAclsRequest, DeleteAclsRequestFilter
from muster.wire.generated.describe_acls import DescribeAclsRequest
from muster.wire.generated.describe_cluster import DescribeClusterRequest
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.server.broker.whole_server import fetch_request
from tests.server.raw_client import PATIENCE_SECONDS, RawClient

ON = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
OPERATOR, GUEST = "127.0.0.1", "127.0.0.9"
ANONYMOUS = "User:ANONYMOUS"
TOPIC, GROUP, CLUSTER = 2, 3, 4
ALL, READ, DESCRIBE = 2, 3, 8
DENY, ALLOW = 2, 3
ANY: dict[str, Any] = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}


class AddressedClient(RawClient):
    def __init__(self, port: int, source: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS, source_address=(source, 0))


@contextmanager
def serving(settings: dict[str, str], data: Path | None = None) -> Iterator[RunningServer]:
    where = {"muster.storage": "memory"} if data is None else {"muster.data": str(data)}
    with RunningServer(Settings.of({"listeners": "127.0.0.1:0", **where, **settings})) as running:
        yield running


def ask(server: RunningServer, api: str, version: int, message: object, source: str = OPERATOR) -> Any:
    with AddressedClient(server.port, source) as client:
        return client.ask(api, version, message)


def create(server: RunningServer, *acls: tuple[int, str, str, int, int], source: str = OPERATOR) -> list[int]:
    """(resource type, name, host, operation, permission), literal, for everybody on a plain listener."""
    creations = [
        CreateAclsRequestCreation(kind, name, 3, ANONYMOUS, host, operation, permission)
        for kind, name, host, operation, permission in acls
    ]
    reply = ask(server, "CreateAcls", 3, CreateAclsRequest(creations), source)
    return [result.error_code for result in reply.results]


def listed(server: RunningServer) -> list[tuple[int, str, str, int, int]]:
    reply = ask(server, "DescribeAcls", 3, DescribeAclsRequest(**ANY))
    assert reply.error_code == 0
    return [
        (resource.resource_type, resource.resource_name, acl.host, acl.operation, acl.permission_type)
        for resource in reply.resources
        for acl in resource.acls
    ]


def beat(server: RunningServer, group: str, source: str = GUEST) -> int:
    code: int = ask(server, "Heartbeat", 4, HeartbeatRequest(group, 1, "m"), source).error_code
    return code


OPERATOR_MAY = [(kind, name, OPERATOR, ALL, ALLOW) for kind, name in ((CLUSTER, "kafka-cluster"), (TOPIC, "*"))]
SUPER = {**ON, "super.users": "User:nobody;User:ANONYMOUS"}
OPEN = {**ON, "allow.everyone.if.no.acl.found": "true"}


def test_acls_are_there_and_in_force_after_a_restart(tmp_path: Path) -> None:
    with serving(OPEN, tmp_path) as server:
        assert beat(server, "g") != 30
        assert create(server, *OPERATOR_MAY, (GROUP, "g", OPERATOR, READ, ALLOW)) == [0, 0, 0]
        assert beat(server, "g") == 30, "in force with the answer"
        assert beat(server, "g", OPERATOR) != 30
    with serving(ON, tmp_path) as server:
        assert (beat(server, "g"), beat(server, "other", OPERATOR)) == (30, 30)
        assert beat(server, "g", OPERATOR) != 30
        assert listed(server) == [*OPERATOR_MAY, (GROUP, "g", OPERATOR, READ, ALLOW)]
        filters = [DeleteAclsRequestFilter(**{**ANY, "resource_type_filter": GROUP})]
        (result,) = ask(server, "DeleteAcls", 3, DeleteAclsRequest(filters)).filter_results
        assert [acl.resource_name for acl in result.matching_acls] == ["g"]
        assert beat(server, "g", OPERATOR) == 30
    with serving(ON, tmp_path) as server:
        assert listed(server) == OPERATOR_MAY


def test_a_damaged_file_stops_the_start_and_is_left_alone(tmp_path: Path) -> None:
    with serving(OPEN, tmp_path) as server:
        create(server, *OPERATOR_MAY)
    kept = tmp_path / "acls.json"
    torn = kept.read_bytes()[:-20]
    kept.write_bytes(torn)
    with pytest.raises(StorageError, match=r"acls\.json cannot be read.*Restore it"), serving(ON, tmp_path):
        pass
    assert kept.read_bytes() == torn
    with serving({}, tmp_path) as server:
        assert beat(server, "g") != 30, "without an authorizer the file is not looked at"


@pytest.mark.parametrize("rules", [False, True], ids=["nothing", "rules"])
def test_without_the_authorizer_the_acl_apis_say_that_security_is_disabled(tmp_path: Path, rules: bool) -> None:
    """A file of rules decides all the same, but nothing can be added to it over the network."""
    settings = {}
    if rules:
        (tmp_path / "rules.toml").write_text('"super.users" = "User:ANONYMOUS"')
        settings["muster.rules"] = str(tmp_path / "rules.toml")
    with serving(settings) as server:
        assert create(server, *OPERATOR_MAY) == [54, 54]
        described = ask(server, "DescribeAcls", 3, DescribeAclsRequest(**ANY))
        assert (described.error_code, list(described.resources)) == (54, [])
        deleted = ask(server, "DeleteAcls", 3, DeleteAclsRequest([DeleteAclsRequestFilter(**ANY)]))
        assert [result.error_code for result in deleted.filter_results] == [54]


def test_rules_of_a_file_count_beside_acls_and_are_neither_listed_nor_deleted(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        f'[[allow]]\nprincipal = "User:*"\nhost = "{OPERATOR}"\noperation = "ALL"\nresource = "cluster"\n'
        '[[allow]]\nprincipal = "User:*"\noperation = "READ"\nresource = "group"\nname = "written"\n'
    )
    with serving({**ON, "muster.rules": str(rules)}) as server:
        assert listed(server) == []
        assert create(server, (GROUP, "made", "*", READ, ALLOW), (GROUP, "written", GUEST, READ, DENY)) == [0, 0]
        assert beat(server, "made") != 30
        assert (beat(server, "written"), beat(server, "written", OPERATOR) == 30) == (30, False)
        ask(server, "DeleteAcls", 3, DeleteAclsRequest([DeleteAclsRequestFilter(**ANY)]))
        assert (beat(server, "made"), beat(server, "written") == 30) == (30, False)


def test_super_users_make_the_first_acls() -> None:
    with serving(SUPER) as server:
        assert create(server, (GROUP, "g", "*", ALL, DENY)) == [0]
        assert beat(server, "g") != 30
    with serving(ON) as server:
        assert create(server, (GROUP, "g", "*", ALL, ALLOW)) == [31]


def test_settings_that_have_no_effect_without_an_authorizer_are_said(caplog: pytest.LogCaptureFixture) -> None:
    """Somebody believes to have closed a door that is open."""
    with serving({"super.users": "User:admin"}):
        assert "super.users has no effect" in caplog.text


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"authorizer.class.name": "com.example.Mine"}, "StandardAuthorizer"),
        ({**ON, "super.users": "admin"}, "super.users is 'admin'"),
        ({**ON, "allow.everyone.if.no.acl.found": "perhaps"}, "allow.everyone.if.no.acl.found"),
    ],
)
def test_settings_that_cannot_be_are_refused_at_the_start(settings: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words), serving(settings):
        pass


def test_a_disk_that_fails_is_told_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(OPEN) as server:
        assert create(server, *OPERATOR_MAY) == [0, 0]

        def fail(name: str, content: bytes) -> None:
            raise StorageError(f"{name}: cannot be written: No space left on device")

        monkeypatch.setattr(server.node.broker.store, "write_document", fail)
        assert create(server, (GROUP, "g", OPERATOR, READ, ALLOW), (GROUP, "", OPERATOR, READ, ALLOW)) == [56, 42]
        (result,) = ask(server, "DeleteAcls", 3, DeleteAclsRequest([DeleteAclsRequestFilter(**ANY)])).filter_results
        assert (result.error_code, list(result.matching_acls)) == (56, [])
        assert listed(server) == OPERATOR_MAY
        assert beat(server, "g") != 30


def test_authorized_operations_are_those_of_the_one_who_asks() -> None:
    """Metadata 8 to 10 for the cluster and 8+ for topics, DescribeCluster, DescribeGroups 3+ (spec 3.13)."""
    with serving(OPEN) as server:
        server.run(server.node.broker.create_topics, [NewTopic("t")])
        cluster = (CLUSTER, "kafka-cluster")
        create(
            server,
            *OPERATOR_MAY,
            (*cluster, GUEST, DESCRIBE, ALLOW),
            (TOPIC, "t", GUEST, READ, ALLOW),
            (GROUP, "g", GUEST, READ, ALLOW),
            (GROUP, "g", OPERATOR, ALL, ALLOW),
            (GROUP, "g", "*", DESCRIBE, DENY),
        )
        everything_on_cluster = 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12
        for source, on_cluster, on_topic in ((OPERATOR, everything_on_cluster, 3576), (GUEST, 1 << 8, 264)):
            for version in (8, 9, 10):
                message = MetadataRequest([MetadataRequestTopic(name="t")], True, True, True)
                reply = ask(server, "Metadata", version, message, source)
                assert reply.cluster_authorized_operations == on_cluster
                assert reply.topics[0].topic_authorized_operations == on_topic
            for version in (0, 2):
                reply = ask(server, "DescribeCluster", version, DescribeClusterRequest(True), source)
                assert reply.cluster_authorized_operations == on_cluster
        (group,) = ask(server, "DescribeGroups", 5, DescribeGroupsRequest(["g"], True), OPERATOR).groups
        assert group.error_code == 30, "DESCRIBE is denied to everybody"


def journal(server: RunningServer, group: str) -> list[dict[str, Any]]:
    """The events of the group's partition, as a consumer reads them; waits for the first one."""
    partition = partition_for(group, len(server.run(server.node.broker.topic, GROUP_JOURNAL).partitions))
    (topic,) = ask(server, "Fetch", 12, fetch_request(GROUP_JOURNAL, partition=partition, max_wait_ms=10_000)).responses
    content = bytes(topic.partitions[0].records or b"")
    return [
        json.loads(record.value or b"")
        for position, header in iterate_batches(content)
        for record in decode_records(content, header, position)
    ]


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "muster.audit"]


def test_denials_and_changes_are_told_to_log_and_journal_once_and_filters_are_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "muster.audit")
    with serving(OPEN) as server:
        create(server, *OPERATOR_MAY, (GROUP, "g", OPERATOR, READ, ALLOW))
        wanted = [CreateTopicsRequestTopic("secret", 1, 1)]
        ask(server, "CreateTopics", 7, CreateTopicsRequest(wanted))
        assert [line.partition("by ")[2] for line in told(caplog)] == [
            f"CreateAcls: created ACL 'ALLOW {ANONYMOUS} from {OPERATOR} ALL cluster kafka-cluster'",
            f"CreateAcls: created ACL 'ALLOW {ANONYMOUS} from {OPERATOR} ALL topic *'",
            f"CreateAcls: created ACL 'ALLOW {ANONYMOUS} from {OPERATOR} READ group g'",
            "CreateTopics: created topic 'secret'",
        ]
        caplog.clear()
        for _ in range(3):
            assert beat(server, "g") == 30
            assert ask(server, "CreateTopics", 7, CreateTopicsRequest(wanted), GUEST).topics[0].error_code == 29
            ask(server, "ListGroups", 5, ListGroupsRequest(), GUEST)
            ask(server, "Metadata", 12, MetadataRequest(None), GUEST)
        assert told(caplog) == [
            f"denied: '{ANONYMOUS}' at {GUEST} (client id 'raw') by Heartbeat: READ on group 'g'",
            f"denied: '{ANONYMOUS}' at {GUEST} (client id 'raw') by CreateTopics: CREATE on topic 'secret'",
        ]
        assert server.server is not None
        _, page = server.begin(server.server.monitoring.metrics_page()).result()
        assert "muster_denials_total 6" in page, "the same one three times"
        assert "muster_acls 3" in page
        assert [
            (event["kind"], event["group"], event["principal"], event["operation"], event["api"])
            for event in journal(server, "g")
        ] == [("denied", "g", ANONYMOUS, "READ", "Heartbeat")]
