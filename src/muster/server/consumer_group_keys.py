"""The settings of consumer groups (KIP-848): Kafka's names and defaults. Part of the table in `setting_keys.py`."""

from __future__ import annotations

from typing import Final

from muster.topics.config_types import INT_MAX, ConfigKey, ConfigType, ConfigValue, Rule, at_least, list_of

_INT, _LIST = ConfigType.INT, ConfigType.LIST


def _some_of(*words: str) -> Rule:
    """A list that is not empty."""

    def allows(value: ConfigValue) -> bool:
        return bool(value) and list_of(*words).allows(value)

    return Rule(allows, f"must contain one or more of {', '.join(words)}", f"[{', '.join(words)}]")


_POLICIES: Final = ("bidirectional", "upgrade", "downgrade", "disabled")
_A_POLICY: Final = Rule(
    lambda value: str(value).lower() in _POLICIES, f"must be one of {', '.join(_POLICIES)}", f"[{', '.join(_POLICIES)}]"
)

CONSUMER_GROUP_KEYS: Final = (
    ConfigKey(
        "group.consumer.session.timeout.ms",
        _INT,
        45_000,
        "How long a member of a consumer group may be silent before its partitions go to others.",
        at_least(1),
    ),
    ConfigKey(
        "group.consumer.min.session.timeout.ms",
        _INT,
        45_000,
        "The shortest session timeout that consumer groups may have.",
        at_least(1),
    ),
    ConfigKey(
        "group.consumer.max.session.timeout.ms",
        _INT,
        60_000,
        "The longest session timeout that consumer groups may have.",
        at_least(1),
    ),
    ConfigKey(
        "group.consumer.heartbeat.interval.ms",
        _INT,
        5_000,
        "How often members of consumer groups are told to send heartbeats.",
        at_least(1),
    ),
    ConfigKey(
        "group.consumer.min.heartbeat.interval.ms",
        _INT,
        5_000,
        "The shortest heartbeat interval that consumer groups may have.",
        at_least(1),
    ),
    ConfigKey(
        "group.consumer.max.heartbeat.interval.ms",
        _INT,
        15_000,
        "The longest heartbeat interval that consumer groups may have.",
        at_least(1),
    ),
    ConfigKey("group.consumer.max.size", _INT, INT_MAX, "The most members a consumer group may have.", at_least(1)),
    ConfigKey(
        "group.consumer.assignors",
        _LIST,
        ("uniform", "range"),
        "The assignors that members of consumer groups may ask for; the first is for those that ask for none.",
        _some_of("uniform", "range"),
    ),
    ConfigKey(
        "group.consumer.migration.policy",
        ConfigType.STRING,
        "bidirectional",
        "Whether groups with members may become consumer groups (upgrade), classic groups again (downgrade), both or neither.",
        _A_POLICY,
    ),
    ConfigKey(
        "group.consumer.assignment.interval.ms",
        _INT,
        1_000,
        "A consumer group computes a new assignment no sooner than this after the last one.",
        at_least(0),
    ),
    ConfigKey(
        "group.consumer.min.assignment.interval.ms",
        _INT,
        0,
        "The shortest assignment interval that consumer groups may have.",
        at_least(0),
    ),
    ConfigKey(
        "group.consumer.max.assignment.interval.ms",
        _INT,
        15_000,
        "The longest assignment interval that consumer groups may have.",
        at_least(0),
    ),
    ConfigKey(
        "group.consumer.regex.refresh.interval.ms",
        _INT,
        600_000,
        "How often regular expressions of consumer groups are resolved anew although no topic has come.",
        at_least(10_000),
        internal=True,
    ),
)
