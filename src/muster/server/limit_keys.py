"""The settings that keep one client from taking everything: connections, windows of quotas, what one principal may keep.

Part of the table in `setting_keys.py`. Quotas themselves are no settings: clients set them (AlterClientQuotas).
"""

from __future__ import annotations

from typing import Final

from muster.server.limits import MOST_ENTRIES
from muster.topics.config_types import INT_MAX, ConfigKey, ConfigType, at_least, between

_INT, _LONG, _LIST = ConfigType.INT, ConfigType.LONG, ConfigType.LIST

DOOR_KEYS: Final = (
    ConfigKey(
        "max.connections",
        _INT,
        INT_MAX,
        "The most connections at a time; for one listener: through that one.",
        at_least(0),
    ),
    ConfigKey(
        "max.connection.creation.rate",
        _INT,
        INT_MAX,
        "New connections a second; those beyond it wait before they are served. For one listener: through that one.",
        at_least(0),
    ),
)
"""May be set for one listener alone, beside what holds for all."""

CONNECTION_KEYS: Final = (
    *DOOR_KEYS,
    ConfigKey(
        "max.connections.per.ip",
        _INT,
        INT_MAX,
        "The most connections at a time from one address; 0: only those that max.connections.per.ip.overrides names.",
        at_least(0),
    ),
    ConfigKey(
        "max.connections.per.ip.overrides",
        _LIST,
        (),
        "ADDRESS:COUNT, several with commas: what holds for these addresses instead.",
    ),
    ConfigKey(
        "muster.max.connections.per.user",
        _INT,
        INT_MAX,
        "The most connections at a time of one user who has shown who he is.",
        at_least(1),
    ),
)

REQUEST_KEYS: Final = (
    ConfigKey(
        "queued.max.request.bytes",
        _LONG,
        268_435_456,
        "Bytes of requests that are held at a time, of all connections; over it nothing is read from those that send large"
        " ones. Requests up to 64 KiB do not count.",
        at_least(1_048_576),
    ),
    ConfigKey(
        "muster.request.max.bytes",
        _INT,
        4_194_304,
        "The largest request that is no Produce; socket.request.max.bytes holds for all.",
        at_least(65_536),
    ),
    ConfigKey(
        "muster.request.max.entries",
        _INT,
        10_000,
        "Partitions, topics, groups and other entries that one request may list in all: 10,000 are served in some 50 ms, during"
        " which nobody else is.",
        between(1_000, MOST_ENTRIES),
    ),
)

QUOTA_KEYS: Final = (
    ConfigKey("quota.window.num", _INT, 11, "How many windows quotas of clients look back.", at_least(1)),
    ConfigKey("quota.window.size.seconds", _INT, 1, "How long one of these windows is.", at_least(1)),
    ConfigKey(
        "controller.quota.window.num", _INT, 11, "The same for controller_mutation_rate: how many windows.", at_least(1)
    ),
    ConfigKey(
        "controller.quota.window.size.seconds",
        _INT,
        1,
        "The same for controller_mutation_rate: how long one window is.",
        at_least(1),
    ),
)

HOLDING_KEYS: Final = (
    ConfigKey(
        "muster.max.groups.per.principal", _INT, INT_MAX, "The most groups that one principal may create.", at_least(0)
    ),
    ConfigKey(
        "muster.max.members.per.principal",
        _INT,
        INT_MAX,
        "The most members, in all groups together, that one principal may have; handed out member ids count.",
        at_least(0),
    ),
    ConfigKey(
        "muster.max.offsets.per.principal",
        _INT,
        INT_MAX,
        "The most committed offsets, one a partition, in all groups that one principal created.",
        at_least(0),
    ),
    ConfigKey(
        "muster.max.transactional.ids.per.principal",
        _INT,
        INT_MAX,
        "The most transactional ids that one principal may have; they go with transactional.id.expiration.ms.",
        at_least(0),
    ),
    ConfigKey(
        "muster.max.parked.joins.per.principal",
        _INT,
        INT_MAX,
        "The most JoinGroup requests of one principal that wait for their group at a time.",
        at_least(1),
    ),
)

LIMIT_KEYS: Final = (*CONNECTION_KEYS, *REQUEST_KEYS, *QUOTA_KEYS, *HOLDING_KEYS)
