"""What a topic's settings come to: overrides, then the operator's broker settings, then defaults.

A topic's effective value is its own override, else the first broker synonym that the operator set, else the default.
Knows nothing of catalogs or logs; the catalog asks it to check overrides and to turn them into `TopicSettings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import dropwhile

from muster.log.contract import LogConfig
from muster.topics.config_table import BROKER_TOPIC_KEYS, SYNONYMS, TOPIC_CONFIGS, broker_key
from muster.topics.config_types import (
    ConfigError,
    ConfigKey,
    ConfigSource,
    ConfigType,
    ConfigValues,
    text_of,
)
from muster.wire.late_dataclass import dataclass

__all__ = [
    "BROKER_TOPIC_KEYS",
    "SYNONYMS",
    "TOPIC_CONFIGS",
    "ConfigEntry",
    "ConfigSynonym",
    "TopicDefaults",
    "TopicSettings",
]


@dataclass(slots=True, frozen=True)
class TopicSettings:
    """A topic's effective settings in the form in which the code uses them."""

    log: LogConfig
    max_message_bytes: int
    log_append_time: bool
    timestamp_before_max_ms: int
    timestamp_after_max_ms: int
    compression_type: str
    min_insync_replicas: int


@dataclass(slots=True, frozen=True)
class ConfigSynonym:
    name: str
    value: str
    source: ConfigSource


@dataclass(slots=True, frozen=True)
class ConfigEntry:
    """One line of DescribeConfigs. Topic settings are neither read-only nor secret."""

    name: str
    value: str
    source: ConfigSource
    type: ConfigType
    doc: str
    synonyms: tuple[ConfigSynonym, ...]
    """The effective value first, then what it hides; empty where Kafka shows none."""


class TopicDefaults:
    """What topics get without overrides, given what the operator set for the broker."""

    def __init__(self, broker_settings: Mapping[str, str] | None = None) -> None:
        """`broker_settings`: only what the operator set, as text; names that concern no topic setting are ignored."""
        self._broker = dict(broker_settings or {})
        self._texts: dict[str, str] = {}
        for topic_name in SYNONYMS:
            own = self._set_synonyms(topic_name)
            if own:
                TOPIC_CONFIGS[topic_name].parse(own[0].value)
                self._texts[topic_name] = own[0].value

    def _set_synonyms(self, topic_name: str) -> list[ConfigSynonym]:
        """The operator's values in the topic setting's unit, highest priority first."""
        found = []
        for synonym in SYNONYMS.get(topic_name, ()):
            text = self._broker.get(synonym.name)
            if text is None:
                continue
            if synonym.unit_ms != 1:
                count = broker_key(TOPIC_CONFIGS[topic_name], synonym).parse(text)
                assert isinstance(count, int)
                # Kafka: any negative number of hours or minutes means no limit.
                text = str(count * synonym.unit_ms if count >= 0 else -1)
            found.append(ConfigSynonym(synonym.name, text, ConfigSource.STATIC_BROKER_CONFIG))
        return found

    def values(self, overrides: Mapping[str, str]) -> ConfigValues:
        """Effective values of a topic with these overrides; ConfigError if they may not be set."""
        values = TOPIC_CONFIGS.parse({**self._texts, **overrides})
        shortest, longest = values.integer("min.compaction.lag.ms"), values.integer("max.compaction.lag.ms")
        if shortest > longest:
            raise ConfigError(
                f"conflict topic config setting min.compaction.lag.ms ({shortest}) > max.compaction.lag.ms ({longest})"
            )
        if values.boolean("remote.storage.enable"):
            raise ConfigError(
                "Tiered Storage functionality is disabled in the broker. "
                "Topic cannot be configured with remote log storage."
            )
        return values

    def settings(self, overrides: Mapping[str, str]) -> TopicSettings:
        values = self.values(overrides)
        return TopicSettings(
            log=_log_config(values),
            max_message_bytes=values.integer("max.message.bytes"),
            log_append_time=values.string("message.timestamp.type") == "LogAppendTime",
            timestamp_before_max_ms=values.integer("message.timestamp.before.max.ms"),
            timestamp_after_max_ms=values.integer("message.timestamp.after.max.ms"),
            compression_type=values.string("compression.type"),
            min_insync_replicas=values.integer("min.insync.replicas"),
        )

    def describe(self, overrides: Mapping[str, str]) -> list[ConfigEntry]:
        """Every setting that is shown, by name, with where its value comes from."""
        return [
            self._entry(key, overrides.get(key.name))
            for key in TOPIC_CONFIGS
            if not key.internal or key.name in overrides
        ]

    def text(self, name: str) -> str:
        """What the setting is for a topic that does not override it."""
        default = TOPIC_CONFIGS[name].default
        return self._texts.get(name, "" if default is None else text_of(default))

    def _entry(self, key: ConfigKey, override: str | None) -> ConfigEntry:
        synonyms = self._shown_synonyms(key)
        value = self.text(key.name)
        if override is not None:
            synonyms.insert(0, ConfigSynonym(key.name, override, ConfigSource.DYNAMIC_TOPIC_CONFIG))
            value = override
        source = synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG
        return ConfigEntry(key.name, value, source, key.type, key.doc, tuple(synonyms))

    def _shown_synonyms(self, key: ConfigKey) -> list[ConfigSynonym]:
        """What the operator set, then the defaults, each in the broker setting's own unit.

        Kafka shows them from the broker setting of the finest unit on: where only hours are set, nothing.
        """
        known = SYNONYMS.get(key.name, ())
        found = [
            ConfigSynonym(each.name, self._broker[each.name], ConfigSource.STATIC_BROKER_CONFIG)
            for each in known
            if each.name in self._broker
        ]
        for each in known:
            default = broker_key(key, each).default
            if default is not None:
                found.append(ConfigSynonym(each.name, text_of(default), ConfigSource.DEFAULT_CONFIG))
        return list(dropwhile(lambda shown: shown.name != known[0].name, found))


def _log_config(values: ConfigValues) -> LogConfig:
    policies = values.words("cleanup.policy")
    segment_bytes = values.get("internal.segment.bytes")
    return LogConfig(
        segment_bytes=segment_bytes if isinstance(segment_bytes, int) else values.integer("segment.bytes"),
        segment_ms=values.integer("segment.ms"),
        index_interval_bytes=values.integer("index.interval.bytes"),
        retention_ms=values.integer("retention.ms"),
        retention_bytes=values.integer("retention.bytes"),
        cleanup_delete="delete" in policies,
        cleanup_compact="compact" in policies,
        file_delete_delay_ms=values.integer("file.delete.delay.ms"),
        min_cleanable_dirty_ratio=values.number("min.cleanable.dirty.ratio"),
        min_compaction_lag_ms=values.integer("min.compaction.lag.ms"),
        max_compaction_lag_ms=values.integer("max.compaction.lag.ms"),
        delete_retention_ms=values.integer("delete.retention.ms"),
    )
