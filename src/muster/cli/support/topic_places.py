"""Topics and partitions as people write them: `orders`, `orders:0`, `orders:0,1,4-6`; and what is said of unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import nearest

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.failure import ClientError
    from muster.client.partitions import TopicPartition
    from muster.client.topics import TopicDescription

_PARTITION_DIGITS: Final = 6


def parse_place(text: str, flag: str) -> tuple[str, list[int] | None]:
    """Topic and partitions; None for all of them. Names of topics have no colon."""
    topic, colon, rest = text.partition(":")
    if not topic:
        raise UsageError(f"{flag} {text}: write TOPIC or TOPIC:0,1")
    return topic, parse_partitions(rest, f"{flag} {text}") if colon else None


def parse_partitions(text: str, where: str) -> list[int]:
    numbers: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(f"{where}: {part!r} is not a partition; write numbers like 0,1 or 0-3")
        if max(len(first), len(last)) > _PARTITION_DIGITS:
            raise UsageError(f"{where}: no topic has so many partitions; give numbers below a million")
        for number in range(int(first), int(last if dash else first) + 1):
            numbers[number] = None
    return list(numbers)


async def known_topics(cluster: Cluster, names: Sequence[str], verb: str = "find") -> list[TopicDescription]:
    """In the order asked. ClientError names one that is spelt nearly the same, if there is one."""
    from muster.client.admin import describe_topics
    from muster.client.failure import ClientError
    from muster.wire.errors import INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION

    try:
        return await describe_topics(cluster, names)
    except ClientError as failure:
        if failure.code not in (UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION):
            raise
        raise await unknown_topic(cluster, failure.asked.rpartition(" ")[2], verb) from None


async def unknown_topic(cluster: Cluster, name: str, verb: str) -> ClientError:
    from muster.client.admin import list_topics
    from muster.client.failure import ClientError
    from muster.wire.errors import UNKNOWN_TOPIC_OR_PARTITION

    known = [each.name for each in await list_topics(cluster, internal=True)]
    near = nearest(name, known)
    hint = (f"Did you mean {near}? " if near else "") + "See `muster topics list`, or `muster topics create` it"
    return ClientError(UNKNOWN_TOPIC_OR_PARTITION, f"{verb} topic {name}", "there is no such topic", hint)


async def places_of(cluster: Cluster, texts: Sequence[str], flag: str) -> list[TopicPartition]:
    """The partitions that are meant; all that the topic has if none are named."""
    from muster.client.partitions import spread

    wanted = [parse_place(text, flag) for text in texts]
    found = await known_topics(cluster, [topic for topic, _ in wanted])
    pairs = []
    for (topic, numbers), described in zip(wanted, found, strict=True):
        count = len(described.partitions)
        beyond = [number for number in numbers or [] if number >= count]
        if beyond:
            raise UsageError(f"{flag} {topic}: there is no partition {beyond[0]}; it has 0 to {count - 1}")
        pairs.append((topic, range(count) if numbers is None else numbers))
    return list(dict.fromkeys(spread(pairs)))
