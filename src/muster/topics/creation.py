"""New topics and more partitions: what a cluster of one node allows, in Kafka's words.

Decides and asks the catalog; versions of the API and authorization are the handlers' business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from muster.core.internal_topics import CLUSTER_METADATA
from muster.log.contract import StorageError
from muster.topics.catalog import Catalog
from muster.topics.config_types import ConfigError
from muster.topics.configs import TopicSettings
from muster.topics.limits import MAX_PARTITIONS, MAX_PARTITIONS_PER_REQUEST
from muster.topics.names import INTERNAL_TOPICS, check_name, collision_key
from muster.topics.refusal import TopicError
from muster.topics.topic import Topic
from muster.wire.errors import (
    INVALID_CONFIG,
    INVALID_PARTITIONS,
    INVALID_REPLICA_ASSIGNMENT,
    INVALID_REPLICATION_FACTOR,
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    KAFKA_STORAGE_ERROR,
    NONE,
    POLICY_VIOLATION,
    TOPIC_ALREADY_EXISTS,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class ClusterRules:
    """The few facts of the node that creation depends on."""

    node_id: int
    num_partitions: int = 1
    default_replication_factor: int = 1


@dataclass(slots=True, frozen=True)
class NewTopic:
    name: str
    partitions: int = -1
    replication_factor: int = -1
    assignments: Sequence[tuple[int, Sequence[int]]] = ()
    """(partition, brokers), if the client places the replicas itself."""
    configs: Sequence[tuple[str, str | None]] = ()


@dataclass(slots=True, frozen=True)
class CreatedTopic:
    """The answer for one name. `topic` is filled also for a topic that was only validated; it has no partitions then."""

    name: str
    error_code: int = NONE
    message: str | None = None
    topic: Topic | None = None
    partitions: int = -1
    replication_factor: int = -1


@dataclass(slots=True, frozen=True)
class NewPartitions:
    name: str
    count: int
    assignments: Sequence[Sequence[int]] | None = None


@dataclass(slots=True, frozen=True)
class TopicAnswer:
    name: str
    error_code: int = NONE
    message: str | None = None


@dataclass(slots=True)
class _Plan:
    topics: list[Topic] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    by_collision_key: dict[str, str] = field(default_factory=dict)
    total: int = 0


def create_topics(
    catalog: Catalog, rules: ClusterRules, wanted: Sequence[NewTopic], *, validate_only: bool = False
) -> list[CreatedTopic]:
    """One answer per distinct name, in the order of the request. What is valid is made, in one step."""
    times = Counter(new.name for new in wanted)
    plan = _Plan()
    answers: dict[str, CreatedTopic] = {}
    for new in wanted:
        if new.name not in answers:
            answers[new.name] = _plan_one(catalog, rules, new, plan, repeated=times[new.name] > 1)
    if plan.topics and not validate_only:
        try:
            catalog.add(plan.topics, plan.counts)
        except StorageError as error:
            for topic in plan.topics:
                answers[topic.name] = CreatedTopic(topic.name, KAFKA_STORAGE_ERROR, str(error))
    return list(answers.values())


def _plan_one(catalog: Catalog, rules: ClusterRules, new: NewTopic, plan: _Plan, *, repeated: bool) -> CreatedTopic:
    try:
        if repeated:
            raise TopicError(INVALID_REQUEST, "Duplicate topic name.")
        _check_new_name(catalog, new.name, plan)
        overrides = _overrides(new)
        settings = _checked(catalog, overrides)
        count = _partition_count(rules, new)
        _check_room(catalog, plan.total, count)
    except TopicError as refused:
        return CreatedTopic(new.name, refused.code, refused.message)
    topic = Topic(new.name, catalog.new_topic_id(), overrides, settings)
    plan.topics.append(topic)
    plan.counts.append(count)
    plan.by_collision_key[collision_key(new.name)] = new.name
    plan.total += count
    return CreatedTopic(new.name, topic=topic, partitions=count, replication_factor=1)


def _check_new_name(catalog: Catalog, name: str, plan: _Plan) -> None:
    if name == CLUSTER_METADATA:
        raise TopicError(TOPIC_AUTHORIZATION_FAILED, f"Creation of topic {name} is prohibited.")
    if name in catalog:
        raise TopicError(TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
    check_name(name)
    if name in INTERNAL_TOPICS:
        # Deviates: Kafka lets clients make its internal topics, with whatever settings they ask for.
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"Topic name '{name}' is reserved: the server makes it itself.")
    colliding = catalog.colliding(name) or plan.by_collision_key.get(collision_key(name))
    if colliding is not None:
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"Topic '{name}' collides with existing topic: {colliding}")


def _overrides(new: NewTopic) -> dict[str, str]:
    without_value = [name for name, value in new.configs if value is None]
    if without_value:
        raise TopicError(INVALID_CONFIG, f"Null value not supported for topic configs: {','.join(without_value)}")
    return {name: value for name, value in new.configs if value is not None}


def _checked(catalog: Catalog, overrides: dict[str, str]) -> TopicSettings:
    try:
        return catalog.defaults.settings(overrides)
    except ConfigError as error:
        raise TopicError(INVALID_CONFIG, str(error)) from None


def _partition_count(rules: ClusterRules, new: NewTopic) -> int:
    if new.assignments:
        return _assigned_count(rules, new)
    factor = new.replication_factor
    if factor < -1 or factor == 0:
        raise TopicError(
            INVALID_REPLICATION_FACTOR, "Replication factor must be larger than 0, or -1 to use the default value."
        )
    if new.partitions < -1 or new.partitions == 0:
        raise TopicError(INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value.")
    if factor == -1:
        factor = rules.default_replication_factor
    if factor != 1:
        raise TopicError(
            INVALID_REPLICATION_FACTOR,
            f"Unable to replicate the partition {factor} time(s): The target replication factor of {factor} "
            "cannot be reached because only 1 broker(s) are registered "
            "or some brokers have all their log directories cordoned.",
        )
    return rules.num_partitions if new.partitions == -1 else new.partitions


def _assigned_count(rules: ClusterRules, new: NewTopic) -> int:
    if new.replication_factor != -1:
        raise TopicError(
            INVALID_REQUEST, "A manual partition assignment was specified, but replication factor was not set to -1."
        )
    if new.partitions != -1:
        raise TopicError(
            INVALID_REQUEST, "A manual partition assignment was specified, but numPartitions was not set to -1."
        )
    seen: set[int] = set()
    for index, brokers in new.assignments:
        if index in seen:
            raise TopicError(
                INVALID_REPLICA_ASSIGNMENT, f"Found multiple manual partition assignments for partition {index}"
            )
        seen.add(index)
        _check_assignment(rules, brokers)
    if seen != set(range(len(seen))):
        raise TopicError(INVALID_REPLICA_ASSIGNMENT, "partitions should be a consecutive 0-based integer sequence")
    return len(seen)


def _check_assignment(rules: ClusterRules, brokers: Sequence[int]) -> None:
    prefix = "The manual partition assignment includes"
    if not brokers:
        raise TopicError(INVALID_REPLICA_ASSIGNMENT, f"{prefix} an empty replica list.")
    for broker in sorted(brokers):
        if broker != rules.node_id:
            raise TopicError(INVALID_REPLICA_ASSIGNMENT, f"{prefix} broker {broker}, but no such broker is registered.")
    if len(brokers) > 1:
        raise TopicError(INVALID_REPLICA_ASSIGNMENT, f"{prefix} the broker {brokers[0]} more than once.")


def _check_room(catalog: Catalog, planned: int, count: int) -> None:
    if planned + count > MAX_PARTITIONS_PER_REQUEST:
        raise TopicError(
            POLICY_VIOLATION,
            f"Excessively large number of partitions per request: at most {MAX_PARTITIONS_PER_REQUEST} are allowed.",
        )
    if catalog.partition_count + planned + count > MAX_PARTITIONS:
        raise TopicError(POLICY_VIOLATION, f"This node holds at most {MAX_PARTITIONS} partitions.")


def auto_create(catalog: Catalog, rules: ClusterRules, name: str) -> Topic:
    """The topic that a client asked for by using it. Reserved names are not made this way."""
    if name in INTERNAL_TOPICS or name == CLUSTER_METADATA:
        raise TopicError(UNKNOWN_TOPIC_OR_PARTITION)
    (answer,) = create_topics(catalog, rules, [NewTopic(name)])
    if answer.topic is None:
        raise TopicError(answer.error_code, answer.message)
    return answer.topic


def ensure_internal(catalog: Catalog, name: str, partitions: int, overrides: dict[str, str]) -> Topic:
    """An internal topic, made if it is not there. One that is there keeps its partitions and settings."""
    assert name in INTERNAL_TOPICS, name
    topic = catalog.get(name)
    if topic is None:
        topic = Topic(name, catalog.new_topic_id(), overrides, catalog.defaults.settings(overrides))
        catalog.add([topic], [partitions])
    return topic


def create_partitions(
    catalog: Catalog,
    rules: ClusterRules,
    wanted: Sequence[NewPartitions],
    answers: dict[str, TopicAnswer],
    *,
    validate_only: bool = False,
) -> None:
    """One answer per distinct name, in the order of the request. Names that have one already, of an attempt that another
    node's change ended, are left alone."""
    times = Counter(more.name for more in wanted)
    for more in wanted:
        if more.name in answers:
            continue
        try:
            if times[more.name] > 1:
                raise TopicError(INVALID_REQUEST, "Duplicate topic name.")
            topic = _growable(catalog, rules, more)
            if not validate_only:
                catalog.grow(topic, more.count)
            answers[more.name] = TopicAnswer(more.name)
        except TopicError as refused:
            answers[more.name] = TopicAnswer(more.name, refused.code, refused.message)
        except StorageError as error:
            answers[more.name] = TopicAnswer(more.name, KAFKA_STORAGE_ERROR, str(error))


def _growable(catalog: Catalog, rules: ClusterRules, more: NewPartitions) -> Topic:
    topic = catalog.get(more.name)
    if topic is None:
        raise TopicError(UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.")
    if topic.internal:
        # Deviates: Kafka grows its internal topics on request, which sends groups to other coordinators.
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"The internal topic {topic.name} cannot be given more partitions.")
    have = len(topic.partitions)
    if more.count == have:
        raise TopicError(INVALID_PARTITIONS, f"Topic already has {have} partition(s).")
    if more.count < have:
        raise TopicError(
            INVALID_PARTITIONS,
            f"The topic {topic.name} currently has {have} partition(s); {more.count} would not be an increase.",
        )
    additional = more.count - have
    if more.assignments is not None:
        if len(more.assignments) != additional:
            raise TopicError(
                INVALID_REPLICA_ASSIGNMENT,
                f"Attempted to add {additional} additional partition(s), but only {len(more.assignments)} "
                "assignment(s) were specified.",
            )
        for brokers in more.assignments:
            _check_assignment(rules, brokers)
    _check_room(catalog, 0, additional)
    return topic
