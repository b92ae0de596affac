"""The table of topic settings: Kafka's names, types, defaults and rules, and the broker settings behind them.

Only facts. What a topic's settings come to is decided in topics/configs.py; the server takes `BROKER_TOPIC_KEYS` into
its own table. Defaults and bounds are those of Kafka 4.x (KIP-1030).
"""

from __future__ import annotations

from collections.abc import Mapping

from muster.core.time_units import DAY_MS, HOUR_MS, MINUTE_MS
from muster.topics.config_types import (
    LONG_MAX,
    ConfigKey,
    ConfigTable,
    ConfigType,
    ConfigValue,
    Rule,
    at_least,
    between,
    list_of,
    one_of,
)
from muster.wire.late_dataclass import dataclass

_BOOLEAN, _DOUBLE, _INT = ConfigType.BOOLEAN, ConfigType.DOUBLE, ConfigType.INT
_LIST, _LONG, _STRING = ConfigType.LIST, ConfigType.LONG, ConfigType.STRING


_GZIP_LEVELS = Rule(
    lambda level: level == -1 or level in range(1, 10),
    "Value must be between 1 and 9 or equal to -1",
    "[1,...,9] or -1",
)

COMPRESSION_TYPES = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")

# Deviates: compression levels are kept and shown, but batches are recompressed at the codec's usual level.
TOPIC_CONFIGS = ConfigTable(
    "topic",
    [
        ConfigKey(
            "cleanup.policy", _LIST, ("delete",), "What happens to old segments: delete, compact, or both.",
            list_of("compact", "delete"),
        ),
        ConfigKey(
            "compression.gzip.level", _INT, -1, "Level used when compression.type is gzip; -1 is zlib's own choice.",
            _GZIP_LEVELS,
        ),
        ConfigKey("compression.lz4.level", _INT, 9, "Level used when compression.type is lz4.", between(1, 17)),
        ConfigKey(
            "compression.type", _STRING, "producer",
            "Compression of the stored batches; producer keeps what the producer chose.",
            one_of(*COMPRESSION_TYPES),
        ),
        ConfigKey(
            "compression.zstd.level", _INT, 3, "Level used when compression.type is zstd.", between(-131_072, 22)
        ),
        ConfigKey(
            "delete.retention.ms", _LONG, DAY_MS,
            "How long tombstones stay readable in a compacted log after they were cleaned.", at_least(0),
        ),
        ConfigKey(
            "file.delete.delay.ms", _LONG, 60_000, "How long a dropped file stays on disk before it is removed.",
            at_least(0),
        ),
        ConfigKey(
            "flush.messages", _LONG, LONG_MAX,
            "Messages between forced flushes. Every commit is flushed here if durability is fsync.", at_least(1),
        ),
        ConfigKey(
            "flush.ms", _LONG, LONG_MAX,
            "Milliseconds between forced flushes. Every commit is flushed here if durability is fsync.", at_least(0),
        ),
        ConfigKey(
            "follower.replication.throttled.replicas", _LIST, (),
            "Replicas whose following side is throttled. Without effect on a cluster of one node.",
        ),
        ConfigKey(
            "index.interval.bytes", _INT, 4_096, "Bytes of log between two entries of the offset index.", at_least(0)
        ),
        ConfigKey(
            "internal.segment.bytes", _INT, None, "Segment size without the lower bound, for tests.", at_least(1),
            internal=True,
        ),
        ConfigKey(
            "leader.replication.throttled.replicas", _LIST, (),
            "Replicas whose leading side is throttled. Without effect on a cluster of one node.",
        ),
        ConfigKey(
            "local.retention.bytes", _LONG, -2, "Bytes kept locally with tiered storage; -2 means retention.bytes.",
            at_least(-2),
        ),
        ConfigKey(
            "local.retention.ms", _LONG, -2, "Milliseconds kept locally with tiered storage; -2 means retention.ms.",
            at_least(-2),
        ),
        ConfigKey(
            "max.compaction.lag.ms", _LONG, LONG_MAX, "A record is compacted at the latest this long after it came.",
            at_least(1),
        ),
        ConfigKey(
            "max.message.bytes", _INT, 1_048_588, "The largest record batch accepted, after compression.", at_least(0)
        ),
        ConfigKey(
            "message.timestamp.after.max.ms", _LONG, HOUR_MS,
            "How far a record's timestamp may lie in the future, with CreateTime.", at_least(0),
        ),
        ConfigKey(
            "message.timestamp.before.max.ms", _LONG, LONG_MAX,
            "How far a record's timestamp may lie in the past, with CreateTime.", at_least(0),
        ),
        ConfigKey(
            "message.timestamp.type", _STRING, "CreateTime",
            "Whether the producer's timestamp is kept or the time of the append is written over it.",
            one_of("CreateTime", "LogAppendTime"),
        ),
        ConfigKey(
            "min.cleanable.dirty.ratio", _DOUBLE, 0.5, "Share of the log that must be uncleaned before it is compacted.",
            between(0, 1),
        ),
        ConfigKey(
            "min.compaction.lag.ms", _LONG, 0, "A record stays uncompacted at least this long.", at_least(0)
        ),
        ConfigKey(
            "min.insync.replicas", _INT, 1,
            "Replicas that must have a write before it counts with acks=all. One node can only fulfil 1.", at_least(1),
        ),
        ConfigKey("preallocate", _BOOLEAN, False, "Whether segment files are given their full size when made."),
        ConfigKey(
            "remote.log.copy.disable", _BOOLEAN, False, "Stops copying to tiered storage. There is none here."
        ),
        ConfigKey(
            "remote.log.delete.on.disable", _BOOLEAN, False, "Drops tiered data when it is disabled. There is none here."
        ),
        ConfigKey("remote.storage.enable", _BOOLEAN, False, "Whether the topic uses tiered storage. It cannot here."),
        ConfigKey("retention.bytes", _LONG, -1, "Bytes kept per partition before old segments go; -1 is no limit."),
        ConfigKey(
            "retention.ms", _LONG, 7 * DAY_MS, "How long a segment is kept before it goes; -1 is for ever.",
            at_least(-1),
        ),
        ConfigKey(
            "segment.bytes", _INT, 1_073_741_824, "The size at which the log moves on to a new segment file.",
            at_least(1_048_576),
        ),
        ConfigKey(
            "segment.index.bytes", _INT, 10_485_760, "The largest size of a segment's offset index.", at_least(4)
        ),
        ConfigKey(
            "segment.jitter.ms", _LONG, 0, "The most that is taken off segment.ms at random.", at_least(0)
        ),
        ConfigKey(
            "segment.ms", _LONG, 7 * DAY_MS, "The age at which the log moves on to a new segment file.", at_least(1)
        ),
        ConfigKey(
            "unclean.leader.election.enable", _BOOLEAN, False,
            "Whether a replica that is behind may lead. Without effect on a cluster of one node.",
        ),
    ],
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Synonym:
    """A broker setting that gives a topic setting its default; `unit_ms` turns its hours or minutes into ms."""

    name: str
    unit_ms: int = 1
    preset: bool = True
    """False: unset by default, so that the next synonym's default counts."""


SYNONYMS: Mapping[str, tuple[Synonym, ...]] = {
    "cleanup.policy": (Synonym("log.cleanup.policy"),),
    "compression.gzip.level": (Synonym("compression.gzip.level"),),
    "compression.lz4.level": (Synonym("compression.lz4.level"),),
    "compression.type": (Synonym("compression.type"),),
    "compression.zstd.level": (Synonym("compression.zstd.level"),),
    "delete.retention.ms": (Synonym("log.cleaner.delete.retention.ms"),),
    "file.delete.delay.ms": (Synonym("log.segment.delete.delay.ms"),),
    "flush.messages": (Synonym("log.flush.interval.messages"),),
    "flush.ms": (Synonym("log.flush.interval.ms", preset=False), Synonym("log.flush.scheduler.interval.ms")),
    "index.interval.bytes": (Synonym("log.index.interval.bytes"),),
    "local.retention.bytes": (Synonym("log.local.retention.bytes"),),
    "local.retention.ms": (Synonym("log.local.retention.ms"),),
    "max.compaction.lag.ms": (Synonym("log.cleaner.max.compaction.lag.ms"),),
    "max.message.bytes": (Synonym("message.max.bytes"),),
    "message.timestamp.after.max.ms": (Synonym("log.message.timestamp.after.max.ms"),),
    "message.timestamp.before.max.ms": (Synonym("log.message.timestamp.before.max.ms"),),
    "message.timestamp.type": (Synonym("log.message.timestamp.type"),),
    "min.cleanable.dirty.ratio": (Synonym("log.cleaner.min.cleanable.ratio"),),
    "min.compaction.lag.ms": (Synonym("log.cleaner.min.compaction.lag.ms"),),
    "min.insync.replicas": (Synonym("min.insync.replicas"),),
    "preallocate": (Synonym("log.preallocate"),),
    "retention.bytes": (Synonym("log.retention.bytes"),),
    "retention.ms": (
        Synonym("log.retention.ms", preset=False),
        Synonym("log.retention.minutes", MINUTE_MS, preset=False),
        Synonym("log.retention.hours", HOUR_MS),
    ),
    "segment.bytes": (Synonym("log.segment.bytes"),),
    "segment.index.bytes": (Synonym("log.index.size.max.bytes"),),
    "segment.jitter.ms": (Synonym("log.roll.jitter.ms", preset=False), Synonym("log.roll.jitter.hours", HOUR_MS)),
    "segment.ms": (Synonym("log.roll.ms", preset=False), Synonym("log.roll.hours", HOUR_MS)),
    "unclean.leader.election.enable": (Synonym("unclean.leader.election.enable"),),
}
"""Highest priority first, as Kafka ranks them."""


def broker_key(topic_key: ConfigKey, synonym: Synonym) -> ConfigKey:
    doc = f"Default of the topic setting {topic_key.name}. {topic_key.doc}"
    default: ConfigValue | None = topic_key.default if synonym.preset else None
    if synonym.unit_ms == 1:
        return ConfigKey(synonym.name, topic_key.type, default, doc, topic_key.rule)
    unit = "hours" if synonym.unit_ms == HOUR_MS else "minutes"
    if default is not None:
        assert isinstance(default, int)
        default //= synonym.unit_ms
    return ConfigKey(synonym.name, _INT, default, f"{doc} In {unit}.")


BROKER_TOPIC_KEYS: tuple[ConfigKey, ...] = tuple(
    broker_key(TOPIC_CONFIGS[topic_name], synonym) for topic_name, synonyms in SYNONYMS.items() for synonym in synonyms
)
"""The broker settings behind the topic settings, for the server's own table."""
