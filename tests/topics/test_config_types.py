"""Text becomes a checked value, or an error that says what is allowed."""

from __future__ import annotations

import pytest

from muster.topics.config_types import (
    ConfigError,
    ConfigKey,
    ConfigTable,
    ConfigType,
    ConfigValue,
    at_least,
    between,
    list_of,
    one_of,
    text_of,
)


def key(kind: ConfigType, default: ConfigValue | None = None) -> ConfigKey:
    return ConfigKey("some.key", kind, default, "for tests")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (ConfigType.BOOLEAN, " TRUE ", True),
        (ConfigType.BOOLEAN, "false", False),
        (ConfigType.INT, " -5 ", -5),
        (ConfigType.INT, "2147483647", 2**31 - 1),
        (ConfigType.LONG, "9223372036854775807", 2**63 - 1),
        (ConfigType.SHORT, "+3", 3),
        (ConfigType.DOUBLE, "0.5", 0.5),
        (ConfigType.DOUBLE, "1e-3", 0.001),
        (ConfigType.STRING, " x ", "x"),
        (ConfigType.LIST, "a , b,c", ("a", "b", "c")),
        (ConfigType.LIST, "", ()),
        (ConfigType.PASSWORD, " secret ", " secret "),
    ],
)
def test_text_of_the_right_form_becomes_a_value(kind: ConfigType, text: str, value: ConfigValue) -> None:
    assert key(kind).parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (ConfigType.BOOLEAN, "yes", "Expected value to be either true or false"),
        (ConfigType.INT, "2147483648", "Not a number of type INT"),
        (ConfigType.INT, "1_000", "Not a number of type INT"),
        (ConfigType.INT, "1.5", "Not a number of type INT"),
        (ConfigType.LONG, "9223372036854775808", "Not a number of type LONG"),
        (ConfigType.LONG, "", "Not a number of type LONG"),
        (ConfigType.DOUBLE, "nan", "Not a number of type DOUBLE"),
    ],
)
def test_text_of_the_wrong_form_is_refused_in_kafkas_words(kind: ConfigType, text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        key(kind).parse(text)
    assert str(refused.value) == f"Invalid value {text} for configuration some.key: {problem}"


@pytest.mark.parametrize(
    ("rule", "kind", "good", "bad", "problem"),
    [
        (at_least(1), ConfigType.INT, "1", "0", "Value must be at least 1"),
        (between(0, 1), ConfigType.DOUBLE, "1", "1.1", "Value must be between 0 and 1"),
        (one_of("a", "b"), ConfigType.STRING, "b", "c", "String must be one of: a, b"),
        (list_of("a", "b"), ConfigType.LIST, "b,a", "a,c", "String must be one of: a, b"),
        (list_of("a", "b"), ConfigType.LIST, "", "a,a", "String must be one of: a, b"),
    ],
)
def test_a_rule_lets_good_values_through_and_names_what_is_allowed(
    rule: object, kind: ConfigType, good: str, bad: str, problem: str
) -> None:
    ruled = ConfigKey("some.key", kind, None, "for tests", rule)  # type: ignore[arg-type]
    ruled.parse(good)
    with pytest.raises(ConfigError, match=problem):
        ruled.parse(bad)


def test_a_secret_that_breaks_a_rule_is_not_shown() -> None:
    secret = ConfigKey("some.key", ConfigType.PASSWORD, None, "for tests", one_of("other"))
    with pytest.raises(ConfigError) as refused:
        secret.parse("hunter2")
    assert "hunter2" not in str(refused.value)


def test_an_unknown_name_is_answered_with_the_nearest_known_one() -> None:
    table = ConfigTable("topic", [ConfigKey("retention.ms", ConfigType.LONG, 1, "for tests")])
    with pytest.raises(ConfigError) as refused:
        table.parse({"retention.mss": "1"})
    assert str(refused.value) == "Unknown topic config name: retention.mss (did you mean retention.ms?)"


def test_a_name_like_nothing_known_gets_no_suggestion() -> None:
    table = ConfigTable("topic", [ConfigKey("retention.ms", ConfigType.LONG, 1, "for tests")])
    with pytest.raises(ConfigError) as refused:
        table.parse({"zzz": "1"})
    assert str(refused.value) == "Unknown topic config name: zzz"


def test_defaults_stand_where_nothing_was_written() -> None:
    table = ConfigTable("topic", [key(ConfigType.INT, 4), ConfigKey("b", ConfigType.BOOLEAN, True, "for tests")])
    values = table.parse({"b": "false"})
    assert (values.integer("some.key"), values.boolean("b")) == (4, False)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ConfigType.BOOLEAN, True),
        (ConfigType.LIST, ("a", "b")),
        (ConfigType.LIST, ()),
        (ConfigType.DOUBLE, 0.5),
        (ConfigType.LONG, -1),
    ],
)
def test_a_value_survives_being_written_as_text(kind: ConfigType, value: ConfigValue) -> None:
    assert key(kind).parse(text_of(value)) == value
