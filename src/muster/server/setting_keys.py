"""The table of broker settings: Kafka's names, types, defaults and rules, and a few of Muster's own under `muster.`.

Says what may be set. Where values come from is `setting_sources.py`; what they mean together is `settings.py`.
Every key here does something, unless its text says that it is accepted and has no effect.
"""

from __future__ import annotations

from typing import Final

from muster.server.consumer_group_keys import CONSUMER_GROUP_KEYS
from muster.server.limit_keys import LIMIT_KEYS
from muster.server.listener_keys import LISTENER_KEYS
from muster.server.observation_keys import OBSERVATION_KEYS
from muster.topics.config_table import BROKER_TOPIC_KEYS
from muster.topics.config_types import (
    INT_MAX,
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

_BOOLEAN, _STRING, _INT, _LONG, _LIST = (
    ConfigType.BOOLEAN,
    ConfigType.STRING,
    ConfigType.INT,
    ConfigType.LONG,
    ConfigType.LIST,
)
_NO_EFFECT = "Accepted so that Kafka's files can be used; it has no effect here."


def _always_with(word: str, *others: str) -> Rule:
    """A list in which one word may not be missing."""

    def allows(value: ConfigValue) -> bool:
        return isinstance(value, tuple) and word in value and list_of(word, *others).allows(value)

    return Rule(allows, f"must contain {word}, and may contain {', '.join(others)}", f"[{', '.join((word, *others))}]")


_NEVER_OR_A_WHILE = Rule(
    lambda value: value == 0 or at_least(500).allows(value), "must be 0, or at least 500", "0, or 500 or more"
)
_ONE_NODE = Rule(lambda value: value == 1, "only 1 is possible on a single node", "[1]")

MUSTER_KEYS: Final = (
    ConfigKey("muster.data", _STRING, "muster-data", "The directory that holds the logs and everything durable."),
    ConfigKey(
        "muster.storage",
        _STRING,
        "files",
        "files: durable, in muster.data. memory: gone when the server stops.",
        one_of("files", "memory"),
    ),
    ConfigKey(
        "muster.durability",
        _STRING,
        "fsync",
        "fsync: replies wait until the disk has it. os: until the operating system has it, as Kafka does.",
        one_of("fsync", "os"),
    ),
    ConfigKey(
        "muster.data.permissions",
        _STRING,
        "owner",
        "Who may read new files and directories in muster.data: owner (0600, 0700), or group too (0640, 0750).",
        one_of("owner", "group"),
    ),
    ConfigKey(
        "muster.internal.topics.writable",
        _BOOLEAN,
        False,
        "Whether clients with WRITE on them may produce to __consumer_offsets and other internal topics, to restore a copy.",
    ),
    ConfigKey(
        "muster.store",
        ConfigType.PASSWORD,
        "",
        "postgresql://... for several nodes that share one store; empty: muster.storage says where.",
    ),
    ConfigKey(
        "muster.lease.ms",
        _LONG,
        3_000,
        "How long a node of a cluster may be silent before others take over what it leads.",
        at_least(100),
    ),
    ConfigKey(
        "muster.workers",
        _INT,
        1,
        "Processes that share the load on this machine, by `muster serve`; each is a node with a port of its own.",
        between(1, 64),
    ),
    ConfigKey(
        "muster.worker.silence.ms",
        _LONG,
        20_000,
        "How long one of several workers may show no life before it is taken to hang, killed and started again; 0: for ever.",
        _NEVER_OR_A_WHILE,
    ),
    ConfigKey("muster.cluster.id", _STRING, "", "The cluster id; empty: the data directory's, or a new one."),
    ConfigKey("muster.rules", _STRING, "", "A TOML file with [[allow]] and [[deny]] rules that count beside ACLs."),
    ConfigKey(
        "muster.audit.interval.ms",
        _LONG,
        3_600_000,
        "The same denial is logged once in this time; further ones are counted.",
        at_least(60_000),
    ),
    ConfigKey(
        "muster.control.listen",
        _STRING,
        "",
        "HOST:PORT for the test controls over HTTP (clock, groups, faults), by `muster serve`; empty: none.",
    ),
    ConfigKey(
        "muster.control.anywhere",
        _BOOLEAN,
        False,
        "Whether the test controls may listen on an address that other machines reach; nobody is asked who they are.",
    ),
)

GROUP_KEYS: Final = (
    ConfigKey("group.min.session.timeout.ms", _INT, 6_000, "The shortest session timeout a member may ask for."),
    ConfigKey("group.max.session.timeout.ms", _INT, 1_800_000, "The longest session timeout a member may ask for."),
    ConfigKey(
        "group.initial.rebalance.delay.ms",
        _INT,
        3_000,
        "How long a group without members waits for more of them before its first rebalance.",
    ),
    ConfigKey("group.max.size", _INT, INT_MAX, "The most members a group may have.", at_least(1)),
    ConfigKey(
        "group.coordinator.rebalance.protocols",
        _LIST,
        ("classic", "consumer"),
        "The group protocols that are served.",
        _always_with("classic", "consumer"),
    ),
    *CONSUMER_GROUP_KEYS,
    ConfigKey("group.coordinator.threads", _INT, 1, _NO_EFFECT, at_least(1)),
    ConfigKey("group.coordinator.append.linger.ms", _INT, -1, _NO_EFFECT, at_least(-1)),
    ConfigKey(
        "offset.metadata.max.bytes", _INT, 4_096, "The longest text that a client may keep with a committed offset."
    ),
    ConfigKey(
        "offsets.load.buffer.size",
        _INT,
        5_242_880,
        "Bytes read at a time when a shard is loaded; more than 262144 are not, so that others are served meanwhile.",
        at_least(1),
    ),
    ConfigKey(
        "offsets.retention.minutes",
        _INT,
        10_080,
        "How long offsets are kept after their group has become empty.",
        at_least(1),
    ),
    ConfigKey(
        "offsets.retention.check.interval.ms",
        _LONG,
        600_000,
        "The time between two looks for expired offsets.",
        at_least(1),
    ),
    ConfigKey(
        "offsets.topic.num.partitions",
        _INT,
        50,
        "Partitions of __consumer_offsets when it is created; later changes have no effect.",
        at_least(1),
    ),
    ConfigKey("offsets.topic.segment.bytes", _INT, 104_857_600, "segment.bytes of __consumer_offsets.", at_least(1)),
    # Deviates: Kafka's default is 3 and a single node must lower it; here there is only one node to begin with.
    ConfigKey(
        "offsets.topic.replication.factor",
        ConfigType.SHORT,
        1,
        "Copies of each partition; one node has one.",
        _ONE_NODE,
    ),
    ConfigKey(
        "offsets.topic.compression.codec",
        _INT,
        0,
        "Compression of the coordinator's own records: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.",
        between(0, 4),
    ),
    ConfigKey(
        "offsets.commit.timeout.ms",
        _INT,
        5_000,
        "How long a reply may wait for its records to become durable.",
        at_least(1),
    ),
)

TRANSACTION_KEYS: Final = (
    ConfigKey(
        "transaction.partition.verification.enable",
        _BOOLEAN,
        True,
        "Whether the coordinator is asked if a partition is in a transaction before a producer of the first protocol writes there; "
        "without it a late request can leave a transaction that nobody ends.",
    ),
    ConfigKey(
        "add.partitions.to.txn.retry.backoff.ms",
        _INT,
        20,
        "How soon the coordinator is asked again about a batch while the transaction before is still being ended.",
        at_least(1),
    ),
    ConfigKey(
        "add.partitions.to.txn.retry.backoff.max.ms",
        _INT,
        100,
        "For how long; then the producer is answered CONCURRENT_TRANSACTIONS.",
        at_least(0),
    ),
    ConfigKey(
        "transaction.max.timeout.ms",
        _INT,
        900_000,
        "The longest transaction timeout that a producer may ask for.",
        at_least(1),
    ),
    ConfigKey(
        "transactional.id.expiration.ms",
        _INT,
        604_800_000,
        "How long a transactional id is kept that has no transaction open.",
        at_least(1),
    ),
    ConfigKey(
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        _INT,
        10_000,
        "How soon the abort of a transaction that timed out is tried again if it could not be stored.",
        at_least(1),
    ),
    ConfigKey(
        "transaction.remove.expired.transaction.cleanup.interval.ms",
        _INT,
        3_600_000,
        "The time between two looks for expired transactional ids.",
        at_least(1),
    ),
    ConfigKey(
        "transaction.state.log.num.partitions",
        _INT,
        50,
        "Partitions of __transaction_state when it is created; later changes have no effect.",
        at_least(1),
    ),
    ConfigKey(
        "transaction.state.log.segment.bytes",
        _INT,
        104_857_600,
        "segment.bytes of __transaction_state.",
        at_least(1),
    ),
)

BROKER_KEYS: Final = (
    ConfigKey(
        "node.id",
        _INT,
        1,
        "The id of this node. -1 (`--node-id auto`): a node of a cluster gets one from the store that no other had.",
        at_least(-1),
    ),
    ConfigKey("broker.rack", _STRING, None, "The rack that Metadata shows for this node."),
    ConfigKey("num.partitions", _INT, 1, "Partitions of a topic that nobody said a number for.", at_least(1)),
    ConfigKey("default.replication.factor", _INT, 1, "Copies of each partition; one node has one.", _ONE_NODE),
    ConfigKey("auto.create.topics.enable", _BOOLEAN, True, "Whether Metadata creates topics that it is asked for."),
    ConfigKey("delete.topic.enable", _BOOLEAN, True, "Whether topics may be deleted."),
    ConfigKey("socket.request.max.bytes", _INT, 104_857_600, "The largest request that is read.", at_least(1)),
    ConfigKey(
        "connections.max.idle.ms", _LONG, 600_000, "Connections without traffic for this long are closed; -1: never."
    ),
    ConfigKey("fetch.max.bytes", _INT, 57_671_680, "The most bytes in the answer to one fetch.", at_least(1_024)),
    ConfigKey(
        "max.request.partition.size.limit",
        _INT,
        2_000,
        "The most partitions in one answer of DescribeTopicPartitions.",
        at_least(1),
    ),
    ConfigKey(
        "producer.id.expiration.ms",
        _INT,
        86_400_000,
        "How long the sequence numbers of a silent producer are remembered.",
        at_least(1),
    ),
    ConfigKey(
        "producer.id.expiration.check.interval.ms",
        _INT,
        600_000,
        f"{_NO_EFFECT} Silent producers are forgotten with log.retention.check.interval.ms.",
        at_least(1),
    ),
    ConfigKey(
        "log.retention.check.interval.ms", _LONG, 300_000, "The time between two looks for old segments.", at_least(1)
    ),
    ConfigKey("log.cleaner.backoff.ms", _LONG, 15_000, "The time between two looks for logs to compact.", at_least(0)),
)

AUTHORIZER_CLASS: Final = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"

ACL_KEYS: Final = (
    ConfigKey(
        "authorizer.class.name",
        _STRING,
        "",
        "Kafka's authorizer: ACLs are kept and decide. Empty: everything is allowed, unless muster.rules is set.",
        one_of("", AUTHORIZER_CLASS),
    ),
    ConfigKey("super.users", _STRING, "", "Principals that may do everything, with semicolons between them."),
    ConfigKey(
        "allow.everyone.if.no.acl.found",
        _BOOLEAN,
        False,
        "Whether a resource that no ACL and no rule names is open to everybody.",
    ),
)

TABLE: Final = ConfigTable(
    "server",
    (
        *MUSTER_KEYS,
        *OBSERVATION_KEYS,
        *LISTENER_KEYS,
        *GROUP_KEYS,
        *TRANSACTION_KEYS,
        *BROKER_KEYS,
        *LIMIT_KEYS,
        *ACL_KEYS,
        *BROKER_TOPIC_KEYS,
    ),
)

ALIASES: Final = {
    "broker.id": "node.id",
    "muster.listen": "listeners",
    "muster.advertise": "advertised.listeners",
    "log.dir": "muster.data",
    "log.dirs": "muster.data",
}
"""Kafka's other names for the same thing."""

NOT_SUPPORTED_YET: Final = (
    "group.consumer.",
    "group.share.",
    "group.streams.",
    "transaction.",
    "transactional.id.",
    "delegation.token.",
    "sasl.jaas.",
    "sasl.kerberos.",
    "sasl.login.",
    "sasl.server.callback.",
    "ssl.engine.",
    "ssl.keymanager.",
    "ssl.provider",
    "ssl.trustmanager.",
    "remote.log.",
    "controller.",
)
"""Beginnings of Kafka settings for things that are not built: refused, so that nobody believes them to work."""
