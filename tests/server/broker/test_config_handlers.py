"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from muster.wire.generated.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsRequestConfig,
    AlterConfigsRequestResource,
)
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestConfig,
    IncrementalAlterConfigsRequestResource,
)
from tests.server.broker.whole_server import create, whole_server
from tests.server.raw_client import RawClient

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def describe(
    client: RawClient, kind: int, name: str, *keys: str, version: int = 4, synonyms: bool = False, docs: bool = False
) -> Any:
    resource = DescribeConfigsRequestResource(kind, name, list(keys) or None)
    (result,) = client.ask("DescribeConfigs", version, DescribeConfigsRequest([resource], synonyms, docs)).results
    assert (result.resource_type, result.resource_name) == (kind, name)
    return result


def value(client: RawClient, topic: str, key: str) -> tuple[str, int]:
    (config,) = describe(client, TOPIC, topic, key).configs
    return config.value, config.config_source


@pytest.mark.parametrize("version", range(1, 5))
def test_a_topics_settings_are_shown_with_their_sources(client: RawClient, version: int) -> None:
    name = f"shown-{version}"
    create(client, name, retention_ms="5000")
    result = describe(client, TOPIC, name, version=version, synonyms=True)
    configs = {config.name: config for config in result.configs}
    assert len(configs) > 25
    own, default = configs["retention.ms"], configs["segment.bytes"]
    assert (own.value, own.config_source, own.read_only, own.is_sensitive) == ("5000", 1, False, False)
    assert (default.value, default.config_source) == ("1073741824", 5)
    # Kafka shows broker settings from the finest unit on: of log.retention.hours alone, nothing.
    assert [(each.name, each.source) for each in own.synonyms] == [("retention.ms", 1)]
    if version >= 3:
        assert (own.config_type, default.config_type) == (5, 3)


def test_synonyms_and_documentation_come_only_if_asked_for(client: RawClient) -> None:
    create(client, "documented")
    (plain,) = describe(client, TOPIC, "documented", "retention.ms").configs
    assert (list(plain.synonyms), plain.documentation) == ([], None)
    (full,) = describe(client, TOPIC, "documented", "retention.ms", docs=True).configs
    assert "how long" in full.documentation.lower()


def test_an_unknown_topic_has_no_settings(client: RawClient) -> None:
    result = describe(client, TOPIC, "nowhere")
    assert (result.error_code, list(result.configs)) == (3, [])
    assert describe(client, TOPIC, "not valid").error_code == 17


def test_this_brokers_settings_are_shown_with_what_the_operator_set() -> None:
    with whole_server({"group.max.size": "77", "node.id": "3"}) as server, RawClient(server.port) as client:
        result = describe(client, BROKER, "3", synonyms=True)
        configs = {config.name: config for config in result.configs}
        size = configs["group.max.size"]
        assert (size.value, size.config_source, size.read_only) == ("77", 4, True)
        assert [(each.value, each.source) for each in size.synonyms] == [("77", 4), ("2147483647", 5)]
        assert configs["num.partitions"].config_source == 5
        assert configs["broker.rack"].value is None
        assert list(describe(client, BROKER, "").configs) == []


def test_a_setting_is_static_where_another_name_of_it_was_set() -> None:
    """Kafka 4.3.1: log.retention.hours set on the command line is what log.retention.ms comes from."""
    given = {"log.retention.hours": "5", "listener.name.plaintext.max.connections": "9", "max.connections": "90"}
    with whole_server(given) as server, RawClient(server.port) as client:
        configs = {config.name: config for config in describe(client, BROKER, "1", synonyms=True).configs}
        for name in ("log.retention.ms", "log.retention.minutes", "log.retention.hours"):
            shown = [(each.name, each.value, each.source) for each in configs[name].synonyms]
            assert shown == [("log.retention.hours", "5", 4), ("log.retention.hours", "168", 5)]
            assert configs[name].config_source == 4
        assert (configs["log.retention.ms"].value, configs["log.retention.hours"].value) == (None, "5")
        assert (configs["log.roll.ms"].config_source, configs["log.roll.hours"].config_source) == (5, 5)
        own = configs["listener.name.plaintext.max.connections"]
        assert [(each.name, each.value, each.source) for each in own.synonyms] == [
            ("listener.name.plaintext.max.connections", "9", 4),
            ("max.connections", "90", 4),
            ("max.connections", "2147483647", 5),
        ]


@pytest.mark.parametrize("name", ["2", "x", "-1", pytest.param("9" * 5_000, id="long")])
def test_another_brokers_settings_are_not_known_here(client: RawClient, name: str) -> None:
    result = describe(client, BROKER, name)
    assert result.error_code == 42
    assert name in result.error_message


