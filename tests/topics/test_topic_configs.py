"""Topic settings: overrides over broker settings over defaults, and how DescribeConfigs shows that."""

from __future__ import annotations

import pytest

from muster.topics.config_types import ConfigError, ConfigSource, text_of
from muster.topics.configs import BROKER_TOPIC_KEYS, SYNONYMS, TOPIC_CONFIGS, ConfigEntry, TopicDefaults


def entry(defaults: TopicDefaults, name: str, **overrides: str) -> ConfigEntry:
    named = {key.replace("_", "."): value for key, value in overrides.items()}
    return next(shown for shown in defaults.describe(named) if shown.name == name)


def test_every_default_obeys_its_own_rule() -> None:
    for key in (*TOPIC_CONFIGS, *BROKER_TOPIC_KEYS):
        if key.default is not None:
            assert key.parse(text_of(key.default)) == key.default


def test_defaults_are_kafka_4s() -> None:
    """KIP-1030 changed two of them: the bound of segment.bytes and message.timestamp.after.max.ms."""
    settings = TopicDefaults().settings({})
    assert settings.log.retention_ms == 604_800_000
    assert settings.log.segment_bytes == 1_073_741_824
    assert settings.max_message_bytes == 1_048_588
    assert settings.timestamp_after_max_ms == 3_600_000
    assert settings.timestamp_before_max_ms == 2**63 - 1
    assert (settings.log.cleanup_delete, settings.log.cleanup_compact) == (True, False)
    with pytest.raises(ConfigError, match="at least 1048576"):
        TopicDefaults().settings({"segment.bytes": "1000"})


def test_the_finest_unit_that_the_operator_set_wins() -> None:
    assert TopicDefaults({"log.retention.hours": "1"}).settings({}).log.retention_ms == 3_600_000
    minutes = TopicDefaults({"log.retention.hours": "1", "log.retention.minutes": "2"})
    assert minutes.settings({}).log.retention_ms == 120_000
    assert TopicDefaults({"log.retention.hours": "-1"}).settings({}).log.retention_ms == -1


def test_a_topics_own_setting_beats_the_brokers() -> None:
    defaults = TopicDefaults({"log.retention.ms": "5000"})
    assert defaults.settings({"retention.ms": "7000"}).log.retention_ms == 7_000


def test_a_bad_broker_setting_is_refused_when_the_defaults_are_made() -> None:
    with pytest.raises(ConfigError, match=r"retention\.hours: Not a number of type INT"):
        TopicDefaults({"log.retention.hours": "soon"})
    with pytest.raises(ConfigError, match=r"cleanup\.policy"):
        TopicDefaults({"log.cleanup.policy": "burn"})


def synonyms(shown: ConfigEntry) -> list[tuple[str, str, ConfigSource]]:
    return [(synonym.name, synonym.value, synonym.source) for synonym in shown.synonyms]


def test_a_default_is_shown_with_the_broker_setting_it_comes_from() -> None:
    shown = entry(TopicDefaults(), "cleanup.policy")
    assert (shown.value, shown.source) == ("delete", ConfigSource.DEFAULT_CONFIG)
    assert synonyms(shown) == [("log.cleanup.policy", "delete", ConfigSource.DEFAULT_CONFIG)]


def test_where_the_setting_of_the_finest_unit_is_not_set_no_broker_setting_is_shown() -> None:
    """Kafka 4.3 drops the synonyms in front of the one that carries the topic setting's unit, so here all of them."""
    shown = entry(TopicDefaults({"log.retention.hours": "1"}), "retention.ms")
    assert (shown.value, shown.source, synonyms(shown)) == ("3600000", ConfigSource.DEFAULT_CONFIG, [])
    assert synonyms(entry(TopicDefaults(), "follower.replication.throttled.replicas")) == []


def test_an_override_is_shown_before_what_it_hides() -> None:
    """Broker settings are shown in their own units, the finest first."""
    defaults = TopicDefaults({"log.retention.ms": "7000", "log.retention.minutes": "3"})
    shown = entry(defaults, "retention.ms", retention_ms="9")
    assert (shown.value, shown.source) == ("9", ConfigSource.DYNAMIC_TOPIC_CONFIG)
    assert synonyms(shown) == [
        ("retention.ms", "9", ConfigSource.DYNAMIC_TOPIC_CONFIG),
        ("log.retention.ms", "7000", ConfigSource.STATIC_BROKER_CONFIG),
        ("log.retention.minutes", "3", ConfigSource.STATIC_BROKER_CONFIG),
        ("log.retention.hours", "168", ConfigSource.DEFAULT_CONFIG),
    ]


def test_a_setting_for_tests_is_shown_only_where_it_is_set() -> None:
    assert all(shown.name != "internal.segment.bytes" for shown in TopicDefaults().describe({}))
    assert entry(TopicDefaults(), "internal.segment.bytes", internal_segment_bytes="100").value == "100"
    assert TopicDefaults().settings({"internal.segment.bytes": "100"}).log.segment_bytes == 100


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        ({"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "9"}, "conflict topic config setting"),
        ({"remote.storage.enable": "true"}, "Tiered Storage functionality is disabled"),
        ({"compression.gzip.level": "0"}, "Value must be between 1 and 9 or equal to -1"),
        ({"retention.ms": "-2"}, "Value must be at least -1"),
        ({"no.such": "1"}, "Unknown topic config name: no.such"),
    ],
)
def test_overrides_that_cannot_be_are_refused(overrides: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        TopicDefaults().settings(overrides)


def test_an_empty_cleanup_policy_neither_deletes_nor_compacts() -> None:
    log = TopicDefaults().settings({"cleanup.policy": ""}).log
    assert (log.cleanup_delete, log.cleanup_compact) == (False, False)


def test_every_topic_setting_with_a_broker_side_has_one_default_there() -> None:
    for name, synonyms in SYNONYMS.items():
        assert [synonym.preset for synonym in synonyms].count(True) == 1, name
