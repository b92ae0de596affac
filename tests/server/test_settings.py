"""Settings: which source wins, what is refused, and how the refusal reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.core.config import GroupConfig
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.setting_keys import TABLE
from muster.server.setting_sources import from_assignments, from_environment, from_file, from_flag
from muster.server.settings import Settings, resolve
from muster.topics.config_types import ConfigError


def refusal(*sources: object) -> str:
    with pytest.raises(ConfigError) as caught:
        resolve(*sources)  # type: ignore[arg-type]
    return str(caught.value)


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_without_any_source_everything_is_kafkas_default() -> None:
    settings = Settings.of()
    assert settings.group_config() == GroupConfig()
    assert settings.integer("message.max.bytes") == 1_048_588
    assert settings.integer("socket.request.max.bytes") == 104_857_600
    assert settings.integer("offsets.topic.num.partitions") == 50
    assert settings.origin("group.max.size") == "default"


def test_each_source_beats_the_ones_below_it(tmp_path: Path) -> None:
    """Lowest to highest: defaults, file, environment, flags."""
    file = write(
        tmp_path / "m.toml", '"group.max.size" = 1\n"num.partitions" = 1\n"node.id" = 1\n"fetch.max.bytes" = 2000\n'
    )
    settings = resolve(
        from_file(file),
        from_environment({"MUSTER_GROUP_MAX_SIZE": "2", "MUSTER_NUM_PARTITIONS": "2", "MUSTER_NODE_ID": "2"}),
        from_assignments("--set", ["group.max.size=3", "num.partitions=3"]),
        [from_flag("--set", "group.max.size", "4")],
    )
    names = ("group.max.size", "num.partitions", "node.id", "fetch.max.bytes")
    assert [settings.integer(name) for name in names] == [4, 3, 2, 2000]
    assert settings.origin("node.id") == "variable MUSTER_NODE_ID"
    assert settings.origin("fetch.max.bytes") == f"file {file}"


@pytest.mark.parametrize(
    "text",
    [
        '"group.max.size" = 9\n[muster]\nlisten = "h:1"\n',
        'group.max.size = 9\nmuster.listen = "h:1"\n',
        '[group]\n"max.size" = 9\n[muster]\nlisten = "h:1"\n',
        "[group.max]\nsize = 9\n[muster]\nlisten = 'h:1'\n",
        '[muster]\nlisten = "h:1"\n"group.max.size" = "9"\n',
        'listeners = "PLAINTEXT://h:1"\ngroup.max.size = 9\n',
    ],
)
def test_a_toml_file_may_quote_names_or_nest_tables(tmp_path: Path, text: str) -> None:
    settings = resolve(from_file(write(tmp_path / "m.toml", text)))
    assert settings.integer("group.max.size") == 9
    assert settings.listen == Endpoint("h", 1)


def test_a_toml_list_and_boolean_are_read_as_settings(tmp_path: Path) -> None:
    file = write(tmp_path / "m.toml", 'log.cleanup.policy = ["compact", "delete"]\nauto.create.topics.enable = false\n')
    settings = resolve(from_file(file))
    assert settings.value("log.cleanup.policy") == ("compact", "delete")
    assert settings.boolean("auto.create.topics.enable") is False


def test_an_unknown_name_in_a_file_is_refused_with_the_file_and_a_suggestion(tmp_path: Path) -> None:
    file = write(tmp_path / "m.toml", '"group.max.sice" = 3\n')
    message = refusal(from_file(file))
    assert file in message
    assert "group.max.sice" in message
    assert "did you mean group.max.size?" in message


def test_an_unknown_variable_is_refused_with_a_suggestion() -> None:
    message = refusal(from_environment({"MUSTER_GROUP_MAX_SICE": "3", "PATH": "/bin"}))
    assert message == "variable MUSTER_GROUP_MAX_SICE: there is no such setting; did you mean MUSTER_GROUP_MAX_SIZE?"


def test_an_unknown_name_in_a_flag_is_refused_with_the_flag() -> None:
    message = refusal(from_assignments("--set", ["offsets.retention.minute=3"]))
    assert message.startswith("flag --set offsets.retention.minute: ")
    assert "did you mean offsets.retention.minutes?" in message


def test_an_assignment_without_an_equals_sign_is_refused_with_an_example() -> None:
    assert "expected NAME=VALUE" in refusal(from_assignments("--set", ["group.max.size"]))


def test_a_bad_value_is_refused_with_its_origin_and_what_is_allowed() -> None:
    message = refusal(from_environment({"MUSTER_GROUP_MAX_SIZE": "0"}))
    assert message.startswith("variable MUSTER_GROUP_MAX_SIZE: ")
    assert "at least 1" in message


@pytest.mark.parametrize(
    "name", ["group.streams.session.timeout.ms", "sasl.kerberos.service.name", "group.share.max.size"]
)
def test_a_setting_of_a_part_that_is_not_built_is_refused_as_not_supported_yet(name: str) -> None:
    assert "not supported yet" in refusal(from_assignments("--set", [f"{name}=1"]))


@pytest.mark.parametrize("name", ["default.replication.factor", "offsets.topic.replication.factor"])
def test_more_than_one_replica_is_refused_because_there_is_one_node(name: str) -> None:
    assert "only 1 is possible" in refusal(from_assignments("--set", [f"{name}=3"]))


def test_a_file_that_is_not_there_is_refused_by_name() -> None:
    assert refusal(from_file("/nowhere/m.toml")).startswith("cannot read the configuration file /nowhere/m.toml")


def test_a_file_that_is_not_toml_is_refused_with_the_line(tmp_path: Path) -> None:
    message = refusal(from_file(write(tmp_path / "m.toml", "a = \n")))
    assert "is not TOML" in message
    assert "line 1" in message


def test_a_toml_value_of_the_wrong_kind_is_refused(tmp_path: Path) -> None:
    message = refusal(from_file(write(tmp_path / "m.toml", "group.max.size = 2020-01-01\n")))
    assert "expected text, a number" in message


def test_a_shortest_session_above_the_longest_is_refused() -> None:
    message = refusal(from_assignments("--set", ["group.min.session.timeout.ms=9", "group.max.session.timeout.ms=8"]))
    assert "no member could join" in message


def test_advertising_every_address_is_refused() -> None:
    """Kafka refuses 0.0.0.0 in advertised.listeners too."""
    assert "cannot connect to that" in refusal([from_flag("--advertise", "muster.advertise", "0.0.0.0:9092")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("localhost:9092", Endpoint("localhost", 9092)),
        (":0", Endpoint("", 0)),
        ("[::1]:1", Endpoint("::1", 1)),
    ],
)
def test_an_address_is_host_and_port(text: str, expected: Endpoint) -> None:
    assert parse_endpoint("listeners", text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("localhost", "expected HOST:PORT"),
        ("h:x", "expected HOST:PORT"),
        ("h:70000", "expected HOST:PORT"),
        pytest.param("h:" + "9" * 5_000, "expected HOST:PORT", id="long port"),
        ("::1:9092", "needs brackets"),
        ("SSL://h:1", "without a protocol"),
        ("h:1,h:2", "not a list"),
    ],
)
def test_an_address_that_cannot_be_is_refused_with_what_is_expected(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        parse_endpoint("listeners", text)


def test_retention_of_offsets_is_minutes_in_the_setting_and_milliseconds_for_the_core() -> None:
    """Spec 8: computed without overflow of 32 bits."""
    settings = Settings.of({"offsets.retention.minutes": "2147483647"})
    assert settings.group_config().offsets_retention_ms == 2147483647 * 60_000


def test_the_texts_that_the_operator_set_are_kept_for_the_topics_defaults() -> None:
    assert Settings.of({"log.retention.ms": "5"}).texts == {"log.retention.ms": "5"}


def test_every_setting_has_an_own_variable() -> None:
    from muster.server.setting_sources import variable_of

    names = [variable_of(key.name) for key in TABLE]
    assert len(set(names)) == len(names)
