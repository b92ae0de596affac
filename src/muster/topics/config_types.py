"""A typed table of settings: names, types, defaults, rules and what each one is for.

Knows how text becomes a checked value and how to complain about it in Kafka's words. Does not know which settings
there are: topics/configs.py fills one table for topics, the server fills another for the broker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import TypeAlias

from muster.wire.late_dataclass import dataclass

ConfigValue: TypeAlias = bool | int | float | str | tuple[str, ...]

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LIST_COMMA = re.compile(r"\s*,\s*")


class ConfigError(Exception):
    """The operator's fault: names the setting, the value and what is allowed instead."""


class ConfigType(IntEnum):
    """Numbers as DescribeConfigs sends them."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigSource(IntEnum):
    """Where an effective value comes from; numbers as DescribeConfigs sends them."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_GROUP_CONFIG = 8


_INTEGER_LIMITS = {
    ConfigType.INT: 2**31,
    ConfigType.SHORT: 2**15,
    ConfigType.LONG: 2**63,
}


@dataclass(slots=True, frozen=True)
class Rule:
    """Which values of the right type are allowed; `problem` is said when one is not."""

    allows: Callable[[ConfigValue], bool]
    problem: str
    summary: str
    """For tables people read, e.g. `[1,...]`."""


def at_least(low: float) -> Rule:
    return Rule(lambda value: _number(value) >= low, f"Value must be at least {low}", f"[{low},...]")


def between(low: float, high: float) -> Rule:
    return Rule(
        lambda value: low <= _number(value) <= high,
        f"Value must be between {low} and {high}",
        f"[{low},...,{high}]",
    )


def one_of(*words: str) -> Rule:
    return Rule(lambda value: value in words, f"String must be one of: {', '.join(words)}", f"[{', '.join(words)}]")


def list_of(*words: str) -> Rule:
    """Every item must be one of the words; an item may not come twice."""

    def allows(value: ConfigValue) -> bool:
        assert isinstance(value, tuple)
        return all(item in words for item in value) and len(set(value)) == len(value)

    return Rule(allows, f"String must be one of: {', '.join(words)}", f"[{', '.join(words)}]")


def non_empty() -> Rule:
    return Rule(lambda value: value not in ("", ()), "Value must not be empty", "non-empty")


def _number(value: ConfigValue) -> float:
    assert isinstance(value, int | float)
    return value


@dataclass(slots=True, frozen=True)
class ConfigKey:
    """One setting. A default of None means: not set."""

    name: str
    type: ConfigType
    default: ConfigValue | None
    doc: str
    rule: Rule | None = None
    internal: bool = False
    """Accepted but not shown: meant for tests."""

    def parse(self, text: str) -> ConfigValue:
        """The checked value of what an operator wrote, or ConfigError."""
        value = self._typed(text)
        if self.rule is not None and not self.rule.allows(value):
            raise self.refusal(text, self.rule.problem)
        return value

    def refusal(self, text: str, problem: str) -> ConfigError:
        shown = "[hidden]" if self.type is ConfigType.PASSWORD else text
        return ConfigError(f"Invalid value {shown} for configuration {self.name}: {problem}")

    def _typed(self, text: str) -> ConfigValue:
        stripped = text.strip()
        match self.type:
            case ConfigType.BOOLEAN:
                return self._boolean(stripped)
            case ConfigType.INT | ConfigType.SHORT | ConfigType.LONG:
                return self._integer(stripped)
            case ConfigType.DOUBLE:
                if not _NUMBER.fullmatch(stripped):
                    raise self.refusal(text, "Not a number of type DOUBLE")
                return float(stripped)
            case ConfigType.LIST:
                return tuple(_LIST_COMMA.split(stripped)) if stripped else ()
            case ConfigType.PASSWORD:
                return text
            case _:
                return stripped

    def _boolean(self, text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise self.refusal(text, "Expected value to be either true or false")
        return text.lower() == "true"

    def _integer(self, text: str) -> int:
        limit = _INTEGER_LIMITS[self.type]
        if not _WHOLE_NUMBER.fullmatch(text) or not -limit <= int(text) < limit:
            raise self.refusal(text, f"Not a number of type {self.type.name}")
        return int(text)


def text_of(value: ConfigValue) -> str:
    """The value as Kafka prints it, and as `ConfigKey.parse` reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)


class ConfigTable:
    """All settings of one kind of thing, by name, in the order given."""

    def __init__(self, kind: str, keys: Iterable[ConfigKey]) -> None:
        self.kind = kind
        self._keys = {key.name: key for key in keys}

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[ConfigKey]:
        return iter(self._keys.values())

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, name: str) -> ConfigKey:
        """The key of that name; an unknown name is a ConfigError that suggests a known one."""
        key = self._keys.get(name)
        if key is None:
            raise ConfigError(f"Unknown {self.kind} config name: {name}{self._suggestion(name)}")
        return key

    def _suggestion(self, name: str) -> str:
        import difflib

        shown = [key.name for key in self if not key.internal]
        near = difflib.get_close_matches(name, shown, n=1, cutoff=0.7)
        return f" (did you mean {near[0]}?)" if near else ""

    def parse(self, texts: Mapping[str, str]) -> ConfigValues:
        """Every default, overlaid with the checked values of `texts`."""
        values = {key.name: key.default for key in self}
        for name, text in texts.items():
            values[name] = self[name].parse(text)
        return ConfigValues(values)


class ConfigValues:
    """Effective values with typed access; a name that the table lacks is a bug, not an operator's error."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, ConfigValue | None]) -> None:
        self._values = values

    def get(self, name: str) -> ConfigValue | None:
        return self._values[name]

    def integer(self, name: str) -> int:
        value = self._values[name]
        assert isinstance(value, int), name
        return value

    def number(self, name: str) -> float:
        value = self._values[name]
        assert isinstance(value, int | float), name
        return value

    def boolean(self, name: str) -> bool:
        value = self._values[name]
        assert isinstance(value, bool), name
        return value

    def string(self, name: str) -> str:
        value = self._values[name]
        assert isinstance(value, str), name
        return value

    def words(self, name: str) -> tuple[str, ...]:
        value = self._values[name]
        assert isinstance(value, tuple), name
        return value
