"""A shared document that a node cannot understand: it reads it again whenever somebody looks, and never writes over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from muster.core.config import GroupConfig
from muster.core.consumer.group_times import GroupTimes
from muster.log.contract import StorageError
from muster.log.postgres.store import PostgresStore
from muster.runtime import group_config_document
from muster.runtime.group_configs import SESSION, GroupConfigs
from muster.security import acl_document, quota_document, users
from muster.security.acl_store import AclStore
from muster.security.acls import Acl
from muster.security.authorizer import RuleAuthorizer
from muster.security.quota_entities import USER, Entity
from muster.security.quota_store import QuotaStore
from muster.security.resources import Operation, Pattern, Permission, ResourceType
from muster.security.users import Users, new_credential
from muster.server.settings import Settings
from muster.topics import producer_ids
from muster.topics.producer_ids import ProducerIds
from muster.topics.refusal import TopicError
from tests.log.postgres_server import empty_database

Change: TypeAlias = Callable[[], object]
STRANGE = b"from a later release"


def change_acls(store: PostgresStore) -> Change:
    acls = AclStore(store, RuleAuthorizer([]))
    acl = Acl(ResourceType.TOPIC, "t", Pattern.LITERAL, "User:a", "*", Operation.READ, Permission.ALLOW)
    return lambda: acls.create([acl])


def change_quotas(store: PostgresStore) -> Change:
    quotas = QuotaStore(store, lambda: None)
    return lambda: quotas.alter([(Entity.of({USER: "alice"}), {"producer_byte_rate": 1e6})])


def change_users(store: PostgresStore) -> Change:
    kept = Users(store)
    kept.load()
    return lambda: kept.alter([("alice", "SCRAM-SHA-256", new_credential("SCRAM-SHA-256", "secret"))])


def change_group_configs(store: PostgresStore) -> Change:
    configs = GroupConfigs(store, Settings.of({}), GroupTimes(GroupConfig()))
    configs.reload()
    return lambda: configs.alter("g", [("consumer.session.timeout.ms", 0, "50000")])


def change_producer_ids(store: PostgresStore) -> Change:
    return ProducerIds(store).new_id


@pytest.fixture
def stores() -> Iterator[list[PostgresStore]]:
    url = empty_database()
    made = [PostgresStore(url, node_id) for node_id in (1, 2)]
    yield made
    for store in made:
        store.close()


@pytest.mark.parametrize(
    ("begin", "document"),
    [
        (change_acls, acl_document.DOCUMENT),
        (change_quotas, quota_document.DOCUMENT),
        (change_users, users.DOCUMENT),
        (change_group_configs, group_config_document.DOCUMENT),
        (change_producer_ids, producer_ids.DOCUMENT),
    ],
)
def test_what_a_node_does_not_understand_is_refused_each_time_and_stays_what_it_is(
    stores: list[PostgresStore], begin: Callable[[PostgresStore], Change], document: str
) -> None:
    node, other = stores
    change = begin(node)
    other.read_document(document)
    other.write_document(document, STRANGE)
    for _ in range(2):
        with pytest.raises((StorageError, TopicError), match=document.replace(".", r"\.")):
            change()
    assert other.read_document(document) == STRANGE
    assert document not in node.document_versions(), "it is read again with the next view"


def test_a_setting_of_a_group_that_a_later_release_wrote_is_refused_before_any_setting_counts(
    stores: list[PostgresStore],
) -> None:
    """Of the whole document nothing is in force, and nothing is written over it."""
    node, other = stores
    times = GroupTimes(GroupConfig())
    configs = GroupConfigs(node, Settings.of({}), times)
    configs.reload()
    configs.alter("g", [(SESSION, 0, "50000")])
    before = dict(times.own)
    other.read_document(group_config_document.DOCUMENT)
    groups = {"a": {SESSION: "55000"}, "g": {SESSION: "45s"}}
    later = group_config_document.encode_group_configs(groups)
    other.write_document(group_config_document.DOCUMENT, later)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"group-configs\.json has a setting .*'45s'"):
            configs.reload()
    assert (times.own, configs.groups) == (before, {"g": {SESSION: "50000"}})
    assert group_config_document.DOCUMENT not in node.document_versions(), "it is read again with the next view"
    with pytest.raises(TopicError):
        configs.alter("b", [(SESSION, 0, "50000")])
    assert other.read_document(group_config_document.DOCUMENT) == later


@pytest.mark.parametrize("begin", [change_acls, change_quotas, change_users, change_group_configs])
def test_a_document_that_is_put_back_can_be_changed_again(
    stores: list[PostgresStore], begin: Callable[[PostgresStore], Change]
) -> None:
    node, other = stores
    change = begin(node)
    begin(other)()
    (document,) = other.document_versions()
    content = other.read_document(document)
    assert content is not None
    other.write_document(document, STRANGE)
    with pytest.raises((StorageError, TopicError)):
        change()
    other.write_document(document, content)
    change()
    assert node.read_document(document) == other.read_document(document)