@pytest.mark.parametrize("kind", [LOGGER, METRICS])
def test_resources_without_settings_here_are_empty(client: RawClient, kind: int) -> None:
    result = describe(client, kind, "1")
    assert (result.error_code, list(result.configs)) == (0, [])


def test_an_unknown_kind_of_resource_is_refused(client: RawClient) -> None:
    assert describe(client, 99, "x").error_code == 42


def change(client: RawClient, topic: str, *changes: tuple[str, int, str | None], version: int = 1, **more: Any) -> int:
    configs = [IncrementalAlterConfigsRequestConfig(*each) for each in changes]
    request = IncrementalAlterConfigsRequest([IncrementalAlterConfigsRequestResource(TOPIC, topic, configs)], **more)
    (answer,) = client.ask("IncrementalAlterConfigs", version, request).responses
    assert (answer.resource_type, answer.resource_name) == (TOPIC, topic)
    assert bool(answer.error_message) == bool(answer.error_code)
    return int(answer.error_code)


@pytest.mark.parametrize("version", range(2))
def test_single_settings_are_set_deleted_appended_to_and_subtracted_from(client: RawClient, version: int) -> None:
    """KIP-339."""
    name = f"changed-{version}"
    create(client, name)
    assert change(client, name, ("retention.ms", SET, "7"), version=version) == 0
    assert change(client, name, ("cleanup.policy", APPEND, "compact"), version=version) == 0
    assert value(client, name, "retention.ms") == ("7", 1)
    assert value(client, name, "cleanup.policy") == ("delete,compact", 1)
    assert change(client, name, ("cleanup.policy", SUBTRACT, "delete"), version=version) == 0
    assert value(client, name, "cleanup.policy") == ("compact", 1)
    assert change(client, name, ("retention.ms", DELETE, None), version=version) == 0
    assert value(client, name, "retention.ms") == ("604800000", 5)


def test_a_bad_change_changes_nothing(client: RawClient) -> None:
    create(client, "steady", retention_ms="9")
    assert change(client, "steady", ("retention.ms", SET, "x")) == 40
    assert change(client, "steady", ("retention.ms", SET, "1"), ("no.such", SET, "1")) == 40
    assert change(client, "steady", ("retention.ms", 9, "1")) == 42
    assert change(client, "nowhere", ("retention.ms", SET, "1")) == 3
    assert change(client, "steady", ("retention.ms", SET, "1"), validate_only=True) == 0
    assert value(client, "steady", "retention.ms") == ("9", 1)


def test_a_resource_named_twice_is_refused_both_times(client: RawClient) -> None:
    create(client, "double")
    resource = IncrementalAlterConfigsRequestResource(TOPIC, "double", [])
    reply = client.ask("IncrementalAlterConfigs", 1, IncrementalAlterConfigsRequest([resource, resource]))
    assert [answer.error_code for answer in reply.responses] == [42, 42]


def test_broker_settings_cannot_be_changed_at_run_time(client: RawClient) -> None:
    configs = [IncrementalAlterConfigsRequestConfig("group.max.size", SET, "5")]
    request = IncrementalAlterConfigsRequest([IncrementalAlterConfigsRequestResource(BROKER, "1", configs)])
    (answer,) = client.ask("IncrementalAlterConfigs", 1, request).responses
    assert answer.error_code == 42
    assert "group.max.size" in answer.error_message


@pytest.mark.parametrize("version", range(3))
def test_replacing_all_settings_takes_the_others_back_to_their_defaults(client: RawClient, version: int) -> None:
    name = f"replaced-{version}"
    create(client, name, retention_ms="5", segment_ms="6")
    resource = AlterConfigsRequestResource(TOPIC, name, [AlterConfigsRequestConfig("retention.ms", "8")])
    (answer,) = client.ask("AlterConfigs", version, AlterConfigsRequest([resource])).responses
    assert (answer.error_code, answer.error_message) == (0, None)
    assert value(client, name, "retention.ms") == ("8", 1)
    assert value(client, name, "segment.ms") == ("604800000", 5)


@pytest.mark.parametrize(("kind", "name"), [(BROKER, "1"), (LOGGER, "1"), (99, "x")])
def test_only_topics_settings_can_be_replaced(client: RawClient, kind: int, name: str) -> None:
    resource = AlterConfigsRequestResource(kind, name, [AlterConfigsRequestConfig("a", "b")])
    (answer,) = client.ask("AlterConfigs", 2, AlterConfigsRequest([resource])).responses
    assert answer.error_code == 42
